/** Authorization without a policy shows nothing; doctor says why. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { authorizationFacts } from '../../src/doctor.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

let t: TestApp;
before(async () => {
  t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on' } });
});
after(() => t.close());

test('doctor says that nobody finds anything while authorization is on and no policy exists', async () => {
  const { config } = t.deps;
  const without = await authorizationFacts(t.deps);
  assert.equal(without.ok, false);
  assert.match(without.detail, /^on, but .*no policy.*: searches and questions there find nothing/);
  assert.equal((await authorizationFacts({ ...t.deps, config: { ...config, authorization: false } })).ok, true);
  await t.put('/authz/policies/default', { filters: [{ key: 'x', operator: 'not_exists' }] });
  assert.notEqual((await authorizationFacts(t.deps)).detail, without.detail);
});
