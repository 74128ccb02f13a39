/** Agent runs and the settings for programs: a run is asked, watched, read again, canceled, and its citations open their sources. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type ChatCall, type FakeOpenAi, openFakeOpenAi, type Script } from '../support/fakes/openai.ts';
import { openBrowser } from './support/chromium.ts';
import { openSignedIn, pick, press, startService, type TestService, tabTo, until } from './support/console.ts';
import { checkLooks, LOOKS, look } from './support/looks.ts';

const browser = await openBrowser();
const skip = browser ? false : 'there is no Chromium: set PINAKES_TEST_CHROMIUM';

const QUESTION = 'Who approves trips abroad, and what does a night in Oslo cost?';
const STATEMENT = "select town, euros from rates where town = 'Oslo'";
const ANSWER = ['Trips abroad are approved by Alice Meyer. [1] ', 'A night in the town of Oslo costs 140 euros. [2]'];
const FILES = {
  'travel.md': '# Travel\n\nTrips abroad are approved by Alice Meyer.\n',
  'rates.csv': 'town,euros\nOslo,140\nRome,120\nPrague,95\n',
};

function isStep({ body }: ChatCall): boolean {
  return body['tools'] !== undefined;
}

/** Plays the steps of the question by what the model has seen. */
function gathering(tableId: string): (call: ChatCall) => Script {
  const steps: Script[] = [
    {
      tools: [
        { name: 'search', args: { query: 'trips abroad approved' } },
        { name: 'list_tables', args: {} },
      ],
    },
    {
      tools: [
        { name: 'describe_table', args: { table_id: tableId } },
        { name: 'query_table', args: { sql: STATEMENT, timeout_ms: 20_000 } },
        { name: 'query_table', args: { sql: 'select price from rates' } },
      ],
    },
  ];
  return (call) => {
    if (!isStep(call)) return { deltas: numbered(call) };
    return steps[call.messages.filter(({ role }) => role === 'assistant').length] ?? { deltas: ['DONE'] };
  };
}

/** Returns the answer with the numbers that the sources have in the request. */
function numbered({ messages }: ChatCall): string[] {
  const prompt = messages.at(-1)!.content;
  const numberOf = (name: string): string => new RegExp(`\\[(\\d+)\\] file: ${name}`).exec(prompt)?.[1] ?? '9';
  return [ANSWER[0]!.replace('1', numberOf('travel.md')), ANSWER[1]!.replace('[2]', `[${numberOf('rates.csv')}]`)];
}

describe('agents', { skip }, () => {
  let service: TestService;
  let fake: FakeOpenAi;
  let tableId = '';
  let runId = '';
  before(async () => {
    fake = await openFakeOpenAi();
    process.env['PINAKES_CHAT_MODEL'] = 'openai-compatible:test-model';
    process.env['PINAKES_CHAT_BASE_URL'] = fake.url;
    service = await startService();
    await service.add('handbook', FILES);
    await until(async () => {
      const { tables } = await service.pinakes.listTables();
      tableId = tables[0]?.id ?? '';
      return tables[0]?.status === 'ready';
    });
  });
  after(async () => {
    await browser?.close();
    await service.close();
    await fake.close();
  });

  test('a question is answered in steps, with the keyboard, and its citation opens the source', async () => {
    fake.respond(gathering(tableId));
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'agents');
    await page.getByText('No agent has run yet').waitFor();
    await look(page, 'agents-none');
    await tabTo(page, page.getByLabel('A question that one search does not answer'));
    await page.keyboard.type(QUESTION);
    await page.keyboard.press('Enter');
    await page.waitForURL(/agents\/[\w-]{36}$/);
    runId = new URL(page.url()).pathname.split('/').at(-1)!;
    await page.getByText('A night in the town of Oslo costs 140 euros.').waitFor();
    await page.getByRole('heading', { name: 'Step 2' }).waitFor();
    await page.locator('dl').getByText('Answered').waitFor();

    const call = page.locator('summary', { hasText: STATEMENT });
    await press(page, call);
    await page.getByRole('cell', { name: '140' }).waitFor();
    await look(page, 'agents-call');
    const wrong = page.locator('summary', { hasText: 'select price' });
    await press(page, wrong);
    await page.getByText(/no column price/).waitFor();

    await press(page, page.getByRole('button', { name: /Citation 1, verified: travel\.md/ }));
    await page.waitForURL(/sources\/.*start=/);
    await page.getByText('Trips abroad are approved by Alice Meyer.').first().waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a run in the background is watched, and canceled', async () => {
    fake.respond((call) => (isStep(call) ? { stallAfter: [] } : { deltas: numbered(call) }));
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'agents');
    await tabTo(page, page.getByLabel('A question that one search does not answer'));
    await page.keyboard.type('Does anybody answer?');
    await press(page, page.getByLabel('Go on in the background'), 'Space');
    await press(page, page.getByRole('button', { name: 'Start' }));
    await page.waitForURL(/agents\/[\w-]{36}$/);
    await page.getByText('Running', { exact: true }).or(page.getByText('Running …')).first().waitFor();
    await look(page, 'agents-running');
    await press(page, page.getByRole('button', { name: 'Cancel' }));
    await page.locator('dl').getByText('Canceled').waitFor();
    await press(page, page.getByRole('main').getByRole('link', { name: 'Agents' }));
    await page.getByRole('link', { name: 'Does anybody answer?' }).waitFor();
    await pick(page, page.getByLabel('State'), 'success');
    await page.getByRole('link', { name: 'Does anybody answer?' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: QUESTION }).waitFor();
    await pick(page, page.getByLabel('State'), 'failure');
    await page.getByText('No run has this state').waitFor();
    await press(page, page.getByRole('link', { name: 'Clear the filter' }));
    await page.getByRole('link', { name: QUESTION }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(runId));
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a run ends when its page is left', async () => {
    fake.respond((call) => (isStep(call) ? { stallAfter: [] } : { deltas: numbered(call) }));
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'agents');
    await tabTo(page, page.getByLabel('A question that one search does not answer'));
    await page.keyboard.type('Is this page left?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    await until(async () => (await service.pinakes.listAgentRuns({ query: { status: 'running' } })).runs.length === 1);
    await press(page, page.getByRole('link', { name: 'Search', exact: true }));
    await until(async () => (await service.pinakes.listAgentRuns({ query: { status: 'running' } })).runs.length === 0);
    const { runs } = await service.pinakes.listAgentRuns({ query: { order: 'desc' } });
    assert.equal(runs[0]!.status, 'canceled');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('the settings name the address of this service, and the tools of the key', async () => {
    const { page, faults, context } = await openSignedIn(browser as Browser, service, 'connect');
    const settings = page.locator('pre').first();
    await page.getByText(`claude mcp add --transport http pinakes ${service.url}/mcp`).waitFor();
    await tabTo(page, page.getByLabel('Claude Code'));
    for (const [name, part] of [
      ['Claude Desktop', `"PINAKES_URL": "${service.url}"`],
      ['Cursor', `"url": "${service.url}/mcp"`],
      ['VS Code', 'promptString'],
      ['Codex', 'bearer_token_env_var'],
    ] as const) {
      await page.keyboard.press('ArrowRight');
      await page.getByLabel(name, { exact: true }).and(page.locator(':checked')).waitFor();
      assert.ok((await settings.textContent())!.includes(part), name);
    }
    for (const tool of ['search', 'query_table']) await page.getByText(tool, { exact: true }).waitFor();
    await page.getByText(`${service.url}/v1`, { exact: true }).waitFor();
    await press(page, page.getByRole('link', { name: 'Issue a key' }).first());
    await page.waitForURL(/\/keys/);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a key without the scope for search sees that it has no tools', async () => {
    const { key } = await service.pinakes.issueApiKey({ body: { name: 'asker', scopes: ['inference:run'] } });
    const { page, faults, context } = await openSignedIn(browser as Browser, { ...service, key }, 'connect');
    await page.getByText('This key sees no tools: it lacks the scope knowledge:read.').waitFor();
    await page.getByText('this one cannot issue keys').first().waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('all screens in both themes, at two widths, in German and from right to left', async () => {
    const openCall = async (page: Page) => {
      await press(page, page.locator('summary', { hasText: STATEMENT }));
      await page.locator('tbody td').first().waitFor();
      await page.locator('dl').first().waitFor();
    };
    const screens = {
      agents: { path: 'agents', ready: (page) => page.getByRole('row').nth(3).waitFor() },
      'agent-run': { path: `agents/${runId}`, ready: openCall },
      connect: { path: 'connect', ready: (page) => page.getByText('query_table', { exact: true }).waitFor() },
    } satisfies Parameters<typeof checkLooks>[2];
    for (const one of LOOKS) await checkLooks(browser as Browser, service, screens, `${one.theme}-${one.width}`, one);
    await checkLooks(browser as Browser, service, screens, 'de', { language: 'de', width: 1024 });
    await checkLooks(browser as Browser, service, screens, 'rtl', { language: 'xb' });
  });
});
