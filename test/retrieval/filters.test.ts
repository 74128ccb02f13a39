/** The SQL of metadata filters against the reference, on random filters. PINAKES_TEST_FILTERS sets how many. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { TypedMetadata } from '../../src/ingest/parsed.ts';
import { retrieve } from '../../src/retrieval/retrieve.ts';
import type { Filters, MetadataFilter, MetadataFilterGroup } from '../../src/retrieval/types.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type SeedGroup, seed } from './corpus.ts';
import { matches } from './reference.ts';

const FILTERS = Number(process.env['PINAKES_TEST_FILTERS'] ?? 300);
const SOURCES = 60;

const KEYS = ['year', 'author', "o'key", 'k"1', 'when', '%', 'a.b', '$1'];
const VALUES = [
  ...[
    '7',
    '07',
    '7.0',
    '10',
    '-3',
    '1e2',
    '100',
    '0.1',
    '.5',
    '9007199254740993',
    '9007199254740992',
    '1e',
    '1.2.3',
    'NaN',
  ],
  ...[
    '2025-01-01',
    '2025-01-01T00:00Z',
    '2025-01-01T02:00+02:00',
    '2024-02-29',
    '2025-02-29',
    '0000-01-01',
    '9999-12-31',
  ],
  ...['2025-1-1', '2025-01-01 12:00:00.5', '2025-01-01T12:00:00.500000Z', '2025-13-01', '20250101'],
  ...[
    '',
    'a',
    'B',
    'ab',
    'zz',
    'é',
    'e\u0301',
    'Å',
    '100%',
    '_',
    '\\',
    "'; drop table chunk",
    'true',
    '本',
    '😀',
    '\uffff',
  ],
];

let database: TestDatabase;
let tenant: Tenant;
const corpus: { name: string; group: Lookup; source: Lookup; chunk: Lookup }[] = [];
type Lookup = (key: string) => string | undefined;

before(async () => {
  database = await openTestDatabase();
  tenant = await createTenant(database.db, { id: newId(), name: 'default' });
  const random = randomOf(1);
  const groups: SeedGroup[] = [];
  for (let i = 0; i < SOURCES; i++) {
    const [groupMetadata, metadata] = [someText(random), someText(random)];
    const [originMetadata, chunkMetadata] = [someTyped(random), someTyped(random)];
    const name = `${i}.txt`;
    groups.push({
      metadata: groupMetadata,
      sources: [
        { name, metadata, originMetadata, chunks: [{ content: `common number${i}`, metadata: chunkMetadata }] },
      ],
    });
    corpus.push({
      name,
      group: (key) => own(groupMetadata, key),
      source: (key) => own(metadata, key) ?? own(originMetadata, key)?.val,
      chunk: (key) => own(chunkMetadata, key)?.val,
    });
  }
  await seed(database.db, tenant.id, groups);
});
after(() => database.close());

test(`${FILTERS} random filters select what the reference selects`, async () => {
  let nonTrivial = 0;
  for (let i = 0; i < FILTERS; i++) {
    const random = randomOf(1000 + i);
    const filters: Filters = {};
    const group = randomGroup(random, 1);
    const place = pick(random, ['metadata', 'sourceMetadata', 'chunkMetadata'] as const);
    filters[place] = group;
    const level = ({ metadata: 'group', sourceMetadata: 'source', chunkMetadata: 'chunk' } as const)[place];
    const expected = corpus.filter((entry) => matches(group, entry[level])).map(({ name }) => name);
    const found = await search(filters);
    assert.deepEqual(found.toSorted(), expected.toSorted(), `seed ${1000 + i}: ${JSON.stringify(filters)}`);
    if (expected.length > 0 && expected.length < corpus.length) nonTrivial++;
  }
  assert.ok(nonTrivial > FILTERS / 2, `only ${nonTrivial} filters tell sources apart`);
});

test('filters of several levels must all hold', async () => {
  const at = (key: string): MetadataFilterGroup => ({ operator: 'and', filters: [{ key, operator: 'exists' }] });
  const found = await search({ metadata: at('year'), sourceMetadata: at('author'), chunkMetadata: at('when') });
  const exact = corpus
    .filter((e) => e.group('year') !== undefined && e.source('author') !== undefined && e.chunk('when') !== undefined)
    .map(({ name }) => name);
  assert.ok(exact.length > 0);
  assert.deepEqual(found.toSorted(), exact.toSorted());
});

test('every pair of stored and given value compares as in the reference', async () => {
  for (const value of VALUES) {
    for (const operator of ['eq', 'lt', 'gte', 'contains'] as const) {
      const group: MetadataFilterGroup = { operator: 'or', filters: KEYS.map((key) => ({ key, operator, value })) };
      const expected = corpus.filter((entry) => matches(group, entry.source)).map(({ name }) => name);
      assert.deepEqual(
        (await search({ sourceMetadata: group })).toSorted(),
        expected.toSorted(),
        `${operator} ${value}`,
      );
    }
  }
});

async function search(filters: Filters): Promise<string[]> {
  const { hits } = await retrieve(database, {
    tenantId: tenant.id,
    partitionNo: tenant.partitionNo,
    sourceGroupIds: null,
    tagIds: null,
    query: 'common',
    mode: 'lexical',
    filters,
    usePostfilter: false,
    limit: 100,
    offset: 0,
  });
  return hits.map((hit) => hit.name);
}

type Random = () => number;

function randomOf(seedNumber: number): Random {
  let state = seedNumber * 2654435761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

function someText(random: Random): Record<string, string> {
  return Object.fromEntries(KEYS.filter(() => random() < 0.6).map((key) => [key, pick(random, VALUES)]));
}

function someTyped(random: Random): TypedMetadata {
  return Object.fromEntries(Object.entries(someText(random)).map(([key, val]) => [key, { val, type: 'string' }]));
}

function own<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function randomGroup(random: Random, depth: number): MetadataFilterGroup {
  const filters = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
    depth < 4 && random() < 0.25 ? randomGroup(random, depth + 1) : randomFilter(random),
  );
  return { operator: pick(random, ['and', 'or']), filters };
}

function randomFilter(random: Random): MetadataFilter {
  const key = pick(random, KEYS);
  const operator = pick(random, [
    ...(['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const),
    ...(['in', 'nin', 'contains', 'starts_with', 'exists', 'not_exists'] as const),
  ]);
  if (operator === 'exists' || operator === 'not_exists') return { key, operator };
  const value = (): string | number | boolean =>
    random() < 0.2 ? pick(random, [7, 10, 0.1, 100, true]) : pick(random, VALUES);
  if (operator === 'in' || operator === 'nin') {
    return { key, operator, value: Array.from({ length: 1 + Math.floor(random() * 4) }, value) };
  }
  return { key, operator, value: value() };
}
