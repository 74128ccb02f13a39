-- An editor opens a file at a line. Chunks that were written before this migration have no lines until their file is read again.
alter table chunk add column start_line int, add column end_line int;
comment on column chunk.start_line is 'First line of the file, counted from 1; null if the lines of the text are not those of the file.';
