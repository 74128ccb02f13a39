/** The official conformance suite of the Model Context Protocol, against `/mcp` with its own tools and two that the suite asks for. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { tool } from '../../../src/http/tools/tool.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { openKeyProxy, REVISIONS } from '../../support/mcp.ts';

const SUITE = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const SCENARIO_MS = 60_000;

/** Tools that the scenarios call by name. */
const FIXTURES = [
  tool({
    name: 'test_simple_text',
    title: 'Simple text',
    description: 'Returns a simple text.',
    scopes: ['knowledge:read'],
    input: z.strictObject({}),
    output: z.object({ text: z.string() }),
    run: async () => ({ text: 'This is a simple text response for testing.' }),
    toText: ({ text }) => text,
  }),
  tool({
    name: 'test_error_handling',
    title: 'Error',
    description: 'Always fails.',
    scopes: ['knowledge:read'],
    input: z.strictObject({}),
    output: z.object({}),
    run: async () => {
      throw new Error('This tool intentionally returns an error for testing');
    },
    toText: () => '',
  }),
];

let t: TestApp;
let proxy: Awaited<ReturnType<typeof openKeyProxy>>;
before(async () => {
  t = await openTestApp({ tools: FIXTURES });
  proxy = await openKeyProxy(t);
});
after(async () => {
  await proxy.close();
  await t.close();
});

async function run(
  scenario: string,
  revision: string,
): Promise<{ output: string; passed: number; failures: string[] }> {
  const args = ['server', '--url', `${proxy.url}/mcp`, '--scenario', scenario, '--spec-version', revision];
  const child = spawn(process.execPath, [SUITE, ...args], {
    timeout: SCENARIO_MS,
    env: { ...process.env, NO_COLOR: '1' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  await new Promise((done) => child.once('close', done));
  const passed = Number(/^Passed: (\d+)\//m.exec(output)?.[1] ?? 0);
  return { output, passed, failures: [...output.matchAll(/^\s*Error: (.*)$/gm)].map((match) => match[1]!) };
}

/** Scenarios and the revisions that have them. */
const SCENARIOS: [string, readonly string[]][] = [
  ['server-initialize', ['2025-11-25']],
  ['ping', ['2025-11-25']],
  ['tools-list', REVISIONS],
  ['tools-call-simple-text', REVISIONS],
  ['tools-call-error', REVISIONS],
  ['dns-rebinding-protection', REVISIONS],
  ['http-header-validation', ['2026-07-28']],
  ['server-sse-multiple-streams', ['2026-07-28']],
];

for (const [scenario, revisions] of SCENARIOS) {
  for (const revision of revisions) {
    test(`the conformance scenario ${scenario} of ${revision} passes`, async () => {
      const { output, passed, failures } = await run(scenario, revision);
      assert.deepEqual(failures, [], output);
      assert.ok(passed > 0, output);
      assert.match(output, /, 0 failed,/);
    });
  }
}

test('the scenario server-stateless passes except where it asks for tools that ask back or write logs', async () => {
  const { output, passed, failures } = await run('server-stateless', '2026-07-28');
  const others = failures.filter((failure) => !/^Not testable: server does not list the diagnostic tool/.test(failure));
  assert.deepEqual(others, [], output);
  assert.equal(failures.length, 4, output);
  assert.ok(passed >= 21, output);
});
