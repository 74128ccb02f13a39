/**
 * BM25 candidates if few chunks match the filters: their terms are read once and scored here. The index would look at every chunk
 * with a term of the query, at 4 µs each, although most of these chunks do not match.
 */
import { BM25_B, BM25_K1, chunkPartition, termsIndex } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import { empty, identifier, join, type Sql, sql } from '../../db/sql.ts';
import type { Candidate, CandidateQuery, Scope } from '../engine.ts';
import type { FilterMatches } from '../query/filter-matches.ts';
import { chunkConditions } from '../query/filter-sql.ts';
import { inOrder } from './lexical.ts';
import { type Occurrences, openTermScan, type TermScan } from './term-scan.ts';

/** Maximum number of chunks for a scan: their terms are in memory during the search. */
const SMALL_CHUNKS_MAX = 4_000;
/** Maximum of `chunks * share` for a scan: above it, the index finds the best chunks faster than a scan reads all of them. */
const SMALL_MEASURE_MAX = 100;

/** Returns true if the matching chunks are few. */
export function isSmallCorpus({ chunks, share }: Pick<FilterMatches, 'chunks' | 'share'>): boolean {
  return chunks <= SMALL_CHUNKS_MAX && chunks * share <= SMALL_MEASURE_MAX;
}

/** Returns the best chunks like `bm25Candidates`; for equal scores, the lower id always comes first. */
export function scanSmallCorpus(
  tx: Tx,
  scope: Scope,
  matches: FilterMatches,
  { terms, depth }: Pick<CandidateQuery, 'terms' | 'depth'>,
): Promise<Candidate[]> {
  const read = (): Promise<TermsRead> => readTerms(tx, scope, matches, chunkConditions(scope, scope.filters));
  return openScan(openWeights(tx, scope), read).best(terms, depth);
}

interface Place {
  tenantId: string;
  partitionNo: number;
}

type ReadChunk = Pick<Candidate, 'id' | 'sourceId'>;

interface TermsRead {
  chunks: readonly ReadChunk[];
  scan: TermScan;
}

/** Returns the scan of the chunks that `read` reads, for one transaction. */
function openScan(weigh: Weigh, read: () => Promise<TermsRead>) {
  let reading: Promise<TermsRead> | undefined;
  return {
    async best(given: readonly string[], limit: number): Promise<Candidate[]> {
      reading ??= read();
      const { chunks, scan } = await reading;
      const repeats = new Map<string, number>();
      for (const term of given) repeats.set(term, (repeats.get(term) ?? 0) + 1);
      // The index ignores that a single term is repeated.
      if (repeats.size === 1) repeats.set(given[0]!, 1);
      const distinct = [...repeats.keys()];
      const terms: string[] = [];
      const occurrences: Occurrences[] = [];
      scan(distinct).forEach((found, i) => {
        if (found.texts.length === 0) return;
        terms.push(distinct[i]!);
        occurrences.push(found);
      });
      if (terms.length === 0) return [];
      const { weights, base, slope } = await weigh(terms);
      const scores = new Float64Array(chunks.length);
      occurrences.forEach(({ texts, counts }, i) => {
        const weight = repeats.get(terms[i]!)! * weights[i]!;
        for (let at = 0; at < texts.length; at += 1) {
          const text = texts[at]!;
          scores[text]! += (weight * counts[at]!) / (counts[at]! + base + slope * scan.lengths[text]!);
        }
      });
      return bestOf(chunks, scores, limit);
    },
  };
}

function bestOf(chunks: readonly ReadChunk[], scores: Float64Array, limit: number): Candidate[] {
  const found = new Int32Array(scores.length);
  const ascending = new Float64Array(scores.length);
  let count = 0;
  for (let i = 0; i < scores.length; i += 1) {
    if (scores[i] === 0) continue;
    found[count] = i;
    ascending[count++] = scores[i]!;
  }
  ascending.subarray(0, count).sort();
  const least = count > limit ? ascending[count - limit]! * (1 - ROUNDING) : 0;
  const candidates: Candidate[] = [];
  for (const i of found.subarray(0, count)) {
    const { id, sourceId } = chunks[i]!;
    if (scores[i]! >= least) candidates.push({ id, sourceId, score: rounded(scores[i]!) });
  }
  return inOrder(candidates, Number.POSITIVE_INFINITY).slice(0, limit);
}

/** More than `rounded` can change a score. */
const ROUNDING = 2e-5;

/** Rounds a score: the index adds in single precision, about seven digits. Scores that are equal in the index are equal here. */
function rounded(score: number): number {
  return Number(score.toPrecision(6));
}

async function readTerms(
  tx: Tx,
  { tenantId, partitionNo }: Place,
  { sources, mixed }: FilterMatches,
  conditions: readonly Sql[],
): Promise<TermsRead> {
  const ofGeneration = mixed ? sql`and (not f.mixed or c.generation = f.generation)` : empty;
  // Reads source by source, because a join may be planned as a scan of all chunks.
  const rows = await tx.query<ReadChunk & { terms: string }>(sql`
    select c.id, c.source_id, c.terms from (${sources}) f cross join lateral (
      select * from ${identifier(chunkPartition(partitionNo))} where tenant_id = ${tenantId} and source_id = f.id offset 0) c
    where ${join([sql`c.tenant_id = ${tenantId}`, ...conditions], ' and ')} ${ofGeneration}`);
  const chunks = rows.map(({ id, sourceId }) => ({ id, sourceId }));
  const scan = openTermScan(rows.map(({ terms }) => terms));
  return { chunks, scan };
}

interface Weights {
  /** The maximum that each of the terms adds to the score of a chunk. */
  weights: readonly number[];
  /** The length of a chunk adds `base + slope * length` to the count of a term in the denominator. */
  base: number;
  slope: number;
}

/** A length that the index represents exactly, and that is far from 1. */
const PROBE_LENGTH = 280;
/** Words that no term equals. PostgreSQL counts each of them up to 255 times. */
const PROBE_FILLING = [
  ...new Array<string>(255).fill('zqx'),
  ...new Array<string>(PROBE_LENGTH - 256).fill('zqy'),
].join(' ');
const BASE = BM25_K1 * (1 - BM25_B);

type Weigh = (terms: readonly string[]) => Promise<Weights>;

/** Statistics of the index that have been read. */
interface Statistics {
  byTerm: Map<string, number>;
  slope?: number;
}

/**
 * Returns a function that reads weights of terms. The index does not expose its statistics, so they are derived from the scores of
 * texts with one term: a text that has the term once scores `weight / (1 + base + slope * length)`.
 */
function openWeights(tx: Tx, { partitionNo }: Place): Weigh {
  const { byTerm, ...statistics }: Statistics = { byTerm: new Map() };
  return async (terms) => {
    const missing = terms.filter((term) => !byTerm.has(term));
    if (missing.length > 0) {
      const [probe] = statistics.slope === undefined ? missing : [];
      const index = termsIndex(partitionNo);
      const rows = await tx.query<{ term: string; score: number; long: number | null }>(sql`
        select t.term, -(t.term <@> to_bm25query(t.term, ${index})) as score,
          case when t.term = ${probe ?? null} then -(t.term || ${` ${PROBE_FILLING}`} <@> to_bm25query(t.term, ${index})) end as long
        from unnest(${missing}::text[]) as t(term)`);
      for (const { score, long } of rows) {
        if (!long) continue;
        const ratio = score / long;
        statistics.slope = ((ratio - 1) * (1 + BASE)) / (PROBE_LENGTH - ratio);
      }
      for (const { term, score } of rows) byTerm.set(term, score * (1 + BASE + (statistics.slope ?? 0)));
    }
    const weights = terms.map((term) => byTerm.get(term) ?? 0);
    return { weights, base: BASE, slope: statistics.slope ?? 0 };
  };
}
