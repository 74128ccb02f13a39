-- Authorization: attributes of principals, and the policies that say by them who sees which chunks.

create table subject (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,                           -- its place in lists
  principal_id text not null,
  attributes jsonb not null,                  -- name -> text, number, true, false, or an array of these
  expires_at timestamptz,                     -- from then on it has no attributes
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, principal_id)
);
create unique index subject_page on subject (tenant_id, id);

create table authz_policy (
  tenant_id uuid not null references tenant (id) on delete cascade,
  id uuid not null,                           -- its place in lists
  name text not null,
  version int not null,                       -- raised by every change
  definition jsonb not null,                  -- a group of conditions, as on the wire
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, name)
);
create unique index authz_policy_page on authz_policy (tenant_id, id);

select protect_tenant_rows(t) from unnest(array['subject', 'authz_policy']) t;

-- Origin records carry {"trusted": true} when they come from a connector: what a document says of itself does not decide who sees it.
-- What a parser hands over is never taken for more, whatever it says.
create function marked_records(parsed jsonb, origin jsonb) returns jsonb language sql immutable parallel safe as $$
  select coalesce((select jsonb_object_agg(p.key, p.value - 'trusted') from jsonb_each(parsed) p), '{}')
      || coalesce((select jsonb_object_agg(o.key, (o.value - 'trusted') || '{"trusted": true}') from jsonb_each(origin) o), '{}')
$$;
update source s set origin_metadata = marked_records(s.origin_metadata, o.metadata)
from source_origin o where o.tenant_id = s.tenant_id and o.source_id = s.id and o.metadata <> '{}';

-- What an answer rests on, more exactly than its source groups. Null: not known, and then nobody reads it while authorization is on.
alter table message add column context_source_ids uuid[], add column context_chunk_ids uuid[];

-- A conversation belongs to the principal it began with: so do the names that its client calls it by.
alter table conversation drop constraint conversation_tenant_id_thread_id_key;
create unique index conversation_thread on conversation (tenant_id, thread_id, principal_id) nulls not distinct where thread_id is not null;
create index conversation_principal on conversation (tenant_id, principal_id, id);
