/** The process ends in the middle of a rotation of the master key; the next start still decrypts every secret. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { generateApiKey } from '../../src/access/api-key.ts';
import { loadConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open.ts';
import { examineMasterKey } from '../../src/vault/rotate.ts';
import { generateMasterKeyText } from '../../src/vault/seal.ts';
import { runPinakes, runPinakesHere } from '../support/cli.ts';
import { SECRET_CANARY } from '../support/passages/canary.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-rotate-'));
const { key } = generateApiKey();
/** The service that the previous test started. */
let service: ServiceProcess;
after(async () => {
  await service.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

const keyFile = join(dataDir, 'master.key');
const keyText = (): string => readFileSync(keyFile, 'utf8').trim();
/** Starts a service that reads no files. `pinakes doctor` would attack each sandbox. */
const start = (env: Record<string, string> = {}) =>
  startServiceProcess({ dataDir, key, env: { PINAKES_SANDBOX: 'off', ...env } });
/** Starts a service that is killed at this point of a rotation. */
const startArmed = (point: string) => start({ NODE_ENV: 'test', PINAKES_CRASH_AT: point });
const pinakes = (args: string[], env: Record<string, string> = {}) =>
  runPinakesHere(args, { PINAKES_DATA_DIR: dataDir, ...env });
let saved = 0;

async function save(): Promise<void> {
  const body = JSON.stringify({ name: 'n', type: 'repo', secret: `${SECRET_CANARY}${saved++}` });
  const answer = await service.fetch('/secrets', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(answer.status, 201);
}

/** Asserts that the running service opens every secret. */
async function assertOpenInService(): Promise<void> {
  const { stdout } = await pinakes(['doctor', '--check']);
  assert.match(stdout, new RegExp(`^ok {4}master key: ${saved} secrets open`, 'm'));
}

/** Asserts that the stored keys open every secret when no service runs. It is that check of `pinakes doctor` without the others. */
async function assertOpen(env: Record<string, string> = {}): Promise<void> {
  const db = await openDatabase({ dataDir });
  try {
    const config = loadConfig({ PINAKES_DATA_DIR: dataDir, ...env });
    const { ok, detail } = await examineMasterKey({ db, config }, true);
    assert.ok(ok, detail);
    assert.match(detail, new RegExp(`^${saved} secrets open`));
  } finally {
    await db.close();
  }
}

for (const [point, startNext] of [
  ['rotate.key_written', () => startArmed('rotate.committed')],
  ['rotate.committed', () => start()],
] as const) {
  test(`a rotation of the master key that is killed at ${point} keeps every secret readable`, async () => {
    service ??= await startArmed(point);
    await save();
    const old = keyText();
    assert.equal((await pinakes(['rotate-master-key'])).code, 1);
    await service.ended;
    assert.ok(existsSync(`${keyFile}.next`));
    service = await startNext();
    assert.equal(keyText() === old, point === 'rotate.key_written');
    assert.ok(!existsSync(`${keyFile}.next`));
    await save();
    await assertOpenInService();
  });
}

test('the rotation of the master key works with and without a running service', async () => {
  const keys = [keyText()];
  const said = await runPinakes(['rotate-master-key'], { PINAKES_DATA_DIR: dataDir });
  assert.match(
    said.stdout,
    new RegExp(`^${saved} secrets were encrypted again\\. The master key is now \\S+ \\(in the key file\\)\\.$`, 'm'),
  );
  keys.push(keyText());
  await save();
  await service.stop();
  assert.equal((await pinakes(['rotate-master-key'])).code, 0);
  keys.push(keyText());
  assert.equal(new Set(keys).size, 3);
  await assertOpen();
});

test('a service with another master key refuses to start, with one line', async () => {
  const right = keyText();
  writeFileSync(keyFile, generateMasterKeyText());
  const refused = await runPinakes(['serve'], { PINAKES_DATA_DIR: dataDir, PINAKES_PORT: '0' });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /^pinakes: PINAKES_MASTER_KEY is not set, and .*master\.key is not the key .*\n$/);
  writeFileSync(keyFile, right);
  await assertOpen();
});

test('the master key can be moved from the key file to PINAKES_MASTER_KEY', async () => {
  const env = { PINAKES_MASTER_KEY: generateMasterKeyText() };
  service = await start(env);
  assert.equal((await pinakes(['rotate-master-key'], env)).code, 0);
  await service.stop();
  rmSync(keyFile);
  await assertOpen(env);
});
