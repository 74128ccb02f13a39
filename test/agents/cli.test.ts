/** `pinakes agent`, and services without a chat model. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { type CliResult, runPinakes, runPinakesHere } from '../support/cli.ts';
import { type AgentWorld, openAgentWorld, QUESTION, scripted, search } from './world.ts';

let world: AgentWorld;
let env: Record<string, string>;
before(async () => {
  world = await openAgentWorld();
  env = { PINAKES_URL: await world.t.url(), PINAKES_API_KEY: world.t.key };
});
after(() => world.close());

const agent = (...args: string[]): Promise<CliResult> => runPinakesHere(['agent', ...args], env);

test('the steps are printed on stderr, the answer and its citations on stdout', async () => {
  world.fake.respond(
    scripted([{ tools: [search('trips abroad')] }, { tools: [{ name: 'fly', args: {} }, search('hotel cost')] }]),
  );
  const { code, stdout, stderr } = await runPinakes(['agent', QUESTION, '--max-steps', '4'], env);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^search \{"query":"trips abroad"\}\n {2}→ 1 found: travel\.md\n/);
  assert.match(stderr, /^fly \{\}\n {2}→ There is no such tool/m);
  assert.match(stderr, /^Conversation [0-9a-f-]{36}$/m);
  assert.match(stdout, /^Trips abroad are approved by Alice Meyer[\s\S]*\[1\] travel\.md/);
});

test('--json prints the run', async () => {
  world.fake.respond(scripted([{ tools: [search('trips abroad')] }]));
  const { code, stdout } = await agent(QUESTION, '--json');
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).steps[0].tool, 'search');
});

test('a limit that is out of range is refused', async () => {
  assert.equal((await agent(QUESTION, '--max-steps', '21')).code, 2);
});

test('without a chat model, agents are refused with 400, and no run is stored', async () => {
  const t = await openTestApp();
  try {
    const { status, body } = await t.post('/agents/runs', { input: QUESTION });
    assert.deepEqual([status, body.error.message], [400, 'Agents need a chat model: set PINAKES_CHAT_MODEL.']);
    assert.equal((await t.get('/agents/runs')).body.pagination.total, 0);
  } finally {
    await t.close();
  }
});
