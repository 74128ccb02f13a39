/** Downloads end when their file may no longer be read, and downloads and uploads when the key of their caller is revoked. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { get, request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { insertBlobRows } from '../../src/corpus/blob-row-store.ts';
import { insertGroup } from '../../src/corpus/group-store.ts';
import { insertSources } from '../../src/corpus/source-store.ts';
import { sql } from '../../src/db/sql.ts';
import { openLiveRights } from '../../src/http/live-rights.ts';
import { newId } from '../../src/util/ids.ts';
import { systemClock } from '../../src/util/time.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

const TIMEOUT_MS = 30_000;
/** More than the buffers of the service, of the connection and of the client together. */
const FILE_BYTES = 64 * 1024 * 1024;
/** Longer than the time after which a download looks for its file again. */
const CHECKED_AFTER_MS = 1_000;
let t: TestApp;

before(async () => {
  t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on' } });
});
after(() => t.close());

async function issue(): Promise<{ id: string; key: string }> {
  const scopes = ['knowledge:read', 'ingestion:manage'];
  return (await t.post('/api-keys', { name: 'victim', scopes })).body;
}

async function stored(bytes: number) {
  const { blobs } = t.deps;
  async function* parts() {
    for (let left = bytes; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536), 'x');
  }
  const staged = await blobs.stage(t.tenantId, parts());
  await blobs.commit([staged]);
  return staged;
}

async function crawledFile(bytes: number): Promise<string> {
  const { db } = t.deps;
  const staged = await stored(bytes);
  const createdAt = new Date();
  const group = { id: newId(), sourceType: 'web', createdAt };
  const id = newId();
  await db.transaction(t.tenantId, async (tx) => {
    await insertBlobRows(tx, [staged], createdAt);
    await insertGroup(tx, { ...group, name: 'Crawl', chunkMetadataKeys: [], uploadAt: null });
    const source = {
      id,
      name: 'big',
      fileType: 'html',
      fileSize: staged.size,
      blobHash: staged.hash,
      contentAt: createdAt,
    };
    await insertSources(tx, group, [source]);
    await tx.query(sql`update source set status = 'ready' where tenant_id = ${t.tenantId} and id = ${id}`);
  });
  return id;
}

/** Returns the number of bytes of a download whose reader stops after the first bytes until `change` has happened. */
async function downloaded(path: string, key: string, change: () => Promise<unknown>): Promise<number> {
  const url = await t.url();
  return new Promise<number>((resolve, reject) => {
    const sent = get(`${url}/api/v1${path}`, { agent: false, headers: { 'x-api-key': key } }, (response) => {
      let bytes = 0;
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.once('data', () => {
        response.pause();
        change().then(() => response.resume(), reject);
      });
      response.on('data', (part) => {
        bytes += part.length;
      });
      response.once('error', () => {});
      response.once('close', () => resolve(bytes));
    });
    sent.once('error', reject);
  });
}

/** Gives a source other bytes, as a crawl does. */
async function replace(id: string): Promise<{ status: number; text: string }> {
  const staged = await stored(7);
  await t.deps.db.transaction(t.tenantId, async (tx) => {
    await insertBlobRows(tx, [staged], new Date());
    await tx.query(sql`update source set blob_hash = ${staged.hash} where tenant_id = ${t.tenantId} and id = ${id}`);
  });
  return { status: 200, text: '' };
}

/** Resolves when the service has ended the download before its end, although its reader has stopped. */
async function isCut(path: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !t.logs.some((line) => line['path'] === path && line['clientLeft'])) await pause(10);
}

const hiding = { name: 'birds', kind: 'dictionary', terms: ['heron'], action: 'mask', apply_at: ['retrieval'] };
const CHANGES: Record<string, { of: string; change(sourceId: string): Promise<{ status: number; text: string }> }> = {
  'its source is deleted': { of: 'raw', change: (id) => t.delete(`/sources/${id}`) },
  'its source has other bytes': { of: 'raw', change: replace },
  'its source is deleted, original': { of: 'original', change: (id) => t.delete(`/sources/${id}`) },
  'a policy hides its source': {
    of: 'original',
    change: () => t.put('/authz/policies/default', { filters: [{ key: 'team', operator: 'eq', value: 'nobody' }] }),
  },
  'a redaction rule is set': {
    of: 'original',
    change: () => t.put('/redaction-policy', { enabled: true, rules: [hiding] }),
  },
};
for (const [name, { of, change }] of Object.entries(CHANGES))
  test(`a download that its reader has stopped is cut when ${name}`, { timeout: TIMEOUT_MS }, async ({ signal }) => {
    await t.delete('/redaction-policy');
    await t.put('/authz/policies/default', { filters: [{ key: 'team', operator: 'not_exists' }] });
    const sourceId = await crawledFile(FILE_BYTES);
    const path = `/sources/${sourceId}/${of}`;
    const received = await downloaded(path, t.key, async () => {
      const { status, text } = await change(sourceId);
      assert.ok(status < 300, text);
      await isCut(`/api/v1${path}`, signal);
    });
    assert.ok(received < FILE_BYTES, `all ${received} bytes arrived`);
    await t.delete('/redaction-policy');
  });

test('a download that nothing ends arrives as a whole, however long its reader stops', async () => {
  await t.put('/authz/policies/default', { filters: [{ key: 'team', operator: 'not_exists' }] });
  const sourceId = await crawledFile(FILE_BYTES);
  for (const form of ['raw', 'original'])
    assert.equal(await downloaded(`/sources/${sourceId}/${form}`, t.key, () => pause(CHECKED_AFTER_MS)), FILE_BYTES);
});

test('a download that its reader has stopped is cut when the key is revoked', { timeout: TIMEOUT_MS }, async () => {
  const { id, key } = await issue();
  const sourceId = await crawledFile(FILE_BYTES);
  const received = await downloaded(`/sources/${sourceId}/raw`, key, async () => {
    const revoked = await t.delete(`/api-keys/${id}`);
    assert.equal(revoked.status, 200, revoked.text);
    // The service has noticed when its request has ended.
    while (!t.logs.some((line) => line['apiKeyId'] === id && line['clientLeft'])) await pause(10);
  });
  assert.ok(received < FILE_BYTES, `all ${received} bytes arrived`);
});

/** Resolves when the service has begun to store a file that it receives. */
async function isStaged(): Promise<void> {
  const staging = join(t.deps.config.blobs.directory, '.staging');
  while (readdirSync(staging).length === 0) await pause(10);
}

test('an upload ends when the key is revoked, and leaves nothing', { timeout: TIMEOUT_MS }, async () => {
  const { id, key } = await issue();
  const url = await t.url();
  const boundary = 'b';
  const answered = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(`${url}/api/v1/local-file-groups`, {
      method: 'POST',
      agent: false,
      headers: { 'x-api-key': key, 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.once('end', () => {
        sent.destroy();
        resolve({ status: response.statusCode!, text });
      });
    });
    sent.write(`--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\n\r\nheron`);
    void isStaged().then(() => t.delete(`/api-keys/${id}`));
  });
  assert.equal(answered.status, 401, answered.text);
  assert.equal((await t.get('/source-groups?q=a.txt')).body.pagination.total, 0);
});

test('content waits for a check while the database does not answer', { timeout: TIMEOUT_MS }, async () => {
  const { id, key } = await issue();
  const { system } = t.deps.db;
  const answer = Promise.withResolvers<void>();
  const transaction: typeof system.transaction = async (work, options) => {
    await answer.promise;
    return system.transaction(work, options);
  };
  const slow = { ...system, transaction };
  const live = openLiveRights(slow, systemClock, () => {});
  const caller = await t.deps.auth.authenticate(key);
  const ended: string[] = [];
  const rights = live.watch(caller, ({ type }) => ended.push(type));
  let isConfirmed = false;
  const confirmed = rights.confirm(true).then(() => {
    isConfirmed = true;
  });
  confirmed.catch(() => {});
  assert.equal((await t.delete(`/api-keys/${id}`)).status, 200);
  assert.equal(isConfirmed, false);
  answer.resolve();
  await assert.rejects(confirmed, { code: 'unauthenticated' });
  assert.deepEqual(ended, ['authentication_error']);
  await live.close();
});
