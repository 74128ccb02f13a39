-- Ingestion settings of sources that are kept in step with an origin. The name of a setting is the name of its source group.

create table connector_setting (
  tenant_id uuid not null,
  id uuid not null,
  source_group_id uuid not null,
  kind text not null check (kind in ('drive', 'page', 'repo', 'web')),
  origin jsonb not null,                      -- connectors/connector.ts: Origin
  secret_id uuid,                             -- may name a secret that was deleted since: the run then says so
  needs_credential boolean not null,          -- false: public repositories and web sites
  rrule text not null default '',             -- RFC 5545, as given; empty = no schedule
  next_times timestamptz[] not null default '{}', -- the next occurrences
  next_at timestamptz,                        -- the first of them: when the schedule starts a run
  cursor jsonb,                               -- where the next run begins to list
  run_resume jsonb,                           -- where the run that is under way goes on when it was cut off
  created_at timestamptz not null,            -- the anchor of a rule without DTSTART
  deleted_at timestamptz,                     -- the setting was deleted: the schedule is over, the source stays as it is
  primary key (tenant_id, id),
  unique (tenant_id, source_group_id),
  foreign key (tenant_id, source_group_id) references source_group (tenant_id, id) on delete cascade,
  check (next_at is null or (rrule <> '' and deleted_at is null))
);
create index connector_setting_due on connector_setting (next_at) where next_at is not null;
select protect_tenant_rows('connector_setting');

-- A credential that was given for the first run of one source: sealed and rotated as secrets are, erased when that run ends.
alter table secret
  add column source_group_id uuid,
  add foreign key (tenant_id, source_group_id) references source_group (tenant_id, id) on delete cascade;
create unique index secret_one_time on secret (tenant_id, source_group_id) where source_group_id is not null;
