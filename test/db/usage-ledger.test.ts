import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { generateApiKey } from '../../src/access/api-key.ts';
import { insertApiKey } from '../../src/corpus/api-key-store.ts';
import { createTenant, deleteTenant } from '../../src/corpus/tenant-store.ts';
import { addUsage, listUsage } from '../../src/corpus/usage-store.ts';
import { openUsageLedger, type UsageLedger, utcDay } from '../../src/llm/usage-ledger.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let now = new Date('2026-03-01T22:00:00Z');
const clock = { now: () => now };
const account = { tenantId: newId(), apiKeyId: newId() };
const sibling = { tenantId: account.tenantId, apiKeyId: newId() };

before(async () => {
  database = await openTestDatabase();
});
after(() => database.close());
beforeEach(async () => {
  account.tenantId = newId();
  account.apiKeyId = newId();
  sibling.tenantId = account.tenantId;
  sibling.apiKeyId = newId();
  now = new Date('2026-03-01T22:00:00Z');
  await createTenant(database.db, { id: account.tenantId, name: account.tenantId });
  const { publicId, hash } = generateApiKey();
  await insertApiKey(database.db.system, account.tenantId, {
    ...{ id: account.apiKeyId, publicId, hash, name: 'k', scopes: [], sourceGroupIds: null, tagIds: null },
    ...{ expiresAt: null, issuedBy: null, rootId: account.apiKeyId, familyId: account.apiKeyId, createdAt: now },
  });
});

const open = (tokensPerDay = { key: 0, tenant: 0 }): UsageLedger =>
  openUsageLedger({ db: database.db, clock, tokensPerDay, onError: assert.ifError });
const stored = (sinceDay = '2026-01-01') => listUsage(database.db, account.tenantId, account.apiKeyId, sinceDay);

test('usage adds up by day, over restarts and in several processes', async () => {
  const first = open();
  first.add(account, { inputTokens: 10, outputTokens: 2 });
  first.add(account, { inputTokens: 5, outputTokens: 1 });
  assert.deepEqual(await stored(), [], 'usage is not written while an answer waits');
  await first.close();
  const second = open();
  const third = open();
  second.add(account, { inputTokens: 100, outputTokens: 0 });
  third.add(account, { inputTokens: 0, outputTokens: 50 });
  now = new Date('2026-03-02T00:00:01Z');
  third.add(account, { inputTokens: 1, outputTokens: 1 });
  await Promise.all([second.close(), third.close()]);
  assert.deepEqual(await stored(), [
    { day: '2026-03-01', requests: 4, inputTokens: 115, outputTokens: 53 },
    { day: '2026-03-02', requests: 1, inputTokens: 1, outputTokens: 1 },
  ]);
  assert.deepEqual(await stored('2026-03-02'), (await stored()).slice(1));
});

test('usage is hidden from other tenants', async () => {
  const ledger = open();
  ledger.add(account, { inputTokens: 1, outputTokens: 1 });
  await ledger.close();
  const other = await createTenant(database.db, { id: newId(), name: newId() });
  assert.deepEqual(await listUsage(database.db, other.id, account.apiKeyId, '2026-01-01'), []);
});

test('the budget of a key is refilled at midnight, and the refusal says so', async () => {
  const ledger = open({ key: 100, tenant: 0 });
  await ledger.assertBudget(account);
  ledger.add(account, { inputTokens: 60, outputTokens: 39 });
  await ledger.assertBudget(account);
  ledger.add(account, { inputTokens: 0, outputTokens: 1 });
  const refused = { code: 'rate_limited', retryAfterSeconds: 2 * 3600 };
  await assert.rejects(ledger.assertBudget(account), refused);
  await ledger.flush();
  await assert.rejects(ledger.assertBudget(account), refused);
  await ledger.assertBudget(sibling);
  await ledger.close();
  const restarted = open({ key: 100, tenant: 0 });
  await assert.rejects(restarted.assertBudget(account), refused);
  now = new Date('2026-03-02T00:00:00Z');
  await restarted.assertBudget(account);
  await restarted.close();
});

test('the budget of a tenant counts all its keys, also in other processes', async () => {
  const mine = open({ key: 0, tenant: 100 });
  const theirs = open({ key: 0, tenant: 100 });
  mine.add(account, { inputTokens: 50, outputTokens: 0 });
  theirs.add(sibling, { inputTokens: 50, outputTokens: 0 });
  await mine.assertBudget(account);
  await theirs.flush();
  await mine.flush();
  await assert.rejects(mine.assertBudget(account), { code: 'rate_limited' });
  await assert.rejects(mine.assertBudget(sibling), { code: 'rate_limited' });
  await Promise.all([mine.close(), theirs.close()]);
});

test('usage that could not be written is written the next time', async () => {
  const { system } = database.db;
  let isDown = true;
  const transaction: typeof system.transaction = (fn) =>
    isDown ? Promise.reject(new Error('down')) : system.transaction(fn);
  const db = { ...database.db, system: { ...system, query: system.query.bind(system), transaction } };
  const ledger = openUsageLedger({ db, clock, tokensPerDay: { key: 10, tenant: 0 }, onError: () => {} });
  ledger.add(account, { inputTokens: 9, outputTokens: 0 });
  await assert.rejects(ledger.flush(), /down/);
  ledger.add(account, { inputTokens: 1, outputTokens: 0 });
  await assert.rejects(ledger.assertBudget(account), { code: 'rate_limited' });
  isDown = false;
  await ledger.close();
  assert.deepEqual((await stored())[0], { day: utcDay(now), requests: 2, inputTokens: 10, outputTokens: 0 });
});

test('usage of a deleted tenant does not block the usage of others', async () => {
  const ledger = open();
  const gone = await createTenant(database.db, { id: newId(), name: newId() });
  ledger.add({ tenantId: gone.id, apiKeyId: newId() }, { inputTokens: 1, outputTokens: 1 });
  ledger.add(account, { inputTokens: 9, outputTokens: 1 });
  await deleteTenant(database.db, gone.id);
  await ledger.close();
  assert.equal((await stored())[0]?.inputTokens, 9);
});

test('usage is deleted after 400 days', async () => {
  const row = { ...account, requests: 1, inputTokens: 1, outputTokens: 1 };
  await addUsage(database.db.system, [
    { ...row, day: '2025-01-24' },
    { ...row, day: '2025-01-25' },
  ]);
  const ledger = open();
  ledger.add(account, { inputTokens: 1, outputTokens: 1 });
  await ledger.close();
  assert.deepEqual(
    (await stored('2000-01-01')).map(({ day }) => day),
    ['2025-01-25', utcDay(now)],
  );
});
