-- Search compares the vectors of the sources that fit a filter, source by source.
create index chunk_vector_source on chunk_vector (tenant_id, source_id);
