-- The path of an uploaded file: it names the file within its source group, for as long as the file is there. Null for files of origins and
-- for files that were found inside others. Two files may have the same path: one upload may hold equal names.
alter table source add column path text;
update source set path = name where source_type = 'local_file' and parent_source_id is null;
create index source_path on source (tenant_id, source_group_id, path) where path is not null;
