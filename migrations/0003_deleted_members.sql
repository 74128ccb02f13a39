-- The stored file of an archive still holds a member that was deleted by itself, and the row of the member is removed soon after.
alter table source add column member_deleted boolean not null default false;
comment on column source.member_deleted is 'A file inside was deleted since the source was read.';
