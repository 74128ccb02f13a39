/** A new embedding model: its vectors are built while the vectors of the old model serve, also through kills and takeovers. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { listGenerations } from '../../src/corpus/vector-store.ts';
import type { Deps } from '../../src/http/deps.ts';
import { collectGarbage } from '../../src/ingest/upkeep/collect-garbage.ts';
import { INDEX_LATER_CHUNKS_MIN } from '../../src/ingest/vectors/embed-generations.ts';
import { BATCH_TEXTS_MAX } from '../../src/llm/embedding/batches.ts';
import {
  context,
  type EmbeddingWorld,
  expectedVectors,
  openEmbeddingWorld,
} from '../support/worlds/embedding-world.ts';

let w: EmbeddingWorld;

before(async () => {
  w = await openEmbeddingWorld();
});
after(() => w.close());
beforeEach(() => w.reset());

/** Ends like a killed process: nothing more is written. */
function dying(deps: Deps, point: string, times = 1): { deps: Deps; killed: () => boolean } {
  let left = times;
  let dead = false;
  const gone = new Error('killed');
  const db = {
    ...deps.db,
    transaction: ((tenantId, fn, options) => {
      if (dead) return Promise.reject(gone);
      return deps.db.transaction(tenantId, fn, options);
    }) as Deps['db']['transaction'],
  };
  const crash = {
    reach(reached: string) {
      if (reached === point && --left <= 0) dead = true;
      if (dead) throw gone;
    },
  };
  return { deps: { ...deps, db, crash }, killed: () => dead };
}

describe('a new model', () => {
  const texts = Array.from({ length: 100 }, (_, i) => `chunk number ${i}`);

  test('is built while the old model serves, and replaces it in one step', async () => {
    await w.seedChunks(...texts);
    await w.embed();
    const wide = w.withModel('wide');
    const seen = new Set<string>();
    w.fake.respond(async () => {
      seen.add((await w.serving())!.model);
      return undefined;
    });
    await w.embed(wide);
    assert.deepEqual([...seen], ['first']);
    assert.deepEqual(await w.vectors(), expectedVectors('wide', ...texts));
    assert.partialDeepStrictEqual(await w.serving(), { generation: 2, model: 'wide', dimension: 96 });
    assert.deepEqual(await w.violations(), []);
    const before = await listGenerations(w.t.deps.db.system, w.tenant.tenantId);
    assert.deepEqual(
      before.map(({ status }) => status),
      ['retired', 'serving'],
    );
    await collectGarbage(wide)({}, context());
    assert.equal(await w.count('chunk_vector'), 200, 'searches in flight may still read the old vectors');
    w.pass(600);
    await collectGarbage(wide)({}, context());
    assert.equal(await w.count('chunk_vector'), 100);
    assert.equal((await listGenerations(w.t.deps.db.system, w.tenant.tenantId)).length, 1);
  });

  test('and the old model both embed chunks that are added during the build', async () => {
    await w.seedChunks(...texts);
    await w.embed();
    let arrived = false;
    w.fake.respond(async ({ model }) => {
      if (model === 'wide' && !arrived) {
        arrived = true;
        await w.seedChunks('a late chunk');
      }
      return undefined;
    });
    const { deps, killed } = dying(w.withModel('wide'), 'embed.indexed');
    await assert.rejects(w.embed(deps));
    assert.ok(killed());
    assert.deepEqual(await w.vectors(), expectedVectors('first', ...texts, 'a late chunk'));
    w.pass(60);
    await w.embed(w.withModel('wide'));
    assert.deepEqual(await w.vectors(), expectedVectors('wide', ...texts, 'a late chunk'));
  });

  for (const [point, times] of [
    ['embed.generation_created', 1],
    ['embed.batch_embedded', 2],
    ['embed.batch_stored', 2],
    ['embed.indexed', 1],
    ['embed.served', 1],
  ] as const) {
    test(`continues its build after a kill at ${point}`, async () => {
      await w.seedChunks(...texts);
      await w.embed();
      const { deps, killed } = dying(w.withModel('wide'), point, times);
      await assert.rejects(w.embed(deps));
      assert.ok(killed());
      assert.equal((await w.serving())!.model, point === 'embed.served' ? 'wide' : 'first');
      w.pass(60);
      await w.embed(w.withModel('wide'));
      assert.deepEqual(await w.vectors(), expectedVectors('wide', ...texts));
      assert.deepEqual(await w.violations(), []);
      const again = texts.filter((text) => w.fake.embedded.get(`wide\0${text}`) !== 1);
      // Two lanes, each with a request in flight at the kill.
      const most = point === 'embed.batch_embedded' || point === 'embed.batch_stored' ? 2 * BATCH_TEXTS_MAX : 0;
      assert.ok(again.length <= most, `${again.length} embedded again`);
    });
  }

  test('is built although the provider no longer has the old model', async () => {
    await w.seedChunks(...texts);
    await w.embed();
    await w.seedChunks('a late chunk');
    w.fake.respond(({ model }) => (model === 'first' ? { status: 404 } : undefined));
    const deps = w.withModel('wide');
    const counted: string[] = [];
    const embedded = (what: string) => void counted.push(what);
    await w.embed({ ...deps, metrics: { ...deps.metrics, embedded } });
    assert.deepEqual(await w.vectors(), expectedVectors('wide', ...texts, 'a late chunk'));
    assert.ok(counted.includes('failed_jobs'), 'the failure of the old model is counted');
  });

  test('counts a job in which both models fail as one failed job', async () => {
    await w.seedChunks(...texts);
    await w.embed();
    await w.seedChunks('a late chunk');
    w.fake.respond(({ texts: sent }) => (sent.includes('a late chunk') ? { status: 404 } : undefined));
    const deps = w.withModel('wide');
    const counted: string[] = [];
    const embedded = (what: string) => void counted.push(what);
    await assert.rejects(w.embed({ ...deps, metrics: { ...deps.metrics, embedded } }));
    assert.deepEqual(
      counted.filter((what) => what === 'failed_jobs'),
      ['failed_jobs'],
    );
  });

  test('is abandoned when a third model or the first model is configured', async () => {
    await w.seedChunks(...texts);
    await w.embed();
    await assert.rejects(w.embed(dying(w.withModel('wide'), 'embed.batch_stored').deps));
    w.pass(60);
    const requests = w.fake.calls.length;
    await w.embed();
    assert.deepEqual(await w.vectors(), expectedVectors('first', ...texts));
    assert.equal(w.fake.calls.length, requests);
    await assert.rejects(w.embed(dying(w.withModel('wide'), 'embed.batch_stored').deps));
    w.pass(60);
    await w.embed(w.withModel('third'));
    assert.deepEqual(await w.vectors(), expectedVectors('third', ...texts));
    w.pass(600);
    await collectGarbage(w.withModel('third'))({}, context());
    assert.equal(await w.count('chunk_vector'), 100);
    assert.equal(await w.count('embedding_waiting'), 0);
  });

  test('with many chunks on a server is indexed after its vectors are stored', async () => {
    await w.seedChunks(...Array.from({ length: INDEX_LATER_CHUNKS_MIN + 1 }, (_, i) => `w${i % 40} v${i % 7}`));
    const onServer: Deps = { ...w.t.deps, db: { ...w.t.deps.db, kind: 'server' } };
    const { deps, killed } = dying(onServer, 'embed.batch_stored', 5);
    await assert.rejects(w.embed(deps));
    assert.ok(killed());
    const [building] = await listGenerations(w.t.deps.db.system, w.tenant.tenantId);
    assert.partialDeepStrictEqual(building, { status: 'building', filled: true, indexed: false });
    w.pass(60);
    await w.embed(onServer);
    const [served] = await listGenerations(w.t.deps.db.system, w.tenant.tenantId);
    assert.partialDeepStrictEqual(served, { status: 'serving', indexed: true });
    assert.equal(await w.count('chunk_vector'), INDEX_LATER_CHUNKS_MIN + 1);
    assert.equal(new Set(w.requested()).size, 280);
    const again = w.requested().length - 280;
    assert.ok(again <= BATCH_TEXTS_MAX, `only the texts of the request in flight are embedded again: ${again}`);
  });
});

describe('two workers', () => {
  test('do not embed for one tenant at once: after a takeover the first worker stores nothing', async () => {
    await w.seedChunks('red apples', 'green pears');
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    w.fake.respond(async ({ texts }) => {
      if (texts[0] === 'text') return undefined;
      asked.resolve();
      await held.promise;
      return undefined;
    });
    const slow = w.embed();
    await asked.promise;
    await w.embed();
    assert.equal(w.requested().length, 2, 'a second job does nothing while the first job works');
    w.pass(60);
    w.fake.respond(() => ({ status: 401 }));
    await assert.rejects(w.embed(), /401/);
    assert.equal(w.requested().length, 4, 'a job without a heartbeat is taken over');
    held.resolve();
    await slow;
    assert.equal(await w.count('chunk_vector'), 0);
    w.fake.respond(() => undefined);
    await w.embed();
    assert.deepEqual(await w.vectors(), expectedVectors('first', 'red apples', 'green pears'));
    assert.deepEqual(await w.violations(), []);
  });
});
