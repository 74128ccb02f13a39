/**
 * Facts about the corpus that searches have computed, cached until the corpus changes. Every change of the sources, groups, tags,
 * metadata column values changes the version of the corpus, in the transaction of the change (database triggers).
 */
import type { Database } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';

const BYTES_MAX = 32 * 1024 ** 2;
/** Bytes of an entry without its key and value. */
const ENTRY_BYTES = 500;

/** The tables whose changes raise the version. A statement that reads other tables is not cached. */
const WATCHED = new Set(['source', 'source_group', 'tag', 'tag_source_group', 'metadata_column_value']);

/** Selects the version. A restart of the database changes the version too. */
const VERSIONS: Record<Database['kind'], Sql> = {
  embedded: sql`(select last_value || ' ' || pg_postmaster_start_time() from corpus_version)`,
  // Names the changes that the statement sees: on a server, changes become visible in another order than they were made.
  server: sql`(select corpus_state() || ' ' || pg_postmaster_start_time())`,
};

export interface CorpusCache {
  /** Selects the version of the corpus that a statement sees. */
  version: Sql;
  /** Returns the entries of this version. Asking for another version than before invalidates all entries. */
  at(version: string): CacheView;
}

export interface CacheView {
  /** Returns the cached entry, or computes and adds it. `bytes` returns the size of the value. */
  getOrAdd<T>(key: string, compute: () => Promise<T>, bytes?: (value: T) => number): Promise<T>;
  has(key: string): boolean;
}

export function openCorpusCache({ kind }: Pick<Database, 'kind'>): CorpusCache {
  let entries = new Map<string, { value: unknown; bytes: number }>();
  let current = '';
  let total = 0;
  return {
    version: VERSIONS[kind],
    at(version) {
      if (version !== current) {
        entries = new Map();
        current = version;
        total = 0;
      }
      const ofVersion = entries;
      return {
        has: (key) => ofVersion.has(key),
        async getOrAdd<T>(key: string, compute: () => Promise<T>, bytes: (value: T) => number = () => 0): Promise<T> {
          const cached = ofVersion.get(key);
          if (cached) {
            ofVersion.delete(key);
            ofVersion.set(key, cached);
            return cached.value as T;
          }
          const value = await compute();
          // If the corpus has changed meanwhile, the value is of no use to others.
          if (ofVersion !== entries || ofVersion.has(key)) return value;
          const entry = { value, bytes: ENTRY_BYTES + 2 * key.length + bytes(value) };
          ofVersion.set(key, entry);
          total += entry.bytes;
          for (const [oldest, { bytes: freed }] of ofVersion) {
            if (total <= BYTES_MAX) break;
            ofVersion.delete(oldest);
            total -= freed;
          }
          return value;
        },
      };
    },
  };
}

/** Returns what `compute` returns, cached as long as the answer of `statement` about the tenant's corpus cannot change. */
export async function cachedBy<T>(
  cache: CacheView | undefined,
  tenantId: string,
  statement: Sql,
  compute: () => Promise<T>,
  bytes?: (value: T) => number,
): Promise<T> {
  const key = cache && cacheKey(tenantId, statement);
  return key === undefined ? compute() : cache!.getOrAdd(key, compute, bytes);
}

/** Returns true if `cachedBy` has the answer of the statement. */
export function isCached(cache: CacheView | undefined, tenantId: string, statement: Sql): boolean {
  const key = cache && cacheKey(tenantId, statement);
  return key !== undefined && cache!.has(key);
}

/** Returns the key of a statement; undefined if its answer can change without a change of the version. */
export function cacheKey(tenantId: string, statement: Sql): string | undefined {
  const { text, values } = statement;
  const tables = [...text.matchAll(/\b(?:from|join)\s+"?(\w+)"?(?!\w|\s*\()/g)].map(([, table]) => table!);
  if (tables.some((table) => !WATCHED.has(table)) || VARIES.test(text)) return undefined;
  return JSON.stringify([tenantId, text, values]);
}

/** Times, settings and random values. */
const VARIES = /\b(?:now|clock_timestamp|statement_timestamp|current_\w+|localtime\w*|random\w*|gen_random_uuid)\b/i;
