-- A schedule whose runs fail one after the other starts them less often.
alter table connector_setting add column failing_since timestamptz;
comment on column connector_setting.failing_since is 'When the first of the runs was started that failed since the last success.';
