-- BM25 where the database has no BM25 access method: a text index of each tenant, and how many chunks contain each term. Empty where
-- there is one. Triggers keep it right, whoever changes chunks.

drop function own_chunk_frequencies(text[]);
drop function own_chunks_matching(tsquery);

-- Partition text_index_<partition_no>. Apart from the chunks: rows as small as these are read quickly.
create table text_index (
  tenant_id uuid not null,
  chunk_id uuid not null,
  length int not null,                        -- number of terms
  vector tsvector not null,
  primary key (tenant_id, chunk_id)
) partition by list (tenant_id);

create table text_index_term (
  tenant_id uuid not null references tenant (id) on delete cascade,
  term text collate "C" not null,             -- '' stands for all chunks
  chunks bigint not null,                     -- how many contain it
  length bigint not null default 0,           -- of '': the sum of their lengths
  primary key (tenant_id, term)
);
create index text_index_term_unused on text_index_term (tenant_id) where chunks = 0;

-- Changes that text_index_term does not have yet. If each transaction counted its terms itself, those of one tenant would wait for
-- each other.
create table text_index_change (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id bigint generated always as identity,
  chunks int not null,                        -- 1 added, -1 removed
  length int not null,
  vector tsvector not null,
  primary key (tenant_id, id)
) with (toast_tuple_target = 8160);           -- not compressed: every search reads them

select protect_tenant_rows('text_index');
select protect_tenant_rows('text_index_term');
select protect_tenant_rows('text_index_change');

-- Nothing in here fails, whatever the terms: words above 2 kB are left out, and so is what follows the first 100,000 characters.
create function text_index_vector(terms text) returns tsvector language sql immutable parallel safe as $$
  select to_tsvector('simple'::regconfig, left(terms, 100000))
$$;

create function text_index_length(terms text) returns int language sql immutable parallel safe as $$
  select coalesce(array_length(string_to_array(terms, ' '), 1), 0)
$$;

-- One term as a query, whatever characters it has.
create function term_query(term text) returns tsquery language sql immutable parallel safe as $$
  select ('''' || replace(replace(term, '\', '\\'), '''', '''''') || '''')::tsquery
$$;

-- Counts the changes. One transaction at a time, and none waits: what it leaves is counted by the next.
create function count_text_index_changes(tenant uuid) returns void language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('text_index ' || tenant, 0)) then return; end if;
  with changes as (delete from text_index_change c where c.tenant_id = tenant returning c.chunks, c.length, c.vector),
  counts as (
    select ''::text as term, sum(c.chunks) as chunks, sum(c.chunks * c.length) as length from changes c
    union all
    select l.lexeme, sum(c.chunks), 0 from changes c cross join unnest(c.vector) l group by l.lexeme)
  insert into text_index_term as t (tenant_id, term, chunks, length)
  select tenant, n.term, n.chunks, n.length from counts n where n.chunks <> 0 or n.length <> 0
  on conflict (tenant_id, term) do update set chunks = t.chunks + excluded.chunks, length = t.length + excluded.length;
  delete from text_index_term t where t.tenant_id = tenant and t.chunks = 0 and t.length = 0;
end $$;

-- About every 64th change counts them all: so many are looked through by a search.
create function keep_text_index() returns trigger language plpgsql security definer set search_path from current as $$
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
      insert into text_index as i (tenant_id, chunk_id, length, vector)
      values (new.tenant_id, new.id, text_index_length(new.terms), text_index_vector(new.terms)) returning i.length, i.vector)
    insert into text_index_change as c (tenant_id, chunks, length, vector)
    select new.tenant_id, 1, a.length, a.vector from added a returning c.id into change;
    counts := coalesce(counts, false) or hashint8(change) & 63 = 0;
  end if;
  if counts then perform count_text_index_changes(coalesce(new.tenant_id, old.tenant_id)); end if;
  return null;
end $$;

create function create_text_index(tenant uuid, partition_no int) returns void language plpgsql as $$
declare
  part text := 'text_index_' || partition_no;
  chunks text := 'chunk_' || partition_no;
begin
  -- Long values stay in the row as long as it fits a page.
  execute format('create table %I partition of text_index for values in (%L) with (toast_tuple_target = 8160)', part, tenant);
  execute format('alter table %I alter column vector set statistics 0', part);
  perform protect_tenant_rows(part);
  execute format('create trigger keep_text_index after insert or delete or update of terms on %I for each row execute function keep_text_index()', chunks);
  execute format('insert into %I (tenant_id, chunk_id, length, vector) select tenant_id, id, text_index_length(terms), text_index_vector(terms) from %I', part, chunks);
  -- Without a list of pending entries: every search would read through it.
  execute format('create index %I on %I using gin (vector) with (fastupdate = off)', part || '_vector', part);
  execute format('insert into text_index_term (tenant_id, term, chunks, length) select $1, '''', count(*), coalesce(sum(length), 0) from %I', part) using tenant;
  insert into text_index_term (tenant_id, term, chunks)
  select tenant, s.word, s.ndoc from ts_stat(format('select vector from %I', part)) s;
end $$;

create function drop_text_index(tenant uuid, partition_no int) returns void language plpgsql as $$
begin
  execute format('drop trigger if exists keep_text_index on %I', 'chunk_' || partition_no);
  execute format('drop table if exists %I', 'text_index_' || partition_no);
  delete from text_index_term t where t.tenant_id = tenant;
  delete from text_index_change c where c.tenant_id = tenant;
end $$;

-- Under row-level security PostgreSQL uses no index for @@ (it is not leakproof), so these run as the owner, and look into the
-- index of the transaction's own tenant only.

-- How many chunks contain each term; of '' the number and the length of all. No rows when there is no text index.
create function own_term_counts(wanted text[]) returns table (term text, chunks bigint, length bigint)
  language sql stable security definer set search_path from current set jit = off as $$
  with own as materialized (
    select t.id from tenant t where t.id = nullif(current_setting('app.tenant', true), '')::uuid
      and to_regclass('text_index_' || t.partition_no) is not null),
  changes as materialized (
    select c.chunks, c.length, c.vector from text_index_change c join own on c.tenant_id = own.id)
  select w.term,
    coalesce(t.chunks, 0) + coalesce((select sum(c.chunks) from changes c where w.term = '' or c.vector @@ term_query(nullif(w.term, ''))), 0)::bigint,
    coalesce(t.length, 0) + coalesce((select sum(c.chunks * c.length) from changes c where w.term = ''), 0)::bigint
  from own cross join unnest(wanted) as w(term)
  left join text_index_term t on t.tenant_id = own.id and t.term = w.term
$$;

-- BM25 scores, best first; of equal score, the lower id first. Of the chunks that match, or of those that are named. The score is
-- the sum of weight * n / (n + base + slope * length), where n says how often the chunk contains the term. ts_rank of a single term
-- is (1 + 1/4 + 1/9 + … + 1/n²) / (π²/6); what is missing in the sum is close to 1 / (n + 1/2), so n can be told, up to 255.
create function own_text_scores(matching tsquery, named uuid[], terms text[], weights float8[], base float8, slope float8)
  returns table (chunk_id uuid, score float8)
  language plpgsql stable security definer set search_path from current
  set jit = off set enable_seqscan = off set enable_bitmapscan = on set enable_sort = on as $$
declare
  part text := (select 'text_index_' || t.partition_no from tenant t where t.id = nullif(current_setting('app.tenant', true), '')::uuid);
  scoring text;
begin
  if to_regclass(part) is null then return; end if;
  select string_agg(format(
    'case when v @@ %2$L then %1$L::float8 * (1 - d / (round(1 / (1.64493406685::float8 * (1 - ts_rank(''{1,1,1,1}'', v, %2$L)::float8)) - 0.5) + d)) else 0 end',
    weights[i], term_query(terms[i])), ' + ') into scoring from generate_subscripts(terms, 1) i;
  return query execute format('select m.chunk_id, %s from (
      select i.chunk_id, i.vector as v, $1 + $2 * i.length as d from %I i where %s offset 0) m order by 2 desc, 1',
    scoring, part, case when named is null then 'i.vector @@ $3' else 'i.tenant_id = $4 and i.chunk_id = any($5)' end)
    using base, slope, matching, nullif(current_setting('app.tenant', true), '')::uuid, named;
end $$;

revoke execute on function count_text_index_changes(uuid), keep_text_index(), create_text_index(uuid, int), drop_text_index(uuid, int),
  own_term_counts(text[]), own_text_scores(tsquery, uuid[], text[], float8[], float8, float8) from public;
grant execute on function own_term_counts(text[]), own_text_scores(tsquery, uuid[], text[], float8[], float8, float8) to pinakes_app;

-- The indexes that did this until now.
do $$
declare t record;
begin
  for t in select tenant.id, partition_no from tenant join pg_class c on c.relname = 'chunk_' || partition_no || '_terms'
      join pg_am a on a.oid = c.relam where a.amname = 'gin' and c.relnamespace = current_schema()::regnamespace loop
    execute format('drop index %I', 'chunk_' || t.partition_no || '_terms');
    perform create_text_index(t.id, t.partition_no);
  end loop;
end $$;
