/** Every transaction and every blob operation of an upload fails once. No data stays, and the next attempt succeeds. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { setGroupStatus } from '../../src/corpus/group-store.ts';
import { findViolations } from '../../src/corpus/invariants.ts';
import type { Database } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { ServiceError } from '../../src/errors.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { multipartBody } from '../support/upload.ts';

let service: TestApp;
let real: { db: Database; blobs: BlobStore };

before(async () => {
  service = await openTestApp();
  real = { db: service.deps.db, blobs: service.deps.blobs };
});
after(() => service.close());

async function upload(name: string) {
  const { headers, body } = multipartBody(
    [
      { name: 'a.txt', content: `a of ${name}` },
      { name: 'b.txt', content: `b of ${name}` },
    ],
    [['name', name]],
  );
  const answer = await service.app.inject({
    method: 'POST',
    url: '/api/v1/local-file-groups',
    headers: { ...headers, 'x-api-key': service.key },
    payload: body,
  });
  return { status: answer.statusCode, body: answer.json() };
}

async function assertNothingStays(what: string): Promise<void> {
  Object.assign(service.deps, real);
  const { body } = await service.get('/local-file-groups');
  assert.deepEqual(body.local_file_groups, [], what);
  const now = new Date(Date.now() + 1_000);
  assert.deepEqual(await findViolations(real.db, real.blobs, { now, graceSeconds: 0 }), [], what);
  const { blobs } = service.deps.config;
  assert.deepEqual(await readdir(`${blobs.directory}/.staging`), [], what);
}

/** Makes the n-th call of the named methods of `target` fail with `error`. */
function failing<T extends object>(target: T, methods: readonly (keyof T)[], failAt: number, error: Error) {
  let calls = 0;
  const wrapped = new Proxy(target, {
    get(of, property, receiver) {
      const value: unknown = Reflect.get(of, property, receiver);
      if (typeof value !== 'function' || !methods.includes(property as keyof T)) return value;
      return (...args: unknown[]) => (++calls === failAt ? Promise.reject(error) : value.apply(of, args));
    },
  });
  return { wrapped, failed: () => calls >= failAt };
}

test('an upload leaves no data when any of its transactions fails', async () => {
  for (let failAt = 1; ; failAt++) {
    const { wrapped, failed } = failing(real.db, ['transaction'], failAt, new Error('the fault'));
    service.deps.db = wrapped;
    const answer = await upload(`transaction ${failAt}`);
    if (!failed()) {
      assert.equal(answer.status, 201);
      assert.ok(failAt > 3, 'several transactions were made to fail');
      break;
    }
    assert.equal(answer.status, 500);
    await assertNothingStays(`transaction ${failAt}`);
  }
  Object.assign(service.deps, real);
});

test('an upload leaves no data when the disk is full at any blob operation', async () => {
  const [kept] = (await service.get('/local-file-groups')).body.local_file_groups;
  for (let failAt = 1; ; failAt++) {
    const full = new ServiceError('overloaded', 'The disk is full.', { retryAfterSeconds: 60 });
    const { wrapped, failed } = failing(real.blobs, ['stage', 'commit'], failAt, full);
    service.deps.blobs = wrapped;
    const answer = await upload(`blob operation ${failAt}`);
    Object.assign(service.deps, real);
    if (!failed()) {
      assert.equal(answer.status, 201);
      assert.equal(failAt, 4, 'two files staged, one commit');
      return;
    }
    assert.equal(answer.status, 503);
    assert.equal(answer.body.error.message, 'The disk is full.');
    const { body } = await service.get('/local-file-groups');
    assert.deepEqual(body.local_file_groups, [kept]);
    const now = new Date(Date.now() + 1_000);
    const left = await findViolations(real.db, real.blobs, { now, graceSeconds: 0 });
    assert.deepEqual(
      left.filter(({ invariant }) => invariant === 'I3'),
      [],
    );
  }
});

test('a change of files leaves them unchanged when any of its transactions fails', async () => {
  const { body: made } = await upload('changed');
  const { db } = service.deps;
  // No worker runs in this test, so the test ends the run of the upload itself.
  await db.transaction(service.tenantId, async (tx) => {
    await setGroupStatus(tx, made.source_group_id, 'canceling');
    await setGroupStatus(tx, made.source_group_id, 'canceled');
    await tx.query(sql`update run set status = 'canceled' where source_group_id = ${made.source_group_id}`);
  });
  const state = async (): Promise<unknown> => ({
    sources: (await service.get(`/source-groups/${made.source_group_id}/sources`)).body.sources,
    runs: (await service.get(`/source-groups/${made.source_group_id}/runs`)).body.runs,
  });
  const before = await state();
  const { headers, body } = multipartBody(
    [
      { name: 'a.txt', content: 'another a' },
      { name: 'c.txt', content: 'c' },
    ],
    [['mode', 'mirror']],
  );
  for (let failAt = 1; ; failAt++) {
    const { wrapped, failed } = failing(real.db, ['transaction'], failAt, new Error('the fault'));
    service.deps.db = wrapped;
    const answer = await service.app.inject({
      method: 'PUT',
      url: `/api/v1/local-file-groups/${made.source_group_id}/files`,
      headers: { ...headers, 'x-api-key': service.key },
      payload: body,
    });
    Object.assign(service.deps, real);
    if (!failed()) {
      assert.equal(answer.statusCode, 202, answer.body);
      assert.deepEqual([answer.json().added, answer.json().deleted], [2, 1]);
      assert.ok(failAt > 3, 'several transactions were made to fail');
      return;
    }
    assert.equal(answer.statusCode, 500);
    assert.deepEqual(await state(), before);
    const now = new Date(Date.now() + 1_000);
    const left = await findViolations(real.db, real.blobs, { now, graceSeconds: 0 });
    assert.deepEqual(
      left.filter(({ invariant }) => invariant === 'I3'),
      [],
    );
  }
});
