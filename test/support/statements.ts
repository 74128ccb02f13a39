/** Statements for the gate of the table engine. */

/** Calls of a function where a SELECT can have one. */
export const POSITIONS: readonly ((name: string) => string)[] = [
  (name) => `select ${name}('x') from sales`,
  (name) => `select region from sales where ${name}(region) is not null`,
  (name) => `select region from sales order by ${name}(amount)`,
  (name) => `select * from ${name}('x')`,
];

/** Forms in which a call is harder to see. */
export const DISGUISES: readonly ((name: string) => string)[] = [
  (name) => `select main.${name}('x')`,
  (name) => `select system.main.${name}('x')`,
  (name) => `select "${name.toUpperCase()}"('x')`,
  (name) => `select ('x').${name}()`,
  (name) => `select region.${name}() from sales`,
  (name) => `select list_transform(['x'], lambda y: ${name}(y))`,
  (name) => `select [${name}(y) for y in ['x']]`,
  (name) => `select list_filter(['x'], lambda y: ${name}(y) is not null)`,
  (name) => `select sum(amount) filter (where ${name}('x') is not null) from sales`,
  (name) => `select ${name}('x') over () from sales`,
  (name) => `select sum(amount) over (partition by ${name}('x')) from sales`,
  (name) => `select sum(amount) over (order by ${name}('x')) from sales`,
  (name) => `select region from sales group by region, ${name}('x')`,
  (name) => `select region from sales group by rollup(${name}('x'))`,
  (name) => `select count(*) from sales having ${name}('x') is not null`,
  (name) => `select region from sales qualify ${name}('x') is not null`,
  (name) => `select region from sales limit (select ${name}('x'))`,
  (name) => `select region from sales limit 1 offset (select ${name}('x'))`,
  (name) => `select distinct on (${name}('x')) region from sales`,
  (name) => `with a as (select ${name}('x')) select * from a`,
  (name) => `with a as materialized (from ${name}('x')) select * from a`,
  (name) => `with recursive a as (select 1 union all select ${name}('x')) select * from a`,
  (name) => `select (select ${name}('x'))`,
  (name) => `select exists (from ${name}('x'))`,
  (name) => `select 1 where 1 in (select ${name}('x'))`,
  (name) => `select case when ${name}('x') then 1 end`,
  (name) => `select coalesce(null, ${name}('x'))`,
  (name) => `select cast(${name}('x') as varchar)`,
  (name) => `select try(${name}('x'))`,
  (name) => `select {'a': ${name}('x')}`,
  (name) => `select map {'a': ${name}('x')}`,
  (name) => `select [${name}('x')][1]`,
  (name) => `values (${name}('x'))`,
  (name) => `from (values (${name}('x'))) v(a)`,
  (name) => `select * from sales join ${name}('x') on true`,
  (name) => `select * from sales join regions on ${name}('x') is not null`,
  (name) => `select * from sales, lateral (select ${name}(region))`,
  (name) => `select * from sales positional join ${name}('x')`,
  (name) => `select 1 union all select ${name}('x')`,
  (name) => `select 1 except (from ${name}('x'))`,
  (name) => `select * replace (${name}('x') as region) from sales`,
  (name) => `select columns(c -> ${name}(c)) from sales`,
  (name) => `select string_agg(region, ',' order by ${name}('x')) from sales`,
  (name) => `select /* x */ ${name} /**/ ('x') -- y`,
  (name) => `select U&"${name}"('x')`,
  (name) => `select * from range(1) t(x) where ${name}(x) = 1`,
  (name) => `select * from unnest([${name}('x')])`,
  (name) => `select * from sales using sample (${name}('x')) rows`,
  (name) => `select region between ${name}('x') and 'z' from sales`,
  (name) => `select region collate nocase = ${name}('x') from sales`,
];

export const HOSTILE: readonly string[] = [
  'select __pinakes_place::text from sales',
  'select region from sales s order by s."__PINAKES_PLACE"',
  'select 1 as __pinakes_place_0 from sales',
  // Settings, catalogue, files.
  ...`pragma database_list|pragma version|pragma table_info('sales')|pragma show_tables|pragma enable_profiling|pragma memory_limit='1GB'
  pragma functions|pragma storage_info('sales')|pragma json_execute_serialized_sql('{}')|pragma user_agent|pragma platform
  call pragma_version()|call duckdb_settings()|call enable_logging(storage='file')|call disable_logging()|call duckdb_secrets()
  call read_text('/etc/passwd')|call query('select 1')|call force_checkpoint()|call truncate_duckdb_logs()
  set threads=8|set memory_limit='10GB'|set enable_external_access=true|set lock_configuration=false|set variable x = 1
  set session threads=2|set global threads=2|reset threads|reset all|set schema='main'|set search_path='main'|use main
  copy sales to '/tmp/x.csv'|copy sales from '/tmp/x.csv'|copy (select 1) to '/tmp/x'|copy from database memory to x
  export database '/tmp/x'|import database '/tmp/x'|attach '/tmp/x.db'|attach ':memory:' as x|attach 'http://127.0.0.1/x.db' as x
  detach memory|install httpfs|install 'x' from 'http://127.0.0.1'|load httpfs|load '/tmp/x.so'|update extensions|force install json
  create table x (a int)|create table x as select 1|create temp table x as select 1|create view x as select 1|create or replace view sales as select 1
  create macro f(a) as a|create function f(a) as table select 1|create type t as enum ('a')|create sequence s|create schema s
  create secret (type s3)|create persistent secret x (type s3)|create index i on sales(region)|create unlogged table x (a int)
  drop table sales|drop view sales|drop secret x|drop schema main|alter table sales add column x int|alter table sales rename to x
  insert into sales values ('x')|insert into sales select * from sales|update sales set amount = 1|delete from sales|truncate sales
  merge into sales using regions on true when matched then delete|explain select 1|explain analyze select 1
  prepare p as select 1|execute p|deallocate p|begin|begin transaction|commit|rollback|checkpoint|force checkpoint|vacuum|analyze|vacuum sales
  describe sales|describe select 1|show tables|show all tables|show databases|show threads|summarize sales|summarize select 1
  select * from (describe sales)|select * from (show tables)|select * from (summarize sales)|from (describe select 1)
  comment on table sales is 'x'|comment on column sales.region is 'x'|select 1; select 2|select 1; drop table sales|select 1;;select 2
  pivot sales on region using sum(amount)|unpivot sales on amount, quantity|select * from (pivot sales on region using sum(amount))
  select * from (unpivot sales on amount, quantity into name n value v)|from sales unpivot (v for n in (amount, quantity))
  select $1|select ?|select $name|select * from sales where region = $1|select * from sales limit ?
  select * from '/etc/passwd'|select * from "/etc/passwd"|select * from '/tmp/x.csv'|select * from 'x.parquet'|select * from 'http://127.0.0.1/x.csv'
  select * from 's3://bucket/x'|from 'x.json'|select * from "x.db"|select * from 'glob*.csv'|select * from '0.parquet'
  select * from main.sales|select * from memory.main.sales|select * from memory.sales|select * from temp.sales|select * from system.main.duckdb_settings
  select * from information_schema.tables|select * from information_schema.columns|select * from information_schema.schemata
  select * from pg_catalog.pg_tables|select * from pg_tables|select * from pg_class|select * from pg_settings|select * from pg_views
  select * from sqlite_master|select * from sqlite_schema|select * from sqlite_temp_master|select * from duckdb_settings|select * from duckdb_tables
  select * from duckdb_databases|select * from duckdb_logs|select * from duckdb_views|select * from duckdb_columns|select * from pragma_database_list
  select * from foreign_table|select * from Sales2|table foreign_table|from foreign_table|select (from foreign_table)|select * from sales, foreign_table
  with sales as (select * from foreign_table) select * from sales|with a as (select * from b), b as (select 1) select * from a
  with duckdb_settings as (select 1) select * from duckdb_settings|with duckdb_settings as (select * from duckdb_settings) select * from duckdb_settings
  with pg_tables as (select 1) select * from pg_tables|select * from pg_tables, (with pg_tables as (select 1) from pg_tables) x
  select * from sales at (version => 1)|select * from sales at (timestamp => now())|select user|select current_user|select session_user
  select current_schema|select current_database|select current_catalog|select current_role|select "user"|select current_setting('threads')
  select getvariable('x')|select version()|select nextval('s')|select currval('s')|select txid_current()|select error('x')|select pg_sleep(10)
  select sleep_ms(100)|select setseed(0.5)|select in_search_path('a','b')|select current_query()|select write_log('x')|select stats(1)
  select json_serialize_sql('select 1')|select json_deserialize_sql('{}')|select json_serialize_plan('select 1')|select * from json_execute_serialized_sql('{}')
  select * from query('select 1')|select * from query_table('sales')|select * from query_table(['sales'])|select * from test_all_types()
  select cast('x' as sales)|select 'x'::main.t|select 'x'::geometry|select 1::foo|select cast(1 as variant)|select default|select from
  select * from sales, query('select 1')|select * from repeat('x', 10)|select * from repeat_row(1, num_rows=3)|select * from summary(sales)
  select * from seq_scan('sales')|select * from arrow_scan(1,2,3)|select * from icu_calendar_names()|select * from pg_timezone_names()
  select * from parquet_scan('0.parquet')|select * from read_parquet(['0.parquet'])|select * from read_csv_auto('x')|select * from read_blob('x')`
    .split(/\||\n/)
    .map((line) => line.trim()),
  // Neither one statement nor short enough.
  '',
  ';',
  '-- nothing',
  '/* nothing */',
  'select',
  'selct 1',
  `select '${'x'.repeat(11_000)}'`,
  `select ${'1+'.repeat(4_900)}1`,
];

export const ORDINARY: readonly string[] =
  `select * from sales|select region, amount from sales|select count(*) from sales|select count(distinct region) from sales|from sales
  select region, sum(amount) from sales group by region|select region, sum(amount) as total from sales group by 1 order by 2 desc limit 5
  select region, sum(amount) from sales group by all order by all|select avg(amount), min(amount), max(amount), median(amount) from sales
  select * from sales where amount > 10|select * from sales where amount between 1 and 5|select * from sales where region in ('a', 'b')
  select * from sales where region not in ('a', 'b')|select * from sales where note is null|select * from sales where note is not null
  select * from sales where region like 'N%'|select * from sales where region ilike '%orth'|select * from sales where region not like 'N%'
  select * from sales where region like 'N!%' escape '!'|select * from sales where region similar to 'N.*'|select * from sales where not (amount > 3)
  select * from sales where amount > 3 and quantity < 5 or region = 'x'|select * from sales where amount is distinct from 3
  select upper(region), lower(region), length(region), trim(region), reverse(region) from sales|select region \\|\\| '-' \\|\\| note from sales
  select substring(region from 1 for 2), left(region, 2), right(region, 2) from sales|select replace(region, 'a', 'b') from sales
  select concat(region, ' ', note), concat_ws(',', region, note) from sales|select split_part(note, ' ', 1) from sales
  select regexp_matches(note, 'a+'), regexp_replace(note, 'a', 'b'), regexp_extract(note, '(a)', 1) from sales|select starts_with(region, 'N') from sales
  select round(amount, 2), floor(amount), ceil(amount), abs(amount), sign(amount) from sales|select amount * quantity, amount / 2, quantity % 2 from sales
  select sqrt(4), power(2, 3), ln(2), log10(100), exp(1), pi()|select quantity // 2, 2 ** 3, -amount from sales|select greatest(1, 2), least(1, 2)
  select cast(amount as integer) from sales|select amount::decimal(10, 2) from sales|select try_cast(region as integer) from sales
  select case when amount > 10 then 'big' else 'small' end from sales|select case region when 'N' then 1 when 'S' then 2 end from sales
  select coalesce(note, region), nullif(region, ''), ifnull(note, '-') from sales|select if(amount > 1, 'a', 'b') from sales
  select extract(year from ordered), extract(month from ordered) from sales|select year(ordered), month(ordered), day(ordered), quarter(ordered) from sales
  select date_trunc('month', ordered) as m, sum(amount) from sales group by m order by m|select ordered::date from sales|select date_part('dow', ordered) from sales
  select * from sales where ordered >= date '2024-01-01'|select * from sales where ordered < timestamp '2024-01-01 00:00:00'
  select ordered + interval 1 day, ordered - interval '2 months' from sales|select date_diff('day', ordered, now()) from sales|select age(ordered) from sales
  select strftime(ordered, '%Y-%m') from sales|select strptime('2024-01-02', '%Y-%m-%d')|select dayname(ordered), monthname(ordered) from sales
  select current_date, current_timestamp, today(), now()|select ordered at time zone 'UTC' from sales|select last_day(ordered) from sales
  select s.region, r.manager from sales s join regions r on s.region = r.region|select * from sales left join regions using (region)
  select * from sales right join regions using (region)|select * from sales full join regions using (region)|select * from sales cross join regions
  select * from sales semi join regions using (region)|select * from sales anti join regions using (region)|select * from sales natural join regions
  select * from sales, regions where sales.region = regions.region|select a.region from sales a join sales b on a.region = b.region
  select * from sales where region in (select region from regions)|select * from sales where exists (select 1 from regions r where r.region = sales.region)
  select * from sales where amount > (select avg(amount) from sales)|select *, (select manager from regions r where r.region = s.region limit 1) from sales s
  with t as (select region, sum(amount) s from sales group by 1) select * from t where s > 10|with a as (select 1 x), b as (select x + 1 y from a) select * from b
  with recursive n as (select 1 x union all select x + 1 from n where x < 5) select * from n|select * from (select region from sales) t
  select region from sales union select region from regions|select region from sales union all select region from regions
  select region from sales intersect select region from regions|select region from sales except select region from regions
  select distinct region from sales|select distinct on (region) region, amount from sales order by region, amount|select region from sales order by region nulls last
  select region, count(*) from sales group by region having count(*) > 1|select region, sum(amount) from sales group by rollup(region)
  select region, note, sum(amount) from sales group by cube(region, note)|select region, sum(amount), grouping(region) from sales group by grouping sets ((region), ())
  select row_number() over (order by amount) from sales|select rank() over (partition by region order by amount desc) from sales
  select lag(amount) over (order by ordered), lead(amount) over (order by ordered) from sales|select sum(amount) over (order by ordered rows between 2 preceding and current row) from sales
  select first_value(amount) over w, last_value(amount) over w from sales window w as (partition by region order by ordered)|select ntile(4) over (order by amount) from sales
  select region, amount from sales qualify row_number() over (partition by region order by amount desc) = 1|select dense_rank() over (order by amount) from sales
  select sum(amount) filter (where region = 'N') from sales|select string_agg(region, ', ' order by region) from sales|select list(region) from sales
  select arg_max(region, amount), arg_min(region, amount) from sales|select quantile_cont(amount, 0.9), mode(region), stddev(amount) from sales
  select percentile_cont(0.5) within group (order by amount) from sales|select corr(amount, quantity) from sales|select approx_count_distinct(region) from sales
  select histogram(region) from sales|select max_by(region, amount) from sales|select any_value(region), first(region), bool_and(amount > 1) from sales
  select * exclude (note) from sales|select * replace (upper(region) as region) from sales|select s.* from sales s|select columns('a.*') from sales
  select * from sales limit 10 offset 5|select * from sales order by 1 desc, 2|select * from sales using sample 10%|select * from sales limit 10%
  select [1, 2, 3][1], {'a': 1}.a, map {'x': 1}|select list_transform([1, 2], lambda x: x + 1)|select [x * 2 for x in [1, 2] if x > 1]|select unnest([1, 2])
  select * from range(3)|select * from generate_series(1, 3)|select * from unnest([1, 2]) t(x)|values (1, 'a'), (2, 'b')|select * from (values (1, 'a')) v(x, y)
  select strip_accents(note), levenshtein(region, note), jaro_winkler_similarity(region, note) from sales|select typeof(amount) from sales|select md5(region) from sales
  select json_extract_string('{"a": 1}', '$.a')|select region collate nocase from sales|select 'a' = any (['a', 'b'])|select 1 as "select"|select 12345678901234567890`
    .replaceAll('\\|', '\u0000')
    .split(/\||\n/)
    .map((line) => line.trim().replaceAll('\u0000', '|'));
