/** Texts with several versions: a search returns one version, on every page. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import { COMPARED_MAX } from '../../src/retrieval/ranking/distinct.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { RetrieveRequest } from '../../src/retrieval/types.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { seed } from './corpus.ts';

const TEXTS = 30;

let database: TestDatabase;
let tenant: Tenant;

const filler = (n: number): string =>
  Array.from(
    { length: 40 },
    (_, i) => `w${String.fromCharCode(97 + ((n + i) % 26))}${String.fromCharCode(97 + n)}`,
  ).join(' ');

before(async () => {
  database = await openTestDatabase();
  tenant = await createTenant(database.db, { id: newId(), name: 'default' });
  // Each text has a version with another layout and one with a changed word; a lower number ranks better.
  const sources = Array.from({ length: TEXTS }, (_, n) => {
    const text = `${'heron '.repeat(TEXTS - n)}${filler(n)}`;
    return [text, text.toUpperCase().replaceAll(' ', '\n'), text.replace(/w\w+$/, 'changed')].map(
      (content, version) => ({
        name: `${n}.${version}`,
        chunks: [content],
      }),
    );
  });
  await seed(database.db, tenant.id, [{ sources: sources.flat() }]);
});
after(() => database.close());

const namesOf = async (changes: Partial<RetrieveRequest>): Promise<string[]> => {
  const request: RetrieveRequest = {
    ...{ tenantId: tenant.id, partitionNo: tenant.partitionNo, sourceGroupIds: null, tagIds: null, principal: null },
    ...{ query: 'heron', mode: 'lexical', filters: {}, usePostfilter: false, limit: 10, offset: 0 },
    ...changes,
  };
  return (await retrieve(database, request)).hits.map(({ name }) => name);
};
const text = (name: string): number => Number.parseInt(name, 10);

test('only the best of nearly equal texts is returned, and other texts take the free places', async () => {
  const names = await namesOf({});
  assert.equal(names.length, 10);
  assert.equal(new Set(names.map(text)).size, 10, names.join(' '));
});

test('pages of results neither repeat nor miss a text', async () => {
  const paged: number[] = [];
  for (let offset = 0; offset < TEXTS; offset += 7) paged.push(...(await namesOf({ limit: 7, offset })).map(text));
  assert.ok(TEXTS * 3 <= COMPARED_MAX);
  assert.deepEqual(
    paged.toSorted((a, b) => a - b),
    Array.from({ length: TEXTS }, (_, n) => n),
  );
});

test('a copy does not count towards the maximum of chunks per source', async () => {
  const [own, other] = [newId(), newId()];
  const text = `bittern ${filler(3)}`;
  await seed(database.db, tenant.id, [
    {
      sources: [
        { id: own, chunks: [`bittern bittern ${text}`] },
        {
          id: other,
          chunks: [`bittern bittern ${text.replace(/w\w+$/, 'changed')}`, 'something else with a bittern in it'],
        },
      ],
    },
  ]);
  assert.equal((await namesOf({ query: 'bittern', maxChunksPerSource: 1 })).length, 2);
});
