-- Vectors of chunks, beside the chunks: a row that gets its vector later would be written again, with its BM25 entries.

-- One set of vectors of a tenant, all of one model. A change of the model builds the next one while the old one serves.
create table embedding_generation (
  tenant_id uuid not null references tenant (id) on delete cascade,
  generation int not null,
  model text not null,                        -- as the provider knows it
  dimension int not null check (dimension between 1 and 4000),
  status text not null check (status in ('building', 'serving', 'retired')),
  filled_to uuid,                             -- building: chunks up to this id have been made to wait
  filled boolean not null default false,      -- all of them have
  indexed boolean not null default false,     -- has its HNSW index
  created_at timestamptz not null,
  served_at timestamptz,
  retired_at timestamptz,                     -- its table is dropped a while later: searches may still read it
  primary key (tenant_id, generation)
);
create unique index embedding_generation_serving on embedding_generation (tenant_id) where status = 'serving';
create unique index embedding_generation_building on embedding_generation (tenant_id) where status = 'building';

-- Partitions: chunk_vector_<partition_no> with the tenant, below it chunk_vector_<partition_no>_<generation> with the generation.
create table chunk_vector (
  tenant_id uuid not null,
  generation int not null,
  chunk_id uuid not null,
  source_id uuid not null,
  content_hash bytea not null,                -- SHA-256 of the text that was embedded
  embedding halfvec not null,                 -- of the generation's dimension
  primary key (tenant_id, chunk_id, generation)
) partition by list (tenant_id);
create index chunk_vector_content on chunk_vector (tenant_id, content_hash);
alter table chunk_vector alter column embedding set statistics 0;

-- Chunks that have no vector of a generation yet.
create table embedding_waiting (
  tenant_id uuid not null references tenant (id) on delete cascade,
  generation int not null,
  chunk_id uuid not null,
  refused text,                               -- why the model does not take it; it is not asked again
  primary key (tenant_id, generation, chunk_id)
);

-- Vectors of chunks that are being replaced: what has not changed is not embedded again.
create table embedding_cache (
  tenant_id uuid not null references tenant (id) on delete cascade,
  model text not null,
  content_hash bytea not null,
  embedding halfvec not null,
  created_at timestamptz not null,
  primary key (tenant_id, model, content_hash)
);
create index embedding_cache_age on embedding_cache (tenant_id, created_at);

-- Who embeds for a tenant. Whoever stores chunks or begins a generation holds the row, so that neither misses the other.
create table embedding_state (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  queued_at timestamptz,                      -- a job is queued that has not begun
  attempt int not null default 0,             -- raised by every job that takes the tenant; fences out the one before
  beat_at timestamptz                         -- last sign of life of the job that has it; null: nobody has
);

select protect_tenant_rows(t) from unnest(array[
  'embedding_generation', 'chunk_vector', 'embedding_waiting', 'embedding_cache', 'embedding_state']) t;

-- Tenants that were there before.
do $$
declare t record;
begin
  for t in select id, partition_no from tenant loop
    execute format('create table %I partition of chunk_vector for values in (%L) partition by list (generation)',
                   'chunk_vector_' || t.partition_no, t.id);
    perform protect_tenant_rows('chunk_vector_' || t.partition_no);
  end loop;
end $$;

-- Every statement that deletes chunks, whoever wrote it, takes their vectors along.
create function remove_vectors_of_chunks() returns trigger language plpgsql as $$
declare
  tenant uuid;
  ids uuid[];
begin
  for tenant in select distinct g.tenant_id from gone g loop
    ids := array(select g.id from gone g where g.tenant_id = tenant);
    delete from chunk_vector v where v.tenant_id = tenant and v.chunk_id = any(ids);
    delete from embedding_waiting w where w.tenant_id = tenant and w.chunk_id = any(ids);
  end loop;
  return null;
end $$;
create trigger chunk_deleted after delete on chunk referencing old table as gone
  for each statement execute function remove_vectors_of_chunks();
