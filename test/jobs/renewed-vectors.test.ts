/** The vectors of the embedded database are copied when their index has mostly deleted vectors. The index is never vacuumed. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { countWaiting } from '../../src/corpus/embedding-queue-store.ts';
import { countGenerations, listGenerations } from '../../src/corpus/vector-store.ts';
import { startMaintenance } from '../../src/db/maintenance.ts';
import { identifier, sql } from '../../src/db/sql.ts';
import type { Deps } from '../../src/http/deps.ts';
import { collectGarbage } from '../../src/ingest/upkeep/collect-garbage.ts';
import { eventually } from '../support/upload.ts';
import {
  context,
  type EmbeddingWorld,
  expectedVectors,
  openEmbeddingWorld,
} from '../support/worlds/embedding-world.ts';

const texts = Array.from({ length: 800 }, (_, i) => `chunk number ${i}`);
const kept = texts.slice(700);

let w: EmbeddingWorld;

before(async () => {
  w = await openEmbeddingWorld();
});
after(() => w.close());
beforeEach(async () => {
  await w.reset();
  await w.seedChunks(...texts);
  // On a busy machine the job needs several turns.
  while (!(await w.serving())) await w.embed();
});

const collect = (deps: Deps = w.t.deps): Promise<void> => collectGarbage(deps)({}, context());

/** Returns the states of the generations. */
async function states(): Promise<string[]> {
  const generations = await listGenerations(w.t.deps.db.system, w.tenant.tenantId);
  return generations.map(({ generation, status }) => `${generation} ${status}`);
}

/** Deletes the chunks with these texts. */
async function remove(removed: readonly string[]): Promise<void> {
  const { tenantId } = w.tenant;
  const { db } = w.t.deps;
  await db.query(tenantId, sql`delete from chunk where tenant_id = ${tenantId} and content = any(${removed}::text[])`);
  await db.system.query(sql`select pg_stat_force_next_flush()`);
}

test('vectors are copied when most of their index is deleted, without the model, and the old ones serve meanwhile', async (t) => {
  if (w.t.deps.db.kind === 'server') return t.skip('for the embedded database');
  await remove(texts.slice(0, 390));
  await collect();
  assert.deepEqual(await states(), ['1 serving'], 'more vectors are left than were deleted');
  await remove(texts.slice(390, 700));
  await collect();
  assert.deepEqual(await states(), ['1 serving', '2 building']);
  await collect();
  assert.deepEqual(await states(), ['1 serving', '2 building']);
  const requested = w.requested().length;
  w.fake.respond(() => ({ status: 500 }));
  await w.embed();
  assert.deepEqual(await states(), ['1 retired', '2 serving']);
  assert.deepEqual(await w.vectors(), expectedVectors('first', ...kept));
  assert.equal(w.requested().length, requested);
  assert.deepEqual(await w.violations(), []);
  w.pass(600);
  await collect();
  assert.deepEqual(await states(), ['2 serving'], 'the old table is dropped, and the new one is not copied again');
});

test('vectors are copied while the model fails for new chunks, which get theirs later', async (t) => {
  if (w.t.deps.db.kind === 'server') return t.skip('for the embedded database');
  await remove(texts.slice(0, 700));
  await collect();
  assert.deepEqual(await states(), ['1 serving', '2 building']);
  w.fake.respond(() => ({ status: 400 }));
  await w.seedChunks('a new chunk');
  w.t.logs.length = 0;
  await assert.rejects(w.embed());
  assert.deepEqual(await states(), ['1 retired', '2 serving']);
  assert.deepEqual(await w.vectors(), expectedVectors('first', ...kept));
  const warned = w.t.logs.filter(({ msg }) => msg === 'new chunks get no vectors of the model that serves');
  assert.equal(warned.length, 1);
  w.fake.respond(() => undefined);
  await w.embed();
  assert.deepEqual(await w.vectors(), expectedVectors('first', 'a new chunk', ...kept));
  assert.deepEqual(await w.violations(), []);
});

test('an error of the service itself ends the job also while vectors are copied', async (t) => {
  if (w.t.deps.db.kind === 'server') return t.skip('for the embedded database');
  await remove(texts.slice(0, 700));
  await collect();
  await w.seedChunks('a new chunk');
  let left = 1;
  const crash = {
    reach(point: string) {
      if (point === 'embed.batch_embedded' && left-- > 0) throw new Error('broken');
    },
  };
  await assert.rejects(w.embed({ ...w.t.deps, crash }), /broken/);
  assert.deepEqual(await states(), ['1 serving', '2 building']);
  await w.embed();
  assert.deepEqual(await w.vectors(), expectedVectors('first', 'a new chunk', ...kept));
});

test('vectors of another model than the configured one are not copied', async () => {
  await remove(texts.slice(0, 700));
  await collect(w.withModel('second'));
  assert.deepEqual(await states(), ['1 serving']);
});

test('a copy counts neither as chunks that wait nor as vectors of another model', async (t) => {
  if (w.t.deps.db.kind === 'server') return t.skip('for the embedded database');
  await remove(texts.slice(0, 700));
  await collect();
  const crash = {
    reach(point: string) {
      if (point === 'embed.batch_stored') throw new Error('killed');
    },
  };
  await assert.rejects(w.embed({ ...w.t.deps, crash }), /killed/);
  assert.ok((await w.count('embedding_waiting')) > 0);
  assert.deepEqual(await countWaiting(w.t.deps.db.system), { waiting: 0, refused: 0 });
  const generations = await countGenerations(w.t.deps.db.system);
  assert.deepEqual([...new Set(generations.map(({ status }) => status))], ['serving']);
});

test('a server, whose vacuum blocks nobody, keeps its vectors', async () => {
  await remove(texts.slice(0, 700));
  await collect({ ...w.t.deps, db: { ...w.t.deps.db, kind: 'server' } });
  assert.deepEqual(await states(), ['1 serving']);
});

test('maintenance vacuums the chunks and not the table with the index of vectors', async (t) => {
  if (w.t.deps.db.kind === 'server') return t.skip('for the embedded database');
  await remove(texts.slice(0, 700));
  const { db } = w.t.deps;
  const { table } = (await w.serving())!;
  const vacuums = async (name: string): Promise<number> => {
    const [row] = await db.system.query<{ count: number }>(
      sql`select pg_stat_get_vacuum_count(to_regclass(${identifier(name).text})) as count`,
    );
    return row!.count;
  };
  const maintenance = startMaintenance(db, { warn: () => {} });
  const chunks = table.replace(/^chunk_vector_(\d+)_\d+$/, 'chunk_$1');
  await eventually(async () => (await vacuums(chunks)) > 0);
  // The stop waits for the other tables that were due.
  await maintenance.stop();
  assert.equal(await vacuums(table), 0);
});
