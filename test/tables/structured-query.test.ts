/** Structured queries: their SQL returns what a plain evaluation of the same query returns. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { MetadataFilter, MetadataFilterGroup } from '../../src/filters/types.ts';
import { openTableEngine, type TableEngine } from '../../src/tables/engine/pool.ts';
import type { Cell, EngineTable } from '../../src/tables/engine/protocol.ts';
import { type Selected, type StructuredQuery, toSql } from '../../src/tables/structured-query.ts';
import { type TestColumn, writeTable } from '../support/parquet-tables.ts';
import { openRandom, type Random } from '../support/random.ts';

const TEXTS = [
  'North',
  'north',
  'Süd',
  "it's",
  'a"b',
  '',
  '50%',
  '_',
  '--',
  "'; drop table t",
  '日本',
  'null',
  'NaN',
  '10',
];
const COLUMNS: TestColumn[] = [
  { name: 'na"me', type: 'text', values: column(40, (i) => (i % 7 === 0 ? null : TEXTS[i % TEXTS.length]!)) },
  { name: 'amount', type: 'double', values: column(40, (i) => (i % 5 === 0 ? null : ((i * 37) % 23) / 4 - 2)) },
  { name: 'count', type: 'integer', values: column(40, (i) => (i % 11 === 0 ? null : (i * 13) % 9)) },
  { name: 'is open', type: 'boolean', values: column(40, (i) => (i % 6 === 0 ? null : i % 2 === 0)) },
  {
    name: 'at',
    type: 'datetime',
    values: column(40, (i) => (i % 8 === 0 ? null : `2024-0${1 + (i % 9)}-1${i % 10}T06:00:00.000Z`)),
  },
];
const QUERIED = { sqlName: 'ta ble', columns: COLUMNS.map(({ name, type }) => ({ sqlName: name, type })) };

let folder = '';
let engine: TableEngine;
let table: EngineTable;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinakes-test-structured-'));
  engine = openTableEngine({ processes: 1, memoryMib: 256, folder: join(folder, 'run') });
  table = writeTable(join(folder, 't.parquet'), 'ta ble', COLUMNS);
});

after(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

function column<T>(count: number, value: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => value(i));
}

async function rowsOf(query: StructuredQuery): Promise<Cell[][]> {
  const sql = toSql(query, [QUERIED]);
  const request = { sql, tables: [table], rowLimit: 1000, timeoutMs: 20_000, traces: false };
  return (await engine.query('a', request)).rows;
}

type Row = Record<string, string | number | boolean | null>;
const ROWS: Row[] = column(40, (i) => Object.fromEntries(COLUMNS.map(({ name, values }) => [name, values[i]!])));

function matches(row: Row, group: MetadataFilterGroup): boolean {
  const test = (member: MetadataFilter | MetadataFilterGroup): boolean =>
    'filters' in member ? matches(row, member) : matchesFilter(row[member.key]!, member);
  return group.operator === 'and' ? group.filters.every(test) : group.filters.some(test);
}

function matchesFilter(cell: Row[string], { operator, value }: MetadataFilter): boolean {
  if (operator === 'exists') return cell !== null;
  if (operator === 'not_exists') return cell === null;
  if (operator === 'ne') return cell === null || !isEqual(cell, value as string);
  if (operator === 'nin') return cell === null || !(value as string[]).some((one) => isEqual(cell, one));
  if (cell === null) return false;
  if (operator === 'in') return (value as string[]).some((one) => isEqual(cell, one));
  if (operator === 'eq') return isEqual(cell, value as string);
  if (operator === 'contains') return String(cell).includes(String(value));
  if (operator === 'starts_with') return String(cell).startsWith(String(value));
  const order = orderOf(cell, value as string);
  return operator === 'gt' ? order > 0 : operator === 'gte' ? order >= 0 : operator === 'lt' ? order < 0 : order <= 0;
}

function isEqual(cell: NonNullable<Row[string]>, value: string | number | boolean): boolean {
  return orderOf(cell, value) === 0;
}

function orderOf(cell: NonNullable<Row[string]>, value: string | number | boolean): number {
  if (typeof cell === 'number') return cell - Number(value);
  if (typeof cell === 'boolean') return Number(cell) - Number(String(value) === 'true');
  if (/^2024-.*Z$/.test(cell)) return Date.parse(cell) - Date.parse(String(value));
  return Buffer.compare(Buffer.from(cell), Buffer.from(String(value)));
}

function randomFilter(random: Random): MetadataFilter {
  const { name, type } = random.pick(COLUMNS);
  const value = (): string | number | boolean => {
    if (type === 'text') return random.pick(TEXTS);
    if (type === 'boolean') return random.pick([true, false, 'true', 'false']);
    if (type === 'datetime') return `2024-0${random.integer(1, 9)}-1${random.integer(0, 9)}T06:00:00Z`;
    return random.pick([random.integer(-3, 9), random.integer(-8, 20) / 4, `${random.integer(0, 9)}`]);
  };
  const operators = ['eq', 'ne', 'in', 'nin', 'exists', 'not_exists'] as const;
  const ordered = type === 'boolean' ? [] : (['gt', 'gte', 'lt', 'lte'] as const);
  const texts = type === 'text' ? (['contains', 'starts_with'] as const) : [];
  const operator = random.pick([...operators, ...ordered, ...texts]);
  if (operator === 'exists' || operator === 'not_exists') return { key: name, operator };
  const isList = operator === 'in' || operator === 'nin';
  return { key: name, operator, value: isList ? column(random.integer(1, 4), value) : value() };
}

function randomGroup(random: Random, depth: number): MetadataFilterGroup {
  const members = column(random.integer(1, 3), () =>
    depth > 0 && random.next() < 0.3 ? randomGroup(random, depth - 1) : randomFilter(random),
  );
  return { operator: random.pick(['and', 'or']), filters: members };
}

test('rows match the same filters as in a plain evaluation', async () => {
  const random = openRandom();
  for (let i = 0; i < 200; i += 1) {
    const where = randomGroup(random, 3);
    const expected = ROWS.flatMap((row, at) => (matches(row, where) ? [at] : []));
    const query: StructuredQuery = { from: 'ta ble', columns: [{ column: 'na"me' }, { column: 'count' }], where };
    const rows = await rowsOf(query);
    const wanted = expected.map((at) => [ROWS[at]!['na"me'], ROWS[at]!['count']]);
    assert.deepEqual(rows, wanted, `seed ${random.seed}, ${i}: ${JSON.stringify(where)}`);
  }
});

test('groups have the same sums, counts, extremes and medians as in a plain evaluation', async () => {
  const random = openRandom();
  for (let i = 0; i < 60; i += 1) {
    const where = randomGroup(random, 1);
    const key = random.pick(['na"me', 'is open', 'count']);
    const functions: Selected[] = [
      { fn: 'count', as: 'rows' },
      { fn: 'sum', column: 'amount', as: 'to"tal' },
      { fn: 'min', column: 'amount' },
      { fn: 'max', column: 'amount' },
      { fn: 'median', column: 'amount' },
      { fn: 'avg', column: 'amount' },
      { fn: 'count_distinct', column: 'count' },
    ];
    const rows = await rowsOf({ from: 'ta ble', columns: [{ column: key }, ...functions], where, groupBy: [key] });
    const groups = Map.groupBy(
      ROWS.filter((row) => matches(row, where)),
      (row) => row[key],
    );
    const expected = [...groups].map(([value, members]) => {
      const amounts = members
        .flatMap(({ amount }) => (amount === null ? [] : [amount as number]))
        .sort((a, b) => a - b);
      const none = amounts.length === 0;
      const sum = amounts.reduce((all, one) => all + one, 0);
      const middle = amounts.length >> 1;
      const median = amounts.length % 2 === 1 ? amounts[middle]! : (amounts[middle - 1]! + amounts[middle]!) / 2;
      const distinct = new Set(members.flatMap(({ count }) => (count === null ? [] : [count]))).size;
      const found = none
        ? [null, null, null, null, null]
        : [sum, amounts[0]!, amounts.at(-1)!, median, sum / amounts.length];
      return [value, members.length, ...found, distinct];
    });
    const sorted = (all: unknown[][]) => all.map((row) => JSON.stringify(row.map(rounded))).sort();
    assert.deepEqual(sorted(rows), sorted(expected), `seed ${random.seed}, ${i}: ${JSON.stringify(where)}`);
  }
});

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1e9) / 1e9 : value;
}

test('order, limit and offset are those of the query', async () => {
  const orderBy = [
    { column: 'count', direction: 'desc' as const },
    { column: 'na"me', direction: 'asc' as const },
  ];
  const rows = await rowsOf({
    from: 'TA BLE',
    columns: [{ column: 'count' }, { column: 'na"me' }],
    orderBy,
    limit: 3,
    offset: 1,
  });
  const whole = await rowsOf({ from: 'ta ble', columns: [{ column: 'count' }, { column: 'na"me' }], orderBy });
  assert.deepEqual(rows, whole.slice(1, 4));
  assert.deepEqual(whole.at(-1)![0], null);
});

test('a wrong member is named', () => {
  const fails = (query: StructuredQuery, message: RegExp) => assert.throws(() => toSql(query, [QUERIED]), { message });
  fails({ from: 'tabel' }, /^\/query\/from: there is no table tabel\. The nearest names are: ta ble\./);
  fails(
    { from: 'ta ble', columns: [{ column: 'amonut' }] },
    /^\/query\/columns\/0\/column: there is no column amonut\. .*: amount, /,
  );
  fails(
    { from: 'ta ble', columns: [{ column: 'at' }, { fn: 'count' }] },
    /^\/query\/columns\/0\/column: at is neither in group_by/,
  );
  fails(
    { from: 'ta ble', columns: [{ fn: 'sum', column: 'at' }] },
    /sum needs a column of numbers, and at is datetime/,
  );
  fails({ from: 'ta ble', columns: [{ fn: 'count' }, { fn: 'count' }] }, /the name count is there twice/);
  const where = (filter: MetadataFilter): StructuredQuery => ({
    from: 'ta ble',
    where: { operator: 'and', filters: [filter] },
  });
  fails(
    where({ key: 'amount', operator: 'gt', value: 'much' }),
    /^\/query\/where\/filters\/0\/value: .* must be a number/,
  );
  fails(where({ key: 'amount', operator: 'in', value: [1, 'x'] }), /^\/query\/where\/filters\/0\/value\/1: /);
  fails(where({ key: 'at', operator: 'eq', value: 'monday' }), /must be a date such as/);
  fails(where({ key: 'amount', operator: 'contains', value: '1' }), /contains needs a column of text/);
});
