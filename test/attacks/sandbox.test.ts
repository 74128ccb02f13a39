/** Attacks on the service from inside its parsers, table engine and tools. This process stands in for the service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Targets } from '../../src/files/sandbox/attack.ts';
import { openProcessPool } from '../../src/files/sandbox/process-pool.ts';
import { openSandbox } from '../../src/files/sandbox/sandbox.ts';
import { openToolRunner } from '../../src/files/sandbox/tool-runner.ts';
import { ATTACKERS, attackFrom, examineSandbox } from '../../src/files/sandbox/try-sandbox.ts';
import { toolView } from '../../src/files/sandbox/views.ts';
import { openTableEngine } from '../../src/tables/engine/pool.ts';
import { sandboxOf } from '../support/files/sandboxes.ts';

const TRIES_MIN = 30;
const program = join(import.meta.dirname, '../../src');
const servers: Server[] = [];
let dataDir: string;
let targets: Targets;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pinakes-attacked-'));
  for (const folder of ['blobs', 'database']) {
    await mkdir(join(dataDir, folder));
    await writeFile(join(dataDir, folder, 'file'), 'secret');
  }
  for (const key of ['master.key', 'admin.key', 'operator.key'])
    await writeFile(join(dataDir, key), 'secret', { mode: 0o600 });
  const sockets = [join(dataDir, 'admin.sock'), `\0pinakes-attacked-${process.pid}`];
  const address = (await listen(0)).address();
  for (const path of sockets) await listen(path);
  assert.ok(address !== null && typeof address === 'object');
  targets = {
    ...{ pid: process.pid, dataDir, blobs: join(dataDir, 'blobs'), temporary: tmpdir(), home: homedir(), program },
    ...{ ports: [address.port], sockets: process.platform === 'linux' ? sockets : sockets.slice(0, 1) },
  };
});
after(async () => {
  for (const server of servers) server.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function listen(at: number | string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (typeof at === 'number') server.listen(at, '127.0.0.1', resolve);
    else server.listen(at, resolve);
  });
  return server;
}

for (const kind of ['bubblewrap', 'unshare'] as const) {
  describe(`a sandbox of ${kind}`, () => {
    for (const attacker of ATTACKERS) {
      test(`code inside ${attacker} reaches nothing of the service`, async (t) => {
        const sandbox = sandboxOf(kind, { hidden: [dataDir] });
        const facts = await sandbox.facts({ system: attacker === 'LibreOffice' });
        if (facts.kind === null) {
          t.skip(`this system has no such sandbox: ${facts.reason}`);
          return;
        }
        const tries = await attackFrom(attacker, sandbox, targets);
        assert.deepEqual(
          tries.filter(({ reached }) => reached !== null),
          [],
        );
        assert.ok(tries.length >= TRIES_MIN, `${tries.length} tries`);
      });
    }

    test('a data directory inside a folder that a program may read is empty', async (t) => {
      const inside = await mkdtemp(join(dataDir, 'programs-'));
      const hidden = join(inside, 'data');
      await mkdir(hidden);
      await writeFile(join(hidden, 'master.key'), 'secret');
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's
      await writeFile(join(inside, 'program'), '#!/bin/sh\nls "${0%/*}" "${0%/*}/data"\n', { mode: 0o755 });
      const sandbox = sandboxOf(kind, { hidden: [hidden] });
      const { kind: found, reason } = await sandbox.facts();
      if (found === null) {
        t.skip(`this system has no such sandbox: ${reason}`);
        return;
      }
      const program = join(inside, 'program');
      const [command = '', ...args] = [...(await sandbox.prefix(toolView(program))), program];
      const { stdout } = await promisify(execFile)(command, args, { env: {} });
      assert.equal(stdout, `${inside}:\ndata\nprogram\n\n${hidden}:\n`);
    });
  });
}

test('the attack reaches the service where there is no sandbox', async () => {
  const tries = await attackFrom('parser', sandboxOf(undefined, { mode: 'off' }), targets);
  const reached = tries.filter((one) => one.reached !== null).map(({ name }) => name);
  const always = [
    'master key',
    'key of the first start',
    'data directory',
    'blobs',
    'embedded database',
    'link to the master key',
  ];
  const onLinux = [
    'environment of the service',
    'descriptors of the service',
    'list of processes',
    'signal to the service',
  ];
  for (const name of process.platform === 'linux' ? [...always, ...onLinux] : always)
    assert.ok(reached.includes(name), name);
  assert.ok(reached.some((name) => name.startsWith('TCP port')));
  assert.equal(reached.filter((name) => name.startsWith('socket')).length, targets.sockets.length);
});

test('a process that read a file of one tenant gets no file of another', async () => {
  const script = new URL('../support/files/misbehaving-child.ts', import.meta.url);
  const pool = openProcessPool({ children: 1, script });
  const path = join(dataDir, 'master.key');
  const request = { path, name: 'good', size: 6, chunkMetadataKeys: [] };
  const read = async (owner: string) => {
    const outcome = await pool.process(request, new AbortController().signal, undefined, { owner });
    return outcome.ok && outcome.file.text;
  };
  // A process says how many files it was given. The first file of a tenant is the first one of its process.
  assert.deepEqual([await read('a'), await read('a'), await read('b')], ['file 1', 'file 2', 'file 1']);
  assert.deepEqual(await Promise.all(['c', 'd', 'e'].map(read)), ['file 1', 'file 1', 'file 1']);
  await pool.close();
});

test('a process that ran a statement of one tenant runs none of another', async () => {
  const script = new URL('../support/files/counting-engine.ts', import.meta.url);
  const folder = join(dataDir, 'tables');
  for (const processes of [1, 2]) {
    const engine = openTableEngine({ processes, memoryMib: 256, folder, script, isInstalled: () => true });
    const request = { sql: 'select 1', tables: [], rowLimit: 1, timeoutMs: 60_000, traces: false };
    // A process says how many statements it was given.
    const ask = async (owner: string) => (await engine.query(owner, request)).rows[0]?.[0];
    assert.deepEqual([await ask('a'), await ask('a'), await ask('b')], [1, 2, 1]);
    assert.deepEqual([await ask('c'), await ask('c')], [1, 2]);
    const many = await Promise.all(['a', 'd', 'c', 'd', 'a', 'b'].map(ask));
    assert.equal(many.length, 6);
    assert.equal(await ask('e'), 1);
    await engine.close();
  }
});

describe('where a sandbox is required and there is none', () => {
  const required = openSandbox({ mode: 'required', searchPath: '', hidden: [] }, []);
  const never = new AbortController().signal;
  const message = /^PINAKES_SANDBOX is required, but there is no sandbox on this system/;

  test('no file is read, and each says why', async () => {
    const pool = openProcessPool({ children: 1, sandbox: required });
    const path = join(dataDir, 'master.key');
    const request = { path, name: 'a.txt', size: 6, chunkMetadataKeys: [] };
    const outcomes = await Promise.all([pool.process(request, never), pool.process(request, never)]);
    await pool.close();
    for (const outcome of outcomes) {
      assert.ok(!outcome.ok && outcome.failure.retryable && outcome.failure.title === 'No sandbox');
      assert.match(outcome.failure.message, message);
    }
  });

  test('no tool is started', async () => {
    const settings = { ocrLanguages: 'eng', office: true, searchPath: process.env['PATH'] ?? '' };
    const searchPath = join(dataDir, 'bin');
    await mkdir(searchPath);
    await writeFile(join(searchPath, 'tesseract'), '#!/bin/sh\necho started\n', { mode: 0o755 });
    const tools = openToolRunner({ ...settings, searchPath }, required);
    const answer = await tools.run({ tool: 'ocr', image: null }, join(dataDir, 'master.key'), never);
    assert.ok(!answer.ok);
    assert.match(answer.failure.message, message);
  });

  test('doctor fails', async () => {
    const { ok, detail } = await examineSandbox(required, targets);
    assert.equal(ok, false);
    assert.match(detail, /^required, but there is none/);
  });
});

test('doctor makes no folder for temporary files', async () => {
  const given = process.env['TMPDIR'];
  process.env['TMPDIR'] = join(dataDir, 'missing');
  try {
    await assert.rejects(attackFrom('LibreOffice', sandboxOf(undefined, { mode: 'off' }), targets), { code: 'ENOENT' });
    assert.equal(existsSync(join(dataDir, 'missing')), false);
  } finally {
    if (given === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = given;
  }
});

test('doctor says why a program cannot be started in the sandbox, without its command', async () => {
  const works = sandboxOf(undefined, { mode: 'off' });
  const refused = {
    ...works,
    prefix: async () => ['sh', '-c', 'echo cannot mount it >&2; exit 1'],
    facts: works.facts,
  };
  await assert.rejects(attackFrom('parser', refused, targets), { message: 'cannot mount it' });
});
