import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { newId } from '../util/ids.ts';
import type { BlobStore } from './blob-store.ts';
import { checkHashes } from './check-hashes.ts';
import { openDiskBlobStore } from './disk.ts';

const tenantId = newId();
let dir: string;
let store: BlobStore;

before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pinakes-hashes-'));
  store = await openDiskBlobStore(dir);
});
after(() => rm(dir, { recursive: true, force: true }));

async function save(text: string): Promise<string> {
  async function* body() {
    yield Buffer.from(text);
  }
  const staged = await store.stage(tenantId, body());
  await store.commit([staged]);
  return staged.hash;
}

test('a blob of the same size with other bytes is reported, a deleted one is not', async () => {
  const [, altered, deleted] = [await save('one'), await save('two'), await save('three')];
  assert.deepEqual(await checkHashes(store), { checked: 3, problems: [] });
  const file = store.localPath(tenantId, altered);
  await chmod(file, 0o600);
  await writeFile(file, 'owt');
  const all = await Array.fromAsync(store.list());
  await store.delete(tenantId, deleted);
  async function* asListedBefore() {
    yield* all;
  }
  assert.deepEqual(await checkHashes({ list: asListedBefore, read: store.read }), {
    checked: 2,
    problems: [`the bytes of blob ${altered} were changed`],
  });
});
