/** The languages of the corpus in which a query is analyzed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import { readTenantFacts } from '../../src/retrieval/query/tenant-facts.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type SeedSource, seed } from './corpus.ts';

let database: TestDatabase;

before(async () => {
  database = await openTestDatabase();
});
after(() => database.close());

async function tenantWith(sources: readonly SeedSource[]): Promise<Tenant> {
  const tenant = await createTenant(database.db, { id: newId(), name: newId() });
  await seed(database.db, tenant.id, [{ sources }]);
  return tenant;
}

async function languagesOf({ id }: Tenant): Promise<string[]> {
  const facts = await database.db.transaction(id, (tx) => readTenantFacts(tx, { policy: null }));
  return facts.languages;
}

async function namesFor({ id, partitionNo }: Tenant, query: string): Promise<(string | null)[]> {
  const { hits } = await retrieve(database, {
    ...{ tenantId: id, partitionNo, sourceGroupIds: null, tagIds: null, principal: null, query, mode: 'lexical' },
    ...{ filters: {}, usePostfilter: false, limit: 10, offset: 0 },
  });
  return hits.map(({ name }) => name);
}

const english = (count: number): SeedSource[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ name: `en-${i}`, language: 'en' },
    chunks: [`apt installs package number ${i} from a server`],
  }));

test('a language counts from three sources on', async () => {
  const inTurkish = (count: number): SeedSource[] =>
    Array.from({ length: count }, (_, i) => ({ name: `tr-${i}`, language: 'tr', chunks: [`kitaplar ${i}`] }));
  assert.deepEqual(await languagesOf(await tenantWith([...english(40), ...inTurkish(2)])), ['en', 'und']);
  assert.deepEqual(await languagesOf(await tenantWith([...english(40), ...inTurkish(3)])), ['en', 'tr', 'und']);
});

test('a language counts in a corpus of few sources if a tenth of them are in it', async () => {
  const book: SeedSource = { name: 'book', language: 'tr', chunks: ['kitaplarımız'] };
  const tenant = await tenantWith([...english(4), book]);
  assert.deepEqual(await languagesOf(tenant), ['en', 'tr', 'und']);
  assert.deepEqual(await namesFor(tenant, 'kitap'), ['book']);
  assert.deepEqual(await languagesOf(await tenantWith([...english(10), book])), ['en', 'und']);
});

test('one source in another language changes nothing for the others and is found by its words', async () => {
  const wrong: SeedSource = { name: 'wrong', language: 'hu', chunks: ['szerver apát ap apu', 'könyvtárak'] };
  const [without, tenant] = [await tenantWith(english(40)), await tenantWith([...english(40), wrong])];
  for (const query of ['apt', 'server', 'package number 7']) {
    assert.deepEqual(await namesFor(tenant, query), await namesFor(without, query), query);
  }
  assert.deepEqual(await namesFor(tenant, 'könyvtárak'), ['wrong']);
});

test('a stem in another language is looked for only if the word itself occurs nowhere', async () => {
  const inGerman = ['Serven ist eine Insel', 'Auf Serven regnet es', 'Die Not ist groß'];
  const inTurkish = ['Evler eski', 'Evlerde su var', 'Başka bir şey'];
  const sources = [...inGerman.map((text) => ['de', text]), ...inTurkish.map((text) => ['tr', text])].map(
    ([language, text]): SeedSource => ({ name: text!, language: language!, chunks: [text!] }),
  );
  const tenant = await tenantWith([...english(4), ...sources]);
  assert.deepEqual((await namesFor(tenant, 'server')).slice(0, 4).sort(), ['en-0', 'en-1', 'en-2', 'en-3']);
  assert.deepEqual((await namesFor(tenant, 'ev')).sort(), ['Evler eski', 'Evlerde su var']);
});
