-- Who changed what: one chain per tenant, in which every event carries the hash of the one before (corpus/audit-store.ts).

create table audit_event (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,                           -- ids ascend with seq
  seq bigint not null,                        -- 1, 2, 3 … without a gap
  at timestamptz not null,                    -- whole milliseconds, as the hash sees it
  api_key_id uuid,                            -- who; null = the operator, by a command
  action text not null,
  object_kind text not null,
  object_id text not null,
  details jsonb not null,                     -- neither secrets nor content
  prev_hash text not null,                    -- of the event before, hex; of the first: zeros
  hash text not null,                         -- SHA-256 over prev_hash and everything above
  primary key (tenant_id, id),
  unique (tenant_id, seq)
);
create index audit_event_object on audit_event (tenant_id, object_id, id);

-- The last event of each chain: events cut off at its end are missed.
create table audit_head (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  id uuid not null,
  seq bigint not null,
  hash text not null
);

select protect_tenant_rows('audit_event');
select protect_tenant_rows('audit_head');
-- The service can add events and nothing else: not even a statement that was smuggled in rewrites what happened.
revoke update, delete on audit_event from pinakes_app;
revoke insert, update, delete on audit_head from pinakes_app;

-- Only the next event of the chain is taken, and it becomes the head.
create function audit_event_guard() returns trigger language plpgsql security definer set search_path from current as $$
begin
  if new.seq = 1 then
    insert into audit_head (tenant_id, id, seq, hash) values (new.tenant_id, new.id, new.seq, new.hash);
    return new;
  end if;
  update audit_head h set id = new.id, seq = new.seq, hash = new.hash
    where h.tenant_id = new.tenant_id and h.seq = new.seq - 1 and h.hash = new.prev_hash;
  if not found then
    raise exception 'audit event % of tenant % is not the next one', new.seq, new.tenant_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
revoke execute on function audit_event_guard() from public;
create trigger audit_event_next before insert on audit_event for each row execute function audit_event_guard();

-- A key that has every scope there was, without limits, is one with all scopes: it gets the new one.
update api_key set scopes = scopes || array['audit:read']
where revoked_at is null and source_group_ids is null and tag_ids is null
  and scopes @> array['inference:run', 'knowledge:read', 'knowledge:write', 'ingestion:manage', 'authz:grant', 'policy:redaction:manage',
                      'apikeys:issue'];

-- The ingest rules of the redaction policy (redact.ts: ingestMark) that the served text was read under; empty: none.
alter table source add column redacted_by text not null default '';
