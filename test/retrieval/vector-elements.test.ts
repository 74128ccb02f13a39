/** Vectors in single and half precision: old vectors stay in use, new ones get the precision that suits the database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import {
  cacheVectorsOfSources,
  createGeneration,
  elementFor,
  findServingVectors,
  findVectors,
  insertVectors,
  listGenerations,
  vectorText,
} from '../../src/corpus/vector-store.ts';
import type { Tx } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { openPostgresEngine } from '../../src/retrieval/postgres/engine.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { seed } from './corpus.ts';
import { seedVectors } from './vectors.ts';

let database: TestDatabase;
before(async () => {
  database = await openTestDatabase();
});
after(() => database.close());

/** Returns a vector with ones at these positions. */
function ones(dimension: number, ...places: number[]): Float32Array {
  return Float32Array.from({ length: dimension }, (_, i) => (places.includes(i) ? 1 : 0));
}

async function newTenant(name: string, chunkIds: readonly string[]): Promise<Tenant> {
  const tenant = await createTenant(database.db, { id: newId(), name });
  await seed(database.db, tenant.id, [
    { sources: [{ chunks: chunkIds.map((id) => ({ id, content: `text ${id}` })) }] },
  ]);
  return tenant;
}

async function nearest({ id, partitionNo }: Tenant, vector: Float32Array): Promise<Map<string, number>> {
  const scope = { tenantId: id, partitionNo, sourceGroupIds: null, tagIds: null, policy: null, filters: {} };
  const engine = openPostgresEngine(database.db);
  const search = async (tx: Tx): Promise<Map<string, number>> => {
    const query = { terms: [], vector: { vectors: (await findServingVectors(tx, id))!, values: vector }, depth: 10 };
    const { semantic: found } = await engine.open(tx, scope).candidates(query);
    return new Map(found.map((candidate) => [candidate.id, Math.round(candidate.score * 100) / 100]));
  };
  return database.db.transaction(id, search, { settings: engine.settings });
}

test('old vectors of half precision stay in use, and new vectors join them', async () => {
  const [first, second] = [newId(), newId()];
  const tenant = await newTenant('half', [first, second]);
  const generation = await seedVectors(database.db, tenant.id, 'm', new Map([[first, ones(3, 0)]]), 'half');
  assert.deepEqual(await nearest(tenant, ones(3, 0)), new Map([[first, 1]]));
  await database.db.transaction(tenant.id, async (tx) => {
    const added = { chunkId: second, hash: Buffer.from('new'), embedding: '[1,1,0]' };
    assert.deepEqual(await insertVectors(tx, generation, [added]), [second]);
  });
  assert.deepEqual(
    await nearest(tenant, ones(3, 0)),
    new Map([
      [first, 1],
      [second, 0.71],
    ]),
  );
});

test('a new generation does not lock out transactions that read vectors: those that store chunks would wait for it in a circle', async () => {
  const tenant = await newTenant('locks', []);
  const model = { model: 'm', dimension: 3, element: 'half', indexed: true } as const;
  const locks = await database.db.system.transaction(async (tx) => {
    await createGeneration(tx, tenant.id, model, new Date());
    return tx.query(sql`
      select mode from pg_locks where relation in ('chunk_vector'::regclass, to_regclass(${`chunk_vector_${tenant.partitionNo}`}))
        and mode = 'AccessExclusiveLock'`);
  });
  assert.deepEqual(locks, []);
});

describe('the precision of vectors', () => {
  test('the embedded database uses single precision if it can be indexed, a server uses half precision', () => {
    assert.equal(elementFor({ kind: 'embedded' }, 2_000), 'single');
    assert.equal(elementFor({ kind: 'embedded' }, 2_001), 'half');
    assert.equal(elementFor({ kind: 'server' }, 384), 'half');
  });

  for (const element of ['single', 'half'] as const) {
    // Vectors up to 7,600 bytes are stored inside their row, larger ones in TOAST.
    for (const dimension of element === 'single' ? [3, 1_900, 2_000] : [3, 3_800, 4_000]) {
      test(`vectors of ${dimension} dimensions in ${element} precision are stored, found and kept`, async () => {
        const ids = [newId(), newId()];
        const tenant = await newTenant(`${element} ${dimension}`, ids);
        await seedVectors(
          database.db,
          tenant.id,
          'm',
          new Map(ids.map((id, i) => [id, ones(dimension, 0, i)])),
          element,
        );
        assert.equal((await findServingVectors(database.db.system, tenant.id))!.element, element);
        assert.deepEqual(
          await nearest(tenant, ones(dimension, 0)),
          new Map([
            [ids[0], 1],
            [ids[1], 0.71],
          ]),
        );
        await database.db.transaction(tenant.id, async (tx) => {
          const [made] = await listGenerations(tx, tenant.id);
          const known = await findVectors(tx, made!.model, [Buffer.from(ids[1]!)]);
          assert.deepEqual([...known.values()], [vectorText(ones(dimension, 0, 1))]);
          const sources = await tx.query<{ id: string }>(sql`select id from source where tenant_id = ${tenant.id}`);
          await cacheVectorsOfSources(
            tx,
            sources.map(({ id }) => id),
            new Date(),
          );
          await tx.query(sql`delete from chunk_vector where tenant_id = ${tenant.id}`);
          const kept = await findVectors(tx, 'm', [Buffer.from(ids[1]!)]);
          assert.deepEqual([...kept.values()], [vectorText(ones(dimension, 0, 1))]);
        });
      });
    }
  }
});
