-- Files that a run skipped, with the reason. Each has an id of its own in place of a source.
alter table run_file drop constraint run_file_change_check;
alter table run_file add constraint run_file_change_check check (change in ('added', 'updated', 'deleted', 'skipped'));
alter table run_file add column reason text;
comment on column run_file.reason is 'Why the file was skipped.';
