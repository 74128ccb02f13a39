/** How many chunks have a term: the statistics of the tables that replace a BM25 index. */
import type { Tx } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { CacheView } from '../query/corpus-cache.ts';

export interface TermCount {
  term: string;
  /** Number of chunks with the term; the term '' stands for all chunks. */
  chunks: number;
  /** Only for '': the length of all chunks together. */
  length: number;
  /** The maximum count of the term in a chunk, and the minimum length per occurrence. Null if not known. */
  most: number | null;
  sparsest: number | null;
}

export interface TermCounts {
  /** Returns the counts of the occurring terms, and under '' the counts of all chunks. '' is absent while the index is being made. */
  count(terms: readonly string[]): Promise<ReadonlyMap<string, TermCount>>;
  /** Returns the occurring terms of each list. The answer for a list is cached under its key. */
  occurring(lists: readonly TermList[]): Promise<(readonly string[])[]>;
}

export interface TermList {
  key: string;
  terms(): Iterable<string>;
}

interface CachedCounts {
  /** Null for a term that does not occur. */
  byTerm: Map<string, TermCount | null>;
  byKey: Map<string, readonly string[]>;
}

/** PostgreSQL does not index longer words. */
const TERM_BYTES_MAX = 2046;
/** Maximum cached counts per tenant. The cache is charged for the full capacity up front. */
const CACHED_MAX = 1_000;
const COUNTED_BYTES = 200;

export function isIndexed(term: string): boolean {
  return term !== '' && Buffer.byteLength(term) <= TERM_BYTES_MAX;
}

/**
 * Opens the counts for one transaction. `cache`, at the version that the transaction sees, shares them. The statistics include chunks
 * that nobody sees yet, so a count can change at any time. If the count of all chunks differs, all terms are counted again.
 */
export function openTermCounts(tx: Tx, tenantId: string, cache?: CacheView): TermCounts {
  const ofTransaction: CachedCounts = { byTerm: new Map(), byKey: new Map() };
  const load = async (): Promise<CachedCounts> => {
    if (!cache) return ofTransaction;
    const cached = await cache.getOrAdd(
      `counts ${tenantId}`,
      async () => ofTransaction,
      () => CACHED_MAX * COUNTED_BYTES,
    );
    if (cached.byTerm.size > CACHED_MAX) cached.byTerm.clear();
    if (cached.byKey.size > CACHED_MAX) cached.byKey.clear();
    return cached;
  };
  const read = (terms: readonly string[]): Promise<TermCount[]> =>
    tx.query<TermCount>(sql`select term, chunks, length, most, sparsest from own_term_counts(${terms}::text[])`);
  return {
    async count(terms) {
      const { byTerm } = await load();
      // Other transactions may change the cached counts meanwhile, so this copy is used.
      const counts = new Map(['', ...terms.filter(isIndexed)].map((term) => [term, byTerm.get(term)]));
      const all = byTerm.get('');
      const unknown = [...counts.keys()].filter((term) => counts.get(term) === undefined);
      if (all && unknown.length === 0) return occurringOf(counts);
      let found = await read(['', ...unknown]);
      // The parts of a large file are counted long before they change the version of the corpus.
      if (all && !isSame(all, found.find(isOfAll))) {
        byTerm.clear();
        found = await read([...counts.keys()]);
        for (const term of counts.keys()) counts.set(term, null);
      }
      for (const term of unknown) counts.set(term, null);
      for (const one of found) if (isOfAll(one) || one.chunks > 0) counts.set(one.term, one);
      // Without a count of all chunks, the index is being made, and nothing is cached.
      if (counts.get('')) for (const [term, count] of counts) byTerm.set(term, count!);
      return occurringOf(counts);
    },
    async occurring(lists) {
      const { byKey } = await load();
      const found = lists.map(({ key }) => byKey.get(key));
      const sought = lists.map(({ terms }, i) => (found[i] ? [] : [...terms()].filter(isIndexed)));
      const all = sought.flat();
      const counts = all.length > 0 ? await read(all) : [];
      const present = new Set(counts.filter(({ chunks }) => chunks > 0).map(({ term }) => term));
      return lists.map(({ key }, i) => {
        const terms = found[i] ?? sought[i]!.filter((term) => present.has(term));
        byKey.set(key, terms);
        return terms;
      });
    },
  };
}

function isOfAll({ term }: TermCount): boolean {
  return term === '';
}

function isSame(one: TermCount, other: TermCount | undefined): boolean {
  return one.chunks === other?.chunks && one.length === other.length;
}

function occurringOf(counts: ReadonlyMap<string, TermCount | null | undefined>): ReadonlyMap<string, TermCount> {
  return new Map([...counts].flatMap(([term, count]) => (count ? [[term, count]] : [])));
}
