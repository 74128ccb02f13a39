/** How many chunks have a term: the statistics of the tables that replace a BM25 index. */
import type { Tx } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';

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
  /** Returns the occurring terms of each list. */
  occurring(lists: readonly TermList[]): Promise<(readonly string[])[]>;
}

export interface TermList {
  terms(): Iterable<string>;
}

/** PostgreSQL does not index longer words. */
const TERM_BYTES_MAX = 2046;

export function isIndexed(term: string): boolean {
  return term !== '' && Buffer.byteLength(term) <= TERM_BYTES_MAX;
}

/** Opens the counts for one transaction. The statistics include chunks that nobody sees yet. */
export function openTermCounts(tx: Tx): TermCounts {
  const read = (terms: readonly string[]): Promise<TermCount[]> =>
    tx.query<TermCount>(sql`select term, chunks, length, most, sparsest from own_term_counts(${terms}::text[])`);
  return {
    async count(terms) {
      const found = await read(['', ...terms.filter(isIndexed)]);
      return new Map(found.filter(({ term, chunks }) => term === '' || chunks > 0).map((one) => [one.term, one]));
    },
    async occurring(lists) {
      const sought = lists.map(({ terms }) => [...terms()].filter(isIndexed));
      const all = sought.flat();
      const counts = all.length > 0 ? await read(all) : [];
      const present = new Set(counts.filter(({ chunks }) => chunks > 0).map(({ term }) => term));
      return sought.map((terms) => terms.filter((term) => present.has(term)));
    },
  };
}
