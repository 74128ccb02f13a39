/** BM25 candidates: chunks by how well their terms fit the query's. */
import { chunkPartition, termsIndex } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import { identifier, join, raw, type Sql, sql } from '../../db/sql.ts';
import type { Fitting } from '../query/fitting.ts';
import type { TermCounts } from './term-counts.ts';

export interface Candidate {
  id: string;
  sourceId: string;
  /** BM25, greater than 0, higher is better. */
  score: number;
}

export interface CandidateRequest {
  tenantId: string;
  partitionNo: number;
  /** From `searchTerms`: one that is repeated counts as often. Not empty. */
  terms: readonly string[];
  /** Conditions on chunk `c` that every candidate fulfils. */
  conditions: readonly Sql[];
  /** Nearly all chunks fulfil the conditions: it is of no use to look which do. */
  unfiltered?: boolean;
  /** Unfiltered: of all other sources every chunk fulfils the conditions. Absent: not known. */
  doubtful?: readonly string[] | undefined;
  /** The conditions concern the sources of chunks only. */
  bySource?: boolean;
  limit: number;
  /** What is known of terms already, and is added to. */
  counts?: TermCounts;
  /** Only so many of the best chunks are tested at all: fewer may be found than there are. */
  tested?: number;
}

/**
 * The planner must take the BM25 index: without it, every matching row is scored by itself, at 0.3 ms each. It would do so
 * whenever it believes the table small, as before the first ANALYZE. The index delivers rows in order, so forbidding sorts suffices.
 */
export const FORCE_INDEX_ORDER = sql`set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`;

/**
 * Without a BM25 index it is enough that no table is read from end to end: a look for what is rare or not there at all, as for a
 * language, would else be planned as if it were common.
 */
export const FORCE_INDEXES = sql`set_config('enable_seqscan', 'off', true)`;

/** The partition's own index by name: the parent's orders rightly but returns wrong scores. */
function bm25Query({ terms, partitionNo }: CandidateRequest): Sql {
  return sql`to_bm25query(${terms.join(' ')}, ${termsIndex(partitionNo)})`;
}

/**
 * Rows of a statement that asks the index for `limit` chunks of the sources that fit. The transaction is told how many of the best
 * chunks the index scores at once: when fewer than `limit` of them fit, it begins anew with twice as many, each time from the first.
 */
export async function deepened<R extends object>(
  tx: Tx,
  fitting: Pick<Fitting, 'share'> | undefined,
  limit: number,
  statement: Sql,
): Promise<R[]> {
  if (!fitting) return tx.query<R>(statement);
  const depth = Math.ceil((DEPTH_MARGIN * limit) / Math.max(fitting.share, 1 / DEPTH_MAX));
  const bounded = Math.min(DEPTH_MAX, Math.max(DEPTH_MIN, depth));
  // The second is sent while the first runs.
  const [, rows] = await Promise.all([
    tx.query(sql`select set_config('pg_textsearch.default_limit', ${String(bounded)}, true)`),
    tx.query<R>(statement),
  ]);
  return rows;
}

const DEPTH_MARGIN = 2;
/** The index's own bounds. */
const DEPTH_MIN = 1_000;
const DEPTH_MAX = 100_000;

/**
 * At most `limit` of the best chunks, best first; of equal score, the lower id first. Where the limit cuts through chunks of
 * equal score, those of the last score come in the order of the index instead, which a larger limit need not keep.
 */
export async function bm25Candidates(tx: Tx, request: CandidateRequest, fitting?: Fitting): Promise<Candidate[]> {
  return toCandidates(await deepened(tx, fitting, request.limit, bm25Select(request)), request.limit);
}

/** A row of `bm25Select`. */
export type FoundRow = Omit<Candidate, 'score'> & { distance: number };

/** In the order of the index; the distance is the negative score. */
export function bm25Select(request: CandidateRequest): Sql {
  const { tenantId, partitionNo } = request;
  const query = bm25Query(request);
  const partition = identifier(chunkPartition(partitionNo));
  // The distance must stand alone in the select list: within an expression it would be computed anew for every row.
  const best = (conditions: readonly Sql[], limit: number): Sql => sql`
    select c.*, c.terms <@> ${query} as distance from ${partition} c
    where ${join([sql`c.tenant_id = ${tenantId}`, ...conditions], ' and ')}
    order by c.terms <@> ${query} limit ${limit}`;
  const chunks = request.tested === undefined ? best(request.conditions, request.limit) : best([], request.tested);
  const tests = request.tested === undefined ? raw('true') : join(request.conditions, ' and ');
  return sql`
    select c.id, c.source_id, c.distance
    from (${chunks}) c where ${tests} limit ${request.limit}`;
}

export function toCandidates(rows: readonly FoundRow[], limit: number): Candidate[] {
  const candidates = rows
    .filter((row) => row.distance < 0)
    .map(({ id, sourceId, distance }) => ({ id, sourceId, score: -distance }));
  return inOrder(candidates, candidates.length === limit ? candidates.at(-1)!.score : 0);
}

/** By score, then id; those of `cutScore` stay as they are. */
export function inOrder<T extends Pick<Candidate, 'id' | 'score'>>(candidates: readonly T[], cutScore: number): T[] {
  return candidates.toSorted((a, b) => {
    if (a.score !== b.score) return b.score - a.score;
    if (a.score === cutScore) return 0;
    return a.id < b.id ? -1 : 1;
  });
}
