/** Completions with `tables: "auto"`: what the model gets, what the answer shows, cites and verifies, and who may see it. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { sql } from '../../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { runPinakesHere } from '../../support/cli.ts';
import { type ChatCall, type FakeOpenAi, openFakeOpenAi } from '../../support/fakes/openai.ts';
import { eventually, ingest } from '../../support/upload.ts';

const SALES = `region,amount,email
North,10,ada@example.com
South,20.5,bo@example.com
North,30,cy@example.com
East,40,di@example.com
`;
const QUESTION = 'What is the total amount of the North region?';
const STATEMENT = "select region, sum(amount) as total from sales where region = 'North' group by region";
const ANSWER = 'The total of North is 40 [1].';

let fake: FakeOpenAi;
let t: TestApp;
let salesGroup: string;

before(async () => {
  fake = await openFakeOpenAi();
  const presets = JSON.stringify({ tables: { tables: 'auto', footnotes: true } });
  const env = {
    PINAKES_CHAT_MODEL: 'openai-compatible:m',
    PINAKES_CHAT_BASE_URL: fake.url,
    PINAKES_PRESETS: presets,
    PINAKES_HISTORY_ON_DELETE: 'remove',
  };
  t = await openTestApp({ runsJobs: true, env });
  salesGroup = await ingest(t, [{ name: 'sales.csv', content: SALES }]);
  await ingest(t, [{ name: 'leave.md', content: 'Staff get 25 days of leave per year.' }]);
  await eventually(async () => {
    const rows = await t.deps.db.system.query<{ status: string }>(sql`select status from source_table`);
    return rows.length === 1 && rows[0]!.status === 'ready';
  });
});

after(async () => {
  await t.close();
  await fake.close();
});

beforeEach(() => {
  fake.calls.length = 0;
  script({ sql: STATEMENT });
});

afterEach(async () => {
  await t.delete('/redaction-policy');
});

const isStatementCall = ({ messages }: ChatCall): boolean => /one SELECT statement/.test(messages[0]!.content);
const statementCalls = (): ChatCall[] => fake.calls.filter(isStatementCall);
const answerCall = (): ChatCall => fake.calls.findLast((call) => !isStatementCall(call))!;

/** The model replies to requests for a statement with `statement`, and answers with `answer`. */
function script(statement: unknown, answer = ANSWER): void {
  fake.respond((call) => ({
    deltas: [isStatementCall(call) ? JSON.stringify(statement) : answer],
    usage: { prompt_tokens: 100, completion_tokens: 10 },
  }));
}
const ask = (more: Record<string, unknown> = {}, key?: string) =>
  t.post('/completions', { messages: [{ role: 'user', content: QUESTION }], tables: 'auto', ...more }, key);

test('pinakes ask --tables prints the statement and its result under the answer, and asks without tables otherwise', async () => {
  const settings = { PINAKES_URL: await t.url(), PINAKES_API_KEY: t.key };
  const { stdout, stderr, code } = await runPinakesHere(['ask', QUESTION, '--tables'], settings);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^The total of North is 40\.\n\nComputed by: select region, sum.*\n\nregion +total\nNorth +40\n\n {2}\[1\] sales\.csv/,
  );
  fake.calls.length = 0;
  assert.doesNotMatch((await runPinakesHere(['ask', QUESTION], settings)).stdout, /Computed by/);
  assert.equal(statementCalls().length, 0);
});

describe('an answer from a query', () => {
  test('shows the statement with its result, cites the rows, and verifies the numbers by the result', async () => {
    const { status, body, text } = await ask();
    assert.equal(status, 200, text);
    const [choice] = body.choices;
    assert.equal(choice.message.content, 'The total of North is 40.');
    const { columns, ...query } = choice.table_query;
    assert.deepEqual(
      columns.map(({ name }: { name: string }) => name),
      ['region', 'total'],
    );
    assert.deepEqual(query, {
      sql: STATEMENT,
      rows: [['North', 40]],
      row_count: 1,
      truncated: false,
      witness_count: 2,
      spans: [{ start: 0, end: 25, verified: true, reason: null }],
    });
    assert.deepEqual(
      choice.citations.map(({ name, row, citation }: Record<string, Record<string, unknown>>) => [
        name,
        row!['row'],
        citation!['number'],
        citation!['quote'],
        citation!['verified'],
        citation!['verified_by'],
      ]),
      [
        ['sales.csv', 0, 1, '| North | 10 | ada@example.com |', true, 'query'],
        ['sales.csv', 2, 2, '| North | 30 | cy@example.com |', true, 'query'],
      ],
    );
    for (const { content, citation } of choice.citations) assert.ok(content.includes(citation.quote));
    assert.equal('unsupported_spans' in choice, false);
    const prompt = answerCall().messages.at(-1)!.content;
    assert.match(prompt, /\[1\] query result: .*\n<text-\S+>\nStatement: select region, sum/);
    assert.match(prompt, /Result:\n\| region \| total \|\n\| --- \| --- \|\n\| North \| 40 \|\n/);
    assert.match(prompt, /\[2\] file: sales\.csv/);
    assert.match(answerCall().messages[0]!.content, /Source \[1\] is the result of a query/);
  });

  test('a number that is no cell of the result is not verified', async () => {
    script({ sql: STATEMENT }, 'The total of North is 41 [1].');
    const [choice] = (await ask()).body.choices;
    assert.equal(choice.citations.length, 2);
    for (const { citation } of choice.citations) {
      assert.deepEqual([citation.verified, citation.reason], [false, 'The result of the query has no cell 41.']);
    }
    assert.equal(choice.unsupported_spans.length, 1);
  });

  test('each sentence cites its row, and passages are cited beside the result', async () => {
    script(
      { sql: 'select region, amount from sales where amount > 25 order by amount' },
      'East has 40 [1]. North has 30 [1]. A row of South has 20.5 [2].',
    );
    const [choice] = (await ask()).body.choices;
    assert.deepEqual(
      choice.citations.map(({ row, citation }: { row?: { row: number }; citation: Record<string, unknown> }) => [
        citation['number'],
        row?.row,
        (citation['spans'] as { start: number }[]).map(({ start }) => start),
        citation['verified_by'],
      ]),
      [
        [1, 3, [0], 'query'],
        [2, 2, [13], 'query'],
        [3, undefined, [27], 'rules'],
      ],
    );
  });

  test('a result that cannot be traced is shown and verified without citations', async () => {
    script({ sql: 'select distinct region from sales' }, 'The regions are North, South and East [1].');
    const { body } = await ask();
    const [choice] = body.choices;
    assert.deepEqual([choice.citations, choice.table_query.spans[0].verified], [[], true]);
    assert.equal('unsupported_spans' in choice, false);
    assert.equal(body.warnings[0].type, 'rows_not_traced');
  });

  test('without citations the query is shown, and nothing is cited', async () => {
    const [choice] = (await ask({ citation: false })).body.choices;
    assert.deepEqual([choice.citations, choice.table_query.sql, choice.table_query.spans], [[], STATEMENT, []]);
  });

  test('a stream has the query in an event before the citations', async () => {
    const { text } = await t.request({
      method: 'POST',
      path: '/completions',
      body: { messages: [{ role: 'user', content: QUESTION }], tables: 'auto' },
      headers: { accept: 'text/event-stream' },
    });
    const events = text
      .split('\n\n')
      .flatMap((event) => (event.startsWith('data: ') ? [JSON.parse(event.slice('data: '.length))] : []));
    const custom = events.filter(({ type }) => type === 'CUSTOM');
    assert.deepEqual(
      custom.map(({ name }) => name),
      ['table_query', 'citations'],
    );
    assert.deepEqual([custom[0].value.sql, custom[0].value.rows], [STATEMENT, [['North', 40]]]);
  });

  test('a preset of /v1 answers from tables, and its footnotes have the statement', async () => {
    const body = { model: 'tables', messages: [{ role: 'user', content: QUESTION }] };
    const { body: answer, text } = await t.request({ method: 'POST', path: '//v1/chat/completions', body });
    const [choice] = answer.choices;
    assert.equal(choice.table_query?.sql, STATEMENT, text);
    assert.match(choice.message.content, /^The total of North is 40\.\n\n---\n\n1\. Query of tables: select region/);
    assert.deepEqual(
      [choice.citations.length, choice.citations[0].citation.verified_by, answer.usage.prompt_tokens],
      [2, 'query', 200],
    );
  });

  test('the turn is stored with its statement, a follow-up asks the tables again, and erasure removes both', async () => {
    const group = await ingest(t, [{ name: 'stock.csv', content: 'article,pieces\nBolt,7\nNut,9\n' }]);
    await eventually(async () => {
      const rows = await t.deps.db.system.query(
        sql`select from source_table where sql_name = 'stock' and status = 'ready'`,
      );
      return rows.length === 1;
    });
    script({ sql: 'select sum(pieces) as total from stock' }, 'The total stock is 16 [1].');
    const first = (await ask({ messages: [{ role: 'user', content: 'What is the total stock of each article?' }] }))
      .body;
    const conversation = first.conversation_id;
    const stored = (await t.get(`/conversations/${conversation}`)).body.messages[1];
    assert.deepEqual(stored.table_query, {
      sql: 'select sum(pieces) as total from stock',
      row_count: 1,
      witness_count: 2,
    });
    assert.deepEqual([stored.citations.length, stored.citations[0].citation.verified_by], [2, 'query']);
    fake.calls.length = 0;
    const more = { messages: [{ role: 'user', content: 'And which article has the least stock?' }] };
    const next = (await ask({ ...more, conversation_id: conversation })).body;
    assert.equal(statementCalls().length, 1);
    assert.match(answerCall().messages[2]!.content, /The total stock is 16\./);
    assert.ok(next.choices[0].table_query);
    await t.delete(`/source-groups/${group}`);
    const erased = await eventually(async () => {
      const { messages } = (await t.get(`/conversations/${conversation}`)).body;
      return messages[1].content === '[removed]' && messages[1];
    });
    assert.deepEqual([erased.citations, 'table_query' in erased], [[], false]);
  });
});

describe('an ordinary answer', () => {
  test('tables are off by default', async () => {
    script({ sql: STATEMENT }, 'The regions have amounts [1].');
    const [choice] = (await t.post('/completions', { messages: [{ role: 'user', content: QUESTION }] })).body.choices;
    assert.deepEqual(['table_query' in choice, statementCalls().length, fake.calls.length], [false, 0, 1]);
  });

  test('a question that fits no table costs no more calls of the model', async () => {
    script({ sql: STATEMENT }, 'Staff get 25 days of leave [1].');
    const { body } = await ask({ messages: [{ role: 'user', content: 'How many days of leave do staff get?' }] });
    assert.equal(fake.calls.length, 1);
    assert.deepEqual([body.choices[0].citations[0].name, body.warnings], ['leave.md', []]);
  });

  test('clarify and cannot fall back to the passages, and the meanings of the question are shown', async () => {
    for (const [said, meanings] of [
      [{ clarify: ['What is the sum of 2023?', 'What is the sum of 2024?'] }, ['several meanings', '2023? · What']],
      [{ cannot: 'The tables do not say it.' }, []],
    ] as const) {
      script(said, 'North has 10 [1].');
      const { body, text } = await ask();
      const [choice] = body.choices;
      assert.deepEqual(['table_query' in choice, choice.citations.length], [false, 1], text);
      assert.equal(body.warnings.length, Math.min(1, meanings.length), text);
      for (const words of meanings) assert.ok(body.warnings[0].message.includes(words), text);
      assert.doesNotMatch(answerCall().messages.at(-1)!.content, /query result/);
    }
  });

  test('a statement that fails and a model that fails are a warning', async () => {
    for (const said of [{ sql: 'select nothing from sales' }, 'lorem']) {
      script(said, 'North has 10 [1].');
      const { status, body } = await ask();
      assert.deepEqual([status, statementCalls().length], [200, 2]);
      assert.deepEqual(
        [body.choices[0].citations.length, 'table_query' in body.choices[0], body.warnings[0].type],
        [1, false, 'table_query_failed'],
      );
      fake.calls.length = 0;
    }
  });

  test('a filter of chunks keeps tables out, because a statement would see the other rows', async () => {
    script({ sql: STATEMENT }, 'North has 10 [1].');
    const filters = [{ key: 'region', operator: 'not_exists' }];
    const { status, body, text } = await ask({ chunk_metadata: { filters } });
    assert.equal(status, 200, text);
    assert.deepEqual([statementCalls().length, 'table_query' in body.choices[0]], [0, false]);
  });

  test('an answer without an answer shows no query', async () => {
    script({ sql: STATEMENT }, 'NO_ANSWER_IN_SOURCES');
    const [choice] = (await ask()).body.choices;
    assert.deepEqual([choice.finish_reason, choice.citations, 'table_query' in choice], ['no_answer', [], false]);
  });
});

describe('who sees what', () => {
  test('a key that is limited to other groups gets no table', async () => {
    const other = await ingest(t, [{ name: 'regions.md', content: 'The North region has a total amount of rain.' }]);
    const limited = await t.issueKey(['inference:run'], { sourceGroupIds: [other] });
    script({ sql: STATEMENT }, 'It rains [1].');
    const { text } = await ask({}, limited);
    assert.equal(statementCalls().length, 0);
    assert.doesNotMatch(text, /sales/);
    const own = await t.issueKey(['inference:run'], { sourceGroupIds: [salesGroup] });
    script({ sql: STATEMENT });
    assert.equal((await ask({}, own)).body.choices[0].table_query.sql, STATEMENT);
  });

  test('rules for retrieval, models and output apply to the result', async () => {
    script({ sql: 'select email, amount from sales order by amount' }, 'ada@example.com has 10 [1].');
    for (const step of ['retrieval', 'llm_input', 'output']) {
      const rule = { name: 'mail', kind: 'entity', entities: ['email'], action: 'mask', apply_at: [step] };
      assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [rule] })).status, 200);
      fake.calls.length = 0;
      const { status, body, text } = await ask();
      assert.equal(status, 200, text);
      assert.ok(body.choices[0].table_query, text);
      if (step !== 'output') {
        for (const call of fake.calls) assert.doesNotMatch(JSON.stringify(call.body), /@example\.com/, step);
      }
      if (step === 'output') assert.doesNotMatch(text, /@example\.com/);
      if (step === 'retrieval') assert.doesNotMatch(JSON.stringify(body.choices[0].table_query), /@example\.com/);
    }
    const block = { name: 'b', kind: 'regex', pattern: 'email \\| amount', action: 'block', apply_at: ['llm_input'] };
    assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [block] })).status, 200);
    fake.calls.length = 0;
    const { body } = await ask();
    assert.equal('table_query' in body.choices[0], false);
  });
});

test('without a chat model, tables are not asked, and a warning says so', async () => {
  const plain = await openTestApp({ runsJobs: true });
  try {
    await ingest(plain, [{ name: 'sales.csv', content: SALES }]);
    const body = { messages: [{ role: 'user', content: QUESTION }], tables: 'auto' };
    const { status, body: answer, text } = await plain.post('/completions', body);
    assert.equal(status, 200, text);
    assert.equal('table_query' in answer.choices[0], false);
    assert.equal(answer.warnings[0].type, 'tables_not_queried');
    assert.match(answer.warnings[0].message, /PINAKES_CHAT_MODEL/);
  } finally {
    await plain.close();
  }
});
