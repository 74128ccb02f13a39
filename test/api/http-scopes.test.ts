/** Every route of the API with every single scope, and with all scopes but those it asks for. Generated from the route table. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { apiRoutes } from '../../src/app.ts';
import type { Route, Scope } from '../../src/http/route.ts';
import { SCOPES } from '../../src/http/route.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

let t: TestApp;
let routes: Route[];
const keys = new Map<string, string>();
before(async () => {
  t = await openTestApp();
  routes = apiRoutes(t.deps);
  for (const scope of SCOPES) keys.set(scope, await t.issueKey([scope]));
});
after(() => t.close());

/** The answer to a request that passes the scope check and changes nothing: its id is unknown, its body malformed. */
async function statusOf(route: Route, key: string): Promise<number> {
  const path = route.path.replace(/\{\w+\}/g, newId());
  const body = route.method === 'GET' || route.multipart ? undefined : '{"no such member":1}';
  const headers: Record<string, string> = route.multipart ? { 'content-type': 'multipart/form-data; boundary=x' } : {};
  return (await t.request({ method: route.method, path, key, body, headers })).status;
}

test('every route asks for a scope, and for nothing but a scope that it names', async () => {
  assert.ok(routes.length > 10);
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    assert.ok(route.scopes.length > 0, name);
    for (const scope of SCOPES) {
      const status = await statusOf(route, keys.get(scope)!);
      if (route.scopes.includes(scope)) assert.ok(![401, 403].includes(status), `${name} with ${scope}: ${status}`);
      else assert.equal(status, 403, `${name} with ${scope}`);
    }
  }
});

test('all other scopes together do not help', async () => {
  for (const route of routes) {
    const others = SCOPES.filter((scope: Scope) => !route.scopes.includes(scope));
    assert.equal(await statusOf(route, await t.issueKey(others)), 403, `${route.method} ${route.path}`);
  }
});

test('every route asks for a key', async () => {
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
