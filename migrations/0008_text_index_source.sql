-- Finds the chunks of the sources that match a filter, so that a search without pg_textsearch scores only those.
create index text_index_source on text_index (tenant_id, source_id);
