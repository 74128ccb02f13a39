/** The redaction policy over HTTP: validated when it is saved, one for each tenant, versioned, tried without being in force. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../src/db/sql.ts';
import { openRedactors } from '../../../src/redaction/redactors.ts';
import { rotateMasterKey } from '../../../src/vault/rotate.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';

const mail = { name: 'mail', kind: 'entity', entities: ['email'], action: 'mask', apply_at: ['retrieval'] };
const staff = { name: 'staff', kind: 'regex', pattern: 'EMP-\\d{4,8}', action: 'hash', apply_at: ['output'] };
const project = { name: 'project', kind: 'dictionary', terms: ['Blue Heron'], action: 'drop', apply_at: ['output'] };
const PATH = '/redaction-policy';

let t: TestApp;
let now = new Date('2026-03-01T12:00:00Z');
before(async () => {
  t = await openTestApp({ given: { clock: { now: () => now } } });
});
after(() => t.close());

const put = (rules: unknown[], enabled = true, key?: string) => t.put(PATH, { enabled, rules }, key);
const redacted = async (text: string, more: object = {}, key?: string) =>
  (await t.post(`${PATH}/test`, { text, ...more }, key)).body;

describe('the policy', () => {
  test('is not there at first, is saved whole, changed with a new version, and deleted', async () => {
    assert.equal((await t.get(PATH)).status, 404);
    assert.equal((await t.delete(PATH)).status, 404);
    assert.equal((await t.post(`${PATH}/test`, { text: 'x' })).status, 404);
    const made = await put([mail, staff, project]);
    assert.equal(made.status, 200, made.text);
    assert.deepEqual(made.body, {
      enabled: true,
      rules: [mail, { ...staff, ignore_case: false }, { ...project, ignore_case: true, whole_words: true }],
      version: 1,
      creation_time: now.getTime() / 1000,
      last_update_time: now.getTime() / 1000,
    });
    now = new Date('2026-03-02T12:00:00Z');
    const changed = await put([mail], false);
    assert.deepEqual([changed.body.version, changed.body.enabled, changed.body.rules], [2, false, [mail]]);
    assert.notEqual(changed.body.creation_time, changed.body.last_update_time);
    assert.deepEqual((await t.get(PATH)).body, changed.body);
    assert.deepEqual((await t.delete(PATH)).body, changed.body);
    assert.equal((await t.get(PATH)).status, 404);
    // A later policy never has the version of an earlier one: compiled forms and stored texts are told apart by it.
    assert.equal((await put([mail])).body.version, 4);
  });

  test('is changed and deleted only in the version that the caller names, if it names one', async () => {
    await put([mail]);
    const { body, headers } = await t.get(PATH);
    assert.equal(headers.etag, `"${body.version}"`);
    const send = (method: 'PUT' | 'DELETE', condition: Record<string, string>) =>
      t.request({
        method,
        path: PATH,
        headers: condition,
        ...(method === 'PUT' && { body: { enabled: true, rules: [staff] } }),
      });
    const mine = { 'if-match': headers.etag as string };
    const answers = await Promise.all([send('PUT', mine), send('PUT', mine), send('PUT', { 'if-none-match': '*' })]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412, 412]);
    assert.equal((await send('DELETE', mine)).status, 412);
    assert.deepEqual((await t.get(PATH)).body.version, body.version + 1);
    assert.equal((await send('DELETE', { 'if-match': `"${body.version + 1}"` })).status, 200);
    assert.equal((await send('PUT', { 'if-none-match': '*' })).status, 200);
  });

  test('belongs to its tenant alone', async () => {
    await put([mail]);
    const other = await t.secondTenant();
    assert.equal((await t.get(PATH, other.key)).status, 404);
    assert.equal((await put([project], true, other.key)).status, 200);
    assert.deepEqual((await t.get(PATH)).body.rules, [mail]);
    assert.equal((await t.delete(PATH, other.key)).status, 200);
    assert.equal((await t.get(PATH)).status, 200);
  });

  test('leaves a row in the audit log with every change, without patterns and terms', async () => {
    const count = async () =>
      t.deps.db.query<{ action: string; details: object }>(
        t.tenantId,
        sql`select action, details from audit_event where object_kind = 'redaction_policy' order by seq desc`,
      );
    const before = (await count()).length;
    await put([staff, project]);
    await t.delete(PATH);
    await put([mail]);
    const rows = await count();
    assert.deepEqual(
      rows.slice(0, rows.length - before).map((row) => row.action),
      ['create', 'delete', 'change'],
    );
    assert.doesNotMatch(JSON.stringify(rows), /EMP-|Heron/);
  });
});

describe('what is refused, with the reason', () => {
  const cases: [what: string, rules: unknown[], reason: RegExp][] = [
    ['look-ahead', [{ ...staff, pattern: 'a(?=b)' }], /\/rules\/0\/pattern.*look-ahead/],
    ['negative look-behind', [{ ...staff, pattern: '(?<!a)b' }], /negative look-behind/],
    ['a backreference', [{ ...staff, pattern: '(a)\\1' }], /backreference/],
    ['a named backreference', [{ ...staff, pattern: '(?P<x>a)\\k<x>' }], /backreference/],
    ['an atomic group', [{ ...staff, pattern: '(?>a)b' }], /atomic/],
    ['a possessive quantifier', [{ ...staff, pattern: 'a++' }], /possessive/],
    ['an open group', [{ ...staff, pattern: '(a' }], /without its/],
    ['an open class', [{ ...staff, pattern: '[a' }], /without its/],
    ['an unknown class of characters', [{ ...staff, pattern: '\\p{Nope}' }], /\/rules\/0\/pattern/],
    ['a pattern that matches nothing', [{ ...staff, pattern: 'a*' }], /empty text/],
    ['a pattern that is too long when it matches', [{ ...staff, pattern: '(a+){20}' }], /at most 200/],
    ['a pattern that is too large', [{ ...staff, pattern: '(a|b|c|d|e){30}' }], /too large/],
    [
      'patterns that are too large together',
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ ...staff, name, pattern: '\\d{190}' })),
      /together/,
    ],
    ['two rules of one name', [mail, mail], /\/rules\/1\/name/],
    ['an unknown entity', [{ ...mail, entities: ['shoe_size'] }], /\/rules\/0\/entities/],
    [
      'names without an analyzer',
      [{ ...mail, entities: ['email', 'person'] }],
      /^\/rules\/0\/entities\/1: person .* PINAKES_PRESIDIO_URL/,
    ],
    ['no entity', [{ ...mail, entities: [] }], /\/rules\/0\/entities/],
    ['an unknown kind', [{ ...mail, kind: 'magic' }], /\/rules\/0/],
    ['an unknown member', [{ ...mail, colour: 'red' }], /colour/],
    ['a member of another kind', [{ ...mail, pattern: 'a' }], /pattern/],
    ['no step', [{ ...mail, apply_at: [] }], /apply_at/],
    ['a step twice', [{ ...mail, apply_at: ['output', 'output'] }], /twice/],
    ['a blank term', [{ ...project, terms: [' '] }], /blank/],
    ['too many terms', [{ ...project, terms: Array.from({ length: 10_001 }, (_, i) => `t${i}`) }], /\/rules\/0\/terms/],
    [
      'too many characters',
      [{ ...project, terms: Array.from({ length: 1_100 }, (_, i) => `${i}`.padEnd(190, 'x')) }],
      /200000/,
    ],
    ['too many rules', Array.from({ length: 101 }, (_, i) => ({ ...mail, name: `m${i}` })), /\/rules/],
  ];
  for (const [what, rules, reason] of cases) {
    test(what, async () => {
      const stored = (await put([mail])).body;
      const answer = await put(rules);
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.body.error.message, reason);
      assert.deepEqual((await t.get(PATH)).body, stored);
    });
  }
});

describe('trying it', () => {
  test('says what becomes of a text and why, in code points, also while the policy is not enabled', async () => {
    await put([mail, staff, project], false);
    const { text, matches, blocked } = await redacted('😀 jane@example.com, EMP-4711, the blue heron.');
    assert.match(text, /^😀 \[EMAIL\], \[STAFF:[0-9a-f]{16}\], the \.$/);
    assert.equal(blocked, false);
    assert.deepEqual(matches, [
      { rule: 'mail', kind: 'entity', entity: 'email', start: 2, end: 18, action: 'mask' },
      { rule: 'staff', kind: 'regex', entity: null, start: 20, end: 28, action: 'hash' },
      { rule: 'project', kind: 'dictionary', entity: null, start: 34, end: 44, action: 'drop' },
    ]);
    assert.equal((await redacted('jane@example.com EMP-4711', { apply_at: 'retrieval' })).text, '[EMAIL] EMP-4711');
  });

  test('a rule that blocks withholds the text as a whole', async () => {
    await put([{ ...mail, action: 'block' }]);
    const answer = await redacted('Ask jane@example.com today.');
    assert.deepEqual([answer.text, answer.blocked, answer.matches.length], ['', true, 1]);
  });

  test('equal values have equal hashes, within a tenant only', async () => {
    const hashed = { ...mail, action: 'hash' };
    await put([hashed]);
    const first = (await redacted('a@example.com b@example.com A@Example.com')).text.split(' ');
    assert.equal(first[0], first[2]);
    assert.notEqual(first[0], first[1]);
    const other = await t.secondTenant();
    await put([hashed], true, other.key);
    assert.notEqual((await redacted('a@example.com', {}, other.key)).text, first[0]);
    await put([hashed, project]);
    assert.equal((await redacted('a@example.com')).text, first[0], 'a change of the policy keeps them');
  });
});

describe('the compiled policy', () => {
  test('has other hashes after a rotation of the master key, on every process at once', async () => {
    const redactors = openRedactors(t.deps.config);
    const hash = async () => {
      const redactor = await t.deps.db.transaction(t.tenantId, (tx) => redactors.forTenant(tx));
      return (await redactor?.redact('a@example.com', 'retrieval'))?.text;
    };
    await put([{ ...mail, action: 'hash' }]);
    const before = await hash();
    assert.match(before ?? '', /^\[EMAIL:/);
    assert.equal(await hash(), before);
    await rotateMasterKey(t.deps);
    const after = await hash();
    assert.match(after ?? '', /^\[EMAIL:/);
    assert.notEqual(after, before);
  });

  test('is that of the transaction that asks, and kept until the policy changes', async () => {
    const redactors = openRedactors(t.deps.config);
    const current = () => t.deps.db.transaction(t.tenantId, (tx) => redactors.forTenant(tx));
    await put([mail]);
    const first = await current();
    assert.equal((await first?.redact('a@example.com', 'retrieval'))?.text, '[EMAIL]');
    assert.equal(await current(), first);
    await put([{ ...mail, action: 'drop' }]);
    assert.equal((await (await current())?.redact('a@example.com', 'retrieval'))?.text, '');
    await put([mail], false);
    assert.equal(await current(), null);
    await put([mail]);
    assert.notEqual(await current(), null);
    await t.delete(PATH);
    assert.equal(await current(), null);
  });
});
