-- Stored credentials, sealed (vault/seal.ts), and which master key their data keys are wrapped with.

create table secret (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  name text not null,
  type text not null check (type in ('drive', 'repo', 'page')),
  description text not null default '',
  sealed bytea not null,                      -- the value under its own data key
  wrapped_key bytea not null,                 -- the data key under the master key
  key_id text not null,                       -- which master key: a fingerprint, not the key
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create index secret_key on secret (key_id);
select protect_tenant_rows('secret');

-- One row at most: the master key of every secret. No row until the first secret is saved.
create table master_key (
  single boolean primary key default true check (single),
  key_id text not null,
  since timestamptz not null default now()
);
grant select on master_key to pinakes_app;

-- Of a rotated key: the key that took its place.
alter table api_key add column replaced_by uuid;
