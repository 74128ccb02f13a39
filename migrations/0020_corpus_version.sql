-- A number that is another after every change of what a filter can ask for: what was worked out for it holds as long as it stays.
-- A sequence, so that those who change things at the same time do not wait for each other. It changes before the commit does, so
-- only the embedded engine goes by it, where transactions run one after the other.
create sequence corpus_version;
select nextval('corpus_version');
grant select on corpus_version to pinakes_app;

create function change_corpus_version() returns trigger language plpgsql security definer set search_path from current as $$
begin
  perform nextval('corpus_version');
  return null;
end $$;
revoke execute on function change_corpus_version() from public;

-- Statements of foreign keys and of triggers count as well.
create trigger corpus_changed after insert or update or delete or truncate on source
  for each statement execute function change_corpus_version();
create trigger corpus_changed after insert or update or delete or truncate on source_group
  for each statement execute function change_corpus_version();
create trigger corpus_changed after insert or update or delete or truncate on tag
  for each statement execute function change_corpus_version();
create trigger corpus_changed after insert or update or delete or truncate on tag_source_group
  for each statement execute function change_corpus_version();
create trigger corpus_changed after insert or update or delete or truncate on metadata_column_value
  for each statement execute function change_corpus_version();
create trigger corpus_changed after insert or update or delete or truncate on embedding_generation
  for each statement execute function change_corpus_version();
