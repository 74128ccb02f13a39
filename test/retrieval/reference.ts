/** A plain implementation of filters, which the SQL is compared with. It shares no code with the SQL. */

import type { MetadataFilter, MetadataFilterGroup } from '../../src/filters/types.ts';
import type { Filters } from '../../src/retrieval/types.ts';

type Lookup = (key: string) => string | undefined;

export interface ReferenceSource {
  name: string;
  groupId: string;
  tags: readonly string[];
  sourceType: string;
  fileType: string;
  url: string | null;
  contentAt: Date;
  group: Lookup;
  /** API records win over origin records. */
  source: Lookup;
  /** The metadata of its only chunk. */
  chunk: Lookup;
}

export interface ReferenceTables {
  /** Tag name -> id. */
  tags: ReadonlyMap<string, string>;
  /** Declared columns: key -> type. */
  columns: ReadonlyMap<string, string>;
}

/** Returns true if all filters hold for the source. */
export function selects(filters: Filters, source: ReferenceSource, { tags, columns }: ReferenceTables): boolean {
  const ids = source.tags.map((name) => tags.get(name));
  const seconds = Math.floor(source.contentAt.getTime() / 1000);
  const host = hostOf(source.url);
  const has = (wanted: readonly string[], there: readonly (string | undefined)[]): boolean =>
    filters.tagFilterLogic === 'and'
      ? wanted.every((one) => there.includes(one))
      : wanted.some((one) => there.includes(one));
  const column: Lookup = (key) => {
    const text = source.source(key);
    return columns.get(key) === 'integer' && text !== undefined ? wholeNumber(text) : text;
  };
  return (
    (!filters.sourceGroupIds || filters.sourceGroupIds.includes(source.groupId)) &&
    (!filters.tags || has(filters.tags, source.tags)) &&
    (!filters.tagIds || has(filters.tagIds, ids)) &&
    (!filters.sourceTypes || filters.sourceTypes.includes(source.sourceType)) &&
    (!filters.fileTypes || filters.fileTypes.includes(source.fileType)) &&
    (filters.dateFrom === undefined || seconds >= filters.dateFrom) &&
    (filters.dateTo === undefined || seconds <= filters.dateTo) &&
    (!filters.domains || filters.domains.some((part) => host?.includes(part.toLowerCase()))) &&
    (!filters.metadata || matches(filters.metadata, source.group)) &&
    (!filters.sourceMetadata || matches(filters.sourceMetadata, source.source)) &&
    (!filters.chunkMetadata || matches(filters.chunkMetadata, source.chunk)) &&
    (!filters.metadataFilter || matches(filters.metadataFilter, column))
  );
}

/** Returns a 64-bit integer in plain digits. */
function wholeNumber(text: string): string | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const number = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, number) === number ? String(number) : undefined;
}

function hostOf(url: string | null): string | undefined {
  if (url === null) return undefined;
  const afterUser = url.split('://')[1]!.split('/')[0]!.split('@').at(-1)!;
  return (afterUser.startsWith('[') ? afterUser : afterUser.split(':')[0]!).toLowerCase();
}

/** Returns whether the group of conditions holds. `lookup` returns the text of a key, undefined if the key is missing. */
export function matches(group: MetadataFilterGroup, lookup: (key: string) => string | undefined): boolean {
  const results = group.filters.map((member) =>
    'filters' in member ? matches(member, lookup) : matchesFilter(member, lookup(member.key)),
  );
  return group.operator === 'and' ? results.every(Boolean) : results.some(Boolean);
}

function matchesFilter({ operator, value }: MetadataFilter, stored: string | undefined): boolean {
  if (operator === 'exists') return stored !== undefined;
  if (operator === 'not_exists') return stored === undefined;
  if (stored === undefined) return operator === 'ne' || operator === 'nin';
  const values = (Array.isArray(value) ? value : [value]).map((one) => String(one));
  const first = values[0]!;
  switch (operator) {
    case 'in':
      return values.some((one) => compare(stored, one) === 0);
    case 'nin':
      return values.every((one) => compare(stored, one) !== 0);
    case 'contains':
      return stored.normalize('NFC').includes(first.normalize('NFC'));
    case 'starts_with':
      return stored.normalize('NFC').startsWith(first.normalize('NFC'));
    default: {
      const order = compare(stored, first);
      return { eq: order === 0, ne: order !== 0, gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[
        operator
      ];
    }
  }
}

function compare(a: string, b: string): number {
  const [numberA, numberB] = [readNumber(a), readNumber(b)];
  if (numberA !== undefined && numberB !== undefined) return order(numberA, numberB);
  const [timeA, timeB] = [readTime(a), readTime(b)];
  if (timeA !== undefined && timeB !== undefined) return order(timeA, timeB);
  return Buffer.compare(Buffer.from(a.normalize('NFC')), Buffer.from(b.normalize('NFC')));
}

function order<T extends bigint | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the exact number as a multiple of 10^-300. */
function readNumber(text: string): bigint | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
  if (!match || (!match[2] && !match[3]) || text.length > 100) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const scaled = BigInt(whole + fraction || '0') * 10n ** BigInt(300 - fraction.length + Number(exponent));
  return sign === '-' ? -scaled : scaled;
}

/** Returns microseconds since 1970. */
function readTime(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(
    text,
  );
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as number[];
  if (year === 0 || hour! > 23 || minute! > 59 || second! > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year!, month! - 1, day!);
  date.setUTCHours(hour!, minute!, second!);
  if (date.getUTCMonth() !== month! - 1 || date.getUTCDate() !== day) return undefined;
  let micros = date.getTime() * 1000 + Number((match[7] ?? '').padEnd(6, '0'));
  if (match[8] && match[8] !== 'Z') {
    const [hours, minutes] = match[8].slice(1).split(':').map(Number) as [number, number];
    if (hours > 14 || minutes > 59) return undefined;
    micros -= (match[8].startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000_000;
  }
  return micros;
}
