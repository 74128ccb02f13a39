-- As corpus_version (0020): a number that is another after every change of vectors. Apart from it, as vectors come long after their chunks,
-- and what was worked out for a filter holds all the while.
create sequence vector_version;
select nextval('vector_version');
grant select on vector_version to pinakes_app;

create function change_vector_version() returns trigger language plpgsql security definer set search_path from current as $$
begin
  perform nextval('vector_version');
  return null;
end $$;
revoke execute on function change_vector_version() from public;

create trigger vectors_changed after insert or update or delete or truncate on chunk_vector
  for each statement execute function change_vector_version();
