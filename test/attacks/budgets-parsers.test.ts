/** The places for parser processes are shared: hostile or many files of one tenant or one run do not hold back the files of another. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
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
