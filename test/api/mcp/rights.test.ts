/** What the tools of `/mcp` show: exactly what the same caller sees through the API, for every key, principal and policy. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../../src/util/ids.ts';
import { seed, type TagIds } from '../../retrieval/corpus.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { postMcp, toolCall } from '../../support/mcp.ts';

const level = (val: string) => ({ metadata: { level: { val, type: 'string' as const } } });
const PRINCIPALS = [undefined, 'seller', 'lawyer', 'guard', 'jürgen', 'nobody'];
const CANARIES = /canary-[a-z-]+/g;
const POLICIES = [undefined, 'department'];

let t: TestApp;
/** Keys by their limits. */
const keys: Record<string, string> = {};
let hidden: { chunk: string; source: string };

before(async () => {
  t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on' } });
  const tags: TagIds = new Map();
  const high = newId();
  const mixed = newId();
  const [first = '', second = ''] = await seed(
    t.deps.db,
    t.tenantId,
    [
      {
        tags: ['birds'],
        sources: [
          { name: 'canary-name-open', metadata: { shown: 'all' }, chunks: ['heron canary-open'] },
          { name: 'canary-name-sales', metadata: { department: 'sales' }, chunks: ['heron canary-sales'] },
          { name: 'canary-name-gone', deleted: true, metadata: { shown: 'all' }, chunks: ['heron canary-gone'] },
        ],
      },
      {
        sources: [
          { name: 'canary-name-legal', metadata: { department: 'legal' }, chunks: ['heron canary-legal'] },
          {
            id: mixed,
            name: 'canary-name-mixed',
            chunks: [
              { content: 'heron canary-low', ...level('low') },
              { id: high, content: 'heron canary-high', ...level('high') },
              { content: 'heron canary-last', ...level('low') },
            ],
          },
        ],
      },
    ],
    tags,
  );
  hidden = { chunk: high, source: mixed };
  const policy = {
    operator: 'or',
    filters: [
      { key: 'shown', operator: 'eq', value: 'all' },
      { key: 'department', operator: 'eq', value: { subject: 'department' } },
      { target: 'chunk_metadata', key: 'level', operator: 'eq', value: 'low', trust_content: true },
      { target: 'chunk_metadata', key: 'level', operator: 'eq', value: { subject: 'clearance' }, trust_content: true },
    ],
  };
  const put = async (path: string, body: object) => assert.equal((await t.put(path, body)).status, 200, path);
  await put('/authz/policies/default', policy);
  await put('/authz/policies/department', { filters: [policy.filters[1]!] });
  const subjects = { seller: { department: 'sales' }, lawyer: { department: 'legal' }, guard: { clearance: 'high' } };
  for (const [name, attributes] of Object.entries({ ...subjects, jürgen: { department: 'legal' } }))
    await put(`/authz/subjects/${encodeURIComponent(name)}/attributes`, { attributes });
  keys['all'] = t.key;
  keys['group'] = await t.issueKey(['knowledge:read'], { sourceGroupIds: [first] });
  keys['other group'] = await t.issueKey(['knowledge:read'], { sourceGroupIds: [second] });
  keys['tag'] = await t.issueKey(['knowledge:read'], { tagIds: [tags.get('birds')!] });
  keys['no reader'] = await t.issueKey(['inference:run']);
  const stranger = await t.secondTenant();
  keys['other tenant'] = stranger.key;
});
after(() => t.close());

/** Headers are bytes: each is a character here. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');
const headersOf = (principal?: string, policy?: string): Record<string, string> => ({
  ...(principal !== undefined && { 'x-principal-id': bytes(principal) }),
  ...(policy !== undefined && { 'x-authz-policy': policy }),
});

test('each tool shows exactly what the API shows the same key, principal and policy', async () => {
  const seen = new Set<string>();
  for (const [name, key] of Object.entries(keys)) {
    for (const principal of PRINCIPALS) {
      for (const policy of POLICIES) {
        const what = `${name}, ${principal}, ${policy}`;
        const as = {
          ...(principal !== undefined && { principal_id: principal }),
          ...(policy !== undefined && { authz_policy: policy }),
        };
        const call = (tool: string, args: object) =>
          postMcp(t, toolCall(tool, args), headersOf(principal, policy), key);
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
        for (const id of [hidden.source, ...visible.map(({ source_id: id }) => id)]) {
          const text = await t.get(`/sources/${id}/text?${new URLSearchParams({ ...as, end_offset: '8000' })}`, key);
          const read = await call('read_source', { source_id: id });
          texts.push(read.text);
          if (text.status === 404) assert.equal(read.body.result.content[0].text, text.body.error.message, what);
          else assert.equal(JSON.stringify(read.body.result.structuredContent), text.text, what);
        }
        for (const id of [hidden.chunk, ...visible.map(({ id }) => id)]) {
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
        for (const canary of texts.join('\n').match(CANARIES) ?? [])
          assert.ok(allowed.has(canary), `${what}: ${canary}`);
      }
    }
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
