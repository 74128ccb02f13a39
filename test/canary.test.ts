/** The search for canaries at the end of every test file finds them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateApiKey } from '../src/access/api-key.ts';
import { createTenant } from '../src/corpus/tenant-store.ts';
import { newId } from '../src/util/ids.ts';
import { openTestApp } from './support/app.ts';
import { openTestDatabase } from './support/database.ts';
import { assertNoCanary, SECRET_CANARY } from './support/passages/canary.ts';

const { key, publicId } = generateApiKey();

test('an API key and a stored secret are noticed, the shown start of a key is not', () => {
  assert.throws(() => assertNoCanary('x', `pk_ pk_pk_${key.slice(3)}`), /API key .* in x/);
  assert.throws(() => assertNoCanary('x', Buffer.from(`\0\xff${key}`)), /API key/);
  assert.throws(() => assertNoCanary('x', `${SECRET_CANARY}1`), /secret .* in x/);
  assertNoCanary('x', `${publicId} pk_${publicId} ${key.slice(0, -1)}`);
});

test('secrets are noticed in the files of the database, in the log and in error bodies', async () => {
  const app = await openTestApp();
  await assert.rejects(app.get(`/tags?${SECRET_CANARY}`), /in the answer 400/);
  app.deps.log.info({ key }, 'a mistake');
  await assert.rejects(app.close(), /API key .* in the log/);

  if (app.deps.db.kind !== 'embedded') return;
  const database = await openTestDatabase();
  await createTenant(database.db, { id: newId(), name: SECRET_CANARY });
  await assert.rejects(database.close(), /secret .* in .*database/);
});
