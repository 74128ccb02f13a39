/** A backup of a PostgreSQL server while the service runs: no stored file is deleted until the backup has ended. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findViolations } from '../../src/corpus/invariants.ts';
import { createTenant, deleteTenant } from '../../src/corpus/tenant-store.ts';
import { type Hold, holdFiles } from '../../src/db/server/hold-files.ts';
import { sql } from '../../src/db/sql.ts';
import { deleteGroup } from '../../src/ingest/removal/delete-group.ts';
import { removeDeletedSource } from '../../src/ingest/removal/delete-source.ts';
import { ingestRun } from '../../src/ingest/run-ingest.ts';
import { collectGarbage } from '../../src/ingest/upkeep/collect-garbage.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { BIN, runPinakes } from '../support/cli.ts';
import { uploadFiles } from '../support/upload.ts';

const SERVER = process.env['PINAKES_TEST_DATABASE_URL'];

test('without a server, the command says how the embedded database is backed up', async () => {
  const { code, stderr } = await runPinakes(['backup', '--', 'echo', ''], {});
  assert.equal(code, 2);
  assert.match(stderr, /stop the service and copy /);
});

describe('while a backup runs', { skip: !SERVER && 'needs a server' }, () => {
  /** There is no worker: the test runs the jobs itself. */
  let service: TestApp;
  let url: string;
  before(async () => {
    service = await openTestApp({});
    const [row] = await service.deps.db.system.query<{ name: string }>(sql`select current_database() as name`);
    url = Object.assign(new URL(SERVER!), { pathname: `/${row!.name}` }).href;
  });
  after(() => service.close());

  const context = () => ({ signal: new AbortController().signal, lastAttempt: false });
  const collect = () => collectGarbage(service.deps)({}, context());
  const storedFiles = async () => (await Array.fromAsync(service.deps.blobs.list())).length;

  async function ingested(files: Record<string, string>): Promise<string> {
    const group = await uploadFiles(service, files);
    const { runs } = (await service.get(`/source-groups/${group}/runs`)).body;
    await ingestRun(service.deps)({ tenantId: service.tenantId, runId: runs.at(-1).id }, context());
    return group;
  }

  async function deleteAll(group: string): Promise<void> {
    await service.delete(`/source-groups/${group}`);
    await deleteGroup(service.deps)({ tenantId: service.tenantId, groupId: group }, context());
    await collect();
  }

  test('rows of deleted sources and groups go, their files stay until it has ended', async () => {
    const one = await ingested({ 'heron.md': 'The heron waits.', 'stork.md': 'The stork flies.' });
    const other = await ingested({ 'crane.md': 'The crane dances.' });
    const hold = await holdFiles(url);
    const { sources } = (await service.get(`/source-groups/${one}/sources`)).body;
    await service.delete(`/sources/${sources[0].id}`);
    await removeDeletedSource(service.deps, service.tenantId, sources[0].id, context().signal);
    await deleteAll(other);
    assert.equal((await service.get(`/source-groups/${other}`)).status, 404);
    assert.equal((await service.get(`/sources/${sources[0].id}`)).status, 404);
    assert.equal(await storedFiles(), 3);
    assert.equal(await hold.release(), true);
    await collect();
    assert.equal(await storedFiles(), 1);
    await deleteAll(one);
    assert.equal(await storedFiles(), 0);
    assert.deepEqual(
      await findViolations(service.deps.db, service.deps.blobs, { now: new Date(), graceSeconds: 0 }),
      [],
    );
  });

  test('it begins when deletions of files that run have ended', async () => {
    const { blobs } = service.deps;
    const group = await ingested({ 'ibis.md': 'The ibis wades.' });
    const steps: string[] = [];
    let holding: Promise<Hold> | undefined;
    const slow = {
      ...service.deps,
      blobs: {
        ...blobs,
        async delete(tenantId: string, hash: string) {
          holding = holdFiles(url).finally(() => steps.push('held'));
          await sleep(500);
          await blobs.delete(tenantId, hash);
          steps.push('deleted');
        },
      },
    };
    await service.delete(`/source-groups/${group}`);
    await deleteGroup(slow)({ tenantId: service.tenantId, groupId: group }, context());
    await (await holding!).release();
    assert.deepEqual(steps, ['deleted', 'held']);
  });

  test('no tenant is deleted', async () => {
    const { db } = service.deps;
    const { id } = await createTenant(db, { id: newId(), name: 'ibis' });
    const hold = await holdFiles(url);
    await assert.rejects(deleteTenant(db, id), { code: 'conflict', message: /A backup of this database runs/ });
    await hold.release();
    assert.equal(await deleteTenant(db, id), true);
  });

  test('the command returns the exit code of its program, and 1 when its connection was lost', async () => {
    const env = { PINAKES_DATABASE_URL: url };
    const passed = await runPinakes(['backup', '--', process.execPath, '-e', 'process.exitCode = 7'], env);
    assert.equal(passed.code, 7);
    const cut = `import('pg').then(async ({ default: pg }) => {
      const client = new pg.Client(process.env.PINAKES_DATABASE_URL);
      await client.connect();
      await client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pinakes backup'");
      await client.end();
      setTimeout(() => console.error('the program ends'), 500);
    })`;
    const lost = await runPinakes(['backup', '--', process.execPath, '-e', cut], env);
    assert.equal(lost.code, 1);
    assert.match(
      lost.stderr,
      /connection to the database was lost.*\nthe program ends\n.*connection to the database was lost/,
    );
    const missing = await runPinakes(['backup', '--', 'no-such-program'], env);
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /no-such-program cannot be run/);
    await (await holdFiles(url)).release();
  });

  test('limits that the role has for statements and idle connections do not end it', async () => {
    const first = await holdFiles(url);
    const limits = '-c statement_timeout=200ms -c idle_session_timeout=200ms';
    const second = holdFiles(`${url}?options=${encodeURIComponent(limits)}`);
    await sleep(500);
    await first.release();
    const hold = await second;
    await sleep(500);
    assert.equal(await hold.release(), true);
  });

  test('a server that does not answer any more is given up', { timeout: 20_000 }, async (t) => {
    const server = new URL(url);
    const sockets: Socket[] = [];
    const proxy = createServer((socket) => {
      const upstream = connect(Number(server.port || 5432), server.hostname);
      sockets.push(socket, upstream);
      socket.pipe(upstream).pipe(socket);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    });
    const { port } = proxy.address() as { port: number };
    const hold = await holdFiles(Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href);
    sockets[0]!.unpipe();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const released = hold.release();
    t.mock.timers.tick(5_000);
    assert.equal(await released, false);
  });

  /** Starts the command in a process group of its own, and ends when its program has said that it runs. */
  async function started(program: string) {
    const args = [BIN, 'backup', '--', process.execPath, '-e', `${program}; console.log('runs')`];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, PINAKES_DATABASE_URL: url },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await once(child.stdout, 'data');
    const ended = once(child, 'close').then(([code]) => ({ code, said }));
    return { pid: child.pid!, ended };
  }

  test('Ctrl-C reaches the program once', async () => {
    const { pid, ended } = await started(
      `process.on('SIGINT', () => { console.log('interrupted'); setTimeout(() => process.exit(3), 500); });
        setTimeout(() => {}, 10_000)`,
    );
    process.kill(-pid, 'SIGINT');
    assert.deepEqual(await ended, { code: 3, said: 'runs\ninterrupted\n' });
  });

  test('SIGTERM reaches the program, and the exit code is that of a shell', async () => {
    const { pid, ended } = await started('setTimeout(() => {}, 10_000)');
    process.kill(pid, 'SIGTERM');
    assert.equal((await ended).code, 128 + 15);
  });
});
