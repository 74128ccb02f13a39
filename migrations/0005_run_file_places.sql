-- Many files of an origin have one name, as index.html. The place tells them apart, also when the file is deleted or never became a source.
alter table run_file add column path text, add column url text;
comment on column run_file.path is 'Path of the file when the run saw it; null for files without a path.';
comment on column run_file.url is 'Address of the file at its origin when the run saw it.';
alter table run_error add column path text, add column url text;
comment on column run_error.path is 'Path of an item that could not be listed or fetched; null for items without a path.';
comment on column run_error.url is 'Address of an item that could not be listed or fetched; null if unknown.';
