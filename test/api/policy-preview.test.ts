/** Drafts of policies and of redaction rules, tried before they are stored. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { seed, type TagIds } from '../retrieval/corpus.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

const SALES = newId();
const LEGAL = newId();
const LEVELS = newId();
const EMPTY = newId();
const stored = { operator: 'and', filters: [{ key: 'department', operator: 'eq', value: { subject: 'department' } }] };
const draft = {
  operator: 'or',
  filters: [
    { key: 'department', operator: 'eq', value: 'legal' },
    { target: 'chunk_metadata', key: 'level', operator: 'lte', value: { subject: 'clearance' }, trust_content: true },
  ],
};

let t: TestApp;
let now = new Date();
let group: string;
before(async () => {
  t = await openTestApp({ given: { clock: { now: () => now } } });
  const tags: TagIds = new Map();
  const groups = await seed(
    t.deps.db,
    t.tenantId,
    [
      {
        tags: ['north'],
        sources: [
          { id: SALES, name: 'sales.md', metadata: { department: 'sales' }, chunks: ['one'] },
          { id: LEGAL, name: 'legal.md', metadata: { department: 'legal' }, chunks: ['two'] },
        ],
      },
      {
        sources: [
          {
            id: LEVELS,
            name: 'levels.md',
            chunks: [
              { content: 'three', metadata: { level: { val: '9', type: 'integer' } } },
              { content: 'four', metadata: { level: { val: '1', type: 'integer' } } },
            ],
          },
          { id: EMPTY, name: 'jane@example.com.md', chunks: [] },
        ],
      },
    ],
    tags,
  );
  group = groups[0]!;
  assert.equal((await t.put('/authz/policies/default', stored)).status, 200);
  const expires = Math.floor(now.getTime() / 1000) + 60;
  const ada = { attributes: { department: 'sales', clearance: 2 }, expires_time: expires };
  assert.equal((await t.put('/authz/subjects/ada/attributes', ada)).status, 200);
});
after(() => t.close());

async function preview(body: object, key = t.key) {
  const { status, body: answer, text } = await t.post('/authz/preview', body, key);
  assert.equal(status, 200, text);
  return answer;
}
const ids = (answer: { sample: { source_id: string }[] }) => answer.sample.map((source) => source.source_id);

test('a draft is compared with the stored policy, for a principal', async () => {
  const answer = await preview({ principal_id: 'ada', policy: draft });
  const { sample, ...counts } = answer;
  assert.deepEqual(counts, {
    total: 4,
    visible: 2,
    visible_before: 1,
    appearing: 2,
    disappearing: 1,
    stored_version: 1,
    attributes: { department: 'sales', clearance: 2 },
    tests: [],
  });
  assert.deepEqual(new Set(ids(answer).slice(0, 3)), new Set([SALES, LEGAL, LEVELS]), 'changes come first');
  const row = (id: string) => sample.find((one: { source_id: string }) => one.source_id === id);
  assert.deepEqual(row(LEGAL), {
    source_id: LEGAL,
    name: 'legal.md',
    path: null,
    visible: true,
    visible_before: false,
    matched_rule: '/filters/0',
  });
  assert.deepEqual([row(LEVELS).visible, row(LEVELS).matched_rule], [true, '/filters/1']);
  assert.deepEqual([row(SALES).visible, row(SALES).visible_before, row(SALES).matched_rule], [false, true, '']);
  assert.equal(row(EMPTY).visible, false);
});

test('a preview agrees with what the policy shows once it is stored', async () => {
  const expected = await preview({ principal_id: 'ada', policy: draft });
  assert.equal((await t.put('/authz/policies/other', draft)).status, 200);
  const after = await preview({ principal_id: 'ada', authz_policy: 'other' });
  assert.deepEqual(
    [after.visible, after.visible_before, after.appearing, after.disappearing],
    [expected.visible, expected.visible, 0, 0],
  );
  for (const { source_id, visible, matched_rule } of after.sample) {
    const body = { principal_id: 'ada', authz_policy: 'other', source_id };
    assert.deepEqual((await t.post('/authz/explain', body)).body, { allowed: visible, matched_rule });
  }
});

test('attributes may be given instead of a principal, and unknown principals have none', async () => {
  const given = await preview({ attributes: { department: 'legal' } });
  assert.deepEqual([given.visible, given.attributes], [1, { department: 'legal' }]);
  for (const body of [{}, { principal_id: 'nobody' }]) assert.equal((await preview(body)).visible, 0);
  const both = await t.post('/authz/preview', { principal_id: 'ada', attributes: {} });
  assert.equal(both.status, 400);
  assert.equal((await t.post('/authz/preview', { authz_policy: 'missing' })).status, 404);
  const fresh = await preview({ authz_policy: 'missing', policy: draft });
  assert.deepEqual([fresh.stored_version, fresh.visible_before, fresh.visible], [null, 0, 1]);
  now = new Date(now.getTime() + 61_000);
  assert.deepEqual((await preview({ principal_id: 'ada' })).attributes, {}, 'they have expired');
  now = new Date(now.getTime() - 61_000);
});

test('each test of a draft says whether it passes, and a malformed draft is refused with a pointer', async () => {
  const source = { source_metadata: { department: 'legal' } };
  const tests = [
    { name: 'lawyers', given: {}, source, expect: 'allow' },
    { name: 'wrong', given: {}, source, expect: 'deny' },
  ];
  const [passes, fails] = (await preview({ policy: { ...draft, tests } })).tests;
  assert.equal(passes, null);
  assert.match(fails, /^\/tests\/1 \(wrong\): expects deny, but the policy allows it\. \/filters\/0 decided/);
  const wrong = { operator: 'or', filters: [{ key: 'a', operator: 'near', value: 1 }] };
  const answer = await t.post('/authz/preview', { policy: wrong });
  assert.equal(answer.status, 400);
  assert.match(answer.text, /\/policy\/filters\/0\/operator/);
});

test('limited keys see only their groups, and keys that may not list sources see no names', async () => {
  const limited = await t.issueKey(['authz:grant', 'knowledge:read'], { sourceGroupIds: [group] });
  const answer = await preview({ principal_id: 'ada', policy: draft }, limited);
  assert.deepEqual([answer.total, new Set(ids(answer))], [2, new Set([SALES, LEGAL])]);
  const nameless = await preview({ policy: draft }, await t.issueKey(['authz:grant']));
  assert.deepEqual(new Set(nameless.sample.map(({ name }: { name: string }) => name)), new Set(['']));
  assert.equal((await preview({ policy: draft, limit: 0 })).sample.length, 0);
  assert.equal((await t.post('/authz/preview', { limit: 21 })).status, 400);
});

test('a policy that would hold the database for long is refused', async () => {
  // On a server, ten times the work of the embedded database is allowed.
  const long = { key: 'a', operator: 'in', value: Array.from({ length: 1_000 }, (_, i) => `value ${i}`) };
  const answer = await t.post('/authz/preview', { policy: { operator: 'or', filters: Array(50).fill(long) } });
  assert.equal(answer.status, 400, answer.text);
  assert.match(answer.text, /\/policy: a preview would take too long on 4 sources/);
});

test('the sample has the paths of files, except for keys that may not list sources and where redaction changes them', async () => {
  const pathOf = async (path: string, key = t.key) => {
    await t.deps.db.query(
      t.tenantId,
      sql`update source set path = ${path} where tenant_id = ${t.tenantId} and id = ${SALES}`,
    );
    const { sample } = (await t.post('/authz/preview', { policy: draft, attributes: { department: 'sales' } }, key))
      .body;
    return sample.find((one: { source_id: string }) => one.source_id === SALES).path;
  };
  assert.equal(await pathOf('north/sales.md'), 'north/sales.md');
  assert.equal(await pathOf('north/sales.md', await t.issueKey(['authz:grant'])), null);
  const rule = { name: 'mail', kind: 'entity', entities: ['email'], action: 'mask', apply_at: ['retrieval'] };
  await t.put('/redaction-policy', { enabled: true, rules: [rule] });
  assert.equal(await pathOf('jane@example.com/sales.md'), null);
  assert.equal(await pathOf('north/sales.md'), 'north/sales.md');
  await t.delete('/redaction-policy');
});

test('redaction rules apply to the names of the sample', async () => {
  const rule = { name: 'mail', kind: 'entity', entities: ['email'], action: 'mask', apply_at: ['retrieval'] };
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [rule] })).status, 200);
  const { text } = await t.post('/authz/preview', { policy: draft });
  assert.ok(!text.includes('jane@'), text);
  assert.equal((await t.delete('/redaction-policy')).status, 200);
});

test('a draft of redaction rules is tried on a text, and nothing is stored', async () => {
  const rule = { name: 'staff', kind: 'regex', pattern: 'EMP-\\d{4}', action: 'mask', apply_at: ['output'] };
  const text = 'Ask EMP-4711 or jane@example.com.';
  assert.equal((await t.post('/redaction-policy/test', { text })).status, 404);
  const tried = await t.post('/redaction-policy/test', { text, policy: { enabled: false, rules: [rule] } });
  assert.equal(tried.body.text, 'Ask [STAFF] or jane@example.com.');
  assert.deepEqual(
    tried.body.matches.map(({ rule, start, end }: Record<string, unknown>) => [rule, start, end]),
    [['staff', 4, 12]],
  );
  const hashed = { enabled: true, rules: [{ ...rule, action: 'hash' }] };
  assert.match(
    (await t.post('/redaction-policy/test', { text, policy: hashed })).body.text,
    /^Ask \[STAFF:[0-9a-f]+\]/,
  );
  assert.equal((await t.get('/redaction-policy')).status, 404);
  const wrong = { enabled: true, rules: [{ ...rule, pattern: '(' }] };
  const refused = await t.post('/redaction-policy/test', { text, policy: wrong });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /\/policy\/rules\/0\/pattern/);
});
