-- Metadata columns: declared keys of source metadata, kept in typed, indexed form. And positions for lists of tag links.

create table metadata_column (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,
  key text not null,
  type text not null check (type in ('string', 'integer')),
  description text not null default '',
  status text not null default 'building' check (status in ('building', 'ready')),
  built_to uuid,                              -- sources up to this id have their values
  touched_at timestamptz not null,            -- last sign of life of the job that builds or removes it
  created_at timestamptz not null,
  deleted_at timestamptz,                     -- tombstone: a job removes the values, then the row
  primary key (tenant_id, id)
);
create unique index metadata_column_key on metadata_column (tenant_id, key) where deleted_at is null;

-- One row per source that has the key. Both values null: the metadata value does not fit the column's type.
create table metadata_column_value (
  tenant_id uuid not null,
  source_id uuid not null,
  column_id uuid not null,
  text_value text,                            -- NFC; of string columns
  int_value numeric,                          -- of integer columns; within 64 bits
  primary key (tenant_id, column_id, source_id),
  foreign key (tenant_id, source_id) references source (tenant_id, id) on delete cascade
);
create index metadata_column_value_source on metadata_column_value (tenant_id, source_id);
-- The beginning only: an index entry must fit a page.
create index metadata_column_text on metadata_column_value (tenant_id, column_id, (left(text_value, 100)) collate "C") where text_value is not null;
create index metadata_column_int on metadata_column_value (tenant_id, column_id, int_value) where int_value is not null;
create index metadata_column_misfit on metadata_column_value (tenant_id, column_id) where text_value is null and int_value is null;

select protect_tenant_rows('metadata_column');
select protect_tenant_rows('metadata_column_value');

-- A whole number of 64 bits, else null. No text makes it fail.
create function metadata_integer(value text) returns numeric language sql immutable parallel safe as $$
  select case when length(value) <= 100 and value ~ '^[+-]?[0-9]+$' then
    case when value::numeric between -9223372036854775808 and 9223372036854775807 then value::numeric end
  end
$$;

-- API records win over origin records of the same key.
create function merged_metadata_value(api jsonb, origin jsonb, key text) returns text language sql immutable parallel safe as $$
  select coalesce(api ->> key, origin -> key ->> 'val')
$$;

-- Whoever declares, builds or removes a column of a tenant holds this exclusively; whoever changes metadata holds it shared.
-- So a change either is seen by the build or sees the column, and never overtakes it.
create function lock_metadata_columns(tenant uuid, exclusive boolean) returns void language plpgsql as $$
begin
  if exclusive then
    perform pg_advisory_xact_lock(hashtextextended('metadata_column ' || tenant, 0));
  else
    perform pg_advisory_xact_lock_shared(hashtextextended('metadata_column ' || tenant, 0));
  end if;
end $$;

-- Every statement that changes metadata, whoever wrote it, keeps the columns right.
create function extract_metadata_columns() returns trigger language plpgsql as $$
begin
  perform lock_metadata_columns(new.tenant_id, false);
  if tg_op = 'UPDATE' then
    delete from metadata_column_value v where v.tenant_id = new.tenant_id and v.source_id = new.id;
  end if;
  insert into metadata_column_value (tenant_id, source_id, column_id, text_value, int_value)
  select new.tenant_id, new.id, k.id, case when k.type = 'string' then normalize(m.value) end,
    case when k.type = 'integer' then metadata_integer(m.value) end
  from metadata_column k
  cross join lateral (select merged_metadata_value(new.metadata, new.origin_metadata, k.key) as value) m
  where k.tenant_id = new.tenant_id and k.deleted_at is null and m.value is not null;
  return null;
end $$;
create trigger source_metadata_inserted after insert on source for each row
  when (new.metadata <> '{}' or new.origin_metadata <> '{}') execute function extract_metadata_columns();
create trigger source_metadata_changed after update of metadata, origin_metadata on source for each row
  when (new.metadata is distinct from old.metadata or new.origin_metadata is distinct from old.origin_metadata)
  execute function extract_metadata_columns();

-- Links had no position of their own in a list. Ids are UUIDv7, as all are.
create function id_of_time(at timestamptz) returns uuid language sql volatile as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(r, 1, 3) || '8' || substr(r, 5, 15))::uuid
  from (select replace(gen_random_uuid()::text, '-', '') as r) random
$$;
alter table tag_source_group add column id uuid;
update tag_source_group set id = id_of_time(created_at);
alter table tag_source_group alter column id set default id_of_time(clock_timestamp());
alter table tag_source_group alter column id set not null;
create unique index tag_source_group_page on tag_source_group (tenant_id, id);
