/** Runs that ask tables: their rows are evidence, which answers cite and readers see under the rules of their own time. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import type { Script } from '../support/fakes/openai.ts';
import { eventually, ingest } from '../support/upload.ts';
import { type AgentWorld, citing, isStep, openAgentWorld, scripted } from './world.ts';

const LEDGER = { name: 'ledger.csv', content: 'team,owner,amount\nred,Ada,10\ngreen,Bob,200\nred,Cleo,30\n' };
const NOTE = { name: 'note.md', content: '# Note\n\nThe ledger is kept by the office.\n' };
const ROWS = "select owner, amount from ledger where team = 'red' order by amount";

let world: AgentWorld;
let tableId = '';
before(async () => {
  world = await openAgentWorld([LEDGER, NOTE]);
  tableId = await eventually(async () => {
    const [row] = await world.t.deps.db.system.query<{ id: string; status: string }>(
      sql`select id, status from source_table`,
    );
    return row?.status === 'ready' && row.id;
  });
});
after(() => world.close());
beforeEach(() => {
  world.fake.calls.length = 0;
});

const run = async (more: object = {}) => {
  const answer = await world.t.post('/agents/runs', { input: 'What do the red teams spend?', ...more });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const query = (statement: string): Script => ({
  tools: [{ name: 'query_table', args: { sql: statement, timeout_ms: 20_000 } }],
});
/** The results of tools that the model has seen at its last step. */
const seenByModel = (): string => JSON.stringify(world.fake.calls.filter(isStep).at(-1)!.messages);

test('a run lists, describes and queries a table, and cites the rows', async () => {
  world.fake.respond(
    scripted(
      [
        { tools: [{ name: 'list_tables', args: {} }] },
        { tools: [{ name: 'describe_table', args: { table_id: tableId } }] },
        query(ROWS),
      ],
      () => ({ deltas: ['Ada of team red spent 10. [1] ', 'Cleo of team red spent 30. [2]'] }),
    ),
  );
  const made = await run();
  assert.deepEqual(
    made.steps.map(({ tool, found, error }: Record<string, unknown>) => [tool, found, error]),
    [
      ['list_tables', 1, null],
      ['describe_table', 1, null],
      ['query_table', 2, null],
    ],
  );
  assert.equal(made.status, 'success');
  assert.match(made.answer.content, /Ada/);
  const found = new Set(made.steps.at(-1).ids);
  assert.ok(found.size > 0 && made.answer.citations.length > 0);
  for (const { id, citation, name } of made.answer.citations) {
    assert.ok(found.has(id), 'a citation names a row that the query has found');
    assert.deepEqual([name, citation.verified], ['ledger.csv', true]);
  }
  assert.deepEqual((await world.t.get(`/agents/runs/${made.id}`)).body, made);
});

test('the events of a run read again are those of its stream, also the time of a query', async () => {
  world.fake.respond(scripted([query(ROWS)]));
  const streamed = await world.t.request({
    method: 'POST',
    path: '/agents/runs',
    headers: { accept: 'text/event-stream' },
    body: { input: 'What do the red teams spend?' },
  });
  const eventsOf = (text: string): string[] => text.split('\n').filter((line) => line.includes('"TOOL_CALL_RESULT"'));
  const [shown] = eventsOf(streamed.text);
  assert.match(shown!, /elapsed_ms/);
  const id = /"run_id":"([^"]+)"/.exec(streamed.text)![1];
  const replayed = await world.t.get(`/agents/runs/${id}/events`);
  assert.deepEqual(eventsOf(replayed.text), [shown]);
});

test('a wrong statement names the columns, so that the model can repair it', async () => {
  world.fake.respond(scripted([query('select amunt from ledger'), query(ROWS)]));
  const made = await run();
  assert.match(made.steps[0].error, /no column amunt\. The nearest names are: amount/);
  assert.deepEqual([made.steps[1].found, made.status], [2, 'success']);
  const rules = [
    { name: 'r', kind: 'dictionary', terms: ['amount', 'spend'], action: 'mask', apply_at: ['retrieval'] },
  ];
  assert.equal((await world.t.put('/redaction-policy', { enabled: true, rules })).status, 200);
  const [later, replayed] = [
    await world.t.get(`/agents/runs/${made.id}`),
    await world.t.get(`/agents/runs/${made.id}/events`),
  ];
  assert.equal((await world.t.delete('/redaction-policy')).status, 200);
  assert.match(later.body.input, /red teams \[R\]/);
  assert.match(later.body.steps[0].error, /nearest names are: \[R\]/);
  assert.doesNotMatch(replayed.text, /names are: amount/);
});

test('the model gets cells after the rules for models, numbers too, and no row with a blocked cell', async () => {
  const rule = (name: string, terms: string[], action: string) => ({
    name,
    kind: 'dictionary',
    terms,
    action,
    apply_at: ['llm_input'],
  });
  const rules = [rule('m', ['Ada', '200'], 'mask'), rule('b', ['Cleo'], 'block')];
  assert.equal((await world.t.put('/redaction-policy', { enabled: true, rules })).status, 200);
  try {
    world.fake.respond(scripted([query('select owner, amount from ledger order by amount')]));
    await run();
    const [, shown = ''] = /owner \| amount\\n(.*?)\\nFrom/.exec(seenByModel()) ?? [];
    assert.equal(shown.replaceAll('\\', ''), '"[M]" | 10n"Bob" | "[M]"');
  } finally {
    assert.equal((await world.t.delete('/redaction-policy')).status, 200);
  }
});

test('names of columns that a rule for models changes are stand-ins, also in the result of a star', async () => {
  const rules = [{ name: 'm', kind: 'dictionary', terms: ['owner'], action: 'mask', apply_at: ['llm_input'] }];
  assert.equal((await world.t.put('/redaction-policy', { enabled: true, rules })).status, 200);
  try {
    const describe = { tools: [{ name: 'describe_table', args: { table_id: tableId } }] };
    world.fake.respond(scripted([describe, query('select * from ledger'), query('select column_2 from ledger')]));
    const made = await run();
    assert.deepEqual(
      made.steps.map(({ error }: { error: string | null }) => error),
      [null, null, null],
    );
    assert.match(seenByModel(), /team \| column_2 \| amount/);
    assert.doesNotMatch(seenByModel(), /owner/);
  } finally {
    assert.equal((await world.t.delete('/redaction-policy')).status, 200);
  }
});

test('a result that differs later is not shown, nor are the arguments and errors after it', async () => {
  world.fake.respond(
    scripted([query('select owner from ledger where amount = 10'), query('select 1 from ledger where owner > Ada')]),
  );
  const made = await run();
  assert.match(made.steps[1].error, /Ada/);
  const rules = [{ name: 'r', kind: 'dictionary', terms: ['Ada'], action: 'mask', apply_at: ['retrieval'] }];
  assert.equal((await world.t.put('/redaction-policy', { enabled: true, rules })).status, 200);
  try {
    const later = await world.t.get(`/agents/runs/${made.id}`);
    assert.deepEqual(later.body.steps[0].ids, []);
    assert.deepEqual([later.body.steps[1].input, later.body.steps[1].error], [null, null]);
    const replayed = await world.t.get(`/agents/runs/${made.id}/events`);
    assert.match(replayed.text, /no longer available/);
    assert.doesNotMatch(replayed.text, /Ada/);
  } finally {
    assert.equal((await world.t.delete('/redaction-policy')).status, 200);
  }
});

test('a run with filters has no tools for tables: they do not keep within filters', async () => {
  const filters = { file_types: ['csv'] };
  const refused = await world.t.post('/agents/runs', { input: 'x', tools: ['query_table'], ...filters });
  assert.equal(refused.status, 400);
  world.fake.respond(scripted([query(ROWS)], citing));
  const made = await run(filters);
  assert.match(made.steps[0].error, /no such tool\. Tools: search, read_source\./);
});

test('an aggregate is evidence: the answer states it, cites the rows that it read, and is checked by the result', async () => {
  const statement = "select sum(amount) as total from ledger where team = 'red'";
  world.fake.respond(scripted([query(statement)], () => ({ deltas: ['The red team spends 40 in total. [1]'] })));
  const made = await run({ input: 'What is the total amount of the red team?' });
  assert.equal(made.answer.content, 'The red team spends 40 in total.');
  assert.deepEqual(
    made.answer.citations.map(({ name, citation }: { name: string; citation: Record<string, unknown> }) => [
      name,
      citation['verified_by'],
      citation['verified'],
    ]),
    [
      ['ledger.csv', 'query', true],
      ['ledger.csv', 'query', true],
    ],
  );
  assert.deepEqual((await world.t.get(`/agents/runs/${made.id}`)).body, made);
  world.fake.respond(scripted([query(statement)], () => ({ deltas: ['The red team spends 50 in total. [1]'] })));
  const wrong = await run({ input: 'What is the total amount of the red team?' });
  assert.ok(wrong.answer.citations.every(({ citation }: { citation: { verified: boolean } }) => !citation.verified));
});

test('the stored run has the warnings of the statement that made its answer', async () => {
  const group = await ingest(world.t, [
    { name: 'rents.csv', content: 'shop,rent\nNorth,10\nSouth,20\nWest,30\nTotal,60\n' },
  ]);
  await eventually(async () => {
    const { body } = await world.t.get('/tables?name=rents');
    return body.tables[0]?.status === 'ready';
  });
  const statement = 'select sum(rent) as total from rents';
  world.fake.respond(scripted([query(statement)], () => ({ deltas: ['The rents are 60 in total. [1]'] })));
  const made = await run({ input: 'What are the rents in total?' });
  assert.deepEqual(
    made.warnings.map(({ type }: { type: string }) => type),
    ['total_rows_excluded'],
  );
  assert.deepEqual((await world.t.get(`/agents/runs/${made.id}`)).body, made);
  // The warning names a table: who cannot read the results any more does not see it, and a list does not look.
  const warningsOf = async () => [
    (await world.t.get(`/agents/runs/${made.id}`)).body.warnings.length,
    (await world.t.get(`/agents/runs/${made.id}/events`)).text.includes('total_rows_excluded'),
    (await world.t.get('/agents/runs?order=desc')).body.runs[0].warnings.length,
  ];
  assert.deepEqual(await warningsOf(), [1, true, 0]);
  assert.equal((await world.t.delete(`/source-groups/${group}`)).status, 202);
  assert.deepEqual(await warningsOf(), [0, false, 0]);
});
