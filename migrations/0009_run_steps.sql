-- A crawl that is interrupted goes on where it was. What it knows grows with each page, so each row has only what is new.
create table run_step (
  tenant_id uuid not null,
  run_id uuid not null,
  ordinal int not null,
  steps json not null,                        -- connectors/connector.ts: the steps of a listing that were stored together.
                                              -- jsonb takes 256 MiB at most, and no query looks into them.
  primary key (tenant_id, run_id, ordinal),
  foreign key (tenant_id, run_id) references run (tenant_id, id) on delete cascade
);
comment on table run_step is 'How far the listing of a run has come, in steps. Deleted soon after the run.';
select protect_tenant_rows('run_step');
