/** Which master key counts: the key file, the environment, and the change from one to another. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { insertGroup } from '../../src/corpus/group-store.ts';
import { createTenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import type { CrashPoints } from '../../src/util/crash.ts';
import { noCrashPoints } from '../../src/util/crash.ts';
import { newId } from '../../src/util/ids.ts';
import type { KeySettings } from '../../src/vault/key-files.ts';
import { examineMasterKey, rotateMasterKey, settleMasterKey } from '../../src/vault/rotate.ts';
import { generateMasterKeyText, readMasterKey } from '../../src/vault/seal.ts';
import { insertSecret, openOneTimeCredential, openSecret, prepareToSeal } from '../../src/vault/secret-store.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { SECRET_CANARY } from '../support/passages/canary.ts';

let database: TestDatabase;
let db: Database;
let file: KeySettings;
const tenants: string[] = [];

beforeEach(async () => {
  database = await openTestDatabase();
  db = database.db;
  file = { masterKey: null, previousMasterKey: null, dataDir: database.dataDir };
  tenants.splice(0);
  for (const name of ['a', 'b']) tenants.push((await createTenant(db, { id: newId(), name })).id);
});
afterEach(() => database.close());

const path = (name: string): string => join(database.dataDir, name);
const keyText = (): string => readFileSync(path('master.key'), 'utf8').trim();
const env = (masterKey: string, previousMasterKey: string | null = null): KeySettings => ({
  ...file,
  masterKey,
  previousMasterKey,
});

interface Kept {
  tenantId: string;
  id: string;
  value: string;
  /** Of a one-time credential. */
  sourceGroupId?: string;
}

async function save(config: KeySettings, tenantId: string, value: string): Promise<Kept> {
  const id = newId();
  await prepareToSeal({ db, config });
  const fields = { id, name: 'n', type: 'repo' as const, description: '', value, createdAt: new Date() };
  await db.transaction(tenantId, (tx) => insertSecret(tx, config, tenantId, fields));
  return { tenantId, id, value };
}

/** The credential of one source, for its first run. */
async function saveOneTime(config: KeySettings, tenantId: string, value: string): Promise<Kept> {
  const createdAt = new Date();
  const sourceGroupId = newId();
  const group = { id: sourceGroupId, sourceType: 'repo', name: 'n', chunkMetadataKeys: [], uploadAt: null, createdAt };
  const fields = { id: newId(), name: 'n', type: 'repo' as const, description: '', value, createdAt, sourceGroupId };
  await prepareToSeal({ db, config });
  await db.transaction(tenantId, async (tx) => {
    await insertGroup(tx, tenantId, group);
    await insertSecret(tx, config, tenantId, fields);
  });
  return { tenantId, id: fields.id, value, sourceGroupId };
}

/** Secrets of both tenants. */
async function saveSome(config: KeySettings): Promise<Kept[]> {
  const kept = [await saveOneTime(config, tenants[0]!, `${SECRET_CANARY}once`)];
  for (let i = 0; i < 3; i++)
    for (const tenant of tenants) kept.push(await save(config, tenant, `${SECRET_CANARY}${i}`));
  return kept;
}

async function assertOpen(config: KeySettings, kept: readonly Kept[]): Promise<void> {
  for (const { tenantId, id, value, sourceGroupId } of kept) {
    const opened = sourceGroupId
      ? await openOneTimeCredential({ db, config }, tenantId, sourceGroupId)
      : (await openSecret({ db, config }, tenantId, id))?.value;
    assert.equal(opened, value);
  }
}

const rotate = (config: KeySettings, crash: CrashPoints = noCrashPoints) => rotateMasterKey({ db, config, crash });
const settle = (config: KeySettings) => settleMasterKey({ db, config });

describe('the key file', () => {
  test('is made at the start, readable by its owner only, and stays', async () => {
    await settle(file);
    assert.equal(statSync(path('master.key')).mode & 0o777, 0o600);
    const text = keyText();
    assert.ok(readMasterKey(text));
    await settle(file);
    assert.equal(keyText(), text);
  });
  test('is not made when the environment names a key', async () => {
    await settle(env(generateMasterKeyText()));
    assert.ok(!existsSync(path('master.key')));
  });
  test('a rotation replaces it; the old key opens nothing, the new one everything', async () => {
    await settle(file);
    const kept = await saveSome(file);
    const old = keyText();
    const rotation = await rotate(file);
    assert.equal(rotation.secrets, kept.length);
    assert.notEqual(keyText(), old);
    assert.equal(rotation.keyId, readMasterKey(keyText())?.id);
    assert.equal(rotation.previousKeyId, readMasterKey(old)?.id);
    assert.equal(statSync(path('master.key')).mode & 0o777, 0o600);
    assert.ok(!existsSync(path('master.key.next')));
    await assertOpen(file, kept);
    writeFileSync(path('master.key'), old);
    await assert.rejects(assertOpen(file, kept), /not at hand/);
  });
  test('secrets saved while a rotation runs are open afterwards', async () => {
    await settle(file);
    const kept = await saveSome(file);
    const [, ...saved] = await Promise.all([
      rotate(file),
      ...Array.from({ length: 10 }, (_, i) => save(file, tenants[i % 2]!, `during ${i}`)),
    ]);
    await assertOpen(file, [...kept, ...saved]);
    const ids = await db.system.query(sql`select distinct key_id from secret`);
    assert.equal(ids.length, 1, 'one key for all');
  });
  test('the start refuses another key, and says which one is missing', async () => {
    await settle(file);
    await saveSome(file);
    const id = readMasterKey(keyText())!.id;
    writeFileSync(path('master.key'), generateMasterKeyText());
    await assert.rejects(settle(file), new RegExp(`^ConfigError: PINAKES_MASTER_KEY .*${id}`));
    rmSync(path('master.key'));
    await assert.rejects(settle(file), /ConfigError/);
    assert.ok(!existsSync(path('master.key')), 'no key is made up in place of the one that is missing');
    assert.equal((await examineMasterKey({ db, config: file }, true)).ok, false);
    await assert.rejects(rotate(file), /PINAKES_MASTER_KEY/);
    writeFileSync(path('master.key'), 'nonsense');
    await assert.rejects(settle(file), /holds no key/);
  });
  test('a lost key without secrets is no loss', async () => {
    await settle(file);
    const kept = await saveSome(file);
    await db.system.query(sql`delete from secret`);
    rmSync(path('master.key'));
    await settle(file);
    assert.equal(kept.length, 7);
    await assertOpen(file, await saveSome(file));
  });
});

describe('a rotation that is cut off', () => {
  for (const point of ['rotate.key_written', 'rotate.committed'] as const) {
    test(`at ${point} loses nothing`, async () => {
      await settle(file);
      const kept = await saveSome(file);
      const old = keyText();
      const crash = {
        reach(reached: string) {
          if (reached === point) throw new Error('crash');
        },
      };
      await assert.rejects(rotate(file, crash), /crash/);
      assert.ok(existsSync(path('master.key.next')), 'it was cut off in the middle');
      await assertOpen(file, kept);
      await settle(file);
      assert.ok(!existsSync(path('master.key.next')));
      assert.equal(keyText() === old, point === 'rotate.key_written');
      await assertOpen(file, [...kept, ...(await saveSome(file))]);
      assert.equal((await examineMasterKey({ db, config: file }, true)).ok, true);
      await rotate(file);
      await assertOpen(file, kept);
    });
  }
  test('half a new key file does no harm', async () => {
    await settle(file);
    const kept = await saveSome(file);
    writeFileSync(path('master.key.next'), 'AAA');
    await settle(file);
    await assertOpen(file, kept);
  });
});

describe('a key from the environment', () => {
  test('is changed with the old one as PINAKES_MASTER_KEY_PREVIOUS', async () => {
    const [old, next] = [generateMasterKeyText(), generateMasterKeyText()];
    await settle(env(old));
    const kept = await saveSome(env(old));
    await assert.rejects(rotate(env(old)), /PINAKES_MASTER_KEY_PREVIOUS/, 'there is no key to change to');
    await assert.rejects(settle(env(next)), /^ConfigError: PINAKES_MASTER_KEY /, 'the old one is missing');

    // Processes restart one after the other: those with both keys go on with the old one.
    const both = env(next, old);
    await settle(both);
    const between = await save(both, tenants[0]!, 'between');
    await assertOpen(env(old), [...kept, between]);
    assert.match((await examineMasterKey({ db, config: both }, true)).detail, /run pinakes rotate-master-key/);

    assert.equal((await rotate(both)).keyId, readMasterKey(next)?.id);
    await settle(env(next));
    await assertOpen(env(next), [...kept, between, await save(env(next), tenants[1]!, 'after')]);
    await assert.rejects(assertOpen(env(old), kept), /not at hand/);
    assert.ok(!existsSync(path('master.key')));
  });
  test('takes over from the key file, and the other way round', async () => {
    await settle(file);
    const kept = await saveSome(file);
    const given = generateMasterKeyText();
    await settle(env(given));
    await rotate(env(given));
    rmSync(path('master.key'));
    await assertOpen(env(given), kept);

    const back = { ...file, previousMasterKey: given };
    await settle(back);
    assert.equal((await rotate(back)).keyId, readMasterKey(keyText())?.id);
    await settle(file);
    await assertOpen(file, kept);
  });
});
