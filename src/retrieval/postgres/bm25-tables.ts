/**
 * BM25 candidates from the tables that replace the BM25 index, on servers without pg_textsearch: the same formula and parameters. If
 * very many chunks have a term of the query, only chunks with one of the rarer terms are scored.
 */
import { BM25_B, BM25_K1, chunkPartition } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import { identifier, join, sql } from '../../db/sql.ts';
import { ServiceError } from '../../errors.ts';
import { bestFirst, type Candidate } from '../engine.ts';
import type { FilterMatches } from '../query/filter-matches.ts';
import type { CandidateRequest } from './bm25-index.ts';

/** Maximum number of distinct terms that are scored for one query; the terms with the highest weights stay. */
const SCORED_TERMS_MAX = 32;
/** About so many matching chunks are scored for a query. On SciFact, nDCG@10 is .700 with 100 of 5,183 chunks, .711 with 200 or all. */
const SCORED_CHUNKS = 2_000;
/** If too few of them match, so many times as many are scored next. */
const MORE_CHUNKS = 4;
/** The score of the first chunk without a rarer term, relative to the last chunk with one. */
const BELOW = 0.999;
/** PostgreSQL does not index longer words. */
const TERM_BYTES_MAX = 2046;

interface WeighedTerm extends Pick<TermCount, 'term' | 'chunks'> {
  /** The score of an infinitely long text of this term only. A repeated term counts repeatedly. */
  weight: number;
}

interface Weighed {
  /** Rarest first. */
  terms: readonly WeighedTerm[];
  /** Mean number of terms of a chunk. */
  meanLength: number;
}

/**
 * Returns the best chunks, best first; for equal scores, the lower id first.
 *
 * @param request with `testedMax`, the conditions are tested for so many of the best chunks.
 * @param filterMatches the sources that match the filters, if they are known; chunks of other sources are not scored.
 */
export async function bm25FromTables(
  tx: Tx,
  request: CandidateRequest & { testedMax?: number },
  filterMatches?: Pick<FilterMatches, 'ids' | 'share'>,
  scoredChunks = SCORED_CHUNKS,
): Promise<Candidate[]> {
  const weighed = await weigh(tx, request.terms);
  const { terms } = weighed;
  if (terms.length === 0) return [];
  let [found, rarer]: [Candidate[], number] = [[], 0];
  for (let wanted = scoredChunks / (filterMatches?.share ?? 1); ; wanted *= MORE_CHUNKS) {
    rarer = Math.max(rarer + 1, countRarer(terms, wanted));
    found = withOthers(found, await findBest(tx, request, weighed, rarer, filterMatches?.ids ?? null));
    const scored = terms.slice(0, rarer).reduce((sum, { chunks }) => sum + chunks, 0);
    // If not all of these chunks were tested, those that follow must not come before the rest of them.
    const isLast = rarer === terms.length || scored >= (request.testedMax ?? Number.POSITIVE_INFINITY);
    if (found.length >= request.limit || isLast) return found.slice(0, request.limit);
  }
}

/** Adds chunks without a rarer term after the others, however good they are, so that all pages have one order. */
function withOthers(found: readonly Candidate[], best: readonly Candidate[]): Candidate[] {
  const ids = new Set(found.map(({ id }) => id));
  const others = best.filter(({ id }) => !ids.has(id));
  const factor = Math.min(1, (BELOW * (found.at(-1)?.score ?? Number.POSITIVE_INFINITY)) / (others[0]?.score ?? 1));
  return [...found, ...others.map((one) => ({ ...one, score: one.score * factor }))];
}

async function weigh(tx: Tx, terms: readonly string[]): Promise<Weighed> {
  const repeats = new Map<string, number>();
  const indexed = terms.filter((term) => Buffer.byteLength(term) <= TERM_BYTES_MAX);
  for (const term of indexed) repeats.set(term, (repeats.get(term) ?? 0) + 1);
  const counted = await countTerms(tx, ['', ...repeats.keys()]);
  const all = counted.find(({ term }) => term === '');
  if (!all) {
    throw new ServiceError('overloaded', 'The text index is being changed: the operator has to restart the service.', {
      retryAfterSeconds: 30,
    });
  }
  const rarity = (chunks: number): number => Math.log(1 + (all.chunks - chunks + 0.5) / (chunks + 0.5));
  const weighed = counted
    .filter(({ term, chunks }) => term !== '' && chunks > 0)
    .map(({ term, chunks }) => ({ term, chunks, weight: repeats.get(term)! * rarity(chunks) * (BM25_K1 + 1) }));
  const scored = weighed.toSorted((a, b) => b.weight - a.weight).slice(0, SCORED_TERMS_MAX);
  return {
    terms: scored.toSorted((a, b) => a.chunks - b.chunks),
    meanLength: Math.max(all.length / Math.max(all.chunks, 1), 1),
  };
}

/** Returns those of the terms that chunks of the tenant have. */
export async function countedTerms(tx: Tx, terms: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set((await countTerms(tx, terms)).flatMap(({ term, chunks }) => (chunks > 0 ? [term] : [])));
}

export interface TermCount {
  term: string;
  /** Number of the tenant's chunks that have the term. The term '' stands for all chunks. */
  chunks: number;
  /** Only for '': the number of terms of all chunks together. */
  length: number;
}

/** Returns the counts of the terms, with the changes that are not counted yet. '' is absent while the index is being made. */
export async function countTerms(tx: Tx, terms: readonly string[]): Promise<TermCount[]> {
  return tx.query<TermCount>(sql`
    with change as (select chunks, length, vector from text_index_change where tenant_id = ${tx.tenantId})
    select term, sum(chunks)::float8 as chunks, sum(length)::float8 as length
    from (select term, chunks, length from text_index_term where tenant_id = ${tx.tenantId} and term = any(${terms}::text[])
          union all
          select '', chunks, chunks * length from change
          union all
          select term, chunks, 0 from change cross join unnest(tsvector_to_array(vector)) term where term = any(${terms}::text[])) t
    group by term`);
}

/** Returns how many of the terms together have at most `wanted` chunks, as if no chunk had two of them. */
function countRarer(terms: readonly WeighedTerm[], wanted: number): number {
  let [sum, count] = [0, 0];
  for (const { chunks } of terms) {
    sum += chunks;
    if (sum > wanted) break;
    count += 1;
  }
  return count;
}

/** Returns the best chunks with one of the first `rarer` terms. The conditions are tested from the best chunk on, up to the limit. */
async function findBest(
  tx: Tx,
  { tenantId, partitionNo, conditions, limit, testedMax }: CandidateRequest & { testedMax?: number },
  { terms, meanLength }: Weighed,
  rarer: number,
  sources: FilterMatches['ids'],
): Promise<Candidate[]> {
  const [base, slope] = [BM25_K1 * (1 - BM25_B), (BM25_K1 * BM25_B) / meanLength];
  const rows = await tx.query<Candidate>(sql`
    select c.id, c.source_id, m.score from (
      select * from own_text_scores(${terms.map(({ term }) => term)}::text[], ${terms.map(({ weight }) => weight)}::float8[], ${rarer}::int,
        ${sources}::uuid[], ${base}::float8, ${slope}::float8) limit ${testedMax ?? null}) m
    cross join lateral (
      select * from ${identifier(chunkPartition(partitionNo))} where tenant_id = ${tenantId} and id = m.chunk_id offset 0) c
    where ${join([sql`m.score > 0`, ...conditions], ' and ')} limit ${limit}`);
  return bestFirst(rows);
}
