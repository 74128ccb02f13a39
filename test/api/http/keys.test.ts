/** API keys: authentication, and the rights that a key can pass on. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { generateApiKey } from '../../../src/access/api-key.ts';
import { SCOPES } from '../../../src/access/caller.ts';
import { sql } from '../../../src/db/sql.ts';
import { API_KEYS_MAX } from '../../../src/features/api-keys/api-keys.ts';
import { KEY_CACHE_MS } from '../../../src/http/auth.ts';
import { newId } from '../../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';

let t: TestApp;
let now = new Date('2026-03-01T12:00:00Z');
const later = (ms: number): Date => new Date(now.getTime() + ms);
const seconds = (date: Date): number => date.getTime() / 1000;
before(async () => {
  t = await openTestApp({ given: { clock: { now: () => now } } });
});
after(() => t.close());

describe('authentication by API key', () => {
  test('missing, malformed, unknown, expired and revoked keys get the same answer', async () => {
    const expired = await t.issueKey(SCOPES, { expiresAt: later(-1) });
    const revoked = (await t.post('/api-keys', { name: 'r', scopes: ['apikeys:issue'] })).body;
    await t.delete(`/api-keys/${revoked.id}`);
    const wrongSecret = t.key.slice(0, 15) + generateApiKey().key.slice(15);
    const keys = [
      null,
      '',
      'x',
      t.key.toLowerCase(),
      `${t.key}x`,
      generateApiKey().key,
      wrongSecret,
      expired,
      revoked.key,
      `${t.key}, ${t.key}`,
    ];
    const answers = new Set<string>();
    for (const key of keys) {
      const answer = await t.get('/api-keys', key);
      assert.equal(answer.status, 401, String(key));
      answers.add(answer.text);
    }
    assert.equal(answers.size, 1);
    assert.equal((await t.get('/api-keys')).status, 200);
  });
  test('a key is accepted in the header x-api-key only', async () => {
    const answer = await t.request({
      path: `/api-keys?x-api-key=${t.key}`,
      key: null,
      headers: { authorization: `Bearer ${t.key}` },
    });
    assert.equal(answer.status, 401);
  });
  test('a key stops working when it expires', async () => {
    const key = await t.issueKey(SCOPES, { expiresAt: later(60_000) });
    const start = now;
    assert.equal((await t.get('/api-keys', key)).status, 200);
    now = later(60_000);
    assert.equal((await t.get('/api-keys', key)).status, 401);
    now = start;
  });
  test('a revocation by another process takes effect within a second', async () => {
    const { id, key } = (await t.post('/api-keys', { name: 'r', scopes: ['apikeys:issue'] })).body;
    assert.equal((await t.get('/api-keys', key)).status, 200);
    await t.deps.db.system.query(sql`update api_key set revoked_at = ${now} where id = ${id}`);
    const start = now;
    now = later(KEY_CACHE_MS);
    assert.ok(KEY_CACHE_MS < 1000);
    assert.equal((await t.get('/api-keys', key)).status, 401);
    now = start;
  });
  test('a revocation by this process takes effect at once', async () => {
    const { id, key } = (await t.post('/api-keys', { name: 'r', scopes: ['apikeys:issue'] })).body;
    assert.equal((await t.get('/api-keys', key)).status, 200);
    assert.equal((await t.delete(`/api-keys/${id}`)).status, 200);
    assert.equal((await t.get('/api-keys', key)).status, 401);
  });
});

describe('issuing an API key', () => {
  test('shows the key once and stores only its hash', async () => {
    const expires = seconds(later(3_600_000));
    const made = await t.post('/api-keys', {
      name: 'Größe 😀',
      scopes: ['knowledge:read', 'knowledge:read'],
      expires_time: expires,
    });
    assert.equal(made.status, 201, made.text);
    const { key, ...shown } = made.body;
    assert.match(key, /^pk_[0-9A-Za-z]{61}$/);
    assert.deepEqual(shown, {
      id: shown.id,
      name: 'Größe 😀',
      scopes: ['knowledge:read'],
      source_group_ids: null,
      tag_ids: null,
      expires_time: expires,
      issued_by: (await t.get('/api-keys')).body.api_keys[0].id,
      creation_time: seconds(now),
      last_used_time: null,
    });
    const list = await t.get('/api-keys?limit=100');
    assert.deepEqual(list.body.api_keys.at(-1), shown);
    assert.ok(!list.text.includes(key));
    const rows = await t.deps.db.system.query(sql`select * from api_key where id = ${shown.id}`);
    assert.ok(!JSON.stringify(rows).includes(key.slice(15)), 'the secret is not in the database');
    assert.ok(!JSON.stringify(t.logs).includes(key.slice(15)), 'nor in the log');
  });
  test('refuses requests that make no sense', async () => {
    const base = { name: 'x', scopes: ['knowledge:read'] };
    for (const change of [
      { name: '' },
      { name: 'x'.repeat(201) },
      { name: null },
      { scopes: [] },
      { scopes: ['admin'] },
      { scopes: 'knowledge:read' },
      { expires_time: seconds(now) },
      { expires_time: 1.5 },
      { expires_time: 1e18 },
      { expires_time: '2027-01-01' },
      { source_group_ids: [] },
      { source_group_ids: [1] },
      { tag_ids: Array.from({ length: 101 }, () => newId()) },
      { tenant_id: newId() },
      { key: generateApiKey().key },
    ]) {
      const answer = await t.post('/api-keys', { ...base, ...change });
      assert.equal(answer.status, 400, JSON.stringify(change));
    }
  });
  test('never gives rights that the issuing key does not have', async () => {
    const group = await addGroup(t, t.tenantId);
    const other = await addGroup(t, t.tenantId);
    const end = later(1_000_000);
    const key = await t.issueKey(['apikeys:issue', 'knowledge:read'], { expiresAt: end, sourceGroupIds: [group] });
    const within = { name: 'x', scopes: ['knowledge:read'], expires_time: seconds(end), source_group_ids: [group] };
    assert.equal((await t.post('/api-keys', within, key)).status, 201);
    for (const change of [
      { scopes: ['knowledge:read', 'knowledge:write'] },
      { expires_time: seconds(end) + 1 },
      { expires_time: null },
      { source_group_ids: [group, other] },
      { source_group_ids: null },
    ]) {
      const answer = await t.post('/api-keys', { ...within, ...change }, key);
      assert.equal(answer.status, 403, JSON.stringify(change));
    }
  });
});

describe('revoking an API key', () => {
  test('is refused for a key with rights that the caller’s key does not have', async () => {
    const small = await t.issueKey(['apikeys:issue']);
    const big = (await t.post('/api-keys', { name: 'big', scopes: SCOPES })).body;
    assert.equal((await t.delete(`/api-keys/${big.id}`, small)).status, 403);
    assert.equal((await t.get('/api-keys', big.key)).status, 200, 'it still works');
    assert.equal((await t.delete(`/api-keys/${big.id}`)).status, 200);
    assert.equal((await t.delete(`/api-keys/${big.id}`)).status, 404);
  });
  test('is allowed for the caller’s own key', async () => {
    const { id, key } = (await t.post('/api-keys', { name: 'self', scopes: ['apikeys:issue'] })).body;
    assert.equal((await t.delete(`/api-keys/${id}`, key)).status, 200);
    assert.equal((await t.get('/api-keys', key)).status, 401);
  });
});

describe('rotating an API key', () => {
  const issue = async (body: Record<string, unknown> = {}, key?: string) =>
    (await t.post('/api-keys', { name: 'r', scopes: ['apikeys:issue'], ...body }, key)).body;
  const works = async (key: string): Promise<boolean> => (await t.get('/api-keys', key)).status === 200;

  test('issues a new key at once, and the old key works until the grace time ends', async () => {
    const expires = seconds(later(3_600_000));
    const group = await addGroup(t, t.tenantId);
    const old = await issue({ name: 'Größe', expires_time: expires, source_group_ids: [group] });
    const rotated = await t.post(`/api-keys/${old.id}/rotate`, { grace_seconds: 60 });
    assert.equal(rotated.status, 201, rotated.text);
    const { key, ...shown } = rotated.body;
    assert.notEqual(shown.id, old.id);
    assert.deepEqual(shown, {
      id: shown.id,
      name: 'Größe',
      scopes: ['apikeys:issue'],
      source_group_ids: [group],
      tag_ids: null,
      expires_time: expires,
      issued_by: (await t.get('/api-keys')).body.api_keys[0].id,
      creation_time: seconds(now),
      last_used_time: null,
    });
    assert.notEqual(key, old.key);
    const listed = (await t.get('/api-keys?limit=100')).body.api_keys as { id: string; expires_time: number }[];
    assert.equal(listed.find((one) => one.id === old.id)?.expires_time, seconds(later(60_000)));
    const start = now;
    now = new Date(start.getTime() + 59_999);
    assert.deepEqual([await works(old.key), await works(key)], [true, true]);
    now = new Date(start.getTime() + 60_000);
    assert.deepEqual([await works(old.key), await works(key)], [false, true]);
    now = start;
  });
  test('ends the old key at once without a grace time', async () => {
    for (const body of [undefined, {}, { grace_seconds: 0 }]) {
      const old = await issue();
      assert.ok(await works(old.key));
      const rotated = await t.request({ method: 'POST', path: `/api-keys/${old.id}/rotate`, ...(body && { body }) });
      assert.equal(rotated.status, 201, rotated.text);
      assert.deepEqual([await works(old.key), await works(rotated.body.key)], [false, true]);
    }
  });
  test('never extends the life of the old key by the grace time', async () => {
    const old = await issue({ expires_time: seconds(later(10_000)) });
    const { key } = (await t.post(`/api-keys/${old.id}/rotate`, { grace_seconds: 7_776_000 })).body;
    const start = now;
    now = later(10_000);
    assert.deepEqual([await works(old.key), await works(key)], [false, false]);
    assert.equal((await t.post(`/api-keys/${old.id}/rotate`, {})).status, 409);
    now = start;
  });
  test('is possible once per key: then its successor is rotated, and the old key may be revoked before its grace time ends', async () => {
    const old = await issue();
    const next = (await t.post(`/api-keys/${old.id}/rotate`, { grace_seconds: 60 })).body;
    const again = await t.post(`/api-keys/${old.id}/rotate`, { grace_seconds: 60 });
    assert.equal(again.status, 409);
    assert.ok(again.text.includes(next.id));
    assert.equal((await t.post(`/api-keys/${next.id}/rotate`, { grace_seconds: 60 })).status, 201);
    assert.equal((await t.delete(`/api-keys/${old.id}`)).status, 200);
    assert.deepEqual([await works(old.key), await works(next.key)], [false, true]);
    assert.equal((await t.post(`/api-keys/${old.id}/rotate`, {})).status, 404);
  });
  test('is allowed for the caller’s own key, which during its grace time can issue only keys that end before it', async () => {
    const old = await issue();
    const { id, key } = (await t.post(`/api-keys/${old.id}/rotate`, { grace_seconds: 60 }, old.key)).body;
    assert.ok(await works(key));
    assert.equal((await t.post('/api-keys', { name: 'x', scopes: ['apikeys:issue'] }, old.key)).status, 403);
    assert.equal((await t.post(`/api-keys/${id}/rotate`, {}, old.key)).status, 403);
    assert.equal((await t.delete(`/api-keys/${id}`, old.key)).status, 403);
    const short = { name: 'x', scopes: ['apikeys:issue'], expires_time: seconds(later(60_000)) };
    assert.equal((await t.post('/api-keys', short, old.key)).status, 201);
  });
  test('is refused for a key with more scopes, wider limits or a later expiry than the caller’s key', async () => {
    const [group, other] = [await addGroup(t, t.tenantId), await addGroup(t, t.tenantId)];
    const end = later(1_000_000);
    const small = await t.issueKey(['apikeys:issue', 'knowledge:read'], { expiresAt: end, sourceGroupIds: [group] });
    const within = { scopes: ['knowledge:read'], expires_time: seconds(end), source_group_ids: [group] };
    for (const change of [
      { scopes: ['knowledge:write'] },
      { expires_time: seconds(end) + 1 },
      { expires_time: null },
      { source_group_ids: [group, other] },
      { source_group_ids: null },
    ]) {
      const target = await issue({ ...within, ...change });
      assert.equal((await t.post(`/api-keys/${target.id}/rotate`, {}, small)).status, 403, JSON.stringify(change));
      assert.equal((await t.delete(`/api-keys/${target.id}`, small)).status, 403, JSON.stringify(change));
      assert.notEqual((await t.get('/api-keys', target.key)).status, 401, 'it still works');
    }
    const target = await issue(within);
    assert.equal((await t.post(`/api-keys/${target.id}/rotate`, {}, small)).status, 201);
  });
  test('refuses requests that make no sense, and never returns a key twice', async () => {
    const old = await issue();
    for (const body of [{ grace_seconds: -1 }, { grace_seconds: 1.5 }, { grace_seconds: 7_776_001 }, { grace: 1 }]) {
      assert.equal((await t.post(`/api-keys/${old.id}/rotate`, body)).status, 400, JSON.stringify(body));
    }
    const headers = { 'idempotency-key': `rotate ${old.id}`, 'content-type': 'application/json' };
    const request = { method: 'POST' as const, path: `/api-keys/${old.id}/rotate`, body: '{}', headers };
    const first = await t.request(request);
    assert.deepEqual([first.status, (await t.request(request)).status], [201, 409]);
    const rows = await t.deps.db.system.query(sql`select i::text as row from idempotency_key i`);
    assert.ok(!JSON.stringify(rows).includes(first.body.key));
  });
});

test('a key that is revoked or replaced at the same moment cannot issue another key', async () => {
  const body = { name: 'x', scopes: ['apikeys:issue'] };
  for (const change of [sql`revoked_at = ${now}`, sql`expires_at = ${later(60_000)}`]) {
    const { id, key } = (await t.post('/api-keys', body)).body;
    assert.equal((await t.get('/api-keys', key)).status, 200, 'authentication is cached');
    await t.deps.db.system.query(sql`update api_key set ${change} where id = ${id}`);
    assert.equal((await t.post('/api-keys', body, key)).status, 401);
    assert.equal((await t.post(`/api-keys/${id}/rotate`, {}, key)).status, 401);
  }
});

test(`a tenant has at most ${API_KEYS_MAX} API keys that are neither revoked nor expired`, async () => {
  const { key, tenantId } = await t.secondTenant();
  const wanted = { name: 'k', scopes: ['knowledge:read'] };
  const first = (await t.post('/api-keys', wanted, key)).body;
  await t.deps.db.query(
    tenantId,
    sql`insert into api_key (tenant_id, id, root_id, family_id, public_id, name, secret_hash, scopes)
        select ${tenantId}::uuid, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'cap' || i, 'n', '', '{}' from generate_series(1, ${API_KEYS_MAX - 3}) i`,
  );
  const made = await Promise.all([1, 2, 3].map(() => t.post('/api-keys', wanted, key)));
  assert.deepEqual(made.map(({ status }) => status).toSorted(), [201, 409, 409]);
  assert.equal((await t.post(`/api-keys/${first.id}/rotate`, {}, key)).status, 409);
  assert.equal((await t.delete(`/api-keys/${first.id}`, key)).status, 200);
  assert.equal((await t.post('/api-keys', wanted, key)).status, 201);
  assert.equal((await t.post('/api-keys', wanted, key)).status, 409);
  // A program that rotates its key every hour would reach the limit within 14 months.
  await t.deps.db.query(tenantId, sql`update api_key set expires_at = ${later(-1_000)} where public_id = 'cap1'`);
  assert.equal((await t.post('/api-keys', wanted, key)).status, 201);
});

test('a key that was issued with a revoked key goes on working, and the list says which key issued it', async () => {
  const issuer = (await t.post('/api-keys', { name: 'issuer', scopes: ['apikeys:issue'] })).body;
  const child = (await t.post('/api-keys', { name: 'child', scopes: ['apikeys:issue'] }, issuer.key)).body;
  assert.equal((await t.delete(`/api-keys/${issuer.id}`)).status, 200);
  assert.equal((await t.get('/api-keys', issuer.key)).status, 401);
  const { api_keys: listed } = (await t.get('/api-keys?q=child', child.key)).body;
  assert.deepEqual(
    listed.map((one: { id: string; issued_by: string }) => [one.id, one.issued_by]),
    [[child.id, issuer.id]],
  );
});

test('a limited key sees only the keys within its limits in the list', async () => {
  const [group, other] = [await addGroup(t, t.tenantId), await addGroup(t, t.tenantId)];
  const own = await t.post('/api-keys', { name: 'own', scopes: ['apikeys:issue'], source_group_ids: [group] });
  await t.post('/api-keys', { name: 'other', scopes: ['apikeys:issue'], source_group_ids: [group, other] });
  const { api_keys: keys, pagination } = (await t.get('/api-keys', own.body.key)).body;
  assert.deepEqual([keys.map((one: { id: string }) => one.id), pagination.total], [[own.body.id], 1]);
});

test('API keys are listed in pages, oldest first', async () => {
  const second = await t.secondTenant();
  const names = ['a', 'b', 'c', 'd', 'e'];
  const ids: string[] = [];
  for (const name of names)
    ids.push((await t.post('/api-keys', { name, scopes: ['knowledge:read'] }, second.key)).body.id);
  const seen: string[] = [];
  let after = '';
  for (let pages = 0; pages < 10; pages++) {
    const { body } = await t.get(`/api-keys?limit=2${after}`, second.key);
    assert.equal(body.pagination.limit, 2);
    assert.equal(body.pagination.total, 6);
    assert.equal(body.pagination.has_more, body.pagination.next_id !== null);
    seen.push(...body.api_keys.map((key: { id: string }) => key.id));
    if (!body.pagination.has_more) break;
    after = `&after_id=${body.pagination.next_id}`;
  }
  assert.deepEqual(seen.slice(1), ids);
  await t.delete(`/api-keys/${ids[2]}`, second.key);
  const rest = await t.get(`/api-keys?after_id=${ids[2]}`, second.key);
  assert.deepEqual(
    rest.body.api_keys.map((key: { id: string }) => key.id),
    ids.slice(3),
    'a deleted row is still a position',
  );
});

test('a key and the keys that it issues share one rate limit, and the error says when to try again', async () => {
  let clock = new Date('2026-03-01T12:00:00Z');
  const limited = await openTestApp({
    env: { PINAKES_RATE_LIMIT_PER_MINUTE: '3' },
    given: { clock: { now: () => clock } },
  });
  try {
    const issued = await limited.post('/api-keys', { name: 'child', scopes: ['apikeys:issue'] });
    assert.equal(issued.status, 201);
    const child: string = issued.body.key;
    const statuses: number[] = [];
    for (const key of [limited.key, child, limited.key, child])
      statuses.push((await limited.get('/api-keys', key)).status);
    assert.deepEqual(statuses, [200, 200, 429, 429]);
    const refused = await limited.get('/api-keys');
    assert.equal(refused.body.error.type, 'rate_limit_error');
    assert.equal(refused.headers['retry-after'], '20');
    assert.equal((await limited.get('/api-keys', await limited.issueKey(SCOPES))).status, 200, 'another key');
    assert.equal((await limited.post('/api-keys', 'x')).status, 429, 'before the body is looked at');
    clock = new Date(clock.getTime() + 20_000);
    assert.equal((await limited.get('/api-keys')).status, 200);
    assert.equal((await limited.get('/api-keys')).status, 429);
  } finally {
    await limited.close();
  }
});

async function addGroup(app: TestApp, tenantId: string): Promise<string> {
  const id = newId();
  await app.deps.db.query(
    tenantId,
    sql`insert into source_group (tenant_id, id, source_type, name, status, created_at) values (${tenantId}, ${id}, 'local_file', 'g', 'success', ${now})`,
  );
  return id;
}
