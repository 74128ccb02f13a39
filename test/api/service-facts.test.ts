/** What the service says about itself through the API. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

let t: TestApp;
let now = new Date('2026-03-01T12:00:00Z');
before(async () => {
  t = await openTestApp({ env: { PINAKES_RATE_LIMIT_PER_MINUTE: '5000' }, given: { clock: { now: () => now } } });
});
after(() => t.close());

test('a reader learns the models and limits of the service', async () => {
  const { status, body } = await t.get('/service', await t.issueKey(['knowledge:read']));
  assert.equal(status, 200);
  assert.match(body.version, /^\d+\.\d+\.\d+/);
  assert.equal(body.authorization, false);
  assert.deepEqual(body.models, { chat: null, embedding: null, rerank: null, entailment: null });
  assert.equal(body.limits.requests_per_minute, 5_000);
  assert.equal(body.limits.tokens_per_day, null);
  assert.equal(body.limits.files_per_upload_max, 2_000);
});

/** The commands that add parts of the service. */
const ADDED_BY: Readonly<Record<string, RegExp>> = {
  LibreOffice: /^apt-get install .*libreoffice/,
  'embedding model': /^pinakes models pull /,
  OCR: /^PINAKES_OCR=tesseract pinakes serve$/,
};

test('the checks name no path', async () => {
  const { status, body, text } = await t.get('/service/checks');
  assert.equal(status, 200);
  assert.equal(body.checked_time, Math.floor(now.getTime() / 1000));
  assert.ok(body.checks.some((check: { name: string; ok: boolean }) => check.name === 'database' && check.ok));
  for (const { name, ok, detail, fix } of body.checks) {
    // A part without which the service works has a command that adds it.
    const adds = ADDED_BY[name];
    const isMissing = adds !== undefined && /^(?:not found|none|off: pictures)/.test(detail);
    assert.equal(fix === null, ok && !isMissing, name);
    if (isMissing) assert.match(fix, adds);
  }
  assert.deepEqual([body.chunks_waiting, body.chunks_refused], [0, 0]);
  for (const path of [t.deps.config.dataDir, t.deps.config.blobs.directory]) assert.ok(!text.includes(path));
  assert.ok(!text.includes('tenants'));
});

test('the list of keys says when each was used last', async () => {
  const { id, key } = (await t.post('/api-keys', { name: 'k', scopes: ['knowledge:read'] })).body;
  const lastUsed = async (): Promise<number | null> => {
    await t.deps.usage.flush();
    const { api_keys: keys } = (await t.get('/api-keys?limit=100')).body;
    return keys.find((one: { id: string }) => one.id === id).last_used_time;
  };
  assert.equal(await lastUsed(), null);
  const first = Math.floor(now.getTime() / 1000);
  await t.get('/source-groups', key);
  assert.equal(await lastUsed(), first);
  now = new Date(now.getTime() + 59_000);
  await t.get('/source-groups', key);
  assert.equal(await lastUsed(), first, 'written at most once a minute');
  now = new Date(now.getTime() + 1_000);
  await t.get('/source-groups', key);
  assert.equal(await lastUsed(), first + 60);
  await t.deps.db.system.query(
    sql`update api_key set last_used_at = ${new Date('2030-01-01T00:00:00Z')} where id = ${id}`,
  );
  now = new Date(now.getTime() + 60_000);
  await t.get('/source-groups', key);
  assert.equal(await lastUsed(), Date.UTC(2030) / 1000, 'another process has saved a later time');
});
