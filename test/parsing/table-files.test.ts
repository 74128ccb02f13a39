/** Tests of Parquet files and SQLite databases that other programs wrote: pyarrow, DuckDB and the sqlite3 library of Python. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { chunkMismatches } from '../support/files/chunk-invariants.ts';
import { failureOf, readBytes } from '../support/files/process-bytes.ts';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/tables/${name}`, import.meta.url));

/** Returns the bytes of a database that the statements make. */
function databaseOf(...statements: string[]): Uint8Array {
  const db = new DatabaseSync(':memory:', { defensive: false });
  try {
    for (const statement of statements) db.exec(statement);
    return db.serialize();
  } finally {
    db.close();
  }
}

test('a Parquet file of pyarrow gives a record for each row, with exact decimals, ISO dates and JSON for nested values', async () => {
  const file = await readBytes('x.parquet', fixture('pyarrow.parquet'), [{ key: 'id', type: 'string' }]);
  assert.equal(
    file.text,
    `| id | name | price | ratio | active | day | seen | seen_utc | at | tags | place | raw | big | kind |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | Tea \\| green | 0.30 | 0.1 | true | 2024-02-29 | 2024-05-06T07:08:09.123456 | 2024-05-06T07:08:09Z | 07:08:09.5 | ["a","b"] | {"city":"Bonn","pos":[1,2]} | 00ff | 18446744073709551615 | x |
| 2 | Käse alt | -12345678901234567890.05 |  | false | 1969-12-31 | 1900-01-01T00:00:00 |  |  | [] |  | words |  | y |
| 9007199254740993 |  |  | -2.5e-7 |  |  |  |  |  |  |  | (40 bytes) | 0 | x |`,
  );
  assert.equal(file.fileType, 'parquet');
  assert.deepEqual(
    file.chunks.map(({ metadata }) => metadata['id']?.val),
    ['1', '2', '9007199254740993'],
  );
  assert.equal(chunkMismatches(file.text, file.chunks), 0);
});

test('a Parquet file of DuckDB gives its intervals, maps, structs and times with a zone', async () => {
  const file = await readBytes('x', fixture('duckdb.parquet'));
  assert.match(
    file.text,
    /\| 2 \| row 2 \| 0\.02 \| a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 \| 2024-01-03 \| P2M3DT0S \| \{"k":2\} \| \{"a":1\.1\} \| \{"x": 1\} \| 2024-05-06T07:08:09\.5Z \|/,
  );
});

test('every row of a Parquet file with several row groups is read once and in order', async () => {
  const file = await readBytes('x.parquet', fixture('rows.parquet'));
  const expected = Array.from({ length: 6000 }, (_, i) => `| ${i} | w${i % 7} |`);
  assert.deepEqual(file.text.split('\n').slice(2), expected);
});

test('a damaged and an encrypted Parquet file fail with a reason', async () => {
  const whole = fixture('pyarrow.parquet');
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, 40, 1200);
  assert.equal((await failureOf('x.parquet', damaged)).title, 'File cannot be read');
  const encrypted = Buffer.concat([Buffer.from('PARE'), whole.subarray(4, -4), Buffer.from('PARE')]);
  assert.equal((await failureOf('x.parquet', encrypted)).title, 'Encrypted file');
});

test('a text that begins with the mark of Parquet is read as text', async () => {
  const file = await readBytes('x.txt', 'PAR1 is the first lot.');
  assert.equal(file.fileType, 'txt');
});

test('an SQLite database gives a section for each table, without views and virtual tables', async () => {
  const file = await readBytes('shop.db', fixture('shop.sqlite'));
  assert.equal(
    file.text,
    `## blank

| a | b |
| --- | --- |

## order items

| product_id | quantity | at |
| --- | --- | --- |
| 1 | 3 | 2024-05-06 07:08:09 |

## product

| id | name | price | big | photo | odd "name | net |
| --- | --- | --- | --- | --- | --- | --- |
| 1 | Tea \\| green | 2.5 | 9007199254740993 | 00ff | a | 2.100840336134454 |
| 2 | Käse |  |  | (5000 bytes) |  |  |`,
  );
  assert.equal(file.fileType, 'sqlite');
  assert.deepEqual(file.warnings, [
    'The database is in WAL mode: changes that are in its -wal file only were not read.',
    '1 view was not read.',
    '1 virtual table was not read.',
  ]);
  assert.deepEqual(file.chunks.at(-1)?.headingPath, ['product']);
});

test('a large value of an SQLite database does not leave the engine, and a long text is truncated with a warning', async () => {
  const bytes = databaseOf(
    'create table t(a, b)',
    `insert into t values (zeroblob(5000000), 'short'), (null, printf('%.*c', 40000, 'x'))`,
  );
  const file = await readBytes('x.sqlite', bytes);
  assert.match(file.text, /\| \(5000000 bytes\) \| short \|\n\| {2}\| x{32768} \|/);
  assert.deepEqual(file.warnings, ['1 cell was truncated after 32768 characters.']);
});

test('an expression of an SQLite file that makes a huge value fails the file', async () => {
  const huge = `create table t(a, b generated always as (replace(hex(zeroblob(20000000)), '0', printf('%01000d', 1))) virtual)`;
  const bytes = databaseOf(
    'create table t(a, b generated always as (a) virtual)',
    'insert into t(a) values (1)',
    'pragma writable_schema = on',
    `update sqlite_schema set sql = '${huge.replaceAll("'", "''")}'`,
  );
  const failure = await failureOf('x.sqlite', bytes);
  assert.match(failure.message, /too big/);
});

test('a table of an SQLite file that is a view or a virtual table in disguise is not run', async () => {
  const disguised = (sql: string) =>
    databaseOf(
      'create table t(a)',
      'insert into t values (1)',
      'pragma writable_schema = on',
      `update sqlite_schema set type = 'table', rootpage = 0, sql = '${sql.replaceAll("'", "''")}'`,
    );
  const loop = `create view t as with recursive x(i) as (select 1 union all select i + 1 from x) select i as a from x`;
  for (const sql of [loop, 'create virtual table t using fts5(a)']) {
    const outcome = await failureOf('x.sqlite', disguised(sql));
    assert.match(outcome.title, /cannot be read|Nothing to read/);
  }
});

test('a damaged SQLite database and one without tables fail with a reason', async () => {
  const damaged = Buffer.from(fixture('shop.sqlite'));
  damaged.fill(0xff, 100, 8000);
  assert.equal((await failureOf('x.sqlite', damaged)).title, 'File cannot be read');
  assert.equal(
    (await failureOf('x.sqlite', databaseOf('create view v as select 1'))).title,
    'Nothing to read in this file',
  );
});
