-- What searches on a server without a BM25 access method ask of the text index to correct typing errors costs less.

-- As in 0023. Usually no changes wait to be counted: then the terms, hundreds where all spellings near a word are looked for, are found
-- in one pass through the index, and those that are not there are left out. Of '', which is all chunks, there is always a row.
create or replace function own_term_counts(wanted text[]) returns table (term text, chunks bigint, length bigint, most int, sparsest float8)
  language plpgsql stable security definer set search_path from current
  set jit = off set enable_nestloop = off set enable_mergejoin = off as $$
declare
  own uuid := nullif(current_setting('app.tenant', true), '')::uuid;
begin
  if (select to_regclass('text_index_' || t.partition_no) from tenant t where t.id = own) is null then return; end if;
  if not exists (select from text_index_change c where c.tenant_id = own) then
    return query
      select i.term, i.chunks, i.length, i.most, i.sparsest from text_index_term i where i.tenant_id = own and i.term = any(wanted)
      union all
      select '', 0, 0, null, null where '' = any(wanted) and not exists (select from text_index_term i where i.tenant_id = own and i.term = '');
    return;
  end if;
  if cardinality(wanted) > 64 then
    return query
      with changes as materialized (select c.chunks, c.length, c.vector from text_index_change c where c.tenant_id = own),
      changed as materialized (
        select l.lexeme, sum(c.chunks) as chunks from changes c cross join unnest(c.vector) l
        join (select distinct x.term from unnest(wanted) x(term)) x on x.term = l.lexeme group by 1)
      select w.term,
        coalesce(t.chunks, 0) + coalesce(case when w.term = '' then (select sum(c.chunks) from changes c) else d.chunks end, 0)::bigint,
        coalesce(t.length, 0) + coalesce((select sum(c.chunks * c.length) from changes c where w.term = ''), 0)::bigint,
        null::int, null::float8
      from unnest(wanted) as w(term)
      left join changed d on d.lexeme = w.term
      left join lateral (
        select i.chunks, i.length from text_index_term i where i.tenant_id = own and i.term = w.term offset 0) t on true;
    return;
  end if;
  -- Of few terms each is looked up in each change.
  return query
    with changes as materialized (select c.chunks, c.length, c.vector from text_index_change c where c.tenant_id = own)
    select w.term, coalesce(t.chunks, 0) + coalesce(d.chunks, 0)::bigint, coalesce(t.length, 0) + coalesce(d.length, 0)::bigint,
      case when d.added is null then t.most end, case when d.added is null then t.sparsest end
    from unnest(wanted) as w(term)
    left join lateral (
      select i.chunks, i.length, i.most, i.sparsest from text_index_term i where i.tenant_id = own and i.term = w.term offset 0) t on true
    left join lateral (
      select sum(c.chunks) as chunks, sum(c.chunks * c.length) filter (where w.term = '') as length,
        max(c.chunks) filter (where c.chunks > 0) as added
      from changes c where w.term = '' or c.vector @@ term_query(nullif(w.term, ''))) d on true;
end $$;

-- As in 0021. The chunks of few sources are looked at themselves, instead of all that have the term.
drop function own_terms_among(text[], uuid[]);
create function own_terms_among(terms text[], sources uuid[], are_few boolean) returns setof text
  language plpgsql stable security definer set search_path from current
  set jit = off set enable_seqscan = off set enable_bitmapscan = on set max_parallel_workers_per_gather = 0 as $$
declare
  part text := (select 'text_index_' || t.partition_no from tenant t where t.id = nullif(current_setting('app.tenant', true), '')::uuid);
begin
  if to_regclass(part) is null then return; end if;
  return query execute format('select t.term from unnest($1) t(term) where exists (select from %I i where %s)', part, case
      when are_few then 'i.source_id = any($2) and coalesce(i.vector @@ term_query(t.term), false)'
      else 'i.vector @@ term_query(t.term) and coalesce(i.source_id = any($2), false)' end)
    using terms, sources;
end $$;
revoke execute on function own_terms_among(text[], uuid[], boolean) from public;
grant execute on function own_terms_among(text[], uuid[], boolean) to pinakes_app;
