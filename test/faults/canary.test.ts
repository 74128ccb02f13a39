/**
 * Canaries: a real service that logs everything uses, misuses and rotates secrets and API keys. Afterwards they are in no file
 * of the data directory, no line of the log and no error body. Only `admin.key` has a key, the first one.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { generateApiKey } from '../../src/access/api-key.ts';
import { runPinakesHere } from '../support/cli.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const NAME = 'the-name-is-no-secret';
const NOTES = 'nor-is-the-description';

const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-canary-'));
const first = generateApiKey().key;
/** Values that must be found nowhere. */
const canaries = new Map<string, string>();
const logs: string[] = [];
const refusals: { what: string; status: number; body: string }[] = [];
let service: ServiceProcess;

const canary = (what: string): string => {
  const value = `canary${randomBytes(24).toString('hex')}`;
  canaries.set(what, value);
  return value;
};

async function start(): Promise<void> {
  service = await startServiceProcess({ dataDir, key: first, env: { PINAKES_LOG_LEVEL: 'trace' } });
}

/** Sends JSON; a string body is sent unchanged. Error bodies are collected. */
async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await service.fetch(path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (answer.status >= 400) refusals.push({ what: `${method} ${path}`, status: answer.status, body: text });
  // biome-ignore lint/suspicious/noExplicitAny: answers of many routes
  return { status: answer.status, text, body: JSON.parse(text) as any };
}

before(async () => {
  await start();
  const keptIds = await useSecrets();
  await misuseSecrets(keptIds[0]!);
  await useKeys();
  await rotateMasterKey(keptIds.length);
  logs.push(service.errors());
  // The service is killed, not stopped, so the log of the database still has everything.
  await service.kill();
});
after(() => rmSync(dataDir, { recursive: true, force: true }));

async function useSecrets(): Promise<string[]> {
  const ids: string[] = [];
  for (const type of ['drive', 'repo', 'page']) {
    const secret = type === 'drive' ? `{"type":"service_account","private_key":"${canary(type)}"}` : canary(type);
    const body = { name: NAME, type, secret, description: NOTES };
    const made = await send('POST', '/secrets', body, { 'idempotency-key': `make ${type}` });
    assert.equal(made.status, 201, made.text);
    assert.equal((await send('POST', '/secrets', body, { 'idempotency-key': `make ${type}` })).status, 201);
    ids.push(made.body.id);
  }
  const replaced = { name: NAME, secret: canary('replaced') };
  assert.equal((await send('PUT', `/secrets/${ids[0]}`, replaced)).status, 200);
  const gone = await send('POST', '/secrets', { name: NAME, type: 'repo', secret: canary('deleted') });
  assert.equal((await send('DELETE', `/secrets/${gone.body.id}`)).status, 200);
  for (const answer of [gone, await send('GET', '/secrets'), await send('GET', `/secrets/${ids[0]}`)]) {
    for (const value of canaries.values()) assert.ok(!answer.text.includes(value));
  }
  return ids;
}

async function misuseSecrets(id: string): Promise<void> {
  const secret = canary('misused');
  const bodies: unknown[] = [
    `{"name":"n","type":"repo","secret":"${secret}`,
    `{"name":"n","type":"repo","secret":${secret}}`,
    `{"name":"n","type":"repo","secret":"${secret}\\u0000"}`,
    `{"name":"n","type":"repo","secret":"${secret}\\ud800"}`,
    { name: 'n', type: 'repo', secret: secret.repeat(200) },
    { name: 'n', type: 'repo', secret: [secret] },
    { name: 'n', type: 'repo', secret: { value: secret } },
    { name: 'n', type: secret, secret },
    { name: secret.repeat(5), type: 'repo', secret },
    { name: 'n', type: 'repo', secret, more: secret },
    { type: 'repo', secret },
    [secret],
    secret,
  ];
  for (const body of bodies) {
    for (const [method, path] of [
      ['POST', '/secrets'],
      ['PUT', `/secrets/${id}`],
      ['POST', '/api-keys'],
      ['DELETE', '/secrets'],
    ] as const) {
      const refused = await send(method, path, body, method === 'POST' ? { 'idempotency-key': 'misuse' } : {});
      assert.ok(refused.status >= 400 && refused.status < 500, `${refused.status} ${JSON.stringify(body)}`);
    }
  }
  const body = { name: 'n', type: 'repo', secret };
  await send('POST', '/secrets', body, { 'content-type': 'text/plain' });
  await send('POST', '/secrets', body, { 'x-api-key': 'nobody' });
  await send('PUT', `/secrets/${id.replace(/.$/, 'x')}`, { name: 'n', secret });
}

async function useKeys(): Promise<void> {
  const issue = { name: NAME, scopes: ['knowledge:read', 'apikeys:issue'] };
  const made = await send('POST', '/api-keys', issue, { 'idempotency-key': 'make key' });
  const key: string = made.body.key;
  canaries.set('key', key);
  assert.equal((await send('POST', '/api-keys', issue, { 'idempotency-key': 'make key' })).status, 409);
  assert.equal((await send('GET', '/api-keys', undefined, { 'x-api-key': key })).status, 200);
  assert.equal((await send('POST', '/search', { query: NAME }, { 'x-api-key': key })).status, 200);
  assert.equal((await send('POST', '/secrets', {}, { 'x-api-key': key })).status, 403);
  const rotated = await send('POST', `/api-keys/${made.body.id}/rotate`, { grace_seconds: 60 });
  canaries.set('rotated key', rotated.body.key);
  // A key in the place of an id, a number or a name.
  const places = [
    ['DELETE', `/api-keys/${key}`],
    ['POST', `/api-keys/${key}/rotate`],
    ['GET', `/source-groups/${key}`],
    ['GET', `/api-keys?limit=${key}`],
    ['GET', `/api-keys?after_id=${key}`],
    ['GET', `/api-keys?${key}=1`],
    ['GET', `/${key}`],
  ] as const;
  for (const [method, path] of places) assert.ok((await send(method, path)).status >= 400);
  await send('POST', '/api-keys', { [key]: 1 });
  await send('POST', '/api-keys', { name: 'n', scopes: [key] });
  await send('POST', '/search', { query: 'x', metadata_filter: { filters: [{ key, operator: 'exists' }] } });
  await send('GET', '/api-keys', undefined, { 'x-api-key': `${key}x` });
  assert.equal((await send('DELETE', `/api-keys/${made.body.id}`)).status, 200);
  assert.equal((await send('GET', '/api-keys', undefined, { 'x-api-key': key })).status, 401);
}

async function rotateMasterKey(secrets: number): Promise<void> {
  canaries.set('old master key', readFileSync(join(dataDir, 'master.key'), 'utf8').trim());
  const { stdout, code, stderr } = await runPinakesHere(['rotate-master-key', '--json'], { PINAKES_DATA_DIR: dataDir });
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).secrets, secrets);
}

function files(): Map<string, Buffer> {
  const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(dataDir.length + 1), readFileSync(path)];
    }),
  );
}

/** Returns whether `what` is in a file. */
function findings(): string[] {
  const forms = [...canaries].flatMap(([what, value]) => [
    { what, bytes: Buffer.from(value) },
    { what: `${what} in hex`, bytes: Buffer.from(Buffer.from(value).toString('hex')) },
    { what: `${what} in base64`, bytes: Buffer.from(Buffer.from(value).toString('base64').slice(0, 40)) },
    { what: `${what} in UTF-16`, bytes: Buffer.from(value, 'utf16le') },
  ]);
  return [...files()].flatMap(([path, bytes]) =>
    forms.filter((form) => bytes.includes(form.bytes)).map((form) => `${form.what}: ${path}`),
  );
}

describe('canaries', () => {
  test('secrets are in no file after a kill, also not in the write-ahead log', () => {
    const read = files();
    assert.ok(
      [...read.keys()].some((path) => path.includes('pg_wal')),
      'the write-ahead log was looked at',
    );
    assert.ok(
      [...read.values()].some((bytes) => bytes.includes(NAME)),
      'what is no secret can be found',
    );
    assert.ok([...read.values()].some((bytes) => bytes.includes(NOTES)));
    assert.deepEqual(findings(), []);
  });
  test('secrets are in no file after a restart, a checkpoint and a stop', async () => {
    await start();
    assert.equal((await send('GET', '/secrets')).body.secrets.length, 3);
    assert.equal(await service.stop(), 0);
    logs.push(service.errors());
    assert.deepEqual(findings(), []);
    const checked = await runPinakesHere(['doctor', '--check'], { PINAKES_DATA_DIR: dataDir });
    assert.match(checked.stdout, /^ok {4}master key: 3 secrets open/m, checked.stdout);
  });
  test('secrets are in no line of the log', () => {
    const log = logs.join('');
    assert.ok(log.includes('"path":"/api/v1/secrets"'), 'requests were logged');
    for (const [what, value] of canaries) assert.ok(!log.includes(value), `${what} is in the log`);
    assert.ok(!log.includes(first));
  });
  test('secrets are in no error body', () => {
    assert.ok(refusals.length > 60);
    assert.deepEqual(
      refusals.filter(({ status }) => status >= 500),
      [],
    );
    for (const { what, body } of refusals) {
      for (const [name, value] of canaries) {
        assert.ok(!body.includes(value), `${name}: ${what.slice(0, 60)}: ${body}`);
      }
    }
  });
  test('the first key is only in admin.key', () => {
    const holding = [...files()].filter(([, bytes]) => bytes.includes(first)).map(([path]) => path);
    assert.deepEqual(holding, ['admin.key']);
  });
});
