-- Sources that come from an origin: what names them there, what is stored of it, and new versions that wait to be read.

-- A new version is read beside the one that is served. Chunks and text belong to a generation of their source, and only those of the
-- source's own generation are found: raising it puts the new version in the place of the old one in one step.
alter table source add column mixed boolean not null default false;  -- there may be chunks or text of other generations
create index source_mixed on source (tenant_id, source_group_id) where mixed;
alter table chunk add column generation int not null default 1;
alter table source_text add column generation int not null default 1;
alter table source_text drop constraint source_text_pkey;
alter table source_text add primary key (tenant_id, source_id, generation, start_offset);

create table source_origin (
  tenant_id uuid not null,
  source_id uuid not null,
  source_group_id uuid not null,
  origin_id text not null,                    -- names it at the origin, for ever
  revision text,                              -- of the newest bytes that are stored; null: the origin tells none
  state jsonb,                                -- what the connector wants to know at the next run
  metadata jsonb not null default '{}',       -- what the origin says of it; part of the source's origin_metadata
  primary key (tenant_id, source_id),
  unique (tenant_id, source_group_id, origin_id),
  foreign key (tenant_id, source_id) references source (tenant_id, id) on delete cascade
);

-- A new version of a source that is served meanwhile.
create table source_update (
  tenant_id uuid not null,
  source_id uuid not null,
  source_group_id uuid not null,
  blob_hash text not null,
  file_size bigint not null,
  content_at timestamptz,                     -- null: as before
  status text not null default 'pending' check (status in ('pending', 'failed')),
  primary key (tenant_id, source_id),
  foreign key (tenant_id, source_id) references source (tenant_id, id) on delete cascade
);
create index source_update_group on source_update (tenant_id, source_group_id, source_id);
create index source_update_blob on source_update (tenant_id, blob_hash);

-- What a run was told about each item of its origin. Gone soon after the run.
create table run_item (
  tenant_id uuid not null,
  run_id uuid not null,
  origin_id text not null,
  outcome text not null check (outcome in ('there', 'failed', 'skipped', 'gone')),
  primary key (tenant_id, run_id, origin_id),
  foreign key (tenant_id, run_id) references run (tenant_id, id) on delete cascade
);

select protect_tenant_rows(t) from unnest(array['source_origin', 'source_update', 'run_item']) t;

-- Whoever hides a source: its name at the origin is free again, and nothing of it waits.
create function forget_origin() returns trigger language plpgsql as $$
begin
  delete from source_origin o where o.tenant_id = new.tenant_id and o.source_id = new.id;
  delete from source_update u where u.tenant_id = new.tenant_id and u.source_id = new.id;
  return null;
end $$;
create trigger source_hidden after update of deleted_at on source for each row
  when (new.deleted_at is not null and old.deleted_at is null) execute function forget_origin();

-- An item that could not be listed or fetched may have no source yet.
alter table run_error alter column source_id drop not null, add column origin_id text;
create unique index run_error_origin on run_error (tenant_id, run_id, origin_id) where origin_id is not null;
