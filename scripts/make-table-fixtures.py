#!/usr/bin/env python3
"""Writes test/parsing/fixtures/tables (checked in) with pyarrow 26, duckdb 2 and the sqlite3 module of Python."""
import datetime as dt
import os
import sqlite3
from decimal import Decimal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

os.chdir(os.path.join(os.path.dirname(__file__), '../test/parsing/fixtures/tables'))

table = pa.table({
    'id': pa.array([1, 2, 9007199254740993], pa.int64()),
    'name': pa.array(['Tea | green', 'Käse\nalt', None]),
    'price': pa.array([Decimal('0.30'), Decimal('-12345678901234567890.05'), None], pa.decimal128(38, 2)),
    'ratio': pa.array([0.1, float('nan'), -2.5e-7]),
    'active': pa.array([True, False, None]),
    'day': pa.array([dt.date(2024, 2, 29), dt.date(1969, 12, 31), None]),
    'seen': pa.array([dt.datetime(2024, 5, 6, 7, 8, 9, 123456), dt.datetime(1900, 1, 1), None], pa.timestamp('us')),
    'seen_utc': pa.array([dt.datetime(2024, 5, 6, 7, 8, 9), None, None], pa.timestamp('ms', tz='UTC')),
    'at': pa.array([dt.time(7, 8, 9, 500000), None, None], pa.time64('us')),
    'tags': pa.array([['a', 'b'], [], None], pa.list_(pa.string())),
    'place': pa.array([{'city': 'Bonn', 'pos': [1, 2]}, None, None],
                      pa.struct([('city', pa.string()), ('pos', pa.list_(pa.int64()))])),
    'raw': pa.array([b'\x00\xff', b'words', b'\x00' * 40], pa.binary()),
    'big': pa.array([18446744073709551615, None, 0], pa.uint64()),
    'kind': pa.array(['x', 'y', 'x']).dictionary_encode(),
})
pq.write_table(table, 'pyarrow.parquet', compression='zstd')

engine = duckdb.connect()
engine.execute("""copy (
  select i::integer as n, 'row ' || i as label, (i * 0.01)::decimal(9, 2) as amount,
    uuid 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' as u, date '2024-01-01' + i::integer as day,
    interval 2 month + interval 3 day as span, map {'k': i} as m, {'a': 1.1::decimal(4, 1)} as s, '{"x": 1}'::json as j,
    timestamptz '2024-05-06 07:08:09.5+00' as tz
  from range(3) t(i)) to 'duckdb.parquet' (format parquet, compression brotli)""")
engine.execute("""copy (select i as n, 'w' || (i % 7) as word from range(6000) t(i))
  to 'rows.parquet' (format parquet, row_group_size 2048)""")

if os.path.exists('shop.sqlite'):
    os.remove('shop.sqlite')
db = sqlite3.connect('shop.sqlite')
db.executescript("""
pragma page_size = 1024;
create table product(id integer primary key, name text not null, price real, big integer, photo blob, "odd ""name" text,
  net real generated always as (price / 1.19) virtual);
create table "order items"(product_id, quantity, at text);
create table blank(a, b);
create view cheap as with recursive x(i) as (select 1 union all select i + 1 from x) select i from x;
create virtual table words using fts5(body);
create index by_name on product(name);
insert into product(name, price, big, photo, "odd ""name") values('Tea | green', 2.5, 9007199254740993, x'00ff', 'a');
insert into product(name, photo) values('Käse', zeroblob(5000));
insert into "order items" values(1, 3, '2024-05-06 07:08:09');
insert into words values('hidden');
pragma journal_mode = wal;
""")
db.close()
