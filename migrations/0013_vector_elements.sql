-- How many bytes a number of a vector takes. The embedded engine calculates with single precision twice as fast as with half, which
-- takes half the room. Generations that are there keep theirs: halfvec in `embedding`.
alter table embedding_generation
  add column element text not null default 'half' check (element in ('half', 'single'));
alter table embedding_generation alter column element drop default;

-- One of both in every row, always the same of a generation.
alter table chunk_vector add column embedding_single vector;
alter table chunk_vector alter column embedding drop not null;
alter table chunk_vector alter column embedding_single set statistics 0;

-- For generations of either kind.
alter table embedding_cache alter column embedding type vector using embedding::vector;
