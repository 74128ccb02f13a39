-- What searches on a server without a BM25 access method ask of the text index costs less: the sources of the best chunks come with
-- them, plans are kept for the session, and what a term can add to a score is known more closely, so that fewer chunks are looked at.

-- More than that no chunk has of the term, and less length for each time it has it. Null: not known. A chunk that is removed leaves
-- them as they are.
alter table text_index_term add column most int, add column sparsest float8;

create function text_index_bounds(part text) returns table (term text, chunks bigint, most int, sparsest float8) language plpgsql as $$
begin
  return query execute format('select l.lexeme, count(*), max(cardinality(l.positions)), min(i.length::float8 / cardinality(l.positions))
      from %I i cross join unnest(i.vector) l group by 1', part);
end $$;

do $$
declare t record;
begin
  for t in select id, 'text_index_' || partition_no as part from tenant where to_regclass('text_index_' || partition_no) is not null loop
    update text_index_term u set most = b.most, sparsest = b.sparsest from text_index_bounds(t.part) b where u.tenant_id = t.id and u.term = b.term;
  end loop;
end $$;

-- As in 0021.
create or replace function create_text_index(tenant uuid, partition_no int) returns void language plpgsql as $$
declare
  part text := 'text_index_' || partition_no;
  chunks text := 'chunk_' || partition_no;
begin
  -- Long values stay in the row as long as it fits a page.
  execute format('create table %I partition of text_index for values in (%L) with (toast_tuple_target = 8160)', part, tenant);
  execute format('alter table %I alter column vector set statistics 0', part);
  perform protect_tenant_rows(part);
  execute format('create trigger keep_text_index after insert or delete or update of terms on %I for each row execute function keep_text_index()', chunks);
  execute format('insert into %I (tenant_id, chunk_id, source_id, length, vector) select tenant_id, id, source_id, text_index_length(terms), text_index_vector(terms) from %I', part, chunks);
  -- Without a list of pending entries: every search would read through it.
  execute format('create index %I on %I using gin (vector) with (fastupdate = off)', part || '_vector', part);
  execute format('create index %I on %I (source_id)', part || '_source', part);
  execute format('insert into text_index_term (tenant_id, term, chunks, length) select $1, '''', count(*), coalesce(sum(length), 0) from %I', part) using tenant;
  insert into text_index_term (tenant_id, term, chunks, most, sparsest)
  select tenant, b.term, b.chunks, b.most, b.sparsest from text_index_bounds(part) b;
end $$;

-- As in 0006. A chunk that was replaced counts nothing, but may have more of a term than the one before.
create or replace function count_text_index_changes(tenant uuid) returns void language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('text_index ' || tenant, 0)) then return; end if;
  with changes as (delete from text_index_change c where c.tenant_id = tenant returning c.chunks, c.length, c.vector),
  counts as (
    select ''::text as term, sum(c.chunks) as chunks, sum(c.chunks * c.length) as length, null::int as most, null::float8 as sparsest from changes c
    union all
    select l.lexeme, sum(c.chunks), 0, max(cardinality(l.positions)), min(c.length::float8 / cardinality(l.positions))
    from changes c cross join unnest(c.vector) l group by l.lexeme)
  insert into text_index_term as t (tenant_id, term, chunks, length, most, sparsest)
  select tenant, n.term, n.chunks, n.length, n.most, n.sparsest from counts n where n.chunks is not null
  on conflict (tenant_id, term) do update set chunks = t.chunks + excluded.chunks, length = t.length + excluded.length,
    most = case when t.most is not null then greatest(t.most, excluded.most) end,
    sparsest = case when t.sparsest is not null then least(t.sparsest, excluded.sparsest) end;
  delete from text_index_term t where t.tenant_id = tenant and t.chunks = 0 and t.length = 0;
end $$;

-- As in 0015, with the bounds; there are none of terms that changes which are not counted yet have brought, nor of many at once.
drop function own_term_counts(text[]);
create function own_term_counts(wanted text[]) returns table (term text, chunks bigint, length bigint, most int, sparsest float8)
  language plpgsql stable security definer set search_path from current
  set jit = off set enable_nestloop = off set enable_mergejoin = off as $$
declare
  own uuid := nullif(current_setting('app.tenant', true), '')::uuid;
begin
  if (select to_regclass('text_index_' || t.partition_no) from tenant t where t.id = own) is null then return; end if;
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

-- As in 0021, with the source of each chunk. With sources the chunks are looked up in the index over them when they are few, when not
-- in that over terms; null: in both. Most chunks that match have few of the terms: to see that one is missing is cheaper
-- than to count it.
drop function own_text_scores(tsquery, uuid[], uuid[], boolean, text[], float8[], float8, float8, bigint);
create function own_text_scores(matching tsquery, named uuid[], sources uuid[], are_few boolean, terms text[], weights float8[],
    base float8, slope float8, best bigint)
  returns table (chunk_id uuid, source_id uuid, score float8)
  language plpgsql stable security definer set search_path from current
  set jit = off set enable_seqscan = off set enable_bitmapscan = on set enable_sort = on set max_parallel_workers_per_gather = 0 as $$
declare
  part text := (select 'text_index_' || t.partition_no from tenant t where t.id = nullif(current_setting('app.tenant', true), '')::uuid);
  scoring text;
begin
  if to_regclass(part) is null then return; end if;
  select string_agg(format(
    'case when v @@ %2$L then %1$L::float8 * (1 - d / (round(1 / (1.64493406685::float8 * (1 - ts_rank(''{1,1,1,1}'', v, %2$L)::float8)) - 0.5) + d)) else 0 end',
    weights[i], term_query(terms[i])), ' + ') into scoring from generate_subscripts(terms, 1) i;
  return query execute format('select m.chunk_id, m.source_id, %s from (
      select i.chunk_id, i.source_id, i.vector as v, $1 + $2 * i.length as d from %I i where %s offset 0) m order by 3 desc, 1 limit $6',
    scoring, part, case
      when named is not null then 'i.tenant_id = $4 and i.chunk_id = any($5)'
      when sources is null then 'i.vector @@ $3'
      when are_few then 'i.source_id = any($7) and coalesce(i.vector @@ $3, false)'
      when are_few is null then 'i.vector @@ $3 and i.source_id = any($7)'
      else 'i.vector @@ $3 and coalesce(i.source_id = any($7), false)' end)
    using base, slope, matching, nullif(current_setting('app.tenant', true), '')::uuid, named, best, sources;
end $$;

revoke execute on function text_index_bounds(text), own_term_counts(text[]),
  own_text_scores(tsquery, uuid[], uuid[], boolean, text[], float8[], float8, float8, bigint) from public;
grant execute on function own_term_counts(text[]),
  own_text_scores(tsquery, uuid[], uuid[], boolean, text[], float8[], float8, float8, bigint) to pinakes_app;

-- Sources of which the index may have chunks that no search finds. There are few, or none: then nothing has to be looked up for a chunk.
create index source_doubtful on source (tenant_id) where deleted_at is not null or status <> 'ready' or mixed;
create index source_group_deleted on source_group (tenant_id) where deleted_at is not null;
