/** Tests of the pool of child processes: outcomes, limits, crashes, aborts. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ProcessOutcome, ProcessRequest } from '../../src/files/parsed.ts';
import { openProcessPool, type PoolOptions } from '../../src/files/sandbox/process-pool.ts';
import { innermost } from '../../src/files/sandbox/watched-child.ts';
import { sandboxOf } from '../support/files/sandboxes.ts';
import { withLongerLimits } from '../support/time-limits.ts';
import { eventually } from '../support/upload.ts';

const POOL = new URL('../../src/files/sandbox/process-pool.ts', import.meta.url);
const SANDBOXES = new URL('../support/files/sandboxes.ts', import.meta.url);
const MISBEHAVING = new URL('../support/files/misbehaving-child.ts', import.meta.url);
/** A child with more processor time has started, and works. */
const START_TICKS_MAX = 150;
const never = new AbortController().signal;
const linux = { skip: process.platform === 'linux' ? false : 'processor time is known on Linux only' };
/** The sandbox of this system, if there is one. All limits hold inside and without. */
const sandbox = sandboxOf();

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pinakes-pool-'));
});
after(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function request(name: string, text: string): Promise<ProcessRequest> {
  const path = join(folder, `${files++}`);
  await writeFile(path, text);
  return { path, name, size: Buffer.byteLength(text), chunkMetadataKeys: [] };
}

async function withPool<T>(
  options: PoolOptions,
  run: (pool: ReturnType<typeof openProcessPool>) => Promise<T>,
): Promise<T> {
  const pool = openProcessPool({ sandbox, ...options });
  try {
    return await run(pool);
  } finally {
    await pool.close();
  }
}

function titleOf(outcome: ProcessOutcome): string {
  return outcome.ok ? 'ok' : outcome.failure.title;
}

test('many files processed at once get their own outcomes', async () => {
  await withPool({}, async (pool) => {
    const requests = await Promise.all(Array.from({ length: 60 }, (_, i) => request(`${i}.txt`, `Text number ${i}.`)));
    const outcomes = await Promise.all(requests.map((one) => pool.process(one, never)));
    assert.deepEqual(
      outcomes.map((outcome) => outcome.ok && outcome.file.text),
      requests.map((_, i) => `Text number ${i}.`),
    );
  });
});

test('a file of thousands of chunks arrives with all chunks in order', async () => {
  await withPool({ children: 1 }, async (pool) => {
    const rows = Array.from({ length: 3000 }, (_, i) => `{"n":${i}}`);
    const outcome = await pool.process(await request('a.jsonl', rows.join('\n')), never);
    assert.ok(outcome.ok);
    assert.deepEqual(
      outcome.file.chunks.map((chunk) => chunk.content),
      rows.map((_, i) => `n: ${i}`),
    );
    assert.deepEqual(
      outcome.file.chunks.map((chunk) => chunk.ordinal),
      rows.map((_, i) => i),
    );
  });
});

test('a file of several parts, an empty file and a missing file arrive as they are', async () => {
  await withPool({ children: 1 }, async (pool) => {
    const text = Array.from({ length: 50_000 }, (_, i) => `Line number ${i} of the file.`).join('\n');
    const gone = { ...(await request('gone.txt', 'x')), path: join(folder, 'gone') };
    const outcomes = await Promise.all([
      pool.process(await request('large.txt', text), never),
      pool.process(await request('empty.txt', ''), never),
      pool.process(gone, never),
    ]);
    assert.ok(outcomes[0]!.ok && outcomes[0]!.file.text === text);
    assert.deepEqual(outcomes.slice(1).map(titleOf), ['Empty file', 'The stored file is missing']);
  });
});

test('a child process can read the grammars of programming languages', async () => {
  await withPool({ children: 1 }, async (pool) => {
    const outcome = await pool.process(await request('a.py', `def greet():\n    return 1\n`), never);
    assert.ok(outcome.ok);
    assert.deepEqual(outcome.file.chunks[0]!.headingPath, ['greet']);
    assert.equal(outcome.file.metadata['programming_language']?.val, 'python');
  });
});

test('a bad file fails without effect on other files', async () => {
  await withPool({ children: 1 }, async (pool) => {
    const outcomes = await Promise.all([
      pool.process(await request('a.pdf', '%PDF-1.4 nothing'), never),
      pool.process(await request('b.txt', 'Good.'), never),
    ]);
    assert.deepEqual(outcomes.map(titleOf), ['Damaged PDF', 'ok']);
  });
});

test('a child in an endless loop is ended, and the files behind it are processed', async () => {
  await withLongerLimits(700, (fileTimeMs) =>
    withPool({ children: 1, fileTimeMs, script: MISBEHAVING }, async (pool) => {
      const outcomes = await Promise.all([
        pool.process(await request('loop', 'x'), never),
        pool.process(await request('good', 'x'), never),
        pool.process(await request('good', 'x'), never),
      ]);
      assert.deepEqual(outcomes.map(titleOf), ['Time limit exceeded', 'ok', 'ok']);
      assert.ok(!outcomes[0]!.ok && !outcomes[0]!.failure.retryable);
    }),
  );
});

test('a child that hangs without computing is ended', async () => {
  await withPool({ children: 1, fileTimeMs: 100, script: MISBEHAVING }, async (pool) => {
    assert.equal(titleOf(await pool.process(await request('hang', 'x'), never)), 'Time limit exceeded');
  });
});

test('a child that gets little processor time is not ended, and each file is read once', linux, async () => {
  await withPool({ children: 1, fileTimeMs: 1_000, script: MISBEHAVING }, async (pool) => {
    const outcomes = await Promise.all([
      pool.process(await request('nap', 'x'), never),
      pool.process(await request('good', 'x'), never),
      pool.process(await request('good', 'x'), never),
    ]);
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.ok ? outcome.file.text : outcome.failure.title)),
      ['file 1', 'file 2', 'file 3'],
    );
  });
});

test('while one child hangs, another child processes the files behind it', async () => {
  await withPool({ children: 2, fileTimeMs: 600_000, script: MISBEHAVING }, async (pool) => {
    const hang = new AbortController();
    const stuck = pool.process(await request('loop', 'x'), hang.signal);
    const requests = await Promise.all(Array.from({ length: 20 }, () => request('good', 'x')));
    const outcomes = await Promise.all(requests.map((one) => pool.process(one, never)));
    assert.ok(outcomes.every((outcome) => outcome.ok));
    hang.abort(new Error('enough'));
    await assert.rejects(stuck, /enough/);
  });
});

for (const kind of ['buffers', 'heap']) {
  test(`a child over its memory limit in ${kind} is ended`, async () => {
    await withPool({ children: 1, script: MISBEHAVING }, async (pool) => {
      const outcome = await pool.process(await request(kind, 'x'), never);
      assert.equal(titleOf(outcome), 'Memory limit exceeded');
    });
  });
}

test('a file whose child crashes twice fails as retryable', async () => {
  await withPool({ children: 1, script: MISBEHAVING }, async (pool) => {
    const outcome = await pool.process(await request('crash', 'x'), never);
    assert.equal(titleOf(outcome), 'Parser crashed');
    assert.ok(!outcome.ok && outcome.failure.retryable);
  });
});

test('a file whose child crashes once is processed by a retry', async () => {
  await withPool({ children: 1, script: MISBEHAVING }, async (pool) => {
    const outcomes = await Promise.all([
      pool.process(await request('good', 'x'), never),
      pool.process(await request('crash-unless-first', 'x'), never),
    ]);
    assert.deepEqual(outcomes.map(titleOf), ['ok', 'ok']);
  });
});

test('a child that writes garbage or without end is ended', async () => {
  await withPool({ children: 1, script: MISBEHAVING }, async (pool) => {
    assert.equal(titleOf(await pool.process(await request('garbage', 'x'), never)), 'Parser crashed');
    assert.match(
      titleOf(await pool.process(await request('flood', 'x'), never)),
      /Parser crashed|Memory limit exceeded/,
    );
  });
});

test('a child has no environment, sees no stored file, may not write files and may not start processes', async () => {
  await withPool({ children: 1, script: MISBEHAVING }, async (pool) => {
    const rights = await request('rights', 'x');
    const outcome = await pool.process({ ...rights, url: rights.path }, never);
    assert.ok(outcome.ok);
    assert.deepEqual(JSON.parse(outcome.file.text), {
      environment: [],
      read: 'ERR_ACCESS_DENIED',
      write: 'ERR_ACCESS_DENIED',
      spawn: 'ERR_ACCESS_DENIED',
    });
  });
});

test('an aborted file rejects with the reason of the signal, whether it is queued or running', async () => {
  await withPool({ children: 1, script: MISBEHAVING }, async (pool) => {
    const running = new AbortController();
    const queued = new AbortController();
    const loop = pool.process(await request('loop', 'x'), running.signal);
    const waiting = pool.process(await request('good', 'x'), queued.signal);
    queued.abort(new Error('not any more'));
    await assert.rejects(waiting, /not any more/);
    running.abort(new Error('stop'));
    await assert.rejects(loop, /stop/);
    assert.equal(titleOf(await pool.process(await request('good', 'x'), never)), 'ok');
    await assert.rejects(pool.process(await request('good', 'x'), AbortSignal.abort(new Error('early'))), /early/);
  });
});

test('closing the pool settles all files in flight', async () => {
  const pool = openProcessPool({ children: 1, sandbox, script: MISBEHAVING });
  const loop = pool.process(await request('loop', 'x'), never);
  const queued = pool.process(await request('good', 'x'), never);
  await pool.close();
  assert.deepEqual([titleOf(await loop), titleOf(await queued)], ['Service stopped', 'Service stopped']);
  assert.equal(titleOf(await pool.process(await request('good', 'x'), never)), 'Service stopped');
});

test('a child in an endless loop ends when the service is killed', async (t) => {
  if ((await sandbox.facts()).kind === null) {
    t.skip('only a sandbox ends with the service');
    return;
  }
  const source = `const { openProcessPool } = await import(${JSON.stringify(POOL.href)});
    const { sandboxOf } = await import(${JSON.stringify(SANDBOXES.href)});
    const script = new URL(${JSON.stringify(MISBEHAVING.href)});
    const pool = openProcessPool({ children: 1, sandbox: sandboxOf(), script });
    await pool.process(${JSON.stringify(await request('loop', 'x'))}, new AbortController().signal);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: 'ignore' });
  let child: number | undefined;
  await eventually(async () => {
    child = innermost(service.pid);
    return child !== service.pid && commandOf(child).startsWith(process.execPath) && ticksOf(child) > START_TICKS_MAX;
  });
  service.kill('SIGKILL');
  await eventually(async () => commandOf(child) === '');
});

/** Returns the processor time of a process in hundredths of a second. */
function ticksOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Returns the command line of a process; empty when the process has ended. */
function commandOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
