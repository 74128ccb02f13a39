/** The service as a process: its first start, its admin socket, its end. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { generateApiKey } from '../../src/access/api-key.ts';
import { lockDirectory } from '../../src/db/embedded/lock.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { eventually } from '../support/upload.ts';

let dataDir: string;
let service: ServiceProcess;
const key = generateApiKey().key;

before(async () => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'pinakes-service-')), 'data');
  service = await startServiceProcess({ dataDir, key, env: { PINAKES_LOG_LEVEL: 'info' }, firstStart: true });
});
after(async () => {
  await service.stop();
  rmSync(join(dataDir, '..'), { recursive: true, force: true });
});

const mode = (file: string): string => (statSync(join(dataDir, file)).mode & 0o777).toString(8);

describe('the first start', () => {
  test('writes the key where only the owner can read it', async () => {
    assert.equal(readFileSync(join(dataDir, 'admin.key'), 'utf8'), `${key}\n`);
    assert.equal(mode('admin.key'), '600');
    assert.equal(mode('.'), '700');
    assert.equal((await service.fetch('/api-keys')).status, 200);
  });
  test('prints the key only to a terminal', () => assert.ok(!service.errors().includes(key)));
  test('answers requests once it has printed that it is ready', async () => {
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  });
  test('logs only requests that a client sent', async () => {
    const requests = () =>
      service
        .errors()
        .split('\n')
        .filter((line) => line.includes('"msg":"request"'));
    await eventually(async () => requests().length > 0);
    const { path, clientLeft } = JSON.parse(requests()[0]!);
    assert.deepEqual([path, clientLeft], ['/api/v1/api-keys', undefined]);
    const before = requests().length;
    await (await fetch(`${service.url}/console/`)).text();
    await service.fetch('/tags');
    await eventually(async () => requests().length > before);
    assert.deepEqual(
      requests().filter((line) => line.includes('/console/')),
      [],
      'the files of the console are not logged',
    );
  });
});

describe('the admin socket', () => {
  test('is open to the owner only', () => assert.equal(mode('admin.sock'), '600'));
  test('asks for a key that only the owner can read', async () => {
    assert.equal(mode('operator.key'), '600');
    for (const wrong of ['', 'Bearer ', 'Bearer wrong', `Bearer ${key}`]) {
      assert.equal((await admin('POST', '/keys', { tenant: 'default', name: 'stolen' }, wrong)).status, 401);
    }
  });
  test('makes, lists and deletes tenants', async () => {
    const made = await admin('POST', '/tenants', { name: 'acme' });
    assert.equal(made.status, 200);
    const withKey = (path: string) =>
      fetch(`${service.url}/api/v1${path}`, { headers: { 'x-api-key': made.body.key } });
    assert.equal((await withKey('/api-keys')).status, 200);
    assert.deepEqual(
      (await admin('GET', '/tenants')).body.tenants.map((tenant: { name: string }) => tenant.name),
      ['default', 'acme'],
    );
    const again = await admin('POST', '/tenants', { name: 'acme' });
    assert.equal(again.status, 409);
    assert.equal(again.body.error.type, 'conflict_error');
    const issued = await admin('POST', '/keys', { tenant: 'acme', name: 'lost' });
    assert.match(issued.body.key, /^pk_/);
    const form = new FormData();
    form.append('name', 'files');
    form.append('files', new Blob(['The bittern booms.']), 'a.txt');
    const upload = { method: 'POST', headers: { 'x-api-key': made.body.key }, body: form };
    assert.equal((await fetch(`${service.url}/api/v1/local-file-groups`, upload)).status, 201);
    assert.ok(existsSync(join(dataDir, 'blobs', made.body.id)));
    assert.equal((await admin('DELETE', '/tenants/acme')).body.name, 'acme');
    assert.ok(!existsSync(join(dataDir, 'blobs', made.body.id)), 'its files end with it');
    assert.equal((await withKey('/api-keys')).status, 401, 'its keys end with it');
    assert.equal((await admin('DELETE', '/tenants/acme')).status, 404);
  });
  test('refuses unknown routes and invalid bodies', async () => {
    assert.equal((await admin('GET', '/nothing')).status, 404);
    assert.equal((await admin('POST', '/tenants', { name: '' })).status, 400);
    assert.equal((await admin('POST', '/tenants', { nam: 'x' })).status, 400);
  });
  test('answers the checks of doctor', async () => {
    const { body } = await admin('GET', '/doctor?check=1&hashes=1');
    assert.equal(body.ok, true, JSON.stringify(body.checks));
    const names = body.checks.map((check: { name: string }) => check.name);
    for (const name of [
      'database',
      'migrations',
      'blob store',
      'disk space',
      'text search',
      'models',
      'stored data',
      'stored files',
    ])
      assert.ok(names.includes(name), name);
    const textSearch = body.checks.find((check: { name: string }) => check.name === 'text search');
    assert.match(
      textSearch.detail,
      /^BM25 index of pg_textsearch$|^BM25 over tsvector: pg_textsearch is not installed, or pg_textsearch.allow_rls is off$/,
    );
    assert.deepEqual((await admin('GET', '/migrations')).body.pending, []);
    assert.deepEqual((await admin('POST', '/migrations', {})).body.changed_over, []);
  });
});

test('SIGTERM lets running requests finish, then ends the process; the next start has the same key', async () => {
  const { hostname, port } = new URL(service.url);
  const part = '--b\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\n\r\nslow file\r\n';
  const rest = '--b\r\ncontent-disposition: form-data; name="last_modified"\r\n\r\n1700000000000\r\n--b--\r\n';
  const head = `POST /api/v1/local-file-groups HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${part.length + rest.length}\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  socket.write(head + part);
  await eventually(async () => readdirSync(join(dataDir, 'blobs', '.staging')).length > 0);
  const stopped = service.stop();
  while (await isListening(hostname, Number(port))) await new Promise((resolve) => setTimeout(resolve, 10));
  socket.write(rest);
  await new Promise((resolve) => socket.once('close', resolve));
  assert.match(received, /^HTTP\/1\.1 201 /);
  assert.equal(await stopped, 0, service.errors());

  service = await startServiceProcess({ dataDir, key: generateApiKey().key, npmStart: true });
  assert.equal(
    readFileSync(join(dataDir, 'admin.key'), 'utf8'),
    `${key}\n`,
    'the bootstrap key counts at the first start only',
  );
  const { local_file_groups } = (await (
    await fetch(`${service.url}/api/v1/local-file-groups`, { headers: { 'x-api-key': key } })
  ).json()) as { local_file_groups: unknown[] };
  assert.equal(local_file_groups.length, 1, 'the upload that was answered is there');
});

test('npm start passes SIGTERM to the service, which stops cleanly', async () => {
  const { hostname, port } = new URL(service.url);
  assert.ok(await isListening(hostname, Number(port)));
  await service.stop();
  assert.equal(await isListening(hostname, Number(port)), false);
  // Nor does it run on without its parent: the database is free.
  lockDirectory(join(dataDir, 'database')).release();
});

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(port, host);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}

function admin(
  method: string,
  path: string,
  body?: unknown,
  authorization = `Bearer ${readFileSync(join(dataDir, 'operator.key'), 'utf8').trim()}`,
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts the shape
): Promise<{ status: number; body: any }> {
  const headers = { authorization };
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: join(dataDir, 'admin.sock'), method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
