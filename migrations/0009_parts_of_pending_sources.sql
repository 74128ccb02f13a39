-- A pending source is mixed if an attempt to read it has stored parts. Earlier versions did not mark new sources.
update source set mixed = true where status = 'pending';
comment on column source.mixed is
  'Chunks or text of other generations may exist; of a pending source, also parts that an attempt left when it did not end.';
