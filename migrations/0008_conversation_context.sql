-- What an answer rests on: the source groups of everything that its model was given, cited or not, also by way of the history.
-- Null where it is not known: no key with limits reads such an answer.
alter table message add column context_group_ids uuid[];

-- A conversation is read as a whole, so it has a size.
alter table conversation
  add column message_count int not null default 0,
  add column stored_bytes bigint not null default 0;
update conversation c set
  message_count = (select count(*) from message m where m.tenant_id = c.tenant_id and m.conversation_id = c.id),
  stored_bytes = (select coalesce(sum(octet_length(m.content) + octet_length(m.citations::text)), 0) from message m
                  where m.tenant_id = c.tenant_id and m.conversation_id = c.id);
