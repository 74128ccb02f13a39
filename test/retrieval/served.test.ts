/** Chunks that are read by id: those of the served version of sources that are there. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import { sql } from '../../src/db/sql.ts';
import { readPresent } from '../../src/retrieval/reading/fence.ts';
import { findChunk } from '../../src/retrieval/reading/lookup.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { seed } from './corpus.ts';

const EVERYTHING = { sourceGroupIds: null, tagIds: null, policy: null };

let database: TestDatabase;
let tenant: Tenant;

before(async () => {
  database = await openTestDatabase();
  tenant = await createTenant(database.db, { id: newId(), name: 'served' });
});
after(() => database.close());

test('a chunk is read by id only if its source serves its version, and neither the source nor its group is deleted', async () => {
  const names = ['served', 'replaced', 'failed', 'deleted', 'of a deleted group'] as const;
  const chunks = new Map(names.map((name) => [name, newId()]));
  const source = (name: (typeof names)[number], more = {}) => ({
    name,
    chunks: [{ id: chunks.get(name)!, content: name }],
    ...more,
  });
  await seed(database.db, tenant.id, [
    {
      sources: [
        ...[source('served'), source('replaced')],
        ...[source('failed', { status: 'failed' }), source('deleted', { deleted: true })],
      ],
    },
    { deleted: true, sources: [source('of a deleted group')] },
  ]);
  await database.db.query(tenant.id, sql`update source set generation = 2 where name = 'replaced'`);
  await database.db.transaction(tenant.id, async (tx) => {
    for (const [name, id] of chunks)
      assert.equal((await findChunk(tx, id, EVERYTHING))?.name, name === 'served' ? name : undefined, name);
    const present = await readPresent(tx, EVERYTHING, [...chunks.values()]);
    assert.deepEqual(
      present.map(({ id }) => id),
      [chunks.get('served')],
    );
  });
});
