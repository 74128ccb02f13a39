-- What API keys used of the chat model, by days of UTC. Kept when a key is revoked.
create table usage_day (
  tenant_id uuid not null references tenant (id) on delete cascade,
  api_key_id uuid not null,
  day date not null,
  requests bigint not null,                   -- calls to the model
  input_tokens bigint not null,
  output_tokens bigint not null,
  primary key (tenant_id, api_key_id, day)
);
create index usage_day_of_tenant on usage_day (tenant_id, day);
select protect_tenant_rows('usage_day');
