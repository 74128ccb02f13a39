-- With which version of the analyzer the terms of a tenant's chunks were made. When it is not the program's, a job makes them anew.
alter table tenant
  add column analyzer_version int not null default 0,
  add column analyzed_to uuid;                  -- chunks up to this id have terms of the program's version already
