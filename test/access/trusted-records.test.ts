/** Policies trust origin records that a connector reported, never records that a file sets about itself. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { insertGroup } from '../../src/corpus/group-store.ts';
import { saveItemFacts } from '../../src/corpus/origin-store.ts';
import { changeSources, insertSources, saveSourceResults } from '../../src/corpus/source-store.ts';
import { createTenant } from '../../src/corpus/tenant-store.ts';
import type { TypedMetadata } from '../../src/corpus/values.ts';
import type { Tx } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
before(async () => {
  database = await openTestDatabase();
});
after(() => database.close());

const text = (val: string) => ({ val, type: 'string' as const });

test('every write keeps records of a connector trusted and records of a file untrusted', async () => {
  const tenant = await createTenant(database.db, { id: newId(), name: newId() });
  const [groupId, id] = [newId(), newId()];
  const now = new Date();
  await database.db.transaction(tenant.id, async (tx) => {
    const group = {
      id: groupId,
      sourceType: 'drive',
      name: 'g',
      chunkMetadataKeys: [],
      uploadAt: null,
      createdAt: now,
    };
    await insertGroup(tx, group);
    const source = { id, name: 'a.txt', url: null, fileType: 'txt', fileSize: 1, blobHash: 'h', contentAt: now };
    const reported = { path: text('/a'), owner: text('ada') };
    await insertSources(tx, group, [{ ...source, originMetadata: reported }]);
    assert.deepEqual(await trusted(tx, id), { path: '/a', owner: 'ada' });
    const facts = { sourceId: id, originId: 'o', revision: null, state: null, metadata: reported };
    await saveItemFacts(tx, groupId, [facts]);
    const parsed = { title: { ...text('forged'), trusted: true }, owner: { ...text('eve'), trusted: true } };
    await saveSourceResults(tx, [
      {
        ...{
          id,
          status: 'ready',
          fileType: 'txt',
          language: null,
          textLength: 1,
          chunkCount: 0,
          chunkMetadatasCount: 0,
          chunkMetadataBytes: 0,
        },
        ...{ originMetadata: parsed, contentAt: null, warnings: [], tables: [], includes: null, redactedBy: '' },
      },
    ]);
    assert.deepEqual(await trusted(tx, id), { path: '/a', owner: 'ada' });
    assert.equal((await records(tx, id))['title']?.val, 'forged', 'the record of the file is stored all the same');
    const change = { id, name: 'a.txt', url: null, contentAt: null, metadata: { path: text('/b') } };
    await changeSources(tx, [change]);
    assert.deepEqual(await trusted(tx, id), { path: '/b' });
  });
});

async function records(tx: Tx, id: string): Promise<TypedMetadata> {
  const [row] = await tx.query<{ records: TypedMetadata }>(
    sql`select origin_metadata as records from source where tenant_id = ${tx.tenantId} and id = ${id}`,
  );
  return row!.records;
}

async function trusted(tx: Tx, id: string): Promise<Record<string, string>> {
  const all = Object.entries(await records(tx, id));
  return Object.fromEntries(all.flatMap(([key, record]) => (record.trusted ? [[key, record.val]] : [])));
}
