/**
 * Compares the SQL of policies with the evaluator, on random policies, attributes and corpora: the results of a search, of lookups
 * and of reading texts. PINAKES_TEST_POLICIES sets the number of cases, PINAKES_TEST_SEED the seed of the random numbers.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openAccess, type Principal } from '../../src/access/access.ts';
import { attributesOfType } from '../../src/access/attribute-types.ts';
import { evaluate } from '../../src/access/evaluate.ts';
import { savePolicy } from '../../src/access/policy-store.ts';
import { saveSubject } from '../../src/access/subject-store.ts';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Tx } from '../../src/db/database.ts';
import { findChunk, listChunks, readText } from '../../src/retrieval/reading/lookup.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import { newId } from '../../src/util/ids.ts';
import { seed } from '../retrieval/corpus.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { openRandom, TEST_SEED } from '../support/random.ts';
import { type PolicyCorpus, policyCorpus, randomAttributes, randomPolicy, randomTypes } from './random-policies.ts';

const CASES = Number(process.env['PINAKES_TEST_POLICIES'] ?? 100);
const CASES_PER_CORPUS = 50;
const NO_LIMITS = { sourceGroupIds: null, tagIds: null };

interface Stored extends PolicyCorpus {
  tenant: Tenant;
  ids: string[];
}

let database: TestDatabase;
before(async () => {
  database = await openTestDatabase();
});
after(() => database.close());

test(`${CASES} random policies show what the evaluator allows`, async (t) => {
  let telling = 0;
  let corpus: Stored | undefined;
  for (let i = 0; i < CASES; i++) {
    if (i % CASES_PER_CORPUS === 0) corpus = await store(TEST_SEED + i);
    if (await check(corpus!, i)) telling++;
  }
  t.diagnostic(`${telling} of ${CASES} policies tell chunks apart`);
  assert.ok(telling > CASES / 4, `only ${telling} policies tell chunks apart`);
});

/** Checks one random policy. Returns true if the policy shows some chunks and hides others. */
async function check(corpus: Stored, number: number): Promise<boolean> {
  const { tenant, sources, ids } = corpus;
  const random = openRandom(1_000_000 * TEST_SEED + number);
  const policy = randomPolicy(random, ids);
  const attributes = randomAttributes(random, ids);
  const types = randomTypes(random);
  const document = types === undefined ? policy : { ...policy, attribute_types: types };
  const principal: Principal = { id: 'someone', policy: 'p', at: new Date() };
  const what = `case ${number}: ${JSON.stringify(document)} for ${JSON.stringify(attributes)}`;
  const source = random.pick(sources);
  const looked = await database.db.transaction(tenant.id, async (tx) => {
    const now = new Date();
    await savePolicy(tx, { id: newId(), name: 'p', definition: document }, now);
    await saveSubject(tx, { id: newId(), principalId: 'someone', attributes, expiresAt: null }, now);
    return lookUp(tx, principal, source);
  });
  const counted = attributesOfType(attributes, types);
  const allows = ({ facts }: PolicyCorpus['sources'][number]['chunks'][number]): boolean =>
    evaluate(policy, counted, facts).allowed;
  const expected = sources.flatMap(({ chunks }) => chunks.filter(allows).map(({ id }) => id));
  const { hits } = await retrieve(database, {
    ...{
      tenantId: tenant.id,
      partitionNo: tenant.partitionNo,
      ...NO_LIMITS,
      principal,
      query: 'common',
      mode: 'lexical',
    },
    ...{ filters: {}, usePostfilter: random.next() < 0.2, limit: 200, offset: 0 },
  });
  assert.deepEqual(hits.map(({ id }) => id).toSorted(), expected.toSorted(), what);
  const shown = source.chunks.filter(allows).map(({ id }) => id);
  const isShown = source.chunks.length === 0 ? evaluate(policy, counted, source.facts).allowed : shown.length > 0;
  assert.deepEqual(looked.listed, isShown ? { ids: shown, total: shown.length } : undefined, what);
  assert.equal(looked.text, isShown && shown.length === source.chunks.length, what);
  assert.deepEqual(looked.found, shown, what);
  return expected.length > 0 && expected.length < sources.reduce((sum, { chunks }) => sum + chunks.length, 0);
}

async function lookUp(tx: Tx, principal: Principal, source: Stored['sources'][number]) {
  const access = await openAccess(tx, NO_LIMITS, principal);
  const listed = await listChunks(tx, source.id, access, { limit: 50 });
  const text = await readText(tx, source.id, access, { start: 0, end: 1_000 }, null);
  const found: string[] = [];
  for (const { id } of source.chunks) if (await findChunk(tx, id, access)) found.push(id);
  return {
    listed: listed && { ids: listed.rows.map(({ id }) => id), total: listed.total },
    text: text !== undefined,
    found,
  };
}

async function store(from: number): Promise<Stored> {
  const tenant = await createTenant(database.db, { id: newId(), name: newId() });
  const tags = new Map<string, string>();
  const corpus = policyCorpus(openRandom(from), tags);
  const groupIds = await seed(database.db, tenant.id, corpus.groups, tags);
  return { ...corpus, tenant, ids: [...groupIds.slice(0, 3), ...[...tags.values()].slice(0, 3), newId()] };
}
