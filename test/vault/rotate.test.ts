/** The master key: the key file, the key in the environment, and the rotation from one key to another. */
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

interface SavedSecret {
  tenantId: string;
  id: string;
  value: string;
  /** Set for a one-time credential. */
  sourceGroupId?: string;
}

async function save(config: KeySettings, tenantId: string, value: string): Promise<SavedSecret> {
  const id = newId();
  await prepareToSeal({ db, config });
  const fields = { id, name: 'n', type: 'repo' as const, description: '', value, createdAt: new Date() };
  await db.transaction(tenantId, (tx) => insertSecret(tx, config, fields));
  return { tenantId, id, value };
}

/** Saves the one-time credential of a new source group. */
async function saveOneTime(config: KeySettings, tenantId: string, value: string): Promise<SavedSecret> {
  const createdAt = new Date();
  const sourceGroupId = newId();
  const group = { id: sourceGroupId, sourceType: 'repo', name: 'n', chunkMetadataKeys: [], uploadAt: null, createdAt };
  const fields = { id: newId(), name: 'n', type: 'repo' as const, description: '', value, createdAt, sourceGroupId };
  await prepareToSeal({ db, config });
  await db.transaction(tenantId, async (tx) => {
    await insertGroup(tx, group);
    await insertSecret(tx, config, fields);
  });
  return { tenantId, id: fields.id, value, sourceGroupId };
}

/** Saves secrets of both tenants, one of them a one-time credential. */
async function saveSome(config: KeySettings): Promise<SavedSecret[]> {
  const kept = [await saveOneTime(config, tenants[0]!, `${SECRET_CANARY}once`)];
  for (let i = 0; i < 3; i++)
    for (const tenant of tenants) kept.push(await save(config, tenant, `${SECRET_CANARY}${i}`));
  return kept;
}

async function assertOpen(config: KeySettings, kept: readonly SavedSecret[]): Promise<void> {
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
  test('is created at the start, readable by its owner only, and stays', async () => {
    await settle(file);
    assert.equal(statSync(path('master.key')).mode & 0o777, 0o600);
    const text = keyText();
    assert.ok(readMasterKey(text));
    await settle(file);
    assert.equal(keyText(), text);
  });
  test('is not created when the environment has a key', async () => {
    await settle(env(generateMasterKeyText()));
    assert.ok(!existsSync(path('master.key')));
  });
  test('is replaced by a rotation: the old key opens no secret, the new key all of them', async () => {
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
    await assert.rejects(assertOpen(file, kept), /master key .* is missing/);
  });
  test('opens secrets that were saved during a rotation', async () => {
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
  test('must hold the key of the stored secrets, or the start is refused with the id of that key', async () => {
    await settle(file);
    await saveSome(file);
    const id = readMasterKey(keyText())!.id;
    writeFileSync(path('master.key'), generateMasterKeyText());
    await assert.rejects(settle(file), new RegExp(`^ConfigError: PINAKES_MASTER_KEY .*${id}`));
    rmSync(path('master.key'));
    await assert.rejects(settle(file), /ConfigError/);
    assert.ok(!existsSync(path('master.key')), 'no new key replaces the missing key');
    assert.equal((await examineMasterKey({ db, config: file }, true)).ok, false);
    await assert.rejects(rotate(file), /PINAKES_MASTER_KEY/);
    writeFileSync(path('master.key'), 'nonsense');
    await assert.rejects(settle(file), /holds no key/);
  });
  test('may be lost while there are no secrets', async () => {
    await settle(file);
    const kept = await saveSome(file);
    await db.system.query(sql`delete from secret`);
    rmSync(path('master.key'));
    await settle(file);
    assert.equal(kept.length, 7);
    await assertOpen(file, await saveSome(file));
  });
});

describe('an interrupted rotation', () => {
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
      assert.ok(existsSync(path('master.key.next')), 'the rotation was interrupted');
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
  test('that left an incomplete new key file loses nothing', async () => {
    await settle(file);
    const kept = await saveSome(file);
    writeFileSync(path('master.key.next'), 'AAA');
    await settle(file);
    await assertOpen(file, kept);
  });
});

describe('a key from the environment', () => {
  test('is rotated with the old key as PINAKES_MASTER_KEY_PREVIOUS', async () => {
    const [old, next] = [generateMasterKeyText(), generateMasterKeyText()];
    await settle(env(old));
    const kept = await saveSome(env(old));
    await assert.rejects(rotate(env(old)), /PINAKES_MASTER_KEY_PREVIOUS/, 'there is no new key');
    await assert.rejects(settle(env(next)), /^ConfigError: PINAKES_MASTER_KEY /, 'the old key is missing');

    // Processes restart one after the other. Those with both keys still use the old key.
    const both = env(next, old);
    await settle(both);
    const between = await save(both, tenants[0]!, 'between');
    await assertOpen(env(old), [...kept, between]);
    assert.match((await examineMasterKey({ db, config: both }, true)).detail, /run pinakes rotate-master-key/);

    assert.equal((await rotate(both)).keyId, readMasterKey(next)?.id);
    await settle(env(next));
    await assertOpen(env(next), [...kept, between, await save(env(next), tenants[1]!, 'after')]);
    await assert.rejects(assertOpen(env(old), kept), /master key .* is missing/);
    assert.ok(!existsSync(path('master.key')));
  });
  test('replaces a key file, and a key file replaces it', async () => {
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
