/** How many chunks have a term, where the database has no BM25 index: the statistics in the table text_index_term. */
import type { Tx } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { Knowledge } from '../query/corpus-memory.ts';

export interface TermCount {
  term: string;
  /** How many have it; of '' all. */
  chunks: number;
  /** Of '': of all together. */
  length: number;
  /** How often a chunk has it at most, and for what length once at least. Null: not known. */
  most: number | null;
  sparsest: number | null;
}

export interface TermCounts {
  /** Of the terms that occur; under '' of all, unless the index is being made. */
  count(terms: readonly string[]): Promise<ReadonlyMap<string, TermCount>>;
  /** Of each list the terms that occur. What was found under its key before, if that is still known. */
  occurring(lists: readonly TermList[]): Promise<(readonly string[])[]>;
}

export interface TermList {
  key: string;
  terms(): Iterable<string>;
}

interface Known {
  /** Null: it does not occur. */
  byTerm: Map<string, TermCount | null>;
  byKey: Map<string, readonly string[]>;
}

/** PostgreSQL indexes no longer words. */
const TERM_BYTES_MAX = 2046;
/** Of a tenant; all count as kept from the first on. */
const KNOWN_MAX = 1_000;
const COUNTED_BYTES = 200;

export function isIndexed(term: string): boolean {
  return term !== '' && Buffer.byteLength(term) <= TERM_BYTES_MAX;
}

/**
 * For one transaction; with `knowledge` of the corpus as it sees it, what others asked for is known. Chunks that nobody sees yet count
 * as well, so a term may be counted anew at any time: then so are all.
 */
export function openTermCounts(tx: Tx, tenantId: string, knowledge?: Knowledge): TermCounts {
  const own: Known = { byTerm: new Map(), byKey: new Map() };
  const known = async (): Promise<Known> => {
    if (!knowledge) return own;
    const kept = await knowledge.recall(
      `counts ${tenantId}`,
      async () => own,
      () => KNOWN_MAX * COUNTED_BYTES,
    );
    if (kept.byTerm.size > KNOWN_MAX) kept.byTerm.clear();
    if (kept.byKey.size > KNOWN_MAX) kept.byKey.clear();
    return kept;
  };
  const read = (terms: readonly string[]): Promise<TermCount[]> =>
    tx.query<TermCount>(sql`select term, chunks, length, most, sparsest from own_term_counts(${terms}::text[])`);
  return {
    async count(terms) {
      const { byTerm } = await known();
      // Others may change what is kept meanwhile.
      const counts = new Map(['', ...terms.filter(isIndexed)].map((term) => [term, byTerm.get(term)]));
      const all = byTerm.get('');
      const unknown = [...counts.keys()].filter((term) => counts.get(term) === undefined);
      if (all && unknown.length === 0) return occurringOf(counts);
      let found = await read(['', ...unknown]);
      // The parts of a large file are counted long before they are a change of the corpus.
      if (all && !isSame(all, found.find(isOfAll))) {
        byTerm.clear();
        found = await read([...counts.keys()]);
        for (const term of counts.keys()) counts.set(term, null);
      }
      for (const term of unknown) counts.set(term, null);
      for (const one of found) if (isOfAll(one) || one.chunks > 0) counts.set(one.term, one);
      // Without it the index is being made.
      if (counts.get('')) for (const [term, count] of counts) byTerm.set(term, count!);
      return occurringOf(counts);
    },
    async occurring(lists) {
      const { byKey } = await known();
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
