-- What is to be masked in a tenant's texts, and where: src/redaction/redaction-policy.ts.

create table redaction_policy (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  version integer not null,                   -- grows with every change, also over a deletion: names the compiled form
  enabled boolean not null,
  rules jsonb,                                -- null: the policy was deleted
  created_at timestamptz not null,
  updated_at timestamptz not null
);
select protect_tenant_rows('redaction_policy');
