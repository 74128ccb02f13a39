import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServingVectors } from '../corpus/vector-store.ts';
import { searchTerms } from '../text/analyzer.ts';
import { type Facts, type Plan, planSearch, searchedScope } from './plan.ts';
import type { RetrieveRequest } from './types.ts';

const ASKED: RetrieveRequest = {
  ...{ tenantId: 't', partitionNo: 1, sourceGroupIds: null, tagIds: null, principal: null, filters: { tags: ['a'] } },
  ...{ query: 'heron otter', mode: 'hybrid', usePostfilter: false, limit: 10, offset: 0 },
};
const FACTS: Facts = {
  groupNames: [],
  access: { sourceGroupIds: ['g'], tagIds: null, policy: null },
  ...{ languages: ['en', 'und'], vector: undefined, fusion: { method: 'weighted', weight: 0.5 } },
  ...{ hasRerankModel: false, redacts: false, blocks: false },
};
const vector = { vectors: {} as ServingVectors, values: Float32Array.of(1) };
const SCOPE = { ...FACTS.access, tenantId: 't', partitionNo: 1, filters: { tags: ['a'] } };
const MORE = [1_000, 4_000, 20_000];

const CASES: { name: string; request?: Partial<RetrieveRequest>; facts?: Partial<Facts>; plan: Partial<Plan> }[] = [
  {
    name: 'without a vector, a hybrid search is lexical and asks for a few candidates more than it returns',
    plan: { mode: 'lexical', depths: [20, 100, ...MORE], count: 10, filteredAfter: undefined, reordered: 0 },
  },
  {
    name: 'a hybrid search always begins with the candidates that are fused, so that pages have one order',
    request: { offset: 300 },
    facts: { vector },
    plan: { mode: 'hybrid', vector, depths: [60, 100, ...MORE], count: 310 },
  },
  {
    name: 'a semantic search has no terms',
    request: { mode: 'semantic' },
    facts: { vector },
    plan: { mode: 'semantic', terms: [], depths: [100, ...MORE] },
  },
  {
    name: 'the words that make a text a question are not searched for',
    request: { query: '怎么 heron', mode: 'lexical' },
    plan: { terms: planSearch({ ...ASKED, query: 'heron' }, FACTS).terms },
  },
  {
    name: 'a late page asks for many candidates at once',
    request: { mode: 'lexical', offset: 5_000 },
    plan: { depths: [5_020, 20_000], count: 5_010 },
  },
  {
    name: 'with use_postfilter, the engine searches without filters, once, and the filters are applied afterwards',
    request: { usePostfilter: true },
    plan: { filteredAfter: SCOPE, depths: [200] },
  },
  {
    name: 'a late page with use_postfilter filters as many chunks as it needs',
    request: { usePostfilter: true, offset: 500 },
    facts: { vector },
    plan: { depths: [510] },
  },
  {
    name: 'a rerank model gets its candidates on every page that it can reach',
    request: { offset: 20 },
    facts: { hasRerankModel: true },
    plan: { reranks: true, count: 50, depths: [60, 100, ...MORE] },
  },
  {
    name: 'pages after those of the rerank model keep their order',
    request: { offset: 50 },
    facts: { hasRerankModel: true },
    plan: { reranks: false, count: 60 },
  },
  {
    name: 'a request can switch the rerank model off',
    request: { rerank: false },
    facts: { hasRerankModel: true },
    plan: { reranks: false, count: 10 },
  },
  {
    name: 'the first lexical results are reordered by proximity',
    request: { proximity: true, offset: 5 },
    plan: { reordered: 20, count: 20 },
  },
  {
    name: 'later pages are not reordered',
    request: { proximity: true, offset: 20 },
    plan: { reordered: 0, count: 30 },
  },
  {
    name: 'hidden text does not influence the order',
    request: { proximity: true },
    facts: { redacts: true },
    plan: { reordered: 0 },
  },
  {
    name: 'the first results of a hybrid search are reordered too',
    request: { proximity: true },
    facts: { vector },
    plan: { mode: 'hybrid', reordered: 20 },
  },
  {
    name: 'a search by meaning alone is not reordered by words',
    request: { proximity: true, mode: 'semantic' },
    facts: { vector },
    plan: { mode: 'semantic', reordered: 0 },
  },
  {
    name: 'a rerank model replaces the order by proximity',
    request: { proximity: true },
    facts: { hasRerankModel: true },
    plan: { reranks: true, reordered: 0 },
  },
];

for (const { name, request, facts, plan } of CASES) {
  test(name, () => {
    const made = planSearch({ ...ASKED, ...request }, { ...FACTS, ...facts });
    const members = Object.keys(plan) as (keyof Plan)[];
    assert.deepEqual(Object.fromEntries(members.map((key) => [key, made[key]])), plan);
    if (made.mode !== 'semantic') assert.ok(made.terms.includes('heron'), made.terms.join(' '));
  });
}

test('the engine searches within the filters, unless they are applied afterwards', () => {
  assert.deepEqual(searchedScope(ASKED, FACTS.access), SCOPE);
  assert.deepEqual(searchedScope({ ...ASKED, usePostfilter: true }, FACTS.access), { ...SCOPE, filters: {} });
});

test('the terms of a query include those of other ways to write it', () => {
  const { terms } = planSearch({ ...ASKED, query: '2024-03-05' }, FACTS);
  assert.ok(terms.includes('march') && terms.includes('20240305'));
});

test('a phrase that only asks is not searched for, and tells the language of the question if the corpus has it', () => {
  const termsIn = (languages: string[]): readonly string[] =>
    planSearch({ ...ASKED, query: 'que fait la commande chevaux' }, { ...FACTS, languages }).terms;
  assert.deepEqual(termsIn(['de', 'en', 'fr', 'und']), searchTerms('chevaux', ['fr', 'und']));
  assert.deepEqual(termsIn(['de', 'en', 'und']), searchTerms('chevaux', ['de', 'en', 'und']));
});
