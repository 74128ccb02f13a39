import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { newId } from '../util/ids.ts';
import type { BlobStore } from './blob-store.ts';
import { openDiskBlobStore } from './disk.ts';

const tenantId = newId();
let dir: string;
let store: BlobStore;

before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pinakes-blobs-'));
  store = await openDiskBlobStore(dir);
});
after(() => rm(dir, { recursive: true, force: true }));

async function* body(...parts: Buffer[]): AsyncIterable<Buffer> {
  yield* parts;
}

async function readAll(hash: string, range?: { start: number; end: number }): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(await store.read(tenantId, hash, range)));
}

test('a committed blob reads back byte-equal under its SHA-256', async () => {
  const bytes = randomBytes(200_000);
  const staged = await store.stage(tenantId, body(bytes.subarray(0, 70_000), bytes.subarray(70_000)));
  assert.equal(staged.hash, createHash('sha256').update(bytes).digest('hex'));
  assert.equal(staged.size, bytes.length);
  await assert.rejects(store.read(tenantId, staged.hash), { code: 'not_found' }, 'invisible before the commit');

  await store.commit([staged]);
  assert.deepEqual(await readAll(staged.hash), bytes);
  assert.deepEqual(await readAll(staged.hash, { start: 10, end: 19 }), bytes.subarray(10, 20));
  assert.deepEqual(await readdir(path.join(dir, '.staging')), []);
  assert.deepEqual(await readFile(store.localPath(tenantId, staged.hash)), bytes);
});

test('equal bytes can be committed again, and twice at once', async () => {
  const bytes = Buffer.from('the same');
  const staged = [await store.stage(tenantId, body(bytes)), await store.stage(tenantId, body(bytes))];
  await store.commit(staged);
  await store.commit([await store.stage(tenantId, body(bytes))]);
  assert.deepEqual(await readAll(staged[0]!.hash), bytes);
});

test('a failed stream and a discarded blob leave no staged file', async () => {
  async function* broken(): AsyncIterable<Buffer> {
    yield Buffer.from('half');
    throw new Error('client left');
  }
  await assert.rejects(store.stage(tenantId, broken()), /client left/);
  const aborted = AbortSignal.abort(new Error('stopped'));
  await assert.rejects(store.stage(tenantId, body(Buffer.from('x')), aborted), /stopped/);
  await store.discard([await store.stage(tenantId, body(Buffer.from('unwanted')))]);
  assert.deepEqual(await readdir(path.join(dir, '.staging')), []);
});

test('only a tenant id and a hash become a path', async () => {
  const hash = '0'.repeat(64);
  for (const [tenant, name] of [
    ['..', hash],
    [tenantId, '../../../../etc/passwd'],
    [tenantId, `${hash}/..`],
    [tenantId, hash.toUpperCase().replace('0', 'A')],
  ] as const) {
    await assert.rejects(
      store.read(tenant, name),
      (error) => error instanceof ServiceError && error.code === 'not_found',
    );
  }
});

test('list returns every blob, and delete removes one and is idempotent', async () => {
  const staged = await store.stage(tenantId, body(Buffer.from('to be deleted')));
  await store.commit([staged]);
  const listed = async () => (await Array.fromAsync(store.list())).map((blob) => blob.hash);
  assert.ok((await listed()).includes(staged.hash));
  await store.delete(tenantId, staged.hash);
  await store.delete(tenantId, staged.hash);
  assert.ok(!(await listed()).includes(staged.hash));
});

test('opening the store deletes staged files older than an hour and keeps younger ones', async () => {
  const [old, young] = [path.join(dir, '.staging', 'old'), path.join(dir, '.staging', 'young')];
  await writeFile(old, 'x');
  await writeFile(young, 'x');
  const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  await utimes(old, twoHoursAgo, twoHoursAgo);
  await openDiskBlobStore(dir);
  assert.deepEqual(await readdir(path.join(dir, '.staging')), ['young']);
  await rm(young);
  await store.check();
  assert.deepEqual(await readdir(path.join(dir, '.staging')), []);
});
