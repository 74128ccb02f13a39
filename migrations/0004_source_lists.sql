-- Lists that must not scan every source of a tenant.

-- GET /sources: sources with records of their own.
create index source_with_metadata on source (tenant_id, id) where metadata <> '{}' and deleted_at is null;
-- Removals that are not finished: few, and gone soon.
create index source_deleted on source (tenant_id, deleted_at) where deleted_at is not null;
