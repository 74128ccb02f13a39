/** The places for parser processes are shared: hostile or many files of one tenant or one run do not hold back the files of another. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessRequest } from '../../src/files/parsed.ts';
import { openProcessPool } from '../../src/files/sandbox/process-pool.ts';

const MISBEHAVING = new URL('../support/files/misbehaving-child.ts', import.meta.url);
const never = new AbortController().signal;
const ENDLESS = { fileTimeMs: 3_600_000, script: MISBEHAVING };

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pinakes-attack-pool-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function request(name: string): Promise<ProcessRequest> {
  const path = join(folder, name);
  await writeFile(path, 'x');
  return { path, name, size: 1, chunkMetadataKeys: [] };
}

test('endless files of one tenant do not hold back a file of another', async () => {
  const pool = openProcessPool({ children: 2, ...ENDLESS });
  try {
    const [endless, good] = [await request('loop'), await request('good')];
    const stuck = Array.from({ length: 20 }, () => pool.process(endless, never, undefined, { owner: 'hostile' }));
    const outcome = await pool.process(good, never, undefined, { owner: 'other' });
    assert.ok(outcome.ok);
    await pool.close();
    assert.ok((await Promise.all(stuck)).every(({ ok }) => !ok));
  } finally {
    await pool.close();
  }
});

test('many files of one run do not hold back a file of another run of the same tenant', async () => {
  const pool = openProcessPool({ children: 1, ...ENDLESS });
  try {
    const good = await request('good');
    const ended: string[] = [];
    const process = async (part: string): Promise<void> => {
      await pool.process(good, never, undefined, { owner: 'tenant', part });
      ended.push(part);
    };
    const all = Array.from({ length: 20 }, () => process('many'));
    all.push(process('one'));
    await Promise.all(all);
    assert.ok(ended.indexOf('one') < 10, `after ${ended.indexOf('one')} files of the other run`);
  } finally {
    await pool.close();
  }
});

test('tenants that share a process in turns get a new one for each turn, not for each file', async () => {
  const pool = openProcessPool({ children: 1, ...ENDLESS });
  try {
    const good = await request('good');
    const started = new Map<string, number>();
    const process = async (owner: string): Promise<void> => {
      const outcome = await pool.process(good, never, undefined, { owner });
      if (outcome.ok && outcome.file.text === 'file 1') started.set(owner, (started.get(owner) ?? 0) + 1);
    };
    await Promise.all(Array.from({ length: 60 }, (_, i) => process(`tenant ${i % 4}`)));
    assert.equal(started.size, 4, 'no process is shared by tenants');
    assert.ok(
      [...started.values()].every((count) => count < 5),
      JSON.stringify([...started]),
    );
  } finally {
    await pool.close();
  }
});

test('tenants that send each file after the answer to the one before keep their process between files', async () => {
  const pool = openProcessPool({ children: 2, ...ENDLESS });
  try {
    const good = await request('good');
    let started = 0;
    const sendAll = async (owner: string): Promise<void> => {
      for (let sent = 0; sent < 15; sent += 1) {
        const outcome = await pool.process(good, never, undefined, { owner });
        if (outcome.ok && outcome.file.text === 'file 1') started += 1;
        await pause(5);
      }
    };
    await Promise.all(['one', 'two', 'three', 'four'].map(sendAll));
    assert.ok(started < 30, `${started} processes were started for 60 files`);
  } finally {
    await pool.close();
  }
});

test('a tenant gets a process although others always have files', { timeout: 30_000 }, async ({ signal }) => {
  const pool = openProcessPool({ children: 1, ...ENDLESS });
  const stop = new AbortController();
  signal.addEventListener('abort', () => stop.abort());
  try {
    const good = await request('good');
    const begun = Promise.withResolvers<void>();
    const served = new Set<string>();
    const sendAlways = async (owner: string): Promise<void> => {
      while (!stop.signal.aborted) {
        await pool.process(good, never, undefined, { owner });
        if (served.add(owner).size === 2) begun.resolve();
      }
    };
    const others = ['one', 'one', 'two', 'two'].map(sendAlways);
    // Each has a process now: one more than there are places for.
    await begun.promise;
    const outcome = await pool.process(good, signal, undefined, { owner: 'three' });
    assert.ok(outcome.ok);
    stop.abort();
    await Promise.all(others);
  } finally {
    stop.abort();
    await pool.close();
  }
});
