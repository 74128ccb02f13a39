/** Rules that need a word beside a value, where the word is a name in the second of two rows of headers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../../support/fakes/openai.ts';
import { makeXlsx } from '../../support/files/make-files.ts';
import { eventually, ingest } from '../../support/upload.ts';

const PEOPLE = Array.from({ length: 60 }, (_, i) => [`P${i}`, `Zebulon ${i} of the long list`, `${536904310 + i}`]);
const MERGED = [['Id', 'Person', 'Person'], ['Id', 'Name', 'SSN'], ...PEOPLE];
const GAPS = [['Id', 'Person', ''], ['', 'Name', 'SSN'], ...PEOPLE];
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const MARKDOWN = [row(GAPS[0]!), row(['---', '---', '---']), ...GAPS.slice(1).map(row)].join('\n');
const HTML = `<html><body><h1>Staff</h1><p>All people of the house, with their numbers.</p><table><thead>
  <tr><th rowspan="2">Id</th><th colspan="2">Person</th></tr><tr><th>Name</th><th>SSN</th></tr></thead>
  ${PEOPLE.map((cells) => `<tr><td>${cells.join('</td><td>')}</td></tr>`).join('')}</table></body></html>`;
const PLANTED = /5369043\d\d/;
const ASK = { messages: [{ role: 'user', content: 'What is the SSN of Zebulon 7?' }] };

let t: TestApp;
let fake: FakeOpenAi;
let ids: string[];

const rule = (step: string, app = t) =>
  app.put('/redaction-policy', {
    enabled: true,
    rules: [{ name: 'id', kind: 'entity', entities: ['us_ssn'], action: 'mask', apply_at: [step] }],
  });
const FILES = [
  { name: 'staff.html', content: HTML },
  { name: 'staff.md', content: `# Staff\n\n${MARKDOWN}` },
  { name: 'gaps.csv', content: GAPS.map((cells) => cells.join(',')).join('\n') },
  {
    name: 'book.xlsx',
    content: makeXlsx({ sheets: [{ name: 'staff', rows: MERGED, merged: ['A1:A2', 'B1:C1'] }] }),
  },
];

before(async () => {
  fake = await openFakeOpenAi();
  fake.respond({ deltas: ['Fine.'] });
  const env = { PINAKES_CHAT_MODEL: 'openai-compatible:m', PINAKES_CHAT_BASE_URL: fake.url };
  t = await openTestApp({ runsJobs: true, env });
  const group = await ingest(t, FILES);
  ids = (await t.get(`/source-groups/${group}/sources`)).body.sources.map((one: { id: string }) => one.id);
  await eventually(async () => {
    const rows = await t.deps.db.system.query<{ status: string }>(sql`select status from source_table`);
    return rows.length === 2 && rows.every(({ status }) => status === 'ready');
  });
});
after(async () => {
  await t.close();
  await fake.close();
});

interface Table {
  id: string;
  sql_name: string;
}

const listTables = async (): Promise<Table[]> => (await t.get('/tables?limit=10')).body.tables;
const statementOf = ({ sql_name: name }: Table) => ({ sql: `select * from ${name}`, timeout_ms: 20_000 });

test('a table for queries has the names of both rows, and no two are equal', async () => {
  const { body, text } = await t.get('/tables?limit=10');
  assert.equal(body.tables.length, 2, text);
  for (const { columns } of body.tables) {
    assert.deepEqual(
      columns.map((one: { name: string }) => one.name),
      ['Id', 'Person / Name', 'Person / SSN'],
    );
    assert.equal(new Set(columns.map((one: { sql_name: string }) => one.sql_name)).size, 3);
  }
});

test('rules for retrieval hide values below a name in the second row wherever readers get texts', async () => {
  const tables = await listTables();
  const paths = [
    ...ids.flatMap((id) => [
      `/sources/${id}/chunks?limit=50`,
      `/sources/${id}/text?start_offset=0&end_offset=9000`,
      `/sources/${id}/text?start_offset=1500&end_offset=2500`,
      `/sources/${id}/blocks?limit=50`,
    ]),
    ...tables.map(({ id }) => `/tables/${id}/rows?limit=50`),
  ];
  const set = (await t.post('/evaluation-sets', { name: 'people' })).body.id;
  const query = `Who is in this table?\n${row(GAPS[0]!)}\n${row(['---', '---', '---'])}\n${row(GAPS[1]!)}\n${row(PEOPLE[0]!)}`;
  assert.ok((await t.post(`/evaluation-sets/${set}/questions`, { query })).status < 300);
  const told = async () => [
    await t.post('/search', { query: 'Zebulon', context: { before: 1, after: 1 }, limit: 20 }),
    ...(await Promise.all(tables.map((table) => t.post('/tables/query', statementOf(table))))),
    ...(await Promise.all([...paths, `/evaluation-sets/${set}`].map((path) => t.get(path)))),
  ];
  for (const { text } of await told()) assert.match(text, PLANTED);
  await rule('retrieval');
  for (const { status, text } of await told()) {
    assert.equal(status, 200, text);
    assert.match(text, /\[US_SSN\]|null/);
    assert.doesNotMatch(text, PLANTED);
  }
});

test('rules for models hide them in passages', async () => {
  await rule('llm_input');
  fake.calls.length = 0;
  await t.post('/completions', ASK);
  const told = JSON.stringify(fake.calls.map(({ messages }) => messages));
  assert.match(told, /Zebulon \d/);
  assert.match(told, /\[US_SSN\]/);
  assert.doesNotMatch(told, PLANTED);
});

test('rules for output hide them in statements and in what a model writes, also in a stream', async () => {
  await rule('output');
  const [table] = await listTables();
  const { text: rows } = await t.post('/tables/query', statementOf(table!));
  assert.match(rows, /Zebulon/);
  assert.doesNotMatch(rows, PLANTED);
  fake.respond({ deltas: [...MARKDOWN.slice(0, 400)] });
  for (const stream of [false, true]) {
    const { text } = await t.post('/completions', { ...ASK, stream });
    assert.match(text, /\[US_SSN\]/);
    assert.doesNotMatch(text, PLANTED);
  }
});

test('rules for output hide them in answers without a model and in their quotes', async () => {
  const plain = await openTestApp({ runsJobs: true });
  try {
    await ingest(plain, FILES);
    assert.equal((await plain.put('/redaction-policy', { enabled: false, rules: [] })).status, 200);
    assert.match((await plain.post('/completions', ASK)).text, PLANTED);
    assert.equal((await rule('output', plain)).status, 200);
    const { text, body } = await plain.post('/completions', ASK);
    assert.ok(body.choices[0].citations.length > 0, text);
    assert.match(text, /\[US_SSN\]/);
    assert.doesNotMatch(text, PLANTED);
  } finally {
    await plain.close();
  }
});

test('rules for ingest hide them before they are stored', async () => {
  await rule('ingest');
  await eventually(async () => {
    const chunks = await t.deps.db.system.query<{ content: string }>(sql`select content from chunk`);
    return chunks.length > 0 && chunks.every(({ content }) => !PLANTED.test(content));
  });
});
