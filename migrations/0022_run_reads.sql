-- What a run reads: its origin, as ever, or what is stored, anew.
alter table run add column reads text not null default 'origin' check (reads in ('origin', 'stored'));
