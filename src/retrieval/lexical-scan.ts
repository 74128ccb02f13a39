/**
 * BM25 candidates where the database has no BM25 index: the same formula and parameters over the tables of migration 0006.
 *
 * A first look at the chunks with the rarest terms tells which score the last of the best has at least; then the index is asked
 * for the others that can reach it with the terms that are left, and only these are scored. The result is that of scoring all.
 */
import { BM25_B, BM25_K1, chunkPartition } from '../corpus/tenant-store.ts';
import type { Tx } from '../db/database.ts';
import { identifier, join, sql } from '../db/sql.ts';
import { ServiceError } from '../errors.ts';
import { type Candidate, type CandidateRequest, inOrder } from './lexical.ts';
import { anyOf, type BoundedTerm, reaching } from './threshold-query.ts';

/** Distinct terms scored for one query; of more, those that weigh most. */
export const SCORED_TERMS_MAX = 32;
/** The next look is so many times as large, when too few of the one before fulfil the conditions. */
const LOOK_GROWTH = 8;
/** PostgreSQL indexes no longer words. */
const TERM_BYTES_MAX = 2046;
/** Rounding in the database must not cut off a chunk of exactly the score. */
const SCORE_TOLERANCE = 1e-9;
const RETRY_SECONDS = 30;
/** Chunks that are scored although they may not be wanted: some belong to sources that are being deleted. */
const SPARE_MIN = 20;

export interface LookLimits {
  /** The first look scores about so many chunks. */
  firstRows: number;
  /** Before a look at more than that, it is tried whether few chunks fulfil the conditions at all. */
  largeRows: number;
  /** So many chunks that fulfil the conditions are scored one by one. */
  namedMax: number;
}
const LOOK_LIMITS: LookLimits = { firstRows: 200, largeRows: 5_000, namedMax: 10_000 };

interface ScoredTerm extends BoundedTerm {
  /** Chunks of the tenant that contain it. */
  chunks: number;
}

interface Scoring {
  /** By bound, greatest first. */
  terms: readonly ScoredTerm[];
  /** What a chunk's length adds to the count of a term, in the denominator: `base + slope * length`. */
  base: number;
  slope: number;
}

/** As `bm25Candidates`, but of equal score always the lower id first. */
export async function scanCandidates(
  tx: Tx,
  request: CandidateRequest,
  { firstRows, largeRows, namedMax }: LookLimits = LOOK_LIMITS,
): Promise<Candidate[]> {
  const scoring = await weigh(tx, request.terms);
  const { terms } = scoring;
  /** All chunks with one of these terms have been looked at, the best of them are found. */
  let looked: readonly ScoredTerm[] = [];
  let found: Candidate[] = [];
  const lookAt = async (matching: string): Promise<void> => {
    const matchingOthers = looked.length === 0 ? matching : `(${matching})&!(${anyOf(looked)})`;
    const more = await score(tx, request, { ...scoring, terms: without(terms, looked) }, { matching: matchingOthers });
    found = inOrder([...found, ...more], 0).slice(0, request.limit);
  };
  let named: string[] | undefined;
  for (let rows = Math.max(firstRows, request.limit); ; rows *= LOOK_GROWTH) {
    const wider = rarest(terms, rows);
    if (wider.length === 0) return [];
    if (!request.unfiltered && named === undefined && wider.reduce((sum, { chunks }) => sum + chunks, 0) > largeRows) {
      named = await nameFew(tx, request, namedMax);
      if (named.length <= namedMax) return score(tx, request, scoring, { named });
    }
    const added = without(wider, looked);
    // The last of those before may have had so many chunks.
    if (added.length === 0) continue;
    await lookAt(anyOf(added));
    looked = wider;
    const others = without(terms, looked);
    if (others.length === 0) return found;
    if (found.length < request.limit) continue;
    const least = found.at(-1)!.score * (1 - SCORE_TOLERANCE);
    const promising = reaching(others, least);
    if (promising !== undefined) await lookAt(promising);
    return found;
  }
}

function without(terms: readonly ScoredTerm[], some: readonly ScoredTerm[]): ScoredTerm[] {
  return terms.filter((term) => !some.includes(term));
}

/** The chunks that fulfil the conditions, or `max` and one of them. */
async function nameFew(tx: Tx, request: CandidateRequest, max: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select c.id from ${identifier(chunkPartition(request.partitionNo))} c
    where ${join([sql`c.tenant_id = ${request.tenantId}`, ...request.conditions], ' and ')}
    limit ${max + 1}`);
  return rows.map(({ id }) => id);
}

/** The terms that occur, with their BM25 weights. A term that is repeated counts as often. */
async function weigh(tx: Tx, terms: readonly string[]): Promise<Scoring> {
  const repeats = new Map<string, number>();
  for (const term of terms) repeats.set(term, (repeats.get(term) ?? 0) + 1);
  const wanted = [...repeats.keys()].filter((term) => term !== '' && Buffer.byteLength(term) <= TERM_BYTES_MAX);
  const counts = await tx.query<{ term: string; chunks: number; length: number }>(
    sql`select term, chunks, length from own_term_counts(${['', ...wanted]}::text[])`,
  );
  const all = counts.find(({ term }) => term === '');
  if (!all) {
    throw new ServiceError('overloaded', 'The text index is being changed: the operator has to restart the service.', {
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
  const weighed = counts
    .filter(({ term, chunks }) => term !== '' && chunks > 0)
    .map(({ term, chunks }) => {
      const rarity = Math.log(1 + (all.chunks - chunks + 0.5) / (chunks + 0.5));
      return { term, chunks, bound: repeats.get(term)! * rarity * (BM25_K1 + 1) };
    })
    .toSorted((a, b) => b.bound - a.bound)
    .slice(0, SCORED_TERMS_MAX);
  const meanLength = Math.max(all.length / Math.max(all.chunks, 1), 1);
  return { terms: weighed, base: BM25_K1 * (1 - BM25_B), slope: (BM25_K1 * BM25_B) / meanLength };
}

/** As many of the rarest as it takes to have this many chunks, if they shared none. */
function rarest(terms: readonly ScoredTerm[], rows: number): ScoredTerm[] {
  const byRarity = terms.toSorted((a, b) => a.chunks - b.chunks);
  let sum = 0;
  const last = byRarity.findIndex(({ chunks }) => {
    sum += chunks;
    return sum >= rows;
  });
  return last < 0 ? byRarity : byRarity.slice(0, last + 1);
}

/** The best of the chunks that match or are named. The lateral look-up keeps the order of the scores, and ends at the limit. */
async function score(
  tx: Tx,
  request: CandidateRequest,
  { terms, base, slope }: Scoring,
  { matching = null, named = null }: { matching?: string | null; named?: readonly string[] | null },
): Promise<Candidate[]> {
  const bestOf = async (best: number | null): Promise<(Candidate & { scored: number })[]> =>
    tx.query(sql`
      with m as materialized (select * from own_text_scores(
        ${matching}::tsquery, ${named}::uuid[], ${terms.map(({ term }) => term)}::text[],
        ${terms.map(({ bound }) => bound)}::float8[], ${base}::float8, ${slope}::float8, ${best}::bigint))
      select c.id, c.source_id as "sourceId", m.score, md5(c.content) as "contentHash", (select count(*) from m) as scored
      from m cross join lateral (select * from ${identifier(chunkPartition(request.partitionNo))}
                                 where tenant_id = ${request.tenantId} and id = m.chunk_id offset 0) c
      where m.score > 0 and ${join([sql`c.tenant_id = ${request.tenantId}`, ...request.conditions], ' and ')}
      limit ${request.limit}`);
  // Where nearly all chunks fulfil the conditions, a few more than are wanted suffice, and are sorted sooner than all.
  const best = request.unfiltered ? request.limit + Math.max(SPARE_MIN, request.limit >> 3) : null;
  let found = await bestOf(best);
  if (found.length < request.limit && (found[0]?.scored ?? best) === best && best !== null) found = await bestOf(null);
  return inOrder(
    found.map(({ scored: _, ...candidate }) => candidate),
    0,
  );
}
