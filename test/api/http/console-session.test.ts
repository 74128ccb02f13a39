/** The console's session: sign in, what the cookie may do, and everything that ends it. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { runAdminCommand } from '../../../src/admin.ts';
import { sql } from '../../../src/db/sql.ts';
import { makeSignInToken } from '../../../src/features/console/session.ts';
import { openTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';

const PATH = '//console/session';
const OWN_PAGE = { 'x-pinakes-console': '1', 'sec-fetch-site': 'same-origin' };
const HOUR_MS = 3_600_000;

let t: TestApp;
let now: Date;

before(async () => {
  now = new Date('2026-03-01T12:00:00Z');
  t = await openTestApp({ given: { clock: { now: () => now } } });
});
beforeEach(() => {
  now = new Date(now.getTime() + 61_000); // failed sign-ins of the test before no longer count
});
after(() => t.close());

function post(body: unknown, headers: Record<string, string> = OWN_PAGE): Promise<TestAnswer> {
  return t.request({ method: 'POST', path: PATH, key: null, body, headers });
}

/** Signs in and returns the `Cookie` header. */
async function signIn(key: string, headers: Record<string, string> = OWN_PAGE): Promise<string> {
  const answer = await post({ api_key: key }, headers);
  assert.equal(answer.status, 204, answer.text);
  return String(answer.headers['set-cookie']).split(';')[0]!;
}

function ask(path: string, cookie: string, headers: Record<string, string> = OWN_PAGE): Promise<TestAnswer> {
  return t.request({ path, key: null, headers: { ...headers, cookie } });
}

async function newKey(limits: object = {}): Promise<{ id: string; key: string }> {
  const { status, body } = await t.post('/api-keys', { name: 'browser', scopes: ['knowledge:read'], ...limits });
  assert.equal(status, 201);
  return body;
}

test('a key is exchanged for a cookie that scripts cannot read, and the session says who is signed in', async () => {
  const { id, key } = await newKey();
  const answer = await post({ api_key: key });
  assert.equal(answer.status, 204);
  const [name, value] = String(answer.headers['set-cookie']).split(/[=;]/);
  assert.equal(name, 'pinakes');
  assert.ok(!String(answer.headers['set-cookie']).includes(key));
  assert.match(String(answer.headers['set-cookie']), /; HttpOnly; SameSite=Strict$/);
  assert.equal(answer.headers['access-control-allow-origin'], undefined);
  const cookie = `${name}=${value}`;
  const { status, body } = await ask(PATH, cookie);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    api_key_id: id,
    api_key_name: 'browser',
    scopes: ['knowledge:read'],
    source_group_ids: null,
    tag_ids: null,
    api_key_expires_time: null,
    tenant_name: 'default',
    expires_time: Math.floor(now.getTime() / 1000) + 7 * 86_400,
    idle_seconds: 12 * 3_600,
    authorization: false,
  });
  assert.equal((await ask('/source-groups', cookie)).status, 200);
  assert.equal((await ask('/api-keys', cookie)).status, 403, 'the session has only the scopes of its key');
});

test('only the hash of the cookie is stored', async () => {
  const cookie = await signIn((await newKey()).key);
  const value = cookie.split('=')[1]!;
  const rows = await t.deps.db.system.query<{ row: string }>(sql`select c::text as row from console_session c`);
  assert.ok(rows.length > 0);
  for (const { row } of rows) {
    assert.ok(!row.includes(value));
    assert.ok(!row.includes(Buffer.from(value).toString('hex')));
  }
});

test('a request that another site may have caused neither signs in or out nor reads the session', async () => {
  const { key } = await newKey();
  const cookie = await signIn(key);
  const foreign = [
    { 'sec-fetch-site': 'same-origin' }, // a form or a picture of an attacker on our own origin: no header
    { 'x-pinakes-console': '1', 'sec-fetch-site': 'cross-site' },
    { 'x-pinakes-console': '1', 'sec-fetch-site': 'same-site' },
    { 'x-pinakes-console': '1', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
    {},
  ] as Record<string, string>[];
  for (const headers of foreign) {
    assert.equal((await post({ api_key: key }, headers)).status, 403, JSON.stringify(headers));
    assert.equal((await ask(PATH, cookie, headers)).status, 401, JSON.stringify(headers));
    const signOut = await t.request({ method: 'DELETE', path: PATH, key: null, headers: { ...headers, cookie } });
    assert.equal(signOut.status, 403);
  }
  assert.equal((await ask('/source-groups', cookie)).status, 200, 'the session still works');
});

test('a preflight of another site gets no permission', async () => {
  const answer = await t.request({
    method: 'OPTIONS',
    path: '/source-groups',
    key: null,
    headers: { origin: 'https://evil.example', 'access-control-request-headers': 'x-pinakes-console' },
  });
  assert.ok(answer.status >= 400);
  assert.equal(answer.headers['access-control-allow-origin'], undefined);
  assert.equal(answer.headers['access-control-allow-headers'], undefined);
});

test('a sign-in never keeps the cookie that it was sent, and ends its session', async () => {
  const { key } = await newKey();
  const planted = `pinakes=${'A'.repeat(43)}`;
  const first = await signIn(key, { ...OWN_PAGE, cookie: planted });
  assert.notEqual(first, planted);
  assert.equal((await ask('/source-groups', planted)).status, 401);
  const second = await signIn(key, { ...OWN_PAGE, cookie: first });
  assert.notEqual(second, first);
  assert.equal((await ask('/source-groups', first)).status, 401);
  assert.equal((await ask('/source-groups', second)).status, 200);
});

test('a session ends at once when its key is rotated, also if the key itself has a grace time', async () => {
  const { id, key } = await newKey();
  const cookie = await signIn(key);
  const { status, body } = await t.post(`/api-keys/${id}/rotate`, { grace_seconds: 3_600 });
  assert.equal(status, 201);
  assert.equal((await t.get('/source-groups', key)).status, 200, 'the old key works for its grace time');
  assert.equal((await ask('/source-groups', cookie)).status, 401);
  assert.equal((await post({ api_key: key })).status, 401);
  assert.equal((await ask('/source-groups', await signIn(body.key))).status, 200);
});

test('a session ends when its key expires', async () => {
  const { key } = await newKey({ expires_time: Math.floor(now.getTime() / 1000) + 600 });
  const cookie = await signIn(key);
  assert.equal((await ask(PATH, cookie)).body.expires_time, Math.floor(now.getTime() / 1000) + 600);
  now = new Date(now.getTime() + 601_000);
  assert.equal((await ask('/source-groups', cookie)).status, 401);
  assert.equal((await post({ api_key: key })).status, 401);
});

test('a session ends after twelve hours without a request, and after seven days', async () => {
  const { key } = await newKey();
  const unused = await signIn(key);
  now = new Date(now.getTime() + 12 * HOUR_MS);
  assert.equal((await ask('/source-groups', unused)).status, 401);
  const used = await signIn(key);
  for (let hours = 0; hours < 7 * 24 - 11; hours += 11) {
    now = new Date(now.getTime() + 11 * HOUR_MS);
    assert.equal((await ask('/source-groups', used)).status, 200, `after ${hours + 11} hours`);
  }
  now = new Date(now.getTime() + 11 * HOUR_MS);
  assert.equal((await ask('/source-groups', used)).status, 401);
});

test('signing out ends the session, and clears what the browser stored', async () => {
  const cookie = await signIn((await newKey()).key);
  const answer = await t.request({ method: 'DELETE', path: PATH, key: null, headers: { ...OWN_PAGE, cookie } });
  assert.equal(answer.status, 204);
  assert.equal(answer.headers['clear-site-data'], '"cache", "storage"');
  assert.match(String(answer.headers['set-cookie']), /pinakes=; Path=\/; Max-Age=0/);
  assert.equal((await ask('/source-groups', cookie)).status, 401);
  const again = await t.request({ method: 'DELETE', path: PATH, key: null, headers: { ...OWN_PAGE, cookie } });
  assert.equal(again.status, 204);
});

test('an API key wins over the cookie', async () => {
  const cookie = await signIn((await newKey()).key);
  const other = await t.secondTenant();
  const answer = await t.request({ path: '/source-groups', key: other.key, headers: { ...OWN_PAGE, cookie } });
  assert.equal(answer.status, 200);
  assert.equal(
    (await t.request({ path: '/source-groups', key: 'pk_wrong', headers: { ...OWN_PAGE, cookie } })).status,
    401,
  );
  const { apiKeyId } = await t.deps.auth.authenticate(other.key);
  assert.equal(t.logs.filter((line) => line['apiKeyId'] === apiKeyId).length, 1);
});

test('everything that is not a working key gets one answer, and the eleventh failure in a minute is refused', async () => {
  const { id, key } = await newKey();
  await t.delete(`/api-keys/${id}`);
  const working = (await newKey()).key;
  const wrong = [key, 'x', `${working.slice(0, -1)}_`, 'pk_'.padEnd(64, 'a')];
  const texts = new Set<string>();
  for (let i = 0; i < 9; i++) {
    const answer = await post({ api_key: wrong[i % wrong.length] });
    assert.equal(answer.status, 401);
    texts.add(answer.text);
  }
  texts.add((await post({ token: 'A'.repeat(43) })).text);
  assert.equal(texts.size, 1);
  const refused = await post({ api_key: working });
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers['retry-after']) <= 60);
  now = new Date(now.getTime() + 60_000);
  for (let i = 0; i < 12; i++) assert.equal((await post({ api_key: working })).status, 204, 'successes do not count');
});

test('behind a trusted proxy, failed sign-ins count for the address that the proxy names', async () => {
  const from = (address: string): Record<string, string> => ({
    ...OWN_PAGE,
    'x-forwarded-for': `198.51.100.1, ${address}`,
  });
  const behind = await openTestApp({ env: { PINAKES_TRUSTED_PROXIES: '127.0.0.0/8,::1' } });
  const fail = async (app: TestApp, address: string): Promise<number> =>
    (await app.request({ method: 'POST', path: PATH, key: null, body: { api_key: 'x' }, headers: from(address) }))
      .status;
  try {
    for (let i = 0; i < 10; i++) assert.equal(await fail(behind, '203.0.113.7'), 401);
    assert.equal(await fail(behind, '203.0.113.7'), 429);
    assert.equal(await fail(behind, '203.0.113.8'), 401);
  } finally {
    await behind.close();
  }
  for (let i = 0; i < 10; i++) assert.equal(await fail(t, `203.0.113.${i}`), 401);
  assert.equal(await fail(t, '203.0.113.99'), 429, 'without the setting, nobody believes the header');
});

test('a body that is no proof is refused in words', async () => {
  for (const body of [{}, { api_key: 'a', token: 'b' }, { key: 'x' }, [], 'null'])
    assert.equal((await post(body)).status, 400, JSON.stringify(body));
  const typed = await post({ api_key: 'x' }, { ...OWN_PAGE, 'content-type': 'text/plain' });
  assert.equal(typed.status, 415);
  assert.equal((await post({ api_key: 'x'.repeat(2_000) })).status, 413);
});

test('sign-in and sign-out are in the audit log, without any secret', async () => {
  const { id, key } = await newKey();
  const cookie = await signIn(key);
  await t.request({ method: 'DELETE', path: PATH, key: null, headers: { ...OWN_PAGE, cookie } });
  const { body } = await t.get(`/audit-events?object_kind=console_session&api_key_id=${id}`);
  assert.deepEqual(
    body.audit_events.map((event: { action: string }) => event.action),
    ['create', 'delete'],
  );
  assert.ok(!JSON.stringify(body).includes(cookie.split('=')[1]!));
});

test('a sign-in link of the operator works once and for ten minutes', async () => {
  const made = (await runAdminCommand(t.deps, 'POST', '/console-links', {})) as { token: string; expires_time: number };
  assert.equal(made.expires_time, Math.floor(now.getTime() / 1000) + 600);
  const answer = await post({ token: made.token });
  assert.equal(answer.status, 204);
  const cookie = String(answer.headers['set-cookie']).split(';')[0]!;
  assert.ok((await ask(PATH, cookie)).body.scopes.includes('apikeys:issue'));
  assert.equal((await post({ token: made.token })).status, 401);
  const late = await makeSignInToken(t.deps);
  now = new Date(now.getTime() + 600_000);
  assert.equal((await post({ token: late.token })).status, 401);
});

test('a sign-in link ends with its key, and there is none for an unknown tenant', async () => {
  const other = await t.secondTenant();
  const [tenant] = await t.deps.db.system.query<{ name: string }>(
    sql`select name from tenant where id = ${other.tenantId}`,
  );
  const { token } = await makeSignInToken(t.deps, tenant!.name);
  const { apiKeyId } = await t.deps.auth.authenticate(other.key);
  assert.equal((await t.delete(`/api-keys/${apiKeyId}`, other.key)).status, 200);
  assert.equal((await post({ token })).status, 401);
  await assert.rejects(makeSignInToken(t.deps, tenant!.name), /No key of an operator works/);
  await assert.rejects(makeSignInToken(t.deps, 'nobody'), /There is no tenant/);
});

test('a key has at most a hundred sessions: the oldest ends', async () => {
  const { key } = await newKey();
  const oldest = await signIn(key);
  const next = await signIn(key);
  for (let i = 0; i < 99; i++) await signIn(key);
  assert.equal((await ask('/source-groups', oldest)).status, 401);
  assert.equal((await ask('/source-groups', next)).status, 200);
});

test('a repeated request with an idempotency key gets the first answer in the same session', async () => {
  const key = await t.issueKey(['knowledge:write', 'knowledge:read', 'ingestion:manage']);
  const cookie = await signIn(key);
  const send = () =>
    t.request({
      method: 'POST',
      path: '/tags',
      key: null,
      body: { name: 'once' },
      headers: { ...OWN_PAGE, cookie, 'idempotency-key': 'abc' },
    });
  const first = await send();
  const second = await send();
  assert.equal(second.text, first.text);
  assert.equal(second.headers['idempotent-replayed'], 'true');
});
