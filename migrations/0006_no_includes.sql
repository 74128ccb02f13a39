-- Files that another file includes are sources of their own: no source has their text any more.
drop index source_includes;
alter table source drop column includes;
