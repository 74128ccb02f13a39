-- The claim of an upload ends with its process: the process renews created_at, and only the owner of claim_id stores an answer.
alter table idempotency_key add column claim_id uuid;
comment on column idempotency_key.claim_id is 'Identifies the request that holds the key, where the claim is renewed while the request runs.';
