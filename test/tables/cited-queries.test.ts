/**
 * The cells of cited rows equal those of the result: generated queries over files in several formats. The cells are read from the cited
 * text by code of the test. `npm run check:cited-queries` makes 500 queries, also over Wikipedia tables where they are at hand.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
import { makeXlsx } from '../support/files/make-files.ts';
import { makeOds } from '../support/files/make-ods.ts';
import { openRandom, type Random } from '../support/random.ts';
import { eventually, ingest } from '../support/upload.ts';
import { type CitedColumn, cellSays, citedCells, numberIn } from '../support/worlds/cited-cells.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they assert
type Loose = any;

const QUERIES = Number(process.env['PINAKES_TEST_CITED_QUERIES'] ?? 25);
const IS_LONG = QUERIES >= 500;
const WIKIPEDIA = path.resolve(import.meta.dirname, '../../../shared/data/tables/wikipedia');
const WIKIPEDIA_TABLES = 25;
const ROWS = 60;
const CITATIONS_MAX = 50;
const WITNESSES_MAX = 10;

interface Table {
  sqlName: string;
  columns: CitedColumn[];
  /** Values of some rows, from which conditions are made. */
  samples: Record<string, unknown>[];
}

const random = openRandom();
const { pick, integer, next } = random;
const tables: Table[] = [];
let t: TestApp;

/** Rows with unlike numbers, days, texts with bars and quotes, and gaps. */
function makeRows({ integer: whole, pick: one, word, next: chance }: Random): Record<string, string | number>[] {
  return Array.from({ length: ROWS }, (_, i) => ({
    id: i + 1,
    name: one(['Ünal', 'a | b', '"quoted"', 'O’Neil, J.', '東京', 'x: y', word(7)]) + one(['', ` ${word(3)}`]),
    kind: one(['red', 'green', 'blue']),
    amount: chance() < 0.1 ? '' : `${whole(0, 9)},${String(whole(0, 999)).padStart(3, '0')}.${whole(10, 99)}`,
    share: `${whole(0, 99)}.${whole(0, 9)}%`,
    day: `20${whole(10, 25)}-${String(whole(1, 12)).padStart(2, '0')}-${String(whole(1, 28)).padStart(2, '0')}`,
    done: one(['yes', 'no']),
    count: chance() < 0.05 ? '–' : whole(-50, 5_000),
  }));
}

function csvOf(rows: Record<string, string | number>[], delimiter: string): string {
  const quote = (cell: string | number): string => `"${String(cell).replaceAll('"', '""')}"`;
  return [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))]
    .map((row) => row.map(quote).join(delimiter))
    .join('\n');
}

function filesOf(): { name: string; content: string | Uint8Array }[] {
  const sheet = (rows: Record<string, string | number>[]) => [
    Object.keys(rows[0]!),
    ...rows.map((row) => Object.values(row)),
  ];
  const parsed = (rows: Record<string, string | number>[]): unknown[] =>
    rows.map((row) => ({ ...row, amount: row['amount'] === '' ? null : numberIn(String(row['amount'])) }));
  const files: { name: string; content: string | Uint8Array }[] = [
    { name: 'plain.csv', content: csvOf(makeRows(random), ',') },
    { name: 'book.xlsx', content: makeXlsx({ sheets: [{ name: 'Data', rows: sheet(makeRows(random)) }] }) },
    { name: 'list.json', content: JSON.stringify(parsed(makeRows(random))) },
  ];
  if (!IS_LONG) return files;
  files.push(
    { name: 'tabs.tsv', content: csvOf(makeRows(random), '\t') },
    { name: 'open.ods', content: makeOds([{ name: 'Data', rows: sheet(makeRows(random)), merged: [] }]) },
    {
      name: 'lines.jsonl',
      content: parsed(makeRows(random))
        .map((row) => JSON.stringify(row))
        .join('\n'),
    },
  );
  if (!existsSync(WIKIPEDIA)) return files;
  const names = readdirSync(WIKIPEDIA).filter((name) => name.endsWith('.csv'));
  const chosen = new Set(Array.from({ length: WIKIPEDIA_TABLES }, () => pick(names)));
  return [...files, ...[...chosen].map((name) => ({ name, content: readFileSync(path.join(WIKIPEDIA, name)) }))];
}

before(async () => {
  t = await openTestApp({ runsJobs: true, env: { PINAKES_TABLE_PROCESSES: '1' } });
  const files = filesOf();
  const group = await ingest(t, files);
  const built = await eventually(async () => {
    const { body } = await t.get(`/tables?source_group_id=${group}&limit=100`);
    return (
      body.tables.length >= files.length && body.tables.every(({ status }: Loose) => status === 'ready') && body.tables
    );
  });
  for (const { id, sql_name: sqlName, columns } of built) {
    const { rows } = (await t.get(`/tables/${id}/rows?limit=100`)).body;
    tables.push({
      sqlName,
      columns: columns.map((one: Loose) => ({ sqlName: one.sql_name, header: one.header, type: one.type })),
      samples: rows.filter(({ kind }: Loose) => kind === 'data').map(({ values }: Loose) => values),
    });
  }
});

after(() => t.close());

const quoted = (name: string): string => `"${name}"`;
const literal = (value: unknown, type: string): string => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = `'${String(value).replaceAll("'", "''")}'`;
  return type === 'date' || type === 'time' ? `${type} ${text}` : type === 'datetime' ? `timestamp ${text}` : text;
};

/** Returns a condition that some row of the table meets. */
function condition({ columns, samples }: Table, alias = ''): string {
  const column = pick(columns);
  const name = alias + quoted(column.sqlName);
  const value = pick(samples)[column.sqlName];
  if (value === null || value === undefined) return `${name} is null`;
  const given = literal(value, column.type);
  if (column.type === 'text' && next() < 0.4)
    return `contains(lower(${name}), lower(${literal(String(value).slice(0, 3), '')}))`;
  return `${name} ${pick(column.type === 'text' || column.type === 'boolean' ? ['=', '<>'] : ['=', '<>', '<', '<=', '>', '>='])} ${given}`;
}

const where = (table: Table, alias = ''): string =>
  next() < 0.2
    ? ''
    : ` where ${condition(table, alias)}${next() < 0.3 ? ` ${pick(['and', 'or'])} ${condition(table, alias)}` : ''}`;

const isNumber = ({ type }: CitedColumn): boolean => ['integer', 'decimal', 'double'].includes(type);

async function ask(body: Loose): Promise<Loose> {
  const answer = await t.post('/tables/query', { timeout_ms: 30_000, row_limit: 100, ...body });
  assert.equal(answer.status, 200, `${JSON.stringify(body)} ${answer.text}`);
  return answer.body;
}

/** Returns the cells of a citation, whose passage and row stand in the text of the source where it says. */
const texts = new Map<string, string[]>();
async function cellsOf(citation: Loose, table: Table): Promise<Map<string, string>> {
  const { source_id: id, start_offset: start, end_offset: end, content, row } = citation;
  if (!texts.has(id)) texts.set(id, [...(await t.get(`/sources/${id}/text?end_offset=200000`)).body.text]);
  assert.equal(texts.get(id)!.slice(start, end).join(''), content);
  assert.ok(content.includes(row.text));
  return citedCells(row.text, table.columns);
}

/** Some columns of a table in any order, in SQL or as data. */
async function rowQuery(table: Table): Promise<void> {
  const columns = next() < 0.2 ? table.columns : table.columns.filter(() => next() < 0.5);
  if (columns.length === 0) columns.push(table.columns[0]!);
  const shown = columns.toSorted(() => next() - 0.5);
  const order = next() < 0.5 ? pick(table.columns) : undefined;
  const limit = next() < 0.5 ? integer(1, 60) : undefined;
  const names = shown.map(({ sqlName }) => quoted(sqlName)).join(', ');
  const { rows, citations, sql } = await ask(
    next() < 0.7
      ? {
          sql:
            `select ${names} from ${table.sqlName}${where(table)}` +
            (order ? ` order by ${quoted(order.sqlName)} ${pick(['asc', 'desc'])}` : '') +
            (limit === undefined ? '' : ` limit ${limit}`),
        }
      : {
          query: {
            from: table.sqlName,
            columns: shown.map(({ sqlName }) => ({ column: sqlName })),
            ...(order && { order_by: [{ column: order.sqlName, direction: pick(['asc', 'desc']) }] }),
            ...(limit !== undefined && { limit }),
          },
        },
  );
  assert.equal(citations.length, Math.min(rows.length, CITATIONS_MAX), sql);
  for (const [i, citation] of citations.entries()) {
    const cells = await cellsOf(citation, table);
    for (const [c, { sqlName, type }] of shown.entries())
      assert.ok(
        cellSays(cells.get(sqlName)!, rows[i][c], type),
        `${sql}: row ${i}, ${sqlName}: ${rows[i][c]} of ${citation.row.text}`,
      );
  }
}

/** Aggregates and groups, computed again from the cited rows if these are all that were read. */
async function aggregateQuery(table: Table): Promise<boolean> {
  const column = pick(table.columns.filter(isNumber).length > 0 ? table.columns.filter(isNumber) : table.columns);
  const functions = isNumber(column) ? ['count', 'sum', 'min', 'max', 'avg'] : ['count'];
  const fn = pick(functions);
  const {
    rows,
    citations,
    witness_count: witnesses,
    sql,
  } = await ask({
    sql: `select ${fn}(${quoted(column.sqlName)}), count(*) from ${table.sqlName}${where(table)}`,
  });
  assert.equal(rows[0][1], witnesses, sql);
  assert.equal(citations.length, Math.min(witnesses, WITNESSES_MAX), sql);
  const values: number[] = [];
  for (const citation of citations) {
    const cell = (await cellsOf(citation, table)).get(column.sqlName)!;
    const value = isNumber(column) ? numberIn(cell) : cell === '' ? undefined : 0;
    if (value !== undefined) values.push(value);
  }
  if (witnesses > WITNESSES_MAX) return false;
  const sum = values.reduce((total, value) => total + value, 0);
  const expected = {
    count: values.length,
    sum: values.length === 0 ? null : sum,
    min: values.length === 0 ? null : Math.min(...values),
    max: values.length === 0 ? null : Math.max(...values),
    avg: values.length === 0 ? null : sum / values.length,
  }[fn]!;
  const found = rows[0][0];
  const isSame =
    found === null || expected === null
      ? found === expected
      : Math.abs(Number(found) - expected) <= 1e-9 * (1 + Math.abs(expected));
  assert.ok(isSame, `${sql}: ${found}, but the cited rows give ${expected}`);
  return true;
}

/** Pairs of rows of two tables: each pair is found among the cited rows of both. */
async function joinQuery(left: Table, right: Table): Promise<void> {
  const [a, b] = [pick(left.columns), pick(right.columns)];
  const { rows, citations, sql } = await ask({
    sql:
      `select l.${quoted(a.sqlName)}, r.${quoted(b.sqlName)} from ${left.sqlName} l ` +
      `join ${right.sqlName} r on l.id = r.id${where(left, 'l.')} limit 20`,
  });
  const cited = await Promise.all(
    citations.map(async (citation: Loose) => ({
      left: await cellsOf(citation, left),
      right: await cellsOf(citation, right),
    })),
  );
  assert.ok(rows.length === 0 || citations.length >= 2, sql);
  for (const row of rows) {
    assert.ok(
      cited.some((one) => cellSays(one.left.get(a.sqlName)!, row[0], a.type)),
      `${sql}: ${row[0]}`,
    );
    assert.ok(
      cited.some((one) => cellSays(one.right.get(b.sqlName)!, row[1], b.type)),
      `${sql}: ${row[1]}`,
    );
  }
}

test(`the cells of cited rows equal the result of ${QUERIES} queries`, async () => {
  const generated = tables.filter(({ columns }) => columns.some(({ sqlName }) => sqlName === 'id'));
  assert.ok(generated.length >= 3);
  let recomputed = 0;
  for (let i = 0; i < QUERIES; i += 1) {
    const table = pick(tables);
    const kind = next();
    if (kind < 0.55) await rowQuery(table);
    else if (kind < 0.88) recomputed += Number(await aggregateQuery(table));
    else await joinQuery(pick(generated), pick(generated));
  }
  assert.ok(recomputed > 0);
  if (IS_LONG) console.log(`${QUERIES} queries over ${tables.length} tables, ${recomputed} aggregates computed again`);
});
