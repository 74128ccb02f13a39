-- Whether a tenant has source code: queries then look for words of code as well.
create index source_code on source (tenant_id) where file_type = 'code';
