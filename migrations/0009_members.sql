-- Members of archives and attachments of mails are sources of their own, made while the file that holds them is read.
alter table source
  add column parent_source_id uuid,                -- the archive or mail; it may be deleted before its members
  add column member_depth int not null default 0;  -- archives within archives
create index source_parent on source (tenant_id, parent_source_id) where parent_source_id is not null;
