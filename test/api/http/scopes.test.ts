/** Tests every route of the API with every subset of the scopes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SCOPES } from '../../../src/access/caller.ts';
import { apiRoutes } from '../../../src/app.ts';
import type { Route } from '../../../src/http/route.ts';
import { newId } from '../../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';

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

test('a route accepts exactly the keys that have one of its scopes, for every subset of the scopes', async () => {
  assert.ok(routes.length > 10);
  for (const route of routes) assert.ok(route.scopes.length > 0, `${route.method} ${route.path}`);
  let asked = 0;
  for (let subset = 0; subset < 2 ** SCOPES.length; subset++) {
    const held = SCOPES.filter((_, bit) => (subset >> bit) & 1);
    const key = await t.issueKey(held);
    for (const route of routes) {
      const status = await statusOf(route, key);
      const what = `${route.method} ${route.path} with ${held.join(' ') || 'no scope'}: ${status}`;
      if (route.scopes.some((scope) => held.includes(scope))) assert.ok(![401, 403].includes(status), what);
      else assert.equal(status, 403, what);
      asked++;
    }
  }
  assert.equal(asked, 2 ** SCOPES.length * routes.length);
});

test('every route requires an API key', async () => {
  for (const route of routes) {
    const path = route.path.replace(/\{\w+\}/g, newId());
    assert.equal(
      (await t.request({ method: route.method, path, key: null })).status,
      401,
      `${route.method} ${route.path}`,
    );
  }
});

test('operation ids are unique', () => {
  const ids = routes.map((route) => route.operation.id);
  assert.deepEqual(ids, [...new Set(ids)]);
});
