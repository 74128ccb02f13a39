/** What the tools of `/mcp` show: exactly what the same caller sees through the API, for every key, principal and policy. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { postMcp, toolCall } from '../../support/mcp.ts';
import {
  askers,
  CANARIES,
  type CanaryWorld,
  headersOf,
  membersOf,
  openCanaryWorld,
} from '../../support/worlds/canary-world.ts';

let t: TestApp;
let world: CanaryWorld;
before(async () => {
  t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on' } });
  world = await openCanaryWorld(t);
});
after(() => t.close());

test('each tool shows exactly what the API shows the same key, principal and policy', async () => {
  const seen = new Set<string>();
  for (const { key, principal, policy, what } of askers(world)) {
    const as = membersOf(principal, policy);
    const call = (tool: string, args: object) => postMcp(t, toolCall(tool, args), headersOf(principal, policy), key);
    const args = { query: 'heron', limit: 50, context: { before: 1, after: 1 } };
    const expected = await t.post('/search', { ...args, ...as }, key);
    const found = await call('search', args);
    if (expected.status === 403) {
      assert.equal(found.body.error.code, -32602, what);
      continue;
    }
    assert.equal(JSON.stringify(found.body.result.structuredContent), expected.text, what);
    const visible = expected.body.results as { id: string; source_id: string; content: string }[];
    for (const { content } of visible) seen.add(content);

    const listed = await call('list_sources', {});
    assert.deepEqual(
      new Set(listed.body.result.structuredContent.sources.map(({ id }: { id: string }) => id)),
      new Set(visible.map(({ source_id: id }) => id)),
      what,
    );
    const texts = [found.text, listed.text];
    for (const id of [world.hidden.source, ...visible.map(({ source_id: id }) => id)]) {
      const text = await t.get(`/sources/${id}/text?${new URLSearchParams({ ...as, end_offset: '8000' })}`, key);
      const read = await call('read_source', { source_id: id });
      texts.push(read.text);
      if (text.status === 404) assert.equal(read.body.result.content[0].text, text.body.error.message, what);
      else assert.equal(JSON.stringify(read.body.result.structuredContent), text.text, what);
    }
    for (const id of [world.hidden.chunk, ...visible.map(({ id }) => id)]) {
      const read = await call('read_source', { chunk_id: id, before: 5, after: 5 });
      texts.push(read.text);
      const chunks: { id: string; content: string }[] = read.body.result.structuredContent?.chunks ?? [];
      assert.equal(
        chunks.some((chunk) => chunk.id === id),
        visible.some((chunk) => chunk.id === id),
        what,
      );
    }
    const allowed = new Set(expected.text.match(CANARIES));
    for (const canary of texts.join('\n').match(CANARIES) ?? []) assert.ok(allowed.has(canary), `${what}: ${canary}`);
  }
  // The matrix would prove nothing if nobody saw anything.
  assert.equal(seen.size, 6, [...seen].join());
});

test('a header that is not valid is refused, and does not count as an absent one', async () => {
  const call = (headers: Record<string, string>) => postMcp(t, toolCall('search', { query: 'heron' }), headers);
  for (const headers of [{ 'x-authz-policy': 'No Such!' }, { 'x-principal-id': '\xff\xfe' }]) {
    const { status, body } = await call(headers as Record<string, string>);
    assert.deepEqual([status, body.error.type], [400, 'invalid_request_error']);
  }
});

test('redaction rules apply to the tools as to the API', async () => {
  const rule = {
    name: 'r',
    kind: 'dictionary',
    terms: ['canary-open', 'canary-name-sales'],
    action: 'mask',
    apply_at: ['retrieval'],
  };
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [rule] })).status, 200);
  const call = (tool: string, args: object) => postMcp(t, toolCall(tool, args), headersOf('seller'));
  const found = await call('search', { query: 'heron', limit: 50 });
  const expected = await t.post('/search', { query: 'heron', limit: 50, principal_id: 'seller' });
  assert.equal(JSON.stringify(found.body.result.structuredContent), expected.text);
  const ids = expected.body.results.map(({ id }: { id: string }) => ({ chunk_id: id }));
  const sources = expected.body.results.map(({ source_id: id }: { source_id: string }) => ({ source_id: id }));
  const texts = [found.text, (await call('list_sources', {})).text];
  for (const args of [...ids, ...sources]) texts.push((await call('read_source', args)).text);
  assert.match(texts.join(), /\[R\]/);
  assert.doesNotMatch(texts.join(), /canary-open|canary-name-sales/);

  const block = { ...rule, terms: ['canary-name-open'], action: 'block' };
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [block] })).status, 200);
  assert.doesNotMatch((await call('list_sources', {})).text, /canary-name-open/);
  assert.equal((await t.delete('/redaction-policy')).status, 200);
  assert.match((await call('list_sources', {})).text, /canary-name-open/);
});
