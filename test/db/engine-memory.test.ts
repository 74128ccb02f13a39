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
/** Without a part of the shared memory for it, each write-out of a buffer that a search has read takes 1 MB for good. */
const WRITE_OUTS = 100;
/** V8 takes up to 20 MB meanwhile. */
const GROWTH_BYTES_MAX = 45_000_000;
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

test('the memory of the engine does not grow with each write buffer that a search has read', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
  try {
    await copyTemplate(dataDir);
    const db = await openDatabase({ dataDir });
    await db.system.execute('create table text (terms text)');
    await db.system.execute(`create index text_terms on text using bm25 (terms) with (text_config = 'simple')`);
    const writeOut = async (): Promise<void> => {
      await db.system.execute(`insert into text select string_agg('word' || (random() * 9000)::int, ' ')
        from generate_series(1, 30) row, generate_series(1, 150) group by row`);
      await db.system.execute(`select from text order by terms <@> to_bm25query('word1000', 'text_terms') limit 1`);
      await db.system.execute(`select bm25_spill_index('text_terms')`);
    };
    for (let n = 0; n < WRITE_OUTS / 4; n += 1) await writeOut();
    const before = process.memoryUsage.rss();
    for (let n = WRITE_OUTS / 4; n < WRITE_OUTS; n += 1) await writeOut();
    const grown = process.memoryUsage.rss() - before;
    await db.close();
    assert.ok(grown < GROWTH_BYTES_MAX, `${grown} bytes`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
