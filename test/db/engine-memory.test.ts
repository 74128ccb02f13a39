import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { buffersMb, memoryBytes } from '../../src/db/embedded/buffers.ts';
import { openDatabase } from '../../src/db/open.ts';
import { sql } from '../../src/db/sql.ts';
import { copyTemplate } from '../support/database.ts';

const OPEN_MODULE = new URL('../../src/db/open.ts', import.meta.url).href;
/** V8 optimizes the parser after fewer statements. */
const STATEMENTS = 300;
/** Without its exception, the parser takes 600 MB. The next largest function takes 41 MB. */
const COMPILATION_BYTES_MAX = 100_000_000;
const LARGE_TABLE_BYTES = 200 * 1024 ** 2;

test('V8 does not take much memory to optimize the engine', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
  try {
    await copyTemplate(dataDir);
    const script = `const { openDatabase } = await import(${JSON.stringify(OPEN_MODULE)});
      const db = await openDatabase({ dataDir: ${JSON.stringify(dataDir)} });
      for (let n = 0; n < ${STATEMENTS}; n++) await db.system.execute('select ' + n + ' as n where 1 = 1 or 2 = 3');
      await db.close();`;
    const flags = ['--trace-wasm-compilation-times', '--wasm-sync-tier-up', '--input-type=module'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', script], {
      // The options of a test run turn the optimization off.
      env: { ...process.env, NODE_OPTIONS: '' },
      maxBuffer: 64 * 1024 * 1024,
    });
    const bytes = [...stdout.matchAll(/using TurboFan, took \d+ ms and (\d+) /g)].map(([, max]) => Number(max));
    assert.ok(bytes.length > 20, `V8 optimizes functions (${bytes.length})`);
    assert.ok(Math.max(...bytes) < COMPILATION_BYTES_MAX, `the largest compilation takes ${Math.max(...bytes)} bytes`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('the engine keeps more pages in memory if the tables are large', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
  try {
    await copyTemplate(dataDir);
    const table = join(dataDir, 'database', 'base', 'large');
    writeFileSync(table, '');
    truncateSync(table, LARGE_TABLE_BYTES);
    const db = await openDatabase({ dataDir });
    const [row] = await db.system.query<{ mb: number }>(
      sql`select (pg_size_bytes(current_setting('shared_buffers')) / 1048576)::int as mb`,
    );
    await db.close();
    const least = buffersMb(LARGE_TABLE_BYTES, memoryBytes());
    assert.ok(row!.mb >= least, `${row!.mb} MB of at least ${least}`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
