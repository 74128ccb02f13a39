-- The schema of Pinakes 0.1.0.
--
-- Every table that holds tenants' data has the column tenant_id. Two walls separate tenants: each statement names the tenant, and
-- row-level security hides the rows of all others (last section). Ids are UUIDv7: they ascend with the time of creation.
--
-- Before the first migration, src/db/extensions.ts installs the extensions, and src/db/migrate.ts creates the role pinakes_app and the
-- table schema_migration. pg-boss keeps the job queue in a schema of its own, pgboss.

comment on table schema_migration is 'Applied migrations (src/db/migrate.ts).';


-- ── Tenants and keys ───────────────────────────────────────────────────────────────────────────────────────────────────────────

create table tenant (
  id uuid primary key,
  name text not null unique,
  partition_no int generated always as identity unique,   -- part of the names of the tenant's partitions: chunk_<partition_no>
  created_at timestamptz not null default now(),
  analyzer_version int not null default 0,    -- which version of the analyzer made the terms of the chunks
  analyzed_to uuid,                           -- chunks up to this id already have terms of the program's version; null = none or all
  quota_bytes bigint check (quota_bytes >= 0),  -- quotas: null = that of the settings, 0 = not limited
  quota_files bigint check (quota_files >= 0),
  quota_groups bigint check (quota_groups >= 0)
);
comment on table tenant is
  'Tenants. A job analyzes the chunks of a tenant again when analyzer_version is not the version of the program.';

create table api_key (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  public_id text not null unique,             -- the 12 characters after pk_
  name text not null,
  secret_hash bytea not null,                 -- SHA-256 of the whole key
  scopes text[] not null,
  source_group_ids uuid[],                    -- null = not limited
  tag_ids uuid[],                             -- null = not limited
  expires_at timestamptz,
  revoked_at timestamptz,
  issued_by uuid,                             -- the key that issued this one; null = an operator's command
  root_id uuid not null,                      -- the operator's key from which this one descends; limits count for all its descendants
  family_id uuid not null,                    -- the first key of the chain of rotations; conversations belong to it
  replaced_by uuid,                           -- the key that a rotation put in its place
  last_used_at timestamptz,                   -- a minute old at most; null = not used yet
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
comment on table api_key is 'API keys with their scopes and limits. The key itself is not stored.';

create table console_session (
  tenant_id uuid not null,
  id uuid not null,
  api_key_id uuid not null,                   -- the session may do what this key may do, and ends with it
  secret_hash bytea not null unique,          -- SHA-256 of the value of the cookie
  created_at timestamptz not null,
  used_at timestamptz not null,               -- a few minutes old at most; a session that nobody uses ends
  expires_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, api_key_id) references api_key (tenant_id, id) on delete cascade
);
create index console_session_key on console_session (tenant_id, api_key_id, id);
comment on table console_session is 'Browsers that are signed in to the console. The value of the cookie is not stored.';

create table console_link (
  tenant_id uuid not null,
  id uuid not null,
  api_key_id uuid not null,                   -- the session that the link begins belongs to this key
  secret_hash bytea not null unique,          -- SHA-256 of the word in the link
  expires_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, api_key_id) references api_key (tenant_id, id) on delete cascade
);
comment on table console_link is 'Sign-in links to the console that nobody has used yet. Each is used once.';

create table idempotency_key (
  tenant_id uuid not null references tenant (id) on delete cascade,
  api_key_id uuid not null,
  key text not null,
  route text not null,
  body_hash bytea,                            -- null while a multipart body is still streaming
  response_status int,                        -- null while the first request runs
  response_body text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, api_key_id, key)
);
create index idempotency_key_created on idempotency_key (created_at);
comment on table idempotency_key is 'Answers by Idempotency-Key, so that a repeated request gets the first answer again.';


-- ── Source groups and tags ─────────────────────────────────────────────────────────────────────────────────────────────────────

create table source_group (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  source_type text not null check (source_type in ('local_file', 'drive', 'page', 'repo', 'web', 'database')),
  name text not null,
  status text not null,                       -- source_group_transition has the legal changes
  metadata jsonb not null default '{}',       -- key -> text
  metadata_bytes int not null generated always as (octet_length(metadata::text)) stored, -- the cost of filters and policies on it
  chunk_metadata_keys jsonb not null default '[]',
  chunk_metadatas_count bigint not null default 0,
  error_title text,
  error_message text,
  generation int not null default 1,          -- a new run raises it and so fences out the run that it replaces
  upload_at timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  deleted_at timestamptz,                     -- tombstone: from this time on no request returns anything of the group
  primary key (tenant_id, id),
  check (ended_at is null or started_at is null or started_at <= ended_at),
  check (started_at is null or created_at <= started_at)
);
create index source_group_page on source_group (tenant_id, source_type, id);
create index source_group_deleted on source_group (tenant_id) where deleted_at is not null;
comment on table source_group is 'Source groups: one upload, or one origin that the service keeps in step with.';

create table source_group_transition (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
comment on table source_group_transition is
  'Legal changes of source_group.status. jobs/status.ts repeats them for display; a test compares both.';

insert into source_group_transition (from_status, to_status) values
  ('queued', 'starting'), ('starting', 'started'), ('started', 'success'), ('started', 'failure'), ('started', 'managed'),
  ('starting', 'failure'),
  ('managed', 'queued'), ('success', 'queued'), ('failure', 'queued'), ('canceled', 'queued'),
  ('queued', 'canceling'), ('starting', 'canceling'), ('started', 'canceling'),
  ('canceling', 'canceled'), ('canceling', 'success'), ('canceling', 'failure'),
  ('starting', 'unknown'), ('started', 'unknown'), ('unknown', 'queued'), ('unknown', 'failure'),
  ('queued', 'deleting'), ('starting', 'deleting'), ('started', 'deleting'), ('success', 'deleting'), ('failure', 'deleting'),
  ('managed', 'deleting'), ('canceling', 'deleting'), ('canceled', 'deleting'), ('unknown', 'deleting'), ('not_started', 'deleting'),
  ('not_started', 'queued'),
  ('deleting', 'delete_job_failure'), ('delete_job_failure', 'deleting');

create function source_group_status_guard() returns trigger language plpgsql as $$
begin
  if new.status is distinct from old.status and not exists (
    select from source_group_transition t where t.from_status = old.status and t.to_status = new.status
  ) then
    raise exception 'illegal status transition of source group %: % -> %', old.id, old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger source_group_status before update of status on source_group
  for each row execute function source_group_status_guard();

create table tag (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  name text not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, name)
);
comment on table tag is 'Tags, which source groups carry.';

create table tag_source_group (
  tenant_id uuid not null,
  id uuid not null,                           -- the position of the link in lists
  tag_id uuid not null,
  source_group_id uuid not null,
  primary key (tenant_id, tag_id, source_group_id),
  foreign key (tenant_id, tag_id) references tag (tenant_id, id) on delete cascade,
  foreign key (tenant_id, source_group_id) references source_group (tenant_id, id) on delete cascade
);
create unique index tag_source_group_page on tag_source_group (tenant_id, id);
create index tag_source_group_group on tag_source_group (tenant_id, source_group_id);
comment on table tag_source_group is 'Which source group carries which tag.';


-- ── Sources and blobs ──────────────────────────────────────────────────────────────────────────────────────────────────────────

create table blob (
  tenant_id uuid not null references tenant (id) on delete cascade,
  hash text not null,                         -- SHA-256, hex; the name of the file in the blob store
  size bigint not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, hash)
);
comment on table blob is 'Files in the blob store. The collector removes rows and files that no source needs.';

create table upload (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  hashes text[] not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
comment on table upload is
  'Uploads in flight: nobody deletes a blob that is listed here. A row that a crashed request left expires after an hour.';

create table source (
  tenant_id uuid not null,
  id uuid not null,
  source_group_id uuid not null,
  parent_source_id uuid,                        -- the archive or mail that holds it; may be deleted before its members
  member_depth int not null default 0,          -- archives within archives
  source_type text not null,
  name text not null,
  path text,                                    -- of an uploaded file: names it in its group. Null: from an origin, or a member.
                                                -- Not unique: one upload may hold equal names.
  url text,
  file_type text not null,
  file_size bigint not null,
  blob_hash text not null,
  status text not null check (status in ('pending', 'ready', 'failed')),
  attempts int not null default 0,
  generation int not null default 1,            -- searches find only the chunks and text of this generation
  mixed boolean not null default false,         -- chunks or text of other generations may exist
  origin_metadata jsonb not null default '{}',  -- key -> {"val", "type"}, and "trusted": true when a connector says so
  metadata jsonb not null default '{}',         -- records set by the API: key -> text; they win over origin_metadata
  metadata_bytes int not null generated always as (octet_length(metadata::text) + octet_length(origin_metadata::text)) stored,
                                                -- the cost of filters and policies on both is worked out from it
  language text,                                -- ISO 639-1, detected or null
  content_at timestamptz not null,              -- last change at the origin, else the time of ingestion
  text_length int not null default 0,           -- code points of the extracted text
  chunk_count int not null default 0,
  chunk_metadatas_count int not null default 0,
  chunk_metadata_bytes bigint not null default 0, -- of the metadata of its chunks: the cost of a filter on them is worked out from it
  redacted_by text not null default '',         -- the ingest rules that the text was redacted with (redact.ts: ingestMark); empty = none
  warnings jsonb not null default '[]',
  tables jsonb not null default '[]',           -- where its text has tables
  includes jsonb,                               -- path -> hash of the bytes there when the source was read, null = no file there:
                                                -- the files that the source includes. Null: it includes nothing.
  created_at timestamptz not null,
  deleted_at timestamptz,                       -- tombstone
  primary key (tenant_id, id),
  foreign key (tenant_id, source_group_id) references source_group (tenant_id, id) on delete cascade
);
create index source_group_sources on source (tenant_id, source_group_id, id);
create index source_pending on source (tenant_id, source_group_id) where status = 'pending';
create index source_mixed on source (tenant_id, source_group_id) where mixed;
create index source_path on source (tenant_id, source_group_id, path) where path is not null;
create index source_includes on source (tenant_id, source_group_id) where includes is not null;
create index source_parent on source (tenant_id, parent_source_id) where parent_source_id is not null;
-- The next two indexes must not serve a condition on tenant_id alone, as an index of (tenant_id, blob_hash) would. While many sources are
-- added, old statistics say that the tenant has hardly any. A look-up by id then read all sources of the tenant in such an index.
create index source_blob on source (blob_hash, tenant_id);
create index source_language on source (tenant_id, language) where language is not null; -- the languages in which a query is analyzed
create index source_with_metadata on source (tenant_id, id) where metadata <> '{}' and deleted_at is null;
create index source_deleted on source (tenant_id, deleted_at) where deleted_at is not null;  -- removals that have not ended
-- Sources whose chunks a search may have to leave out. Usually there are none, and then no chunk is looked up.
create index source_doubtful on source (tenant_id) where deleted_at is not null or status <> 'ready' or mixed;
comment on table source is
  'Sources: files, pages, mails and members of archives. A new version is read while the old generation is still served; raising '
  'generation replaces the old version in one step.';

create table source_text (
  tenant_id uuid not null,
  source_id uuid not null,
  generation int not null default 1,
  start_offset int not null,                    -- in code points, as end_offset
  end_offset int not null,
  content text not null,
  primary key (tenant_id, source_id, generation, start_offset),
  foreign key (tenant_id, source_id) references source (tenant_id, id) on delete cascade
);
-- Without this, ANALYZE samples whole texts, and no plan needs their statistics.
alter table source_text alter column content set statistics 0;
comment on table source_text is 'Extracted text in segments, so that a range of code points is read without the rest.';


-- ── Tables ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

create table source_table (
  tenant_id uuid not null,
  id uuid not null,
  source_id uuid,                             -- null: the table of an address (url) whose file was not read yet
  source_group_id uuid not null,
  generation int not null,                    -- of the source, whose text the served version was built from
  place_key text,                             -- names the table in its source, also in later versions of the source (tables/places.ts)
  url text,                                   -- the address of the file, if the table was asked for by its address
  wanted_index int,                           -- with url: the number of the table in the file; null: its only table
  refresh_error text,                         -- with url: why the last run could not read the file
  position jsonb not null,
  name text not null,
  sql_name text not null,                     -- lower case; the name of the table in queries
  description text,
  requested boolean not null default false,   -- somebody asked for it; otherwise it came with its source
  status text not null check (status in ('building', 'ready', 'failed')),
  error_message text,
  version int not null default 0,             -- raised with each new Parquet file
  blob_hash text,                             -- the Parquet file of this version
  bytes bigint not null default 0,            -- of the Parquet file
  row_count bigint not null default 0,
  total_rows bigint not null default 0,
  columns jsonb not null default '[]',
  column_settings jsonb not null default '{}', -- header -> {"name", "description", "type"}: what a user has set
  schema_policy text not null default 'accept' check (schema_policy in ('accept', 'freeze')),
  warnings jsonb not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  hidden_at timestamptz,                      -- a user deleted a table that came with its source: it stays away until the source changes
  primary key (tenant_id, id),
  check ((source_id is null) = (place_key is null) and (source_id is not null or url is not null)),
  unique (tenant_id, source_id, place_key),
  foreign key (tenant_id, source_id) references source (tenant_id, id) on delete cascade,
  foreign key (tenant_id, source_group_id) references source_group (tenant_id, id) on delete cascade
);
create unique index source_table_sql_name on source_table (tenant_id, sql_name);
create index source_table_group on source_table (tenant_id, source_group_id);
create index source_table_blob on source_table (tenant_id, blob_hash) where blob_hash is not null;
comment on table source_table is 'Tables of sources, each with the Parquet file of the version that is served.';

create table source_table_copy (
  tenant_id uuid not null,
  table_id uuid not null,
  version int not null,
  redaction_version int not null,
  blob_hash text not null,
  created_at timestamptz not null,
  primary key (tenant_id, table_id, version, redaction_version),
  foreign key (tenant_id, table_id) references source_table (tenant_id, id) on delete cascade
);
create index source_table_copy_blob on source_table_copy (tenant_id, blob_hash);
comment on table source_table_copy is 'Copies of the Parquet files of tables with a version of the redaction policy applied.';


-- ── Chunks ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

create table chunk (
  tenant_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  source_group_id uuid not null,
  generation int not null default 1,            -- of its source
  ordinal int not null,
  start_offset int not null,                    -- in code points of the source's text, as end_offset
  end_offset int not null,
  content text not null,
  context text,                                 -- helps a reader (a repeated table header); never part of content
  heading_path text[] not null default '{}',
  pages int[],
  metadata jsonb not null default '{}',         -- chunk metadata: key -> {"val", "type"}
  terms text not null,                          -- the analyzer's output, separated by blanks
  primary key (tenant_id, id),
  check (start_offset <= end_offset)
) partition by list (tenant_id);
create index chunk_source on chunk (tenant_id, source_id, ordinal);
create index chunk_group on chunk (tenant_id, source_group_id);
comment on table chunk is
  'Chunks. The creation of a tenant makes its partition chunk_<partition_no>, with an index over terms of its own '
  '(chunk_<partition_no>_terms, BM25) where pg_textsearch is installed.';


-- ── Text index without pg_textsearch ───────────────────────────────────────────────────────────────────────────────────────────
-- A database without the access method bm25 keeps these tables instead of the index chunk_<partition_no>_terms. They are empty where
-- the access method exists. Triggers keep them right, whoever changes chunks.

create table text_index (
  tenant_id uuid not null,
  chunk_id uuid not null,
  source_id uuid not null,
  length int not null,                        -- number of terms
  vector tsvector not null,
  primary key (tenant_id, chunk_id)
) partition by list (tenant_id);
comment on table text_index is
  'Terms of each chunk, in partitions text_index_<partition_no>. Apart from the chunks, because small rows are read faster.';

create table text_index_term (
  tenant_id uuid not null references tenant (id) on delete cascade,
  term text collate "C" not null,             -- '' stands for all chunks
  chunks bigint not null,                     -- how many chunks contain the term
  length bigint not null,                     -- of '': the sum of the lengths of all chunks
  primary key (tenant_id, term)
);
create index text_index_term_unused on text_index_term (tenant_id) where chunks = 0;
comment on table text_index_term is 'How many chunks of a tenant contain each term. The rows of text_index_change have to be added.';

create table text_index_change (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id bigint generated always as identity,
  chunks int not null,                        -- 1 = added, -1 = removed
  length int not null,
  vector tsvector not null,
  primary key (tenant_id, id)
);
comment on table text_index_change is
  'Changes that text_index_term does not count yet. Transactions that counted their own terms would wait for each other.';

-- Never fails, whatever the terms are: leaves out words above 2 kB and everything after the first 100,000 characters.
create function text_index_vector(terms text) returns tsvector language sql immutable parallel safe as $$
  select to_tsvector('simple'::regconfig, left(terms, 100000))
$$;

create function text_index_length(terms text) returns int language sql immutable parallel safe as $$
  select coalesce(array_length(string_to_array(terms, ' '), 1), 0)
$$;

-- Returns the query for one term, whatever characters the term has.
create function term_query(term text) returns tsquery language sql immutable parallel safe as $$
  select ('''' || replace(replace(term, '\', '\\'), '''', '''''') || '''')::tsquery
$$;

-- Counts the changes. Only one transaction counts at a time and no other waits: the next one counts what this one leaves.
create function count_text_index_changes(tenant uuid) returns void language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('text_index ' || tenant, 0)) then return; end if;
  with changes as (delete from text_index_change c where c.tenant_id = tenant returning c.chunks, c.length, c.vector),
  counts as (
    select '' as term, chunks, chunks * length as length from changes
    union all
    select term, chunks, 0 from changes cross join unnest(tsvector_to_array(vector)) term)
  insert into text_index_term as t (tenant_id, term, chunks, length)
  select tenant, n.term, sum(n.chunks), sum(n.length) from counts n group by n.term
  on conflict (tenant_id, term) do update set chunks = t.chunks + excluded.chunks, length = t.length + excluded.length;
  delete from text_index_term t where t.tenant_id = tenant and t.chunks = 0 and t.term <> '';
end $$;

-- About every 64th change counts all that wait, because a search reads each of them.
create function keep_text_index() returns trigger language plpgsql security definer set search_path from current as $$
declare
  change bigint;
begin
  if tg_op <> 'INSERT' then
    with removed as (
      delete from text_index i where i.tenant_id = old.tenant_id and i.chunk_id = old.id returning i.length, i.vector)
    insert into text_index_change as c (tenant_id, chunks, length, vector)
    select old.tenant_id, -1, r.length, r.vector from removed r returning c.id into change;
    if change & 63 = 0 then perform count_text_index_changes(old.tenant_id); end if;
  end if;
  if tg_op <> 'DELETE' then
    with added as (
      insert into text_index as i (tenant_id, chunk_id, source_id, length, vector)
      values (new.tenant_id, new.id, new.source_id, text_index_length(new.terms), text_index_vector(new.terms))
      returning i.length, i.vector)
    insert into text_index_change as c (tenant_id, chunks, length, vector)
    select new.tenant_id, 1, a.length, a.vector from added a returning c.id into change;
    if change & 63 = 0 then perform count_text_index_changes(new.tenant_id); end if;
  end if;
  return null;
end $$;

-- Makes the text index of a tenant from the chunks that exist.
create function create_text_index(tenant uuid, partition_no int) returns void language plpgsql as $$
declare
  part text := 'text_index_' || partition_no;
  chunks text := 'chunk_' || partition_no;
begin
  -- Long values stay in the row as long as the row fits a page.
  execute format('create table %I partition of text_index for values in (%L) with (toast_tuple_target = 8160)', part, tenant);
  execute format('alter table %I alter column vector set statistics 0', part);
  perform protect_tenant_rows(part);
  execute format('create trigger keep_text_index after insert or delete or update of terms on %I
      for each row execute function keep_text_index()', chunks);
  execute format('insert into %I (tenant_id, chunk_id, source_id, length, vector)
      select tenant_id, id, source_id, text_index_length(terms), text_index_vector(terms) from %I', part, chunks);
  -- Without fastupdate there is no list of pending entries, which every search would have to read.
  execute format('create index %I on %I using gin (vector) with (fastupdate = off)', part || '_vector', part);
  execute format('insert into text_index_term (tenant_id, term, chunks, length)
      select $1, '''', count(*), coalesce(sum(length), 0) from %1$I
      union all
      select $1, term, count(*), 0 from %1$I cross join unnest(tsvector_to_array(vector)) term group by term', part) using tenant;
end $$;

create function drop_text_index(tenant uuid, partition_no int) returns void language plpgsql as $$
begin
  execute format('drop trigger if exists keep_text_index on %I', 'chunk_' || partition_no);
  execute format('drop table if exists %I', 'text_index_' || partition_no);
  delete from text_index_term t where t.tenant_id = tenant;
  delete from text_index_change c where c.tenant_id = tenant;
end $$;

-- Returns the chunks that have one of the first `rarer` terms, with their BM25 scores by all terms, best first; of equal score, the lower
-- id first. If `sources` is not null, only chunks of these sources.
--
-- PostgreSQL uses no index for @@ under row-level security, because @@ is not leakproof. So the function runs as the owner, and reads only
-- the index of the tenant of the transaction.
--
-- A score is the sum of weight * n / (n + base + slope * length), where n counts the term in the chunk. PostgreSQL does not return n.
-- But ts_rank of a single term is (1 + 1/4 + 1/9 + … + 1/n²) / (π²/6). The rest of that series is close to 1 / (n + 1/2), which gives n
-- up to 255.
create function own_text_scores(terms text[], weights float8[], rarer int, sources uuid[], base float8, slope float8)
  returns table (chunk_id uuid, score float8)
  language plpgsql stable security definer set search_path from current
  set jit = off set enable_seqscan = off set enable_bitmapscan = on set enable_sort = on set max_parallel_workers_per_gather = 0 as $$
declare
  part text := (select 'text_index_' || t.partition_no from tenant t where t.id = nullif(current_setting('app.tenant', true), '')::uuid);
  queries tsquery[] := array(select term_query(u.term) from unnest(terms) with ordinality u(term, place) order by u.place);
begin
  if to_regclass(part) is null then return; end if;
  return query execute format('
    select c.chunk_id, (
        select sum(t.weight * t.n / (t.n + c.damping)) from (
          select u.weight, round(1 / (1.64493406685 * (1 - ts_rank(''{1,1,1,1}'', c.vector, u.query)::float8)) - 0.5) as n
          from unnest($1, $2) u(query, weight) where c.vector @@ u.query) t) as score
    from (select i.chunk_id, i.vector, $3 + $4 * i.length as damping from %I i
          where i.vector @@ $5 and ($6 is null or i.source_id = any($6)) offset 0) c order by 2 desc, 1', part)
    using queries, weights, base, slope,
      (select string_agg(q::text, '|')::tsquery from unnest(queries[1:rarer]) q), sources;
end $$;


-- ── Vectors ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

create table embedding_generation (
  tenant_id uuid not null references tenant (id) on delete cascade,
  generation int not null,
  model text not null,                        -- the provider's name of the model
  dimension int not null check (dimension between 1 and 4000),
  element text not null check (element in ('half', 'single')),  -- precision of a number: the column of chunk_vector that has the vectors
  status text not null check (status in ('building', 'serving', 'retired')),
  filled_to uuid,                             -- while building: chunks up to this id are in embedding_waiting
  filled boolean not null default false,      -- all chunks are
  indexed boolean not null default false,     -- the HNSW index exists
  created_at timestamptz not null,
  served_at timestamptz,
  retired_at timestamptz,                     -- the table is dropped a while later: searches in flight may still read it
  primary key (tenant_id, generation)
);
create unique index embedding_generation_serving on embedding_generation (tenant_id) where status = 'serving';
create unique index embedding_generation_building on embedding_generation (tenant_id) where status = 'building';
comment on table embedding_generation is
  'Sets of vectors, each of one tenant and one model. After a change of the model the next set is built while the old one serves.';

create table chunk_vector (
  tenant_id uuid not null,
  generation int not null,
  chunk_id uuid not null,
  source_id uuid not null,
  content_hash bytea not null,                -- SHA-256 of the text that was embedded
  embedding halfvec,                          -- 2 bytes a number: generations of the element half
  embedding_single vector,                    -- 4 bytes a number: generations of the element single
  primary key (tenant_id, chunk_id, generation)
) partition by list (tenant_id);
create index chunk_vector_content on chunk_vector (tenant_id, content_hash);
create index chunk_vector_source on chunk_vector (tenant_id, source_id);
alter table chunk_vector alter column embedding set statistics 0, alter column embedding_single set statistics 0;
comment on table chunk_vector is
  'Vectors of chunks, apart from the chunks: a chunk that gets its vector later would be written again, with its index entries. The '
  'partition of a tenant is chunk_vector_<partition_no>, that of a generation chunk_vector_<partition_no>_<generation>.';

create table embedding_waiting (
  tenant_id uuid not null references tenant (id) on delete cascade,
  generation int not null,
  chunk_id uuid not null,
  refused text,                               -- why the model refused the text; the model is not asked again
  primary key (tenant_id, generation, chunk_id)
);
comment on table embedding_waiting is 'Chunks that have no vector of a generation yet.';

create table embedding_cache (
  tenant_id uuid not null references tenant (id) on delete cascade,
  model text not null,
  content_hash bytea not null,
  embedding vector not null,                  -- of either element
  created_at timestamptz not null,
  primary key (tenant_id, model, content_hash)
);
create index embedding_cache_age on embedding_cache (tenant_id, created_at);
comment on table embedding_cache is 'Vectors of chunks that are being replaced, so that unchanged text is not embedded again.';

create table embedding_state (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  queued_at timestamptz,                      -- a job is queued and has not begun
  attempt int not null default 0,             -- each job raises it and so fences out the job before it
  beat_at timestamptz                         -- last heartbeat of the job that works on the tenant; null = no job does
);
comment on table embedding_state is
  'The embedding job of each tenant. A transaction that stores chunks or begins a generation locks the row, so that no chunk misses a '
  'generation.';

-- Every statement that deletes chunks also deletes their vectors.
create function remove_vectors_of_chunks() returns trigger language plpgsql as $$
declare
  tenant uuid;
  ids uuid[];
begin
  for tenant in select distinct g.tenant_id from gone g loop
    ids := array(select g.id from gone g where g.tenant_id = tenant);
    delete from chunk_vector v where v.tenant_id = tenant and v.chunk_id = any(ids);
    delete from embedding_waiting w where w.tenant_id = tenant and w.chunk_id = any(ids);
  end loop;
  return null;
end $$;
create trigger chunk_deleted after delete on chunk referencing old table as gone
  for each statement execute function remove_vectors_of_chunks();


-- ── Runs ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

create table run (
  tenant_id uuid not null,
  id uuid not null,
  source_group_id uuid not null,
  status text not null,
  reads text not null default 'origin' check (reads in ('origin', 'stored')),  -- stored: reads the stored files again
  stage text,
  generation int not null,                    -- of the source group when the run began
  attempt int not null default 0,             -- each worker that claims the run raises it and so fences out the worker before it
  files_done int not null default 0,
  files_total int not null default 0,
  chunks_done bigint not null default 0,
  scanned int not null default 0,
  added int not null default 0,
  updated int not null default 0,
  unchanged int not null default 0,
  skipped int not null default 0,
  deleted int not null default 0,
  failed int not null default 0,
  error_title text,
  error_message text,
  heartbeat_at timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, source_group_id) references source_group (tenant_id, id) on delete cascade
);
create index run_page on run (tenant_id, source_group_id, id);
create index run_ended on run (tenant_id, ended_at);  -- runs that are active, or ended a moment ago
comment on table run is 'Ingestion runs of source groups, with their progress and statistics.';

create table run_error (
  tenant_id uuid not null,
  id uuid not null,
  run_id uuid not null,
  source_id uuid,                             -- null = the origin listed it, but there is no source yet
  origin_id text,                             -- the name at the origin
  name text not null,
  stage text not null,
  title text not null,
  message text not null,
  retryable boolean not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, run_id, source_id),
  foreign key (tenant_id, run_id) references run (tenant_id, id) on delete cascade
);
create index run_error_page on run_error (tenant_id, run_id, id);
create index run_error_source on run_error (tenant_id, source_id, run_id);
create unique index run_error_origin on run_error (tenant_id, run_id, origin_id) where origin_id is not null;
comment on table run_error is 'Sources that a run could not ingest, and why.';

create table run_file (
  tenant_id uuid not null,
  run_id uuid not null,
  source_id uuid not null,                    -- no foreign key: deleted files stay in the history of their run
  change text not null check (change in ('added', 'updated', 'deleted')),
  name text not null,
  read_ms int,                                -- time in the parser process; null = not read
  primary key (tenant_id, run_id, source_id),
  foreign key (tenant_id, run_id) references run (tenant_id, id) on delete cascade
);
comment on table run_file is 'What a run did with each file. Files that failed are in run_error.';

create table run_item (
  tenant_id uuid not null,
  run_id uuid not null,
  origin_id text not null,
  outcome text not null check (outcome in ('there', 'failed', 'skipped', 'gone')),
  primary key (tenant_id, run_id, origin_id),
  foreign key (tenant_id, run_id) references run (tenant_id, id) on delete cascade
);
comment on table run_item is 'What the origin said about each of its entries during a run. Deleted soon after the run.';


-- ── Origins, settings and schedules ────────────────────────────────────────────────────────────────────────────────────────────

create table connector_setting (
  tenant_id uuid not null,
  id uuid not null,
  source_group_id uuid not null,
  kind text not null check (kind in ('drive', 'page', 'repo', 'web', 'database')),
  origin jsonb not null,                      -- corpus/origin.ts: Origin
  secret_id uuid,                             -- no foreign key: after the secret is deleted, the run says that it is missing
  needs_credential boolean not null,          -- false = public repositories and web sites
  rrule text not null default '',             -- RFC 5545, as the client sent it; empty = no schedule
  next_times timestamptz[] not null default '{}', -- the next occurrences
  next_at timestamptz,                        -- the first of them: when the schedule starts a run
  cursor jsonb,                               -- where the next run begins to list
  run_resume jsonb,                           -- where an interrupted run continues
  created_at timestamptz not null,            -- the anchor of a rule without DTSTART
  deleted_at timestamptz,                     -- the setting was deleted: no more scheduled runs, the sources stay
  primary key (tenant_id, id),
  unique (tenant_id, source_group_id),
  foreign key (tenant_id, source_group_id) references source_group (tenant_id, id) on delete cascade,
  check (next_at is null or (rrule <> '' and deleted_at is null))
);
create index connector_setting_due on connector_setting (next_at) where next_at is not null;
comment on table connector_setting is
  'Ingestion settings of source groups that follow an origin, with schedule and cursor. The source group has the name of the setting.';

create table source_origin (
  tenant_id uuid not null,
  source_id uuid not null,
  source_group_id uuid not null,
  origin_id text not null,                    -- the permanent name at the origin
  revision text,                              -- of the newest stored bytes; null = the origin has no revisions
  state jsonb,                                -- what the connector needs at the next run
  metadata jsonb not null default '{}',       -- from the origin; a part of source.origin_metadata
  primary key (tenant_id, source_id),
  unique (tenant_id, source_group_id, origin_id),
  foreign key (tenant_id, source_id) references source (tenant_id, id) on delete cascade
);
comment on table source_origin is 'Which entry of its origin a source is, and which version of the entry is stored.';

create table source_update (
  tenant_id uuid not null,
  source_id uuid not null,
  source_group_id uuid not null,
  blob_hash text not null,
  file_size bigint not null,
  content_at timestamptz,                     -- null = unchanged
  status text not null default 'pending' check (status in ('pending', 'failed')),
  primary key (tenant_id, source_id),
  foreign key (tenant_id, source_id) references source (tenant_id, id) on delete cascade
);
create index source_update_group on source_update (tenant_id, source_group_id, source_id);
create index source_update_blob on source_update (tenant_id, blob_hash);
comment on table source_update is 'New versions that wait to be read, of sources whose old version is still served.';

-- When a source gets its tombstone, its name at the origin is free again and its waiting version is dropped.
create function forget_origin() returns trigger language plpgsql as $$
begin
  delete from source_origin o where o.tenant_id = new.tenant_id and o.source_id = new.id;
  delete from source_update u where u.tenant_id = new.tenant_id and u.source_id = new.id;
  return null;
end $$;
create trigger source_hidden after update of deleted_at on source for each row
  when (new.deleted_at is not null and old.deleted_at is null) execute function forget_origin();

-- Merges the metadata that a parser found with the metadata of the origin. Marks only the latter with {"trusted": true}: what a file
-- says about itself must not decide who sees it, so a "trusted" that the parser found is removed.
create function marked_records(parsed jsonb, origin jsonb) returns jsonb language sql immutable parallel safe as $$
  select coalesce((select jsonb_object_agg(p.key, p.value - 'trusted') from jsonb_each(parsed) p), '{}')
      || coalesce((select jsonb_object_agg(o.key, (o.value - 'trusted') || '{"trusted": true}') from jsonb_each(origin) o), '{}')
$$;


-- ── Values of metadata ─────────────────────────────────────────────────────────────────────────────────────────────────────────

-- The patterns are those of src/filters/metadata-value.ts.
create function metadata_number(value text) returns numeric language sql immutable parallel safe as $$
  select case when length(value) <= 100 and value ~ '^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9][0-9]?[0-9]?)?$' then value::numeric end
$$;

-- A date without a time is its first moment, and a time without a zone is in UTC.
create function metadata_time(value text) returns timestamptz language sql immutable parallel safe as $$
  select case when length(value) between 10 and 32 and value ~ ('^((?!0000)([0-9][0-9][0-9][0-9]-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])'
      || '|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))'
      || '|([0-9][0-9](0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29))'
      || '([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9][0-9]?[0-9]?[0-9]?[0-9]?[0-9]?)?)?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])?)?$')
    then (value || case when length(value) = 10 then 'T00:00Z' when value ~ '(Z|[+-][0-9:]+)$' then '' else 'Z' end)::timestamptz end
$$;

-- The nearest double. Larger and smaller numbers than a double can be are infinite or zero, so the order is kept.
create function nearest_double(value numeric) returns float8 language sql immutable parallel safe as $$
  select case when abs(value) >= 1e308 then sign(value) * 'Infinity'::float8 when abs(value) <= 1e-300 then 0 else value::float8 end
$$;

-- Written by triggers of source only. Without a foreign key, because checking it would cost as much as writing the row.
create table metadata_value (
  tenant_id uuid not null,
  source_id uuid not null,
  key text collate "C" not null,
  text_value text collate "C" not null,       -- the value in NFC
  text_start text collate "C" not null,       -- its first 100 characters, because an index entry must fit a page
  number_value numeric,                       -- the value if it is a number
  number_double float8,                       -- nearest_double(number_value)
  time_value timestamptz,                     -- the value if it is a time
  primary key (tenant_id, source_id, key)
);
-- Under row-level security an index serves only operators that are leakproof. Those of numeric and left() are not.
create index metadata_value_key on metadata_value (tenant_id, key, number_double, time_value, text_start);
comment on table metadata_value is
  'The metadata of sources as filters compare them: one row for each key. Records of the API win over records of the origin.';

-- Returns the rows of metadata_value. No filter can name a key that is longer than 256 characters.
create function metadata_values(api jsonb, origin jsonb)
returns table (key text, text_value text, text_start text, number_value numeric, number_double float8, time_value timestamptz)
language sql immutable parallel safe as $$
  select n.key, n.text_value, left(n.text_value, 100), n.number_value, nearest_double(n.number_value),
    case when n.text_value < ':' collate "C" then metadata_time(n.text_value) end
  from (
    select v.key, v.text_value, case when v.text_value < ':' collate "C" then metadata_number(v.text_value) end as number_value from (
      select r.key, case when octet_length(r.value) = length(r.value) then r.value else normalize(r.value) end as text_value from (
        select key, value from jsonb_each_text(api)
        union all
        select key, value ->> 'val' from jsonb_each(origin) where api ->> key is null) r
      where r.value is not null and length(r.key) <= 256 offset 0) v offset 0) n
$$;


-- Every statement that changes metadata updates its values.
create function source_metadata_inserted() returns trigger language plpgsql as $$
begin
  insert into metadata_value (tenant_id, source_id, key, text_value, text_start, number_value, number_double, time_value)
  select n.tenant_id, n.id, m.* from added n cross join lateral metadata_values(n.metadata, n.origin_metadata) m
  where n.metadata <> '{}' or n.origin_metadata <> '{}';
  return null;
end $$;
create trigger source_metadata_inserted after insert on source referencing new table as added
  for each statement execute function source_metadata_inserted();

create function source_metadata_changed() returns trigger language plpgsql as $$
declare
  changed uuid[] = array(select n.id from after n join before o on o.tenant_id = n.tenant_id and o.id = n.id
    where n.metadata <> o.metadata or n.origin_metadata <> o.origin_metadata);
begin
  if cardinality(changed) = 0 then return null; end if;
  delete from metadata_value v using after n where n.id = any(changed) and v.tenant_id = n.tenant_id and v.source_id = n.id;
  insert into metadata_value (tenant_id, source_id, key, text_value, text_start, number_value, number_double, time_value)
  select n.tenant_id, n.id, m.* from after n cross join lateral metadata_values(n.metadata, n.origin_metadata) m
  where n.id = any(changed);
  return null;
end $$;
create trigger source_metadata_changed after update on source referencing old table as before new table as after
  for each statement execute function source_metadata_changed();

create function source_metadata_deleted() returns trigger language plpgsql as $$
begin
  delete from metadata_value v using gone o where v.tenant_id = o.tenant_id and v.source_id = o.id;
  return null;
end $$;
create trigger source_metadata_deleted after delete on source referencing old table as gone
  for each statement execute function source_metadata_deleted();


create table metadata_column (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  key text not null,
  type text not null check (type in ('string', 'integer')),
  description text not null default '',
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index metadata_column_key on metadata_column (tenant_id, key);
comment on table metadata_column is 'Declared keys of source metadata, which metadata_filter may name.';

-- Returns the whole number of at most 64 bits that the text is, else null. Never fails.
create function metadata_integer(value text) returns numeric language sql immutable parallel safe as $$
  select case when length(value) <= 100 and value ~ '^[+-]?[0-9]+$' then
    case when value::numeric between -9223372036854775808 and 9223372036854775807 then value::numeric end
  end
$$;


-- ── Policies, subjects and redaction ───────────────────────────────────────────────────────────────────────────────────────────

create table subject (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,                           -- the position in lists
  principal_id text not null,
  attributes jsonb not null,                  -- name -> text, number, true, false, or an array of these
  expires_at timestamptz,                     -- from this time on the principal has no attributes
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, principal_id)
);
create unique index subject_page on subject (tenant_id, id);
comment on table subject is 'Attributes of principals, which policies compare.';

create table authz_policy (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,                           -- the position in lists
  name text not null,
  version int not null,                       -- every change raises it
  definition jsonb not null,                  -- a group of conditions, as on the wire
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, name)
);
create unique index authz_policy_page on authz_policy (tenant_id, id);
comment on table authz_policy is 'Policies that say which principal sees which chunks.';

create table redaction_policy (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  version integer not null,                   -- every change raises it, also a deletion: it names the compiled policy
  enabled boolean not null,
  rules jsonb,                                -- null = the policy was deleted
  created_at timestamptz not null,
  updated_at timestamptz not null
);
comment on table redaction_policy is 'What is redacted in the texts of a tenant, and where: src/redaction/redaction-policy.ts.';


-- ── Conversations and messages ─────────────────────────────────────────────────────────────────────────────────────────────────

create table conversation (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  title text not null,
  active_message_id uuid,                     -- the active leaf
  key_family_id uuid not null,                -- the family of the key with which the conversation began
  principal_id text,                          -- the principal that began the conversation and owns it
  thread_id text,                             -- the name that an AG-UI client gave to the conversation
  message_count int not null default 0,
  stored_bytes bigint not null default 0,     -- bounded: a conversation is read as a whole
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
create unique index conversation_thread on conversation (tenant_id, thread_id, key_family_id, principal_id) nulls not distinct where thread_id is not null;
create index conversation_owner on conversation (tenant_id, key_family_id, principal_id, id);
comment on table conversation is 'Conversations: trees of messages with one active leaf.';

create table message (
  tenant_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  parent_id uuid,
  role text not null check (role in ('user', 'assistant')),
  content text not null,
  citations jsonb not null default '[]',
  finish_reason text,
  context_group_ids uuid[],                   -- source groups of everything that the model read, also through the history
  context_source_ids uuid[],                  -- their sources
  context_chunk_ids uuid[],                   -- their chunks
  erased_at timestamptz,                      -- content that the answer rests on was deleted, and the answer with it
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, conversation_id, id),
  foreign key (tenant_id, conversation_id) references conversation (tenant_id, id) on delete cascade,
  foreign key (tenant_id, conversation_id, parent_id) references message (tenant_id, conversation_id, id)
);
comment on table message is
  'Questions and answers with their citations. The context of an answer says what it rests on. Keys with limits do not read an answer '
  'whose context is unknown (null); while authorization is on, nobody reads it.';


-- ── Agent runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A question that a model answers by calling tools. Its answer is a message of the conversation.
create table agent_run (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  api_key_id uuid not null,
  key_family_id uuid not null,                -- runs belong to it and to the principal, as conversations do
  principal_id text,
  input text not null,                        -- as models got it
  request jsonb not null,                     -- tools, limits, filters, policy
  background boolean not null,
  status text not null check (status in ('queued', 'running', 'success', 'failure', 'canceled')),
  attempt integer not null default 0,         -- workers that have claimed the run; only the last of them may write
  conversation_id uuid not null,              -- allocated, like the ids of the messages: rows exist once there is an answer
  user_message_id uuid not null,
  assistant_message_id uuid not null,
  is_stored boolean not null default false,   -- the conversation has the answer
  gathered_as text,                           -- why the last step was the last: from then on, only the answer is missing
  finish_reason text,
  outcome jsonb,                              -- usage, warnings, spans without support, error
  cancel_requested_at timestamptz,
  heartbeat_at timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (tenant_id, id)
);
create index agent_run_owner on agent_run (tenant_id, key_family_id, principal_id, id);
create index agent_run_active on agent_run (tenant_id, api_key_id) where status in ('queued', 'running');
comment on table agent_run is 'Agent runs. They are deleted 30 days after their end.';

create table agent_step (
  tenant_id uuid not null,
  run_id uuid not null,
  number integer not null,                    -- 1, 2, 3 …: the events of a run follow from its steps
  calls jsonb not null,                       -- calls of tools: arguments, and ids of what was found, no text
  usage jsonb not null,
  primary key (tenant_id, run_id, number),
  foreign key (tenant_id, run_id) references agent_run (tenant_id, id) on delete cascade
);
comment on table agent_step is 'Complete steps of agent runs: what the model called, and what the tools found.';


-- ── Usage and audit ────────────────────────────────────────────────────────────────────────────────────────────────────────────

create table usage_day (
  tenant_id uuid not null references tenant (id) on delete cascade,
  api_key_id uuid not null,                   -- no foreign key: the row stays when the key is revoked
  day date not null,                          -- UTC
  requests bigint not null,                   -- calls of the model
  input_tokens bigint not null,
  output_tokens bigint not null,
  primary key (tenant_id, api_key_id, day)
);
create index usage_day_of_tenant on usage_day (tenant_id, day);
comment on table usage_day is 'How much each API key used the chat model on each day.';

create table audit_event (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,                           -- ids ascend with seq
  seq bigint not null,                        -- 1, 2, 3 … without a gap
  at timestamptz not null,                    -- whole milliseconds, as the hash sees it
  api_key_id uuid,                            -- who did it; null = an operator, by a command
  action text not null,
  object_kind text not null,
  object_id text not null,
  details jsonb not null,                     -- neither secrets nor content
  prev_hash text not null,                    -- hash of the event before, hex; zeros in the first event
  hash text not null,                         -- SHA-256 over prev_hash and all columns above
  primary key (tenant_id, id),
  unique (tenant_id, seq)
);
create index audit_event_object on audit_event (tenant_id, object_id, id);
comment on table audit_event is
  'Who changed what: one chain for each tenant, in which every event carries the hash of the event before (corpus/audit-store.ts).';

create table audit_head (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  id uuid not null,
  seq bigint not null,
  hash text not null
);
comment on table audit_head is 'The last event of each chain: it shows when events were cut off at the end.';

-- Accepts only the next event of the chain, and makes it the head.
create function audit_event_guard() returns trigger language plpgsql security definer set search_path from current as $$
begin
  if new.seq = 1 then
    insert into audit_head (tenant_id, id, seq, hash) values (new.tenant_id, new.id, new.seq, new.hash);
    return new;
  end if;
  update audit_head h set id = new.id, seq = new.seq, hash = new.hash
    where h.tenant_id = new.tenant_id and h.seq = new.seq - 1 and h.hash = new.prev_hash;
  if not found then
    raise exception 'audit event % of tenant % is not the next one', new.seq, new.tenant_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger audit_event_next before insert on audit_event for each row execute function audit_event_guard();


-- ── Secrets ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

create table secret (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  source_group_id uuid,                       -- a credential for the first run of this group only; erased when that run ends
  name text not null,
  type text not null check (type in ('drive', 'repo', 'page', 'database')),
  description text not null default '',
  sealed bytea not null,                      -- the value, sealed with its own data key
  wrapped_key bytea not null,                 -- the data key, wrapped with the master key
  key_id text not null,                       -- fingerprint of the master key
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, source_group_id) references source_group (tenant_id, id) on delete cascade
);
create unique index secret_one_time on secret (tenant_id, source_group_id) where source_group_id is not null;
comment on table secret is 'Stored credentials, sealed (vault/seal.ts).';

create table master_key (
  single boolean primary key default true check (single),
  key_id text not null,
  since timestamptz not null default now()
);
comment on table master_key is 'The fingerprint of the master key of all secrets: one row, or none before the first secret.';


-- ── Evaluation ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

create table evaluation_set (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  name text not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
comment on table evaluation_set is 'Sets of questions with which a tenant measures its search.';

create table evaluation_question (
  tenant_id uuid not null,
  id uuid not null,
  set_id uuid not null,
  query text not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, set_id) references evaluation_set (tenant_id, id) on delete cascade
);
create unique index evaluation_question_once on evaluation_question (tenant_id, set_id, md5(query));  -- a query may be too long for an index
comment on table evaluation_question is 'Questions of evaluation sets.';

create table evaluation_judgement (
  tenant_id uuid not null,
  question_id uuid not null,
  source_id uuid not null,
  text_hash text not null,                    -- SHA-256 of the chunk: a source that is read again keeps its judgements
  relevant boolean not null,
  primary key (tenant_id, question_id, source_id, text_hash),
  foreign key (tenant_id, question_id) references evaluation_question (tenant_id, id) on delete cascade,
  foreign key (tenant_id, source_id) references source (tenant_id, id) on delete cascade
);
create index evaluation_judgement_source on evaluation_judgement (tenant_id, source_id);
comment on table evaluation_judgement is 'Whether a passage answers a question.';

create table evaluation_run (
  tenant_id uuid not null,
  id uuid not null,
  set_id uuid not null,
  mode text not null,
  ndcg10 float8 not null,
  recall100 float8 not null,
  mrr10 float8 not null,
  results jsonb not null,                     -- features/evaluation/store.ts: QuestionResult[]
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, set_id) references evaluation_set (tenant_id, id) on delete cascade
);
create index evaluation_run_page on evaluation_run (tenant_id, set_id, id);
comment on table evaluation_run is 'Measures of the search with an evaluation set.';


-- ── Row-level security, rights and functions ───────────────────────────────────────────────────────────────────────────────────
-- Transactions of a tenant run as pinakes_app with the setting app.tenant. The role owns nothing and sees the rows of that tenant only.

-- Protects a table with a column tenant_id; the program calls it for every new partition. FORCE binds the owner too, who is no superuser
-- on a server, so the owner gets a policy of its own. The sub-select is evaluated once for each statement and keeps index scans.
create function protect_tenant_rows(table_name text) returns void language plpgsql as $$
begin
  execute format('alter table %I enable row level security', table_name);
  execute format('alter table %I force row level security', table_name);
  execute format('create policy tenant_rows on %I to pinakes_app
      using (tenant_id = (select nullif(current_setting(''app.tenant'', true), '''')::uuid))', table_name);
  execute format('create policy system_rows on %I to %I using (true)', table_name, current_user);
  execute format('grant select, insert, update, delete on %I to pinakes_app', table_name);
end $$;

select protect_tenant_rows(name) from unnest(array[
  'api_key', 'console_session', 'console_link', 'idempotency_key',
  'source_group', 'tag', 'tag_source_group',
  'evaluation_set', 'evaluation_question', 'evaluation_judgement', 'evaluation_run',
  'blob', 'upload', 'source', 'source_text', 'source_table', 'source_table_copy',
  'chunk', 'text_index', 'text_index_term', 'text_index_change',
  'embedding_generation', 'chunk_vector', 'embedding_waiting', 'embedding_cache', 'embedding_state',
  'run', 'run_error', 'run_file', 'run_item',
  'connector_setting', 'source_origin', 'source_update',
  'metadata_value', 'metadata_column',
  'subject', 'authz_policy', 'redaction_policy',
  'conversation', 'message', 'agent_run', 'agent_step',
  'usage_day', 'audit_event', 'audit_head',
  'secret']) as name;

-- The role adds audit events and does nothing else to them: not even an injected statement can rewrite the past.
revoke update, delete on audit_event from pinakes_app;
revoke insert, update, delete on audit_head from pinakes_app;

alter table tenant enable row level security;
create policy own_tenant on tenant to pinakes_app using (id = (select nullif(current_setting('app.tenant', true), '')::uuid));
grant select on tenant to pinakes_app;

-- Tables of all tenants.
grant select on source_group_transition, master_key to pinakes_app;

-- Functions that run as their owner, and functions for the owner only.
revoke execute on function
  protect_tenant_rows(text), create_text_index(uuid, int), drop_text_index(uuid, int), count_text_index_changes(uuid),
  keep_text_index(), audit_event_guard(),
  own_text_scores(text[], float8[], int, uuid[], float8, float8)
  from public;
grant execute on function own_text_scores(text[], float8[], int, uuid[], float8, float8) to pinakes_app;
