/** Texts with several versions: a search returns one version, on every page. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
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

/** Returns the names of the sources, the best first. */
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

describe('a paragraph that stands untranslated in the pages of several languages', () => {
  const paragraph = `zygote ${filler(5)}`;
  const groups: string[] = [];
  before(async () => {
    const page = (language: string) => ({
      name: language,
      sources: ['first', 'second', 'third'].map((part) => ({
        ...{ name: `${language} ${part}`, language },
        chunks: part === 'first' ? [paragraph] : [`${part} ${language}`],
      })),
    });
    groups.push(...(await seed(database.db, tenant.id, ['ja', 'fr', 'en', 'de'].map(page))));
  });
  const asks = (query: string, changes: Partial<RetrieveRequest> = {}) => namesOf({ query, ...changes });

  test('is shown in the page in the language of the query', async () => {
    assert.deepEqual(await asks('what is a zygote'), ['en first']);
    assert.deepEqual(await asks('was ist eine zygote'), ['de first']);
    assert.deepEqual(await asks("qu'est-ce que c'est une zygote"), ['fr first']);
    assert.deepEqual(await asks('zygote とは'), ['ja first']);
  });

  test('is found in another language by a reader who sees no other page', async () => {
    assert.deepEqual(await asks('what is a zygote', { filters: { sourceGroupIds: [groups[1]!] } }), ['fr first']);
    assert.deepEqual(await asks('what is a zygote', { sourceGroupIds: [groups[0]!] }), ['ja first']);
    assert.deepEqual(
      await asks('what is a zygote', { sourceGroupIds: [groups[0]!, groups[3]!] }).then((all) => all.length),
      1,
    );
  });
});
