/** Random corpora and random filters for tests of the SQL of filters. */
import type { ColumnType } from '../../src/corpus/column-store.ts';
import type { TypedMetadata } from '../../src/corpus/values.ts';
import type { MetadataFilter, MetadataFilterGroup } from '../../src/filters/types.ts';
import type { Filters } from '../../src/retrieval/types.ts';
import { newId } from '../../src/util/ids.ts';
import type { Random } from '../support/random.ts';
import type { SeedGroup, TagIds } from './corpus.ts';
import type { ReferenceSource } from './reference.ts';

export const KEYS = ['year', 'author', "o'key", 'k"1', 'when', '%', 'a.b', '$1', '__proto__'];
/** Values longer than the indexed prefix; they differ only after the prefix. */
const LONG = ['x', 'y'].map((last) => `${'😀'.repeat(99)}e\u0301${last.repeat(40)}`);
export const VALUES = [
  ...LONG,
  ...['7', '07', '7.0', '10', '-3', '+3', '-0', '1e2', '100', '0.1', '.5', '1e', '1.2.3', 'NaN'],
  ...['9007199254740993', '9007199254740992', '9223372036854775807', '9223372036854775808', '-9223372036854775808'],
  ...['2025-01-01', '2025-01-01T00:00Z', '2025-01-01T02:00+02:00', '2024-02-29', '2025-02-29', '0000-01-01'],
  ...['9999-12-31', '2025-1-1', '2025-01-01 12:00:00.5', '2025-01-01T12:00:00.500000Z', '2025-13-01', '20250101'],
  ...['2025-00-10', '2025-01-00', '2025-01-31', '2025-04-31', '2025-01-28', '0000-02-02', '2025-1-011', '12345-6-78'],
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
const TAGS = ['red', 'Red', '%', "t'; --", '__proto__', '本', 'unused'];
const SOURCE_TYPES = ['local_file', 'drive', 'web'];
const FILE_TYPES = ['md', 'pdf', 'txt'];
const URLS = [
  'https://docs.example.org/a',
  'http://u@EXAMPLE.net:8080/?q=docs',
  'https://a_b.org/',
  'ftp://[::1]/x',
  null,
];
const HOSTS = ['docs', 'EXAMPLE', '.org', '_', '%', 'net', '::1', 'u@'];
/** Unix seconds. */
const TIMES = [1_735_689_600, 1_735_689_601, 1_760_000_000, 1_790_000_000];

export interface RandomCorpus {
  groups: SeedGroup[];
  /** The facts for the reference about each source that is not deleted. */
  sources: ReferenceSource[];
  /** Ids of all tags, including tags without a group. */
  tags: TagIds;
  columns: Map<string, ColumnType>;
}

export function randomCorpus(random: Random): RandomCorpus {
  const tags: TagIds = new Map();
  const sources: ReferenceSource[] = [];
  const groups: SeedGroup[] = [];
  while (sources.length < 60) {
    const metadata = someText(random);
    const names = TAGS.filter((name) => name !== 'unused' && random.next() < 0.35);
    const sourceType = random.pick(SOURCE_TYPES);
    const group: SeedGroup & { id: string } = {
      id: newId(),
      sourceType,
      metadata,
      tags: names,
      deleted: random.next() < 0.1,
      sources: [],
    };
    groups.push({ ...group, sources: Array.from({ length: random.integer(1, 6) }, () => source(group)) });
  }
  const columns = new Map(
    KEYS.filter(() => random.next() < 0.8).map((key) => [key, random.pick(['string', 'integer'] as const)]),
  );
  columns.set('year', 'integer');
  columns.set('author', 'string');
  return { groups, sources, tags, columns };

  function source(group: SeedGroup & { id: string }): SeedGroup['sources'][number] {
    const name = `${sources.length}-${groups.length}-${random.word(8)}.txt`;
    const [metadata, originMetadata, chunkMetadata] = [someText(random), someTyped(random), someTyped(random)];
    const seed = {
      name,
      metadata,
      originMetadata,
      fileType: random.pick(FILE_TYPES),
      url: random.pick(URLS),
      contentAt: new Date(random.pick(TIMES) * 1000 + random.integer(0, 999)),
      deleted: random.next() < 0.1,
      status: random.next() < 0.1 ? ('pending' as const) : ('ready' as const),
      // Each chunk has unique content: equal chunks would be returned once.
      chunks: [{ content: `common ${name}`, metadata: chunkMetadata }],
    };
    if (!group.deleted && !seed.deleted && seed.status === 'ready') {
      sources.push({
        name,
        groupId: group.id,
        tags: group.tags ?? [],
        sourceType: group.sourceType ?? '',
        fileType: seed.fileType,
        url: seed.url,
        contentAt: seed.contentAt,
        group: (key) => own(group.metadata ?? {}, key),
        source: (key) => own(metadata, key) ?? own(originMetadata, key)?.val,
        chunk: (key) => own(chunkMetadata, key)?.val,
      });
    }
    return seed;
  }
}

/** Returns one to three random filters. The caller resolves the column of a metadata filter. */
export function randomFilters(random: Random, corpus: RandomCorpus): Filters {
  const filters: Filters = {};
  for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left--) addFilter(random, corpus, filters);
  return filters;
}

function addFilter(random: Random, corpus: RandomCorpus, filters: Filters): void {
  const some = <T>(from: readonly T[]): T[] => Array.from({ length: random.integer(1, 3) }, () => random.pick(from));
  switch (random.integer(0, 10)) {
    case 0:
      filters.tags = some(TAGS);
      filters.tagFilterLogic = random.pick(['and', 'or']);
      break;
    case 1:
      filters.tagIds = some([...corpus.tags.values(), newId(), 'no id']);
      filters.tagFilterLogic = random.pick(['and', 'or']);
      break;
    case 2:
      filters.sourceTypes = some(SOURCE_TYPES);
      filters.fileTypes = some(FILE_TYPES);
      break;
    case 3:
      filters.dateFrom = random.pick(TIMES);
      if (random.next() < 0.5) filters.dateTo = random.pick(TIMES);
      break;
    case 4:
      filters.domains = some(HOSTS);
      break;
    case 5:
      filters.metadata = randomGroup(random, KEYS);
      break;
    case 6:
      filters.sourceMetadata = randomGroup(random, KEYS);
      break;
    case 7:
      filters.chunkMetadata = randomGroup(random, KEYS);
      break;
    case 8:
      filters.sourceGroupIds = some([...corpus.sources.map(({ groupId }) => groupId), newId(), 'no id']);
      break;
    default:
      filters.metadataFilter = randomGroup(random, [...corpus.columns.keys()]);
  }
}

function randomGroup(random: Random, keys: readonly string[], depth = 1): MetadataFilterGroup {
  const filters = Array.from({ length: random.integer(1, 3) }, () =>
    depth < 5 && random.next() < 0.25 ? randomGroup(random, keys, depth + 1) : randomFilter(random, keys),
  );
  return { operator: random.pick(['and', 'or']), filters };
}

function randomFilter(random: Random, keys: readonly string[]): MetadataFilter {
  const key = random.pick(keys);
  const operator = random.pick([
    ...(['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const),
    ...(['in', 'nin', 'contains', 'starts_with', 'exists', 'not_exists'] as const),
  ]);
  if (operator === 'exists' || operator === 'not_exists') return { key, operator };
  const value = (): string | number | boolean =>
    random.next() < 0.2 ? random.pick([7, 10, 0.1, 100, -3, true]) : random.pick(VALUES);
  if (operator === 'in' || operator === 'nin') {
    return { key, operator, value: Array.from({ length: random.integer(1, 4) }, value) };
  }
  return { key, operator, value: value() };
}

function someText(random: Random): Record<string, string> {
  return Object.fromEntries(KEYS.filter(() => random.next() < 0.6).map((key) => [key, random.pick(VALUES)]));
}

function someTyped(random: Random): TypedMetadata {
  return Object.fromEntries(Object.entries(someText(random)).map(([key, val]) => [key, { val, type: 'string' }]));
}

function own<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
