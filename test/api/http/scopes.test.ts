/**
 * Tests every route of the API with sets of scopes: none, each alone, all but one, all, and random ones. PINAKES_TEST_SCOPES=all
 * (`npm run check:scopes`) takes every subset.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SCOPES } from '../../../src/access/caller.ts';
import { apiRoutes } from '../../../src/app.ts';
import type { Route } from '../../../src/http/route.ts';
import { newId } from '../../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { openRandom, type Random } from '../../support/random.ts';

let t: TestApp;
let routes: Route[];
before(async () => {
  t = await openTestApp();
  routes = apiRoutes(t.deps);
});
after(() => t.close());

/** Statuses of a request that passes the check of scopes but changes nothing, because its id is unknown or its body malformed. */
async function statusOf(route: Route, key: string): Promise<number> {
  const path = route.path.replace(/\{\w+\}/g, newId());
  const body = route.method === 'GET' || route.multipart ? undefined : '{"no such member":1}';
  const headers: Record<string, string> = route.multipart ? { 'content-type': 'multipart/form-data; boundary=x' } : {};
  return (await t.request({ method: route.method, path, key, body, headers })).status;
}

const EVERY_SUBSET = 2 ** SCOPES.length - 1;
const RANDOM_SUBSETS = 2;

/** Returns subsets of the scopes as bit masks. */
function scopeSubsets(random: Random): Set<number> {
  if (process.env['PINAKES_TEST_SCOPES'] === 'all')
    return new Set(Array.from({ length: EVERY_SUBSET + 1 }, (_, i) => i));
  const single = SCOPES.map((_, bit) => 1 << bit);
  const drawn = Array.from({ length: RANDOM_SUBSETS }, () => random.integer(0, EVERY_SUBSET));
  return new Set([0, ...single, ...single.map((mask) => EVERY_SUBSET - mask), EVERY_SUBSET, ...drawn]);
}

test('a route accepts exactly the keys that have one of its scopes', async (context) => {
  const random = openRandom();
  context.diagnostic(`seed ${random.seed}`);
  assert.ok(routes.length > 10);
  for (const route of routes) assert.ok(route.scopes.length > 0, `${route.method} ${route.path}`);
  for (const subset of scopeSubsets(random)) {
    const held = SCOPES.filter((_, bit) => (subset >> bit) & 1);
    const key = await t.issueKey(held);
    for (const route of routes) {
      const status = await statusOf(route, key);
      const what = `${route.method} ${route.path} with ${held.join(' ') || 'no scope'}: ${status}`;
      if (route.scopes.some((scope) => held.includes(scope))) assert.ok(![401, 403].includes(status), what);
      else assert.equal(status, 403, what);
    }
  }
});
