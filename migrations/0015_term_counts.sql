-- Of many terms at once, as all spellings near a word: a join by hash, for the planner takes the terms of a change for few.
create or replace function own_term_counts(wanted text[]) returns table (term text, chunks bigint, length bigint)
  language sql stable security definer set search_path from current
  set jit = off set enable_nestloop = off set enable_mergejoin = off as $$
  with own as materialized (
    select t.id from tenant t where t.id = nullif(current_setting('app.tenant', true), '')::uuid
      and to_regclass('text_index_' || t.partition_no) is not null),
  changes as materialized (
    select c.chunks, c.length, c.vector from text_index_change c where c.tenant_id = (select own.id from own)),
  -- Of few terms each is looked up in each change.
  changed as materialized (
    select l.lexeme, sum(c.chunks) as chunks from changes c cross join unnest(c.vector) l
    join (select distinct x.term from unnest(wanted) x(term)) x on x.term = l.lexeme
    where cardinality(wanted) > 64 group by 1)
  select w.term,
    coalesce(t.chunks, 0) + coalesce(case
      when w.term = '' then (select sum(c.chunks) from changes c)
      when cardinality(wanted) > 64 then d.chunks
      else (select sum(c.chunks) from changes c where c.vector @@ term_query(nullif(w.term, ''))) end, 0)::bigint,
    coalesce(t.length, 0) + coalesce((select sum(c.chunks * c.length) from changes c where w.term = ''), 0)::bigint
  from own cross join unnest(wanted) as w(term)
  left join changed d on d.lexeme = w.term
  left join lateral (
    select i.chunks, i.length from text_index_term i where i.tenant_id = own.id and i.term = w.term offset 0) t on true
$$;
