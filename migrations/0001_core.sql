-- Core tables. Every table is keyed by tenant; the role pinakes_app (created by migrate.ts) sees one tenant's rows only.
-- Row-level security is written with a sub-select so that it is evaluated once per statement and keeps index scans.

create table tenant (
  id uuid primary key,
  name text not null unique,
  partition_no int generated always as identity unique,   -- chunks live in partition chunk_<partition_no>
  created_at timestamptz not null default now()
);

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
  issued_by uuid,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

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

create table source_group (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  source_type text not null check (source_type in ('local_file', 'drive', 'page', 'repo', 'web')),
  name text not null,
  status text not null,                       -- legal values and transitions: source_group_status_guard
  metadata jsonb not null default '{}',       -- key -> text
  chunk_metadata_keys jsonb not null default '[]',
  chunk_metadatas_count bigint not null default 0,
  error_title text,
  error_message text,
  generation int not null default 1,          -- fence: raised when a new run replaces the old one
  upload_at timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  deleted_at timestamptz,                     -- tombstone: from here on nothing of it is returned
  primary key (tenant_id, id),
  check (ended_at is null or started_at is null or started_at <= ended_at),
  check (started_at is null or created_at <= started_at)
);
create index source_group_page on source_group (tenant_id, source_type, id);

-- The one table of legal status transitions (mirrored for display in jobs/status.ts; a test compares the two).
create table source_group_transition (from_status text not null, to_status text not null, primary key (from_status, to_status));
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
create trigger source_group_status before update of status on source_group for each row execute function source_group_status_guard();

create table blob (
  tenant_id uuid not null references tenant (id) on delete cascade,
  hash text not null,                         -- SHA-256, hex; the file's name in the blob store
  size bigint not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, hash)
);

-- An upload between "its blobs are being put in place" and its commit: no one deletes a blob that is named here.
-- A row that outlived its request (crash) stops counting after an hour and is collected.
create table upload (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  hashes text[] not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

create table source (
  tenant_id uuid not null,
  id uuid not null,
  source_group_id uuid not null,
  source_type text not null,
  name text not null,
  url text,
  file_type text not null,
  file_size bigint not null,
  blob_hash text not null,
  status text not null check (status in ('pending', 'ready', 'failed')),
  attempts int not null default 0,
  generation int not null default 1,
  origin_metadata jsonb not null default '{}',  -- key -> {"val", "type"}
  metadata jsonb not null default '{}',         -- API records: key -> text; win over origin records
  language text,                                -- ISO 639-1, detected or null
  content_at timestamptz not null,              -- last modification at the origin, else ingestion
  text_length int not null default 0,           -- code points of the extracted text
  chunk_count int not null default 0,
  chunk_metadatas_count int not null default 0,
  warnings jsonb not null default '[]',
  created_at timestamptz not null,
  deleted_at timestamptz,                       -- tombstone
  primary key (tenant_id, id),
  foreign key (tenant_id, source_group_id) references source_group (tenant_id, id) on delete cascade
);
create index source_group_sources on source (tenant_id, source_group_id, id);
create index source_pending on source (tenant_id, source_group_id) where status = 'pending';
create index source_blob on source (tenant_id, blob_hash);
create index source_language on source (tenant_id, language);  -- which languages a query is analyzed in

-- The extracted text in segments, so that a range of code points is read without the rest.
create table source_text (
  tenant_id uuid not null,
  source_id uuid not null,
  start_offset int not null,
  end_offset int not null,
  content text not null,
  primary key (tenant_id, source_id, start_offset),
  foreign key (tenant_id, source_id) references source (tenant_id, id) on delete cascade
);
alter table source_text alter column content set statistics 0;  -- ANALYZE would sample whole texts for nothing

-- One partition per tenant (chunk_<partition_no>), created with the tenant: its own BM25 statistics, its own index.
create table chunk (
  tenant_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  source_group_id uuid not null,
  ordinal int not null,
  start_offset int not null,
  end_offset int not null,
  content text not null,
  context text,                                 -- helps reading (repeated table header); never part of content
  heading_path text[] not null default '{}',
  pages int[],
  metadata jsonb not null default '{}',         -- chunk metadata: key -> {"val", "type"}
  terms text not null,                          -- analyzer output, joined by blanks
  primary key (tenant_id, id),
  check (start_offset <= end_offset)
) partition by list (tenant_id);
create index chunk_source on chunk (tenant_id, source_id, ordinal);
create index chunk_group on chunk (tenant_id, source_group_id);

create table run (
  tenant_id uuid not null,
  id uuid not null,
  source_group_id uuid not null,
  status text not null,
  stage text,
  generation int not null,
  attempt int not null default 0,             -- raised by every worker that takes the run; fences out the one before
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

create table run_error (
  tenant_id uuid not null,
  id uuid not null,
  run_id uuid not null,
  source_id uuid not null,
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

create table tag (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  name text not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, name)
);

create table tag_source_group (
  tenant_id uuid not null,
  tag_id uuid not null,
  source_group_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, tag_id, source_group_id),
  foreign key (tenant_id, tag_id) references tag (tenant_id, id) on delete cascade,
  foreign key (tenant_id, source_group_id) references source_group (tenant_id, id) on delete cascade
);
create index tag_source_group_group on tag_source_group (tenant_id, source_group_id);

create table conversation (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  title text not null,
  active_message_id uuid,                     -- the active leaf
  principal_id text,
  thread_id text,                             -- what an ag-ui client calls this conversation, when it brought a name of its own
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, thread_id)
);

create table message (
  tenant_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  parent_id uuid,
  role text not null check (role in ('user', 'assistant')),
  content text not null,
  citations jsonb not null default '[]',
  finish_reason text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, conversation_id, id),
  foreign key (tenant_id, conversation_id) references conversation (tenant_id, id) on delete cascade,
  foreign key (tenant_id, conversation_id, parent_id) references message (tenant_id, conversation_id, id)
);

-- Row-level security: the second wall behind the tenant predicate of every query. FORCE binds the owner too, so the
-- owner (no superuser on a server) gets a policy of its own; it names the owner only, never pinakes_app.
create function protect_tenant_rows(table_name text) returns void language plpgsql as $$
begin
  execute format('alter table %I enable row level security', table_name);
  execute format('alter table %I force row level security', table_name);
  execute format('create policy tenant_rows on %I to pinakes_app using (tenant_id = (select nullif(current_setting(''app.tenant'', true), '''')::uuid))', table_name);
  execute format('create policy system_rows on %I to %I using (true)', table_name, current_user);
  execute format('grant select, insert, update, delete on %I to pinakes_app', table_name);
end $$;
revoke execute on function protect_tenant_rows(text) from public;

do $$
declare t text;
begin
  foreach t in array array['api_key', 'idempotency_key', 'source_group', 'blob', 'upload', 'source', 'source_text', 'chunk', 'run', 'run_error',
                           'tag', 'tag_source_group', 'conversation', 'message'] loop
    perform protect_tenant_rows(t);
  end loop;
  alter table tenant enable row level security;
  create policy own_tenant on tenant to pinakes_app using (id = (select nullif(current_setting('app.tenant', true), '')::uuid));
  grant select on tenant to pinakes_app;
  grant select on source_group_transition to pinakes_app;
end $$;

-- Text search without a BM25 access method. Under row-level security PostgreSQL uses no index for @@ (it is not leakproof), so
-- these run as the owner, and look into the partition of the transaction's own tenant only.
create function own_chunk_partition() returns text language sql stable security definer set search_path from current as $$
  select 'chunk_' || partition_no from tenant where id = nullif(current_setting('app.tenant', true), '')::uuid
$$;

create function own_chunks_matching(terms tsquery) returns setof uuid
  language plpgsql stable security definer set search_path from current rows 1000 as $$
declare part text := own_chunk_partition();
begin
  if part is null then return; end if;
  return query execute format('select id from %I where to_tsvector(''simple'', terms) @@ $1', part) using terms;
end $$;

-- How many chunks contain each term.
create function own_chunk_frequencies(terms text[]) returns table (term text, chunks bigint)
  language plpgsql stable security definer set search_path from current as $$
declare part text := own_chunk_partition();
begin
  if part is null then return; end if;
  foreach term in array terms loop
    execute format('select count(*) from %I where to_tsvector(''simple'', terms) @@ $1', part) into chunks using quote_literal(term)::tsquery;
    return next;
  end loop;
end $$;

revoke execute on function own_chunk_partition(), own_chunks_matching(tsquery), own_chunk_frequencies(text[]) from public;
grant execute on function own_chunks_matching(tsquery), own_chunk_frequencies(text[]) to pinakes_app;
