-- The text index knows the source of each chunk: under a filter only chunks of the sources that fit are scored, and those of few
-- sources are looked up by source. The index of each tenant is made anew.

create temporary table text_index_remade on commit drop as
  select id, partition_no from tenant where to_regclass('text_index_' || partition_no) is not null;
select drop_text_index(id, partition_no) from text_index_remade;

alter table text_index add column source_id uuid not null;

-- As in 0006, with the source.
create or replace function keep_text_index() returns trigger language plpgsql security definer set search_path from current as $$
declare
  change bigint;
  counts boolean := false;
begin
  if tg_op <> 'INSERT' then
    with removed as (
      delete from text_index i where i.tenant_id = old.tenant_id and i.chunk_id = old.id returning i.length, i.vector)
    insert into text_index_change as c (tenant_id, chunks, length, vector)
    select old.tenant_id, -1, r.length, r.vector from removed r returning c.id into change;
    counts := hashint8(change) & 63 = 0;
  end if;
  if tg_op <> 'DELETE' then
    with added as (
      insert into text_index as i (tenant_id, chunk_id, source_id, length, vector)
      values (new.tenant_id, new.id, new.source_id, text_index_length(new.terms), text_index_vector(new.terms)) returning i.length, i.vector)
    insert into text_index_change as c (tenant_id, chunks, length, vector)
    select new.tenant_id, 1, a.length, a.vector from added a returning c.id into change;
    counts := coalesce(counts, false) or hashint8(change) & 63 = 0;
  end if;
  if counts then perform count_text_index_changes(coalesce(new.tenant_id, old.tenant_id)); end if;
  return null;
end $$;

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
  insert into text_index_term (tenant_id, term, chunks)
  select tenant, s.word, s.ndoc from ts_stat(format('select vector from %I', part)) s;
end $$;

select create_text_index(id, partition_no) from text_index_remade;

drop function own_text_scores(tsquery, uuid[], text[], float8[], float8, float8, bigint);

-- As in 0014. Of the chunks that match: with `sources` only those of these sources, which are few or not; or of those that are named.
-- What must not be looked up in an index stands in a coalesce.
create function own_text_scores(matching tsquery, named uuid[], sources uuid[], are_few boolean, terms text[], weights float8[],
    base float8, slope float8, best bigint)
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
    scoring, part, case
      when named is not null then 'i.tenant_id = $4 and i.chunk_id = any($5)'
      when sources is null then 'i.vector @@ $3'
      when are_few then 'i.source_id = any($7) and coalesce(i.vector @@ $3, false)'
      else 'i.vector @@ $3 and coalesce(i.source_id = any($7), false)' end)
    using base, slope, matching, nullif(current_setting('app.tenant', true), '')::uuid, named, best, sources;
end $$;

-- Which of the terms occur in chunks of these sources.
create function own_terms_among(terms text[], sources uuid[]) returns setof text
  language plpgsql stable security definer set search_path from current
  set jit = off set enable_seqscan = off set enable_bitmapscan = on set max_parallel_workers_per_gather = 0 as $$
declare
  part text := (select 'text_index_' || t.partition_no from tenant t where t.id = nullif(current_setting('app.tenant', true), '')::uuid);
begin
  if to_regclass(part) is null then return; end if;
  return query execute format('select t.term from unnest($1) t(term)
      where exists (select from %I i where i.vector @@ term_query(t.term) and coalesce(i.source_id = any($2), false))', part)
    using terms, sources;
end $$;

revoke execute on function own_terms_among(text[], uuid[]),
  own_text_scores(tsquery, uuid[], uuid[], boolean, text[], float8[], float8, float8, bigint) from public;
grant execute on function own_terms_among(text[], uuid[]),
  own_text_scores(tsquery, uuid[], uuid[], boolean, text[], float8[], float8, float8, bigint) to pinakes_app;

-- A server, too, remembers what was worked out of the corpus. There transactions end in another order than they raise the sequence of
-- 0020; but which of them a search can see says in which state it finds the corpus. Now and then one row takes the place of those
-- that the transaction sees: it is seen by whoever sees that they are gone, so no state is ever taken for one before.
create table corpus_change (transaction xid8 primary key);

create or replace function change_corpus_version() returns trigger language plpgsql security definer set search_path from current as $$
begin
  if nextval('corpus_version') & 255 = 0 and pg_try_advisory_xact_lock(hashtextextended('corpus_change', 0)) then
    delete from corpus_change;
  end if;
  insert into corpus_change values (pg_current_xact_id()) on conflict do nothing;
  return null;
end $$;

create function corpus_state() returns text language sql stable security definer set search_path from current as $$
  select md5(coalesce(string_agg(c.transaction::text, ' ' order by c.transaction), '')) from corpus_change c
$$;
revoke execute on function corpus_state() from public;
grant execute on function corpus_state() to pinakes_app;
