/** What agent runs show of tables: exactly what the same caller gets from the API, for every key and principal. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeOpenAi, openFakeOpenAi, type Script } from '../support/fakes/openai.ts';
import { membersOf } from '../support/worlds/canary-world.ts';
import {
  LEDGER_CANARIES,
  LEDGER_PRINCIPALS,
  LEDGER_STATEMENTS,
  type LedgerWorld,
  openLedgerWorld,
  timeless,
} from '../support/worlds/ledger-world.ts';
import { citing, isStep } from './world.ts';

let world: LedgerWorld;
let fake: FakeOpenAi;
before(async () => {
  fake = await openFakeOpenAi();
  world = await openLedgerWorld({
    PINAKES_CHAT_MODEL: 'openai-compatible:test-model',
    PINAKES_CHAT_BASE_URL: fake.url,
  });
});
after(async () => {
  await world.close();
  await fake.close();
});

/** Everything that a caller gets of a run that asks the table everything, and everything that its model gets. */
async function tryEverything(key: string, principal: string | undefined) {
  const queries = LEDGER_STATEMENTS.map((statement) => ({
    name: 'query_table',
    args: { sql: statement, timeout_ms: 20_000 },
  }));
  const steps: Script[] = [
    {
      tools: [
        { name: 'list_tables', args: {} },
        { name: 'describe_table', args: { table_id: world.tableId } },
      ],
    },
    { tools: queries },
  ];
  const said: string[] = [];
  fake.respond((call) => {
    said.push(JSON.stringify(call.messages));
    if (!isStep(call)) return citing(call);
    return steps[call.messages.filter(({ role }) => role === 'assistant').length] ?? { deltas: ['DONE'] };
  });
  const answer = await world.t.request({
    method: 'POST',
    path: '/agents/runs',
    key,
    headers: { accept: 'text/event-stream' },
    body: { input: 'What is in the ledger?', ...membersOf(principal) },
  });
  const id = /"run_id":"([^"]+)"/.exec(answer.text)?.[1] ?? '';
  return { status: answer.status, text: answer.text, model: said.join('\n'), id };
}

function resultsOf(text: string): Record<string, unknown>[] {
  return [...text.matchAll(/^data: (.*)$/gm)]
    .map(([, data]) => JSON.parse(data!) as { type: string; content: string })
    .filter(({ type }) => type === 'TOOL_CALL_RESULT')
    .map(({ content }) => JSON.parse(content) as Record<string, unknown>);
}

test('each tool for tables shows a run what the API shows the same key and principal, also when the run is read again', async () => {
  const { t, keys, tableId } = world;
  const seen = new Set<string>();
  for (const [name, key] of Object.entries(keys)) {
    for (const principal of LEDGER_PRINCIPALS) {
      const what = `${name}, ${principal}`;
      const as = membersOf(principal);
      const shown = await tryEverything(key, principal);
      if (name === 'no reader' || name === 'no asker') {
        assert.equal(shown.status, 403, what);
        assert.equal(shown.model, '', what);
        continue;
      }
      assert.equal(shown.status, 200, what);
      const answers = [
        await t.get(`/tables?${new URLSearchParams({ ...as, limit: '100' })}`, key),
        await t.get(`/tables/${tableId}?${new URLSearchParams(as)}`, key),
      ];
      for (const statement of LEDGER_STATEMENTS)
        answers.push(await t.post('/tables/query', { sql: statement, timeout_ms: 20_000, ...as }, key));
      const expected = answers.map(({ status, body }) =>
        status === 200 ? timeless(body) : timeless({ error: body.error.message }),
      );
      const replayed = await t.get(`/agents/runs/${shown.id}/events?${new URLSearchParams(as)}`, key);
      for (const text of [shown.text, replayed.text])
        assert.deepEqual(resultsOf(text).map(timeless).slice(0, answers.length), expected, what);
      for (const canary of `${shown.text}\n${shown.model}\n${replayed.text}`.match(LEDGER_CANARIES) ?? []) {
        assert.ok(principal !== undefined && canary.startsWith(`canary-${principal}-`), `${what}: ${canary} leaked`);
        seen.add(canary);
      }
    }
  }
  // The matrix would prove nothing if nobody saw anything.
  assert.equal(seen.size, 3, [...seen].join());
});
