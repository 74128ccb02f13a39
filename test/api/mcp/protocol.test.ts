/** `/mcp` at its edge: keys, scopes, limits, origins, bodies, errors; and the official clients of both revisions. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import { tool } from '../../../src/http/tools/tool.ts';
import { seed } from '../../retrieval/corpus.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { connectMcp, postMcp, REVISIONS, toolCall } from '../../support/mcp.ts';

const DETAIL = 'secret detail of the database';
const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} };
const NAMES = ['search', 'read_source', 'list_sources', 'list_tables', 'describe_table', 'query_table'];
const TEXTS = ['The heron nests in the oak.', 'It eats frogs and small fish.', 'In winter it leaves for the south.'];

let t: TestApp;
let chunkId: string;
let sourceId: string;
before(async () => {
  const broken = tool({
    name: 'broken',
    title: 'Broken',
    description: 'Fails.',
    scopes: ['audit:read'],
    input: z.strictObject({}),
    output: z.object({}),
    run: async () => {
      throw new Error(DETAIL);
    },
    toText: () => '',
  });
  t = await openTestApp({ tools: [broken], env: { PINAKES_MCP_ALLOWED_ORIGINS: 'https://Chat.example.com' } });
  await seed(t.deps.db, t.tenantId, [
    { sources: [{ name: 'heron.txt', chunks: TEXTS.map((content, i) => ({ content, line: i * 2 + 1 })) }] },
  ]);
  const found = (await t.post('/search', { query: 'frogs' })).body.results[0];
  chunkId = found.id;
  sourceId = found.source_id;
});
after(() => t.close());

const namesFor = async (key: string | null): Promise<string[]> =>
  (await postMcp(t, LIST, {}, key)).body.result.tools.map(({ name }: { name: string }) => name);

describe('official clients', () => {
  for (const revision of REVISIONS) {
    test(`the official client of ${revision} lists and calls the tools`, async () => {
      const client = await connectMcp(t, revision, { authorization: `Bearer ${t.key}` });
      try {
        assert.equal(client.getServerVersion().name, 'pinakes');
        const { tools } = await client.listTools();
        assert.deepEqual(
          tools.map(({ name }) => name),
          [...NAMES, 'broken'],
        );
        for (const { annotations, inputSchema } of tools) {
          assert.equal(annotations.readOnlyHint, true);
          assert.equal(inputSchema.additionalProperties, false);
          assert.ok(!('principal_id' in inputSchema.properties) && !('authz_policy' in inputSchema.properties));
        }
        const found = await client.callTool({ name: 'search', arguments: { query: 'frogs' } });
        assert.equal(found.structuredContent.results[0].id, chunkId);
        assert.match(found.content[0].text, /^\[1\] heron\.txt:3-3\nsource_id: .+\nIt eats frogs and small fish\.$/);
        await assert.rejects(client.callTool({ name: 'none' }), /Tool none not found/);
      } finally {
        await client.close();
      }
    });
  }
});

describe('tools', () => {
  const call = async (name: string, args: object) => (await postMcp(t, toolCall(name, args))).body.result;

  test('read_source reads a range of the text and says where it goes on', async () => {
    const { structuredContent, content } = await call('read_source', {
      source_id: sourceId,
      start_offset: 4,
      length: 5,
    });
    const { text, next_offset: next, text_length: length } = structuredContent;
    assert.deepEqual([text, next, length], ['heron', 9, TEXTS.join('\n').length]);
    assert.match(content[0].text, /^heron\n\n\[More text follows: read on with start_offset 9\.\]$/);
    const rest = await call('read_source', { source_id: sourceId, start_offset: 9 });
    assert.equal(rest.structuredContent.next_offset, null);
    assert.equal(text + rest.structuredContent.text, TEXTS.join('\n').slice(4));
  });

  test('read_source reads from the passage on that has a line of the file', async () => {
    const read = async (line: number) =>
      (await call('read_source', { source_id: sourceId, start_line: line })).content[0].text;
    assert.equal(await read(4), `[From line 3 of the file.]\n\n${TEXTS.slice(1).join('\n')}`);
    assert.match(await read(99), /^\[From line 5 of the file\.\]\n\nIn winter/);
    const unknown = await call('read_source', { source_id: chunkId, start_line: 4 });
    assert.match(unknown.content[0].text, /^Nothing of this kind has this id or name, /);
  });

  test('search says which source group a result is in, and searches in named groups alone', async () => {
    const { content, structuredContent } = await call('search', { query: 'frogs' });
    const { source_group_id: group, source_group_name: name } = structuredContent.results[0];
    assert.ok(content[0].text.split('\n')[1].endsWith(` source_group: ${name} (${group})`));
    const ids = async (groups: string[]) =>
      (await call('search', { query: 'frogs', source_group_ids: groups })).structuredContent.results.length;
    assert.deepEqual([await ids([group]), await ids([chunkId])], [1, 0]);
  });

  test('read_source reads the chunks around a chunk', async () => {
    const contents = async (args: object) =>
      (await call('read_source', { chunk_id: chunkId, ...args })).structuredContent.chunks.map(
        (chunk: { content: string }) => chunk.content,
      );
    assert.deepEqual(await contents({}), TEXTS);
    assert.deepEqual(await contents({ before: 0, after: 1 }), TEXTS.slice(1));
    assert.deepEqual(await contents({ before: 0, after: 0 }), [TEXTS[1]]);
  });

  test('list_sources lists in pages', async () => {
    await seed(t.deps.db, t.tenantId, [
      { sources: [{ name: 'crane.md', path: 'birds/crane.md', fileType: 'md', chunks: ['Cranes dance.'] }] },
    ]);
    const first = (await call('list_sources', { limit: 1 })).structuredContent;
    assert.deepEqual([first.sources[0].name, typeof first.next_id], ['crane.md', 'string']);
    const second = (await call('list_sources', { limit: 1, after_id: first.next_id })).structuredContent;
    assert.deepEqual([second.sources[0].name, second.next_id], ['heron.txt', null]);
    const { structuredContent: markdown, content } = await call('list_sources', { file_types: ['md'] });
    assert.deepEqual(
      markdown.sources.map(({ name, path }: { name: string; path: string }) => [name, path]),
      [['crane.md', 'birds/crane.md']],
    );
    const [{ source_group_id: group, source_group_name: name }] = markdown.sources;
    assert.equal(name, (await t.get(`/source-groups/${group}`)).body.name);
    assert.ok(name !== '');
    assert.match(content[0].text, /^birds\/crane\.md \(md\) source_id: /);
    assert.ok(content[0].text.endsWith(` source_group: ${name} (${group})`), content[0].text);
  });

  test('wrong arguments are results with an error that names the argument', async () => {
    const errorOf = async (name: string, args: object) => {
      const { isError, content } = await call(name, args);
      assert.equal(isError, true);
      return content[0].text;
    };
    assert.equal(await errorOf('search', { query: 'a', limt: 3 }), 'Unknown member "limt" in the request arguments.');
    assert.equal(
      await errorOf('search', { query: 'a', principal_id: 'ann' }),
      'Unknown member "principal_id" in the request arguments.',
    );
    assert.equal(await errorOf('search', {}), 'Missing member "query" in the request arguments.');
    assert.equal(
      await errorOf('search', { query: 'a', mode: 'semantic' }),
      (await t.post('/search', { query: 'a', mode: 'semantic' })).body.error.message,
    );
    assert.equal(await errorOf('read_source', {}), 'Give source_id or chunk_id.');
    const both = { source_id: sourceId, chunk_id: chunkId };
    assert.match(await errorOf('read_source', both), /^Give source_id or chunk_id, not both: source_id reads /);
    for (const id of ['nonsense', sourceId.replace(/.$/, (last) => (last === '0' ? '1' : '0'))]) {
      assert.equal(
        await errorOf('read_source', { source_id: id }),
        'Nothing of this kind has this id or name, or it may not be seen with this key and principal.',
      );
      assert.equal(
        await errorOf('read_source', { chunk_id: id }),
        'Nothing of this kind has this id or name, or it may not be seen with this key and principal.',
      );
    }
  });

  test('the message of an unexpected failure stays in the log', async () => {
    const answer = await postMcp(t, toolCall('broken'));
    assert.equal(answer.body.result.isError, true);
    assert.ok(!answer.text.includes(DETAIL), answer.text);
    assert.ok(JSON.stringify(t.logs).includes(DETAIL));
  });
});

describe('keys', () => {
  test('the tools follow the scopes of the key, and a missing tool is as unknown as a wrong name', async () => {
    assert.deepEqual(await namesFor(await t.issueKey(['knowledge:read'])), NAMES);
    const other = await t.issueKey(['inference:run', 'ingestion:manage']);
    assert.deepEqual(await namesFor(other), []);
    const refused = await postMcp(t, toolCall('search', { query: 'frogs' }), {}, other);
    assert.deepEqual(refused.body.error, { code: -32602, message: 'Tool search not found' });
  });

  test('a key is accepted in x-api-key or as a bearer token, and nothing else is', async () => {
    const status = async (headers: Record<string, string>) => (await postMcp(t, LIST, headers, null)).status;
    assert.equal(await status({ 'x-api-key': t.key }), 200);
    assert.equal(await status({ authorization: `Bearer ${t.key}` }), 200);
    assert.equal(await status({ authorization: `bearer  ${t.key}` }), 200);
    for (const wrong of [
      {},
      { authorization: t.key },
      { authorization: `Basic ${t.key}` },
      { authorization: 'Bearer x' },
    ]) {
      const answer = await postMcp(t, LIST, wrong as Record<string, string>, null);
      assert.equal(answer.status, 401);
      const { jsonrpc, id, error } = answer.body;
      // An error of the protocol, too: some clients show no other message.
      assert.deepEqual([jsonrpc, id, error.code, error.type], ['2.0', null, -32600, 'authentication_error']);
      assert.match(error.message, /^A valid API key is needed/);
      // With this header clients would begin to log in by OAuth.
      assert.equal(answer.headers['www-authenticate'], undefined);
    }
    assert.equal(await status({ 'x-api-key': 'pk_wrong', authorization: `Bearer ${t.key}` }), 401);
  });

  test('requests to /mcp count towards the limits of the key', async () => {
    const limited = await openTestApp({ env: { PINAKES_RATE_LIMIT_PER_MINUTE: '2' } });
    try {
      const statuses = [(await postMcp(limited, LIST)).status, (await limited.get('/tags')).status];
      const refused = await postMcp(limited, LIST);
      assert.deepEqual([...statuses, refused.status], [200, 200, 429]);
      assert.ok(Number(refused.headers['retry-after']) > 0);
    } finally {
      await limited.close();
    }
  });
});

describe('bodies', () => {
  test('every answer is JSON, because some clients read only short events of a stream', async () => {
    for (const message of [LIST, toolCall('search', { query: 'frogs' }), toolCall('none')]) {
      const answer = await postMcp(t, message);
      assert.match(String(answer.headers['content-type']), /^application\/json/);
      assert.equal(JSON.parse(answer.text).jsonrpc, '2.0');
    }
    const { status, text } = await postMcp(t, { jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.deepEqual([status, text], [202, '']);
  });

  test('a body over 1 MiB is answered with 413, whether its length is announced or not', async () => {
    const big = JSON.stringify({ ...LIST, params: { x: 'x'.repeat(1024 * 1024) } });
    assert.equal((await postMcp(t, big)).status, 413);
    const chunked = await fetch(`${await t.url()}/mcp`, {
      method: 'POST',
      headers: { 'x-api-key': t.key, 'content-type': 'application/json' },
      body: new Blob([big]).stream(),
      duplex: 'half',
    } as RequestInit);
    assert.equal(chunked.status, 413);
    await chunked.text();
  });

  test('bodies that are no single message are refused with an error of the protocol', async () => {
    const refusal = async (body: string) => {
      const answer = await postMcp(t, body);
      assert.equal(answer.status, 400, body);
      return answer.body.error.code;
    };
    assert.equal(await refusal('{"jsonrpc": '), -32700);
    assert.equal(await refusal(`{"a":1,"a":2}`), -32700);
    assert.equal(await refusal(JSON.stringify([LIST, LIST])), -32600);
    assert.ok((await refusal('7')) < 0);
    assert.ok((await refusal('')) < 0);
  });

  test('a stream of changes is refused, because the tools do not change', async () => {
    const { status, body } = await postMcp(t, { jsonrpc: '2.0', id: 3, method: 'subscriptions/listen', params: {} });
    assert.deepEqual([status, body.id, body.error.code], [404, 3, -32601]);
  });

  test('other methods and content types are refused', async () => {
    for (const method of ['GET', 'DELETE', 'PUT'] as const) {
      const answer = await t.request({ method, path: '//mcp' });
      assert.deepEqual([answer.status, answer.headers.allow], [405, 'OPTIONS, POST'], method);
      assert.deepEqual([answer.body.jsonrpc, answer.body.error.type], ['2.0', 'invalid_request_error'], method);
    }
    assert.equal((await postMcp(t, LIST, { 'content-type': 'text/plain' })).status, 415);
  });
});

describe('web pages', () => {
  const status = async (headers: Record<string, string>) => (await postMcp(t, LIST, headers)).status;

  test('pages of this machine and of allowed origins are accepted, other pages are not', async () => {
    assert.equal(await status({ host: 'localhost:7700', origin: 'http://localhost:7700' }), 200);
    assert.equal(await status({ origin: 'https://chat.example.com' }), 200);
    for (const origin of [
      'https://evil.example',
      'http://localhost:9999',
      'null',
      'https://chat.example.com.evil.example',
    ])
      assert.equal(await status({ host: 'localhost:7700', origin }), 403, origin);
  });

  test('a name that is not of this machine is refused in Host while the service listens on this machine only', async () => {
    assert.equal(await status({ host: 'evil.example:7700' }), 403);
    assert.equal(await status({ host: 'evil.example', origin: 'http://evil.example' }), 403);
    assert.equal(await status({ host: '127.0.0.1:7700' }), 200);
  });

  test('a page of an allowed origin may send keys and read answers', async () => {
    const origin = 'https://chat.example.com';
    const preflight = await t.request({ method: 'OPTIONS', path: '//mcp', key: null, headers: { origin } });
    assert.equal(preflight.status, 204);
    assert.match(String(preflight.headers['access-control-allow-headers']), /authorization.*x-api-key/);
    assert.equal((await postMcp(t, LIST, { origin })).headers['access-control-allow-origin'], origin);
    const other = await t.request({
      method: 'OPTIONS',
      path: '//mcp',
      key: null,
      headers: { origin: 'https://a.example' },
    });
    assert.equal(other.status, 403);
  });
});
