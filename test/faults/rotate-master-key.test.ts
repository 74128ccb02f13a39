/** The process ends in the middle of a rotation of the master key; the next start still decrypts every secret. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { generateApiKey } from '../../src/access/api-key.ts';
import { generateMasterKeyText } from '../../src/vault/seal.ts';
import { runPinakes } from '../support/cli.ts';
import { SECRET_CANARY } from '../support/passages/canary.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-rotate-'));
const { key } = generateApiKey();
after(() => rmSync(dataDir, { recursive: true, force: true }));

const keyFile = join(dataDir, 'master.key');
const keyText = (): string => readFileSync(keyFile, 'utf8').trim();
const start = (env: Record<string, string> = {}) => startServiceProcess({ dataDir, key, env });
const pinakes = (args: string[], env: Record<string, string> = {}) =>
  runPinakes(args, { PINAKES_DATA_DIR: dataDir, ...env });
let saved = 0;

async function save(service: ServiceProcess): Promise<void> {
  const body = JSON.stringify({ name: 'n', type: 'repo', secret: `${SECRET_CANARY}${saved++}` });
  const answer = await service.fetch('/secrets', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(answer.status, 201);
}

async function assertOpen(env: Record<string, string> = {}): Promise<void> {
  const { stdout } = await pinakes(['doctor', '--check'], env);
  assert.match(stdout, new RegExp(`^ok {4}master key: ${saved} secrets open`, 'm'));
}

for (const point of ['rotate.key_written', 'rotate.committed']) {
  test(`a rotation of the master key that is killed at ${point} keeps every secret readable`, async () => {
    const doomed = await start({ NODE_ENV: 'test', PINAKES_CRASH_AT: point });
    await save(doomed);
    const old = keyText();
    assert.equal((await pinakes(['rotate-master-key'])).code, 1);
    await doomed.ended;
    assert.ok(existsSync(`${keyFile}.next`));
    const service = await start();
    assert.equal(keyText() === old, point === 'rotate.key_written');
    assert.ok(!existsSync(`${keyFile}.next`));
    await save(service);
    await assertOpen();
    await service.stop();
  });
}

test('the rotation of the master key works with and without a running service', async () => {
  const service = await start();
  const keys = [keyText()];
  const said = await pinakes(['rotate-master-key']);
  assert.match(
    said.stdout,
    new RegExp(`^${saved} secrets were encrypted again\\. The master key is now \\S+ \\(in the key file\\)\\.$`, 'm'),
  );
  keys.push(keyText());
  await save(service);
  await service.stop();
  assert.equal((await pinakes(['rotate-master-key'])).code, 0);
  keys.push(keyText());
  assert.equal(new Set(keys).size, 3);
  await assertOpen();
});

test('a service with another master key refuses to start, with one line', async () => {
  const right = keyText();
  writeFileSync(keyFile, generateMasterKeyText());
  const refused = await pinakes(['serve'], { PINAKES_PORT: '0' });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /^pinakes: PINAKES_MASTER_KEY is not set, and .*master\.key is not the key .*\n$/);
  writeFileSync(keyFile, right);
  await assertOpen();
});

test('the master key can be moved from the key file to PINAKES_MASTER_KEY', async () => {
  const env = { PINAKES_MASTER_KEY: generateMasterKeyText() };
  const service = await start(env);
  assert.equal((await pinakes(['rotate-master-key'], env)).code, 0);
  await service.stop();
  rmSync(keyFile);
  await assertOpen(env);
});
