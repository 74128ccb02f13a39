/** Rules that need a word beside a value, in texts of tables: the word is the header of the column, often not in the same chunk. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { json } from '../../../src/db/database.ts';
import { sql } from '../../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type FakeOpenAi, openFakeOpenAi } from '../../support/fakes/openai.ts';
import { eventually, ingest, multipartBody, waitForGroup } from '../../support/upload.ts';

const PEOPLE = ['1982-07-19', '1971-05-03', '1990-11-30'].map((born, i) => ({ born, ssn: `53690439${i + 7}` }));
const CSV = [
  'name,date_of_birth,employee_ssn,due',
  ...PEOPLE.map(({ born, ssn }, i) => `Person ${i},${born},${ssn},2024-01-0${i + 1}`),
].join('\n');
const LONG = [
  '# Staff',
  '',
  '| name | Date of birth |',
  '| --- | --- |',
  ...Array.from({ length: 2_000 }, (_, i) => `| Colleague ${i} of the long list | ${1950 + (i % 50)}-03-1${i % 9} |`),
].join('\n');
/** The names of all columns are longer than what further chunks repeat. */
const WIDE = [
  ['label', ...Array.from({ length: 60 }, (_, i) => `description of the measurement ${i}`), 'ssn'].join(','),
  ...Array.from({ length: 20 }, (_, i) =>
    [`Device ${i}|x`, ...Array<number>(60).fill(i), `53690439${i % 10}`].join(','),
  ),
].join('\n');
const STATEMENT = { sql: 'select name, date_of_birth, employee_ssn from people', timeout_ms: 20_000 };
const PLANTED = /19\d\d-\d\d-\d\d|53690439\d/;

let t: TestApp;
let fake: FakeOpenAi;
const ids: Record<string, string> = {};

before(async () => {
  fake = await openFakeOpenAi();
  const env = { PINAKES_CHAT_MODEL: 'openai-compatible:m', PINAKES_CHAT_BASE_URL: fake.url };
  t = await openTestApp({ runsJobs: true, env });
  const keys = JSON.stringify([{ key: 'date_of_birth', type: 'date' }]);
  for (const [name, content] of Object.entries({ 'people.csv': CSV, 'long.md': LONG, 'wide.csv': WIDE })) {
    const { headers, body } = multipartBody(
      [{ name, content }],
      name === 'people.csv' ? [['chunk_metadata_keys', keys]] : [],
    );
    const url = '/api/v1/local-file-groups';
    const answer = await t.app.inject({
      method: 'POST',
      url,
      headers: { 'x-api-key': t.key, ...headers },
      payload: body,
    });
    const group = answer.json().source_group_id;
    assert.equal(await waitForGroup(t, group), 'success');
    ids[name] = (await t.get(`/source-groups/${group}/sources`)).body.sources[0].id;
  }
  await eventually(async () => {
    const rows = await t.deps.db.system.query<{ status: string }>(sql`select status from source_table`);
    return rows.length > 0 && rows.every(({ status }) => status === 'ready');
  });
});
after(async () => {
  await t.close();
  await fake.close();
});
beforeEach(() => {
  fake.calls.length = 0;
  fake.respond({ deltas: ['Fine.'] });
});

const rule = (step: string) =>
  t.put('/redaction-policy', {
    enabled: true,
    rules: [{ name: 'id', kind: 'entity', entities: ['date_of_birth', 'us_ssn'], action: 'mask', apply_at: [step] }],
  });

test('rules for retrieval find values by their headers in every text that readers get', async () => {
  const paths = Object.values(ids).flatMap((id) => [
    `/sources/${id}/chunks?limit=50`,
    `/sources/${id}/text?start_offset=0&end_offset=9000`,
    `/sources/${id}/blocks?limit=50`,
  ]);
  paths.push(`/sources/${ids['long.md']}/text?start_offset=40000&end_offset=41000`);
  const search = { query: 'Person', context: { before: 1, after: 1 }, limit: 20 };
  const statement = { sql: 'select name from people', timeout_ms: 20_000 };
  const told = async () => [
    await t.post('/search', search),
    await t.post('/search', { ...search, query: 'Colleague 1000 long list' }),
    await t.post('/tables/query', statement),
    ...(await Promise.all(paths.map((path) => t.get(path)))),
  ];
  // The key of metadata is such a header, too.
  const records = [{ key: 'date_of_birth', val: '1964-08-21' }];
  await t.put(`/sources/${ids['people.csv']}/metadata`, { metadata: { records } });
  const facts = async () => [await t.get('/sources'), await t.get('/metadata-columns/date_of_birth/values')];
  await t.delete('/redaction-policy');
  await t.post('/metadata-columns', { key: 'date_of_birth', type: 'string' });
  for (const { text } of [...(await told()), ...(await facts())]) assert.match(text, PLANTED);
  await rule('retrieval');
  for (const { status, text } of await told()) {
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, PLANTED);
    assert.match(text, /\[(?:DATE_OF_BIRTH|US_SSN)\]/);
  }
  for (const { text } of await facts()) assert.doesNotMatch(text, PLANTED);
  const { body } = await t.post('/search', search);
  assert.match(body.results[0].content, /2024-01-0\d/, 'a date below another header stays');
});

test('rules for models find them in the passages of an answer and in the results of an agent', async () => {
  await rule('llm_input');
  await t.post('/completions', { messages: [{ role: 'user', content: 'Which Person is due?' }] });
  const [row] = (await t.post('/search', { query: 'Person 1', file_types: ['csv'] })).body.results;
  const tableId = (await t.get('/tables?name=people')).body.tables[0].id;
  let step = 0;
  fake.respond(({ body }) =>
    body['tools'] && step++ === 0
      ? {
          tools: [
            { name: 'search', args: { query: 'Person' } },
            { name: 'read_source', args: { chunk_id: row.id } },
            { name: 'describe_table', args: { table_id: tableId } },
            { name: 'query_table', args: STATEMENT },
            { name: 'read_source', args: { source_id: ids['long.md'], start_offset: 40_000, length: 500 } },
          ],
        }
      : { deltas: ['Fine.'] },
  );
  await t.post('/agents/runs', { input: 'Who is due?' });
  fake.respond(({ body, messages }) =>
    /one SELECT/.test(messages[0]!.content)
      ? { deltas: [JSON.stringify({ sql: STATEMENT.sql })] }
      : { deltas: [JSON.stringify(body)] },
  );
  await t.post('/completions', { messages: [{ role: 'user', content: 'Which Person is due?' }], tables: 'auto' });
  const told = JSON.stringify(fake.calls.map(({ messages }) => messages));
  for (const word of ['Person 1', 'Colleague', 'More text follows', 'CREATE TABLE', 'Statement: select'])
    assert.ok(told.includes(word), word);
  assert.doesNotMatch(told, PLANTED);
});

test('rules for output find them in rows of a statement and in a table that a model writes, also in a stream', async () => {
  await rule('output');
  const { text: rows } = await t.post('/tables/query', STATEMENT);
  assert.match(rows, /\[DATE_OF_BIRTH\]/);
  assert.doesNotMatch(rows, PLANTED);
  const table = '| Name | SSN |\n| --- | --- |\n| Ann | 536904399 |\n';
  fake.respond({ deltas: [...table] });
  const ask = { messages: [{ role: 'user', content: 'Which Person is due?' }] };
  for (const stream of [false, true]) {
    const { text } = await t.post('/completions', { ...ask, stream });
    assert.match(text, /Ann \| \[US_SSN\] \|/);
  }
});

test('rules for output find them in answers without a model and in their quotes', async () => {
  const plain = await openTestApp({ runsJobs: true });
  try {
    const table = '| name | ssn |\n| --- | --- |\n| Zebulon Quirk | 536904399 |\n| Bo Marsh | 536904398 |\n';
    await ingest(plain, [
      { name: 'staff.md', content: `# Staff\n\n${table}` },
      { name: 'people.csv', content: CSV.replaceAll('Person', 'Waldo') },
    ]);
    const rules = [
      { name: 'id', kind: 'entity', entities: ['date_of_birth', 'us_ssn'], action: 'mask', apply_at: ['output'] },
    ];
    assert.equal((await plain.put('/redaction-policy', { enabled: true, rules })).status, 200);
    for (const content of ['What is the SSN of Zebulon Quirk?', 'What is the employee SSN of Waldo 1?']) {
      const { text, body } = await plain.post('/completions', { messages: [{ role: 'user', content }] });
      assert.ok(body.choices[0].citations.length > 0, text);
      assert.match(text, /\[US_SSN\]/);
      assert.doesNotMatch(text, PLANTED);
    }
  } finally {
    await plain.close();
  }
});

test('a rule that is newer than a stored answer removes the reasons that repeat its numbers', async () => {
  await t.delete('/redaction-policy');
  fake.respond({ deltas: ['Nobody knows. Person 1 has SSN 536904390 [1] Ask Bob.'] });
  const ask = { messages: [{ role: 'user', content: 'Which Person is due?' }] };
  const path = `/conversations/${(await t.post('/completions', ask)).body.conversation_id}`;
  assert.match((await t.get(path)).text, /"reason":"The passage lacks the number 536904390/);
  for (const step of ['retrieval', 'output']) {
    await rule(step);
    const { text } = await t.get(path);
    assert.match(text, /Person 1 has SSN \[US_SSN\]/, step);
    assert.doesNotMatch(text, /536904390/, step);
  }
});

test('rules for output find them in passages that an agent quotes because its model fails', async () => {
  await rule('output');
  fake.respond({ status: 429, headers: { 'retry-after': '60' } });
  const { body } = await t.post('/agents/runs', { input: 'What is the employee SSN of Person 1?' });
  assert.match(body.answer.content, /\[US_SSN\]/);
  assert.doesNotMatch(JSON.stringify(body.answer), PLANTED);
});

test('rules for ingest find them before they are stored, and in a table of the older text while the next version is built', async () => {
  await t.delete('/redaction-policy');
  const [before] = (await t.get('/tables?name=people')).body.tables;
  assert.match(JSON.stringify(before), PLANTED);
  const [{ columns }] = (await t.deps.db.system.query<{ columns: object }>(
    sql`select columns from source_table where id = ${before.id}`,
  )) as [{ columns: object }];
  await rule('ingest');
  await eventually(async () => {
    const rows = await t.deps.db.system.query<{ content: string; metadata: unknown }>(
      sql`select content, metadata from chunk`,
    );
    return rows.length > 0 && rows.every((row) => !PLANTED.test(JSON.stringify(row)));
  });
  const isBuilt = sql`select from source_table t join source s on s.id = t.source_id
    where t.id = ${before.id} and t.status = 'ready' and t.generation = s.generation and s.redacted_by <> ''`;
  await eventually(async () => (await t.deps.db.system.query(isBuilt)).length > 0);
  await t.deps.db.system.query(
    sql`update source_table set generation = generation - 1, columns = ${json(columns)} where id = ${before.id}`,
  );
  const { body, text } = await t.get('/tables?name=people');
  assert.equal(body.tables.length, 1, text);
  assert.doesNotMatch(text, PLANTED);
});
