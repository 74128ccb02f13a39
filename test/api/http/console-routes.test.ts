/**
 * What a session of the console may do on every route of the API: nothing for requests that another site may have caused, for planted,
 * expired and ended sessions, and for those whose key was revoked or rotated. A new route is in the table by itself.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SCOPES } from '../../../src/access/caller.ts';
import { apiRoutes } from '../../../src/app.ts';
import type { Route } from '../../../src/http/route.ts';
import { newId } from '../../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';

const OWN_PAGE = { 'x-pinakes-console': '1', 'sec-fetch-site': 'same-origin' };
const DAY_MS = 86_400_000;

let t: TestApp;
let now: Date;
let routes: Route[];

before(async () => {
  now = new Date('2026-03-01T12:00:00Z');
  t = await openTestApp({ given: { clock: { now: () => now } } });
  routes = apiRoutes(t.deps);
});
after(() => t.close());

interface Signed {
  id: string;
  cookie: string;
}

/** Signs in with a new key that has all scopes. */
async function signIn(headers: Record<string, string> = {}): Promise<Signed> {
  const { id, key } = (await t.post('/api-keys', { name: 'browser', scopes: SCOPES })).body;
  const request = { method: 'POST', path: '//console/session', key: null, body: { api_key: key } } as const;
  const answer = await t.request({ ...request, headers: { ...OWN_PAGE, ...headers } });
  assert.equal(answer.status, 204, answer.text);
  return { id, cookie: String(answer.headers['set-cookie']).split(';')[0]! };
}

/** Returns the status of a request that changes nothing, because its id is unknown or its body malformed. */
async function statusOf(route: Route, headers: Record<string, string>): Promise<number> {
  const path = route.path.replace(/\{\w+\}/g, newId());
  const body = route.method === 'GET' || route.multipart ? undefined : '{"no such member":1}';
  const type: Record<string, string> = route.multipart ? { 'content-type': 'multipart/form-data; boundary=x' } : {};
  return (await t.request({ method: route.method, path, key: null, body, headers: { ...type, ...headers } })).status;
}

async function refusedEverywhere(what: string, headers: Record<string, string>): Promise<void> {
  for (const route of routes)
    assert.equal(await statusOf(route, headers), 401, `${what}: ${route.method} ${route.path}`);
}

test('a session reaches every route from the own page', async () => {
  const { cookie } = await signIn();
  for (const route of routes) {
    // The stream has no end.
    if (route.path === '/events') continue;
    const status = await statusOf(route, { ...OWN_PAGE, cookie });
    assert.ok(![401, 403].includes(status), `${route.method} ${route.path}: ${status}`);
  }
});

const FOREIGN: Record<string, Record<string, string>> = {
  'a form on the own origin': { 'sec-fetch-site': 'same-origin' },
  'a picture on the own origin': { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' },
  'another site': { 'x-pinakes-console': '1', 'sec-fetch-site': 'cross-site' },
  'a neighbour of the site': { 'x-pinakes-console': '1', 'sec-fetch-site': 'same-site' },
  'another origin': { 'x-pinakes-console': '1', origin: 'https://evil.example' },
  'a picture on another site': { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
  'a program without any header': {},
};
for (const [who, headers] of Object.entries(FOREIGN)) {
  test(`a session is refused on every route for a request of ${who}`, async () => {
    const { cookie } = await signIn();
    await refusedEverywhere(who, { ...headers, cookie });
  });
}

test('a cookie that somebody else has chosen is refused on every route, before and after a sign-in', async () => {
  const planted = `pinakes=${'A'.repeat(43)}`;
  await refusedEverywhere('planted', { ...OWN_PAGE, cookie: planted });
  const { cookie } = await signIn({ cookie: planted });
  assert.notEqual(cookie, planted);
  await refusedEverywhere('planted and signed in', { ...OWN_PAGE, cookie: planted });
});

test('a session ends on every route with its key, with a sign-out and with time', async () => {
  const revoked = await signIn();
  assert.equal((await t.delete(`/api-keys/${revoked.id}`)).status, 200);
  await refusedEverywhere('revoked', { ...OWN_PAGE, cookie: revoked.cookie });
  const rotated = await signIn();
  assert.equal((await t.post(`/api-keys/${rotated.id}/rotate`, { grace_seconds: 3_600 })).status, 201);
  await refusedEverywhere('rotated', { ...OWN_PAGE, cookie: rotated.cookie });
  const left = await signIn();
  const out = { method: 'DELETE', path: '//console/session', key: null } as const;
  assert.equal((await t.request({ ...out, headers: { ...OWN_PAGE, cookie: left.cookie } })).status, 204);
  await refusedEverywhere('signed out', { ...OWN_PAGE, cookie: left.cookie });
  const old = await signIn();
  now = new Date(now.getTime() + 7 * DAY_MS + 1_000);
  await refusedEverywhere('expired', { ...OWN_PAGE, cookie: old.cookie });
});
