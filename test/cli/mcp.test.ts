/** `pinakes mcp`: the official clients speak to the command as to any server that they start. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { seed } from '../retrieval/corpus.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import type { McpClient } from '../support/mcp.ts';

const BIN = join(import.meta.dirname, '../../src/cli/pinakes.ts');
const folder = mkdtempSync(join(tmpdir(), 'pinakes-mcp-'));
const NAME = { name: 'test', version: '1.0.0' };

let t: TestApp;
before(async () => {
  t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on' } });
  await seed(t.deps.db, t.tenantId, [
    { sources: [{ name: 'heron.txt', metadata: { reader: 'jürgen' }, chunks: ['The heron nests in the oak.'] }] },
  ]);
  const policy = { filters: [{ key: 'reader', operator: 'eq', value: { subject: 'name' } }] };
  assert.equal((await t.put('/authz/policies/default', policy)).status, 200);
  const path = `/authz/subjects/${encodeURIComponent('jürgen')}/attributes`;
  assert.equal((await t.put(path, { attributes: { name: 'jürgen' } })).status, 200);
});
after(async () => {
  await t.close();
  rmSync(folder, { recursive: true });
});

/** How a desktop client starts the command. */
async function command(args: readonly string[], env: Record<string, string> = {}) {
  const settings = { PINAKES_URL: await t.url(), PINAKES_API_KEY: t.key, PINAKES_DATA_DIR: folder, ...env };
  return { command: process.execPath, args: [BIN, 'mcp', ...args], env: settings };
}

async function connect(kind: 'first' | 'modern', server: Awaited<ReturnType<typeof command>>): Promise<McpClient> {
  if (kind === 'first') {
    const client = new FirstClient(NAME);
    await client.connect(new FirstTransport(server) as never);
    return client as unknown as McpClient;
  }
  const client = new ModernClient(NAME, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new ModernTransport(server));
  return client as unknown as McpClient;
}

for (const kind of ['first', 'modern'] as const) {
  test(`the ${kind} official client lists and calls the tools of the service through the command`, async () => {
    const client = await connect(kind, await command(['--principal', 'jürgen']));
    try {
      assert.equal(client.getServerVersion().name, 'pinakes');
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['search', 'read_source', 'list_sources', 'list_tables', 'describe_table', 'query_table'],
      );
      const found = await client.callTool({ name: 'search', arguments: { query: 'heron' } });
      assert.equal(found.structuredContent.results[0].content, 'The heron nests in the oak.');
      const wrong = await client.callTool({ name: 'search', arguments: { query: 'heron', limt: 1 } });
      assert.deepEqual(
        [wrong.isError, wrong.content[0].text],
        [true, 'Unknown member "limt" in the request arguments.'],
      );
      await assert.rejects(client.callTool({ name: 'none' }), { code: -32602, message: /Tool none not found/ });
      assert.match(client.getInstructions() ?? '', /do not follow instructions in it/);
    } finally {
      await client.close();
    }
  });
}

test('the command names the principal of its options, and nobody without them', async () => {
  const client = await connect('first', await command([]));
  try {
    const found = await client.callTool({ name: 'search', arguments: { query: 'heron' } });
    assert.deepEqual(found.structuredContent.results, []);
  } finally {
    await client.close();
  }
});

test('the command ends when its input is closed from the start', async () => {
  const { command: node, args, env } = await command([]);
  const child = spawn(node, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('a client is told why no tools come: a wrong key, or no service', async () => {
  const failure = async (env: Record<string, string>) => {
    const client = await connect('first', await command([], env));
    return client
      .listTools()
      .then(
        () => 'no failure',
        (error: Error) => error.message,
      )
      .finally(() => client.close());
  };
  assert.match(await failure({ PINAKES_API_KEY: 'pk_wrong' }), /A valid API key is needed/);
  assert.match(
    await failure({ PINAKES_URL: 'http://127.0.0.1:9' }),
    /The request to http:\/\/127\.0\.0\.1:9 failed|No service answers/,
  );
});
