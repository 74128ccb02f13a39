-- The look into the text index does less for each row: terms are not tested before they are counted, and the best are kept while
-- the rows come. Many terms at once, as all spellings near a word, are counted in one go.

drop function own_text_scores(tsquery, uuid[], text[], float8[], float8, float8);

-- As in 0006, but at most `best` rows; null: all. A term that is not there counts 0 times: ts_rank is 0, and 1 / (π²/6) - 1/2 rounds to 0.
create function own_text_scores(matching tsquery, named uuid[], terms text[], weights float8[], base float8, slope float8, best bigint)
  returns table (chunk_id uuid, score float8)
  language plpgsql stable security definer set search_path from current
  set jit = off set enable_seqscan = off set enable_bitmapscan = on set enable_sort = on set max_parallel_workers_per_gather = 0 as $$
declare
  part text := (select 'text_index_' || t.partition_no from tenant t where t.id = nullif(current_setting('app.tenant', true), '')::uuid);
  scoring text;
begin
  if to_regclass(part) is null then return; end if;
  select string_agg(format(
    '%1$L::float8 * (1 - d / (round(1 / (1.64493406685::float8 * (1 - ts_rank(''{1,1,1,1}'', v, %2$L)::float8)) - 0.5) + d))',
    weights[i], term_query(terms[i])), ' + ') into scoring from generate_subscripts(terms, 1) i;
  return query execute format('select m.chunk_id, %s from (
      select i.chunk_id, i.vector as v, $1 + $2 * i.length as d from %I i where %s offset 0) m order by 2 desc, 1 limit $6',
    scoring, part, case when named is null then 'i.vector @@ $3' else 'i.tenant_id = $4 and i.chunk_id = any($5)' end)
    using base, slope, matching, nullif(current_setting('app.tenant', true), '')::uuid, named, best;
end $$;

create or replace function own_term_counts(wanted text[]) returns table (term text, chunks bigint, length bigint)
  language sql stable security definer set search_path from current set jit = off as $$
  with own as materialized (
    select t.id from tenant t where t.id = nullif(current_setting('app.tenant', true), '')::uuid
      and to_regclass('text_index_' || t.partition_no) is not null),
  changes as materialized (
    select c.chunks, c.length, c.vector from text_index_change c join own on c.tenant_id = own.id),
  -- Of few terms each is looked up in each change.
  changed as materialized (
    select l.lexeme, sum(c.chunks) as chunks from changes c cross join unnest(c.vector) l
    where cardinality(wanted) > 64 and l.lexeme = any(wanted) group by 1)
  select w.term,
    coalesce(t.chunks, 0) + coalesce(case
      when w.term = '' then (select sum(c.chunks) from changes c)
      when cardinality(wanted) > 64 then (select d.chunks from changed d where d.lexeme = w.term)
      else (select sum(c.chunks) from changes c where c.vector @@ term_query(nullif(w.term, ''))) end, 0)::bigint,
    coalesce(t.length, 0) + coalesce((select sum(c.chunks * c.length) from changes c where w.term = ''), 0)::bigint
  from own cross join unnest(wanted) as w(term)
  left join text_index_term t on t.tenant_id = own.id and t.term = w.term
$$;

revoke execute on function own_text_scores(tsquery, uuid[], text[], float8[], float8, float8, bigint) from public;
grant execute on function own_text_scores(tsquery, uuid[], text[], float8[], float8, float8, bigint) to pinakes_app;
