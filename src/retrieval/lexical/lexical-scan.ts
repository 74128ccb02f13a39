/**
 * BM25 candidates where the database has no BM25 index: the same formula and parameters over the tables `text_index…`.
 *
 * A first look at the chunks with the rarest terms tells which score the last of the best has at least; then the index is asked
 * for the others that can reach it with the terms that are left, and only these are scored. The result is that of scoring all.
 */
import { BM25_B, BM25_K1, chunkPartition } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import { identifier, join, type Sql, sql } from '../../db/sql.ts';
import { ServiceError } from '../../errors.ts';
import type { Fitting, SourceIds } from '../query/fitting.ts';
import { type Candidate, type CandidateRequest, inOrder } from './lexical.ts';
import { isIndexed, openTermCounts, type TermCount, type TermCounts } from './term-counts.ts';
import { anyOf, type BoundedTerm, reaching } from './threshold-query.ts';

/** Distinct terms scored for one query; of more, those that weigh most. */
export const SCORED_TERMS_MAX = 32;
/** With fewer the second look has more to do, with more the first. */
const FIRST_ROWS_PER_RESULT = 4;
/** Half as many suffice where the next term has more than all that are asked for: its chunks rarely are among the best by it alone. */
const SUFFICIENT_SHARE = 0.5;
/** Where the sources are too many to name, so many times as many of the best are tested as would do on average. */
const WIDE_MARGIN = 1.5;
/**
 * Where chunks are looked for: to read one and look for terms in it takes about 1 µs, to come upon one in the index over terms 1/20,
 * in that over sources 1/6 of it. Up to FEW_CHUNKS it makes no difference.
 */
const CHUNK_PER_POSTING = 1 / 20;
const CHUNK_PER_FITTING = 1 / 6;
const FEW_CHUNKS = 300;
/** The next look is so many times as large, when too few of the one before fulfil the conditions. */
const LOOK_GROWTH = 8;
/** Larger counts the database does not tell exactly. */
const COUNT_MAX = 100;
/** Rounding in the database must not cut off a chunk of exactly the score. */
const SCORE_TOLERANCE = 1e-9;
const RETRY_SECONDS = 30;
/** Chunks that are scored although they may not be wanted: some belong to sources that are being deleted. */
const SPARE_MIN = 20;

export interface LookLimits {
  /** The first look scores about so many chunks, or more when many are wanted. */
  firstRows: number;
  /** Before a look at more than that, it is tried whether few chunks fulfil the conditions at all. */
  largeRows: number;
  /** So many chunks that fulfil the conditions are scored one by one. */
  namedMax: number;
}
const LOOK_LIMITS: LookLimits = { firstRows: 200, largeRows: 5_000, namedMax: 10_000 };

interface ScoredTerm extends BoundedTerm {
  /** What it would add, were it the only term of a text without end. */
  weight: number;
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

/**
 * As `bm25Candidates`, but of equal score always the lower id first.
 *
 * @param fitting what is known of the sources that fit: chunks of others are not scored.
 */
export async function scanCandidates(
  tx: Tx,
  request: CandidateRequest,
  fitting?: ScannedFitting,
  { firstRows, largeRows, namedMax }: LookLimits = LOOK_LIMITS,
): Promise<Candidate[]> {
  const scoring = await weigh(request.terms, request.counts ?? openTermCounts(tx, request.tenantId));
  if (scoring.terms.length === 0) return [];
  if (fitting?.chunks === 0) return [];
  if (fitting && fitting.ids !== null)
    return scanSources(tx, request, scoring, { ...fitting, ids: fitting.ids }, firstRows);
  if (request.unfiltered && request.doubtful?.length === 0) return findBestOfAll(tx, scoring, request.limit, firstRows);
  if (request.unfiltered || fitting) {
    const likely = fitting ? (WIDE_MARGIN * request.limit) / fitting.share : request.limit;
    const wanted = Math.ceil(likely) + Math.max(SPARE_MIN, request.limit >> 3);
    const best = await findBestOfAll(tx, scoring, wanted, firstRows);
    const found = await readFitting(tx, request, best);
    if (found.length === request.limit || best.length < wanted) return found;
  }
  let named: string[] | undefined;
  return findBest(
    scoring.terms,
    request.limit,
    firstRows,
    (terms, { matching }) => score(tx, request, { ...scoring, terms }, { matching }),
    async (rows) => {
      if (named !== undefined || rows <= largeRows) return undefined;
      named = await nameFew(tx, request, namedMax);
      return named.length <= namedMax ? score(tx, request, scoring, { named }) : undefined;
    },
  );
}

/** The best chunks, whatever their source. */
function findBestOfAll(tx: Tx, scoring: Scoring, limit: number, firstRows: number): Promise<Candidate[]> {
  return findBest(scoring.terms, limit, firstRows, (terms, { matching }) =>
    scoreAll(tx, { ...scoring, terms }, { matching, limit }),
  );
}

export type ScannedFitting = Pick<Fitting, 'ids' | 'mixed' | 'chunks' | 'share'>;

/** The best chunks of the sources that fit. The conditions are evaluated only where more is asked of a chunk than its source. */
async function scanSources(
  tx: Tx,
  request: CandidateRequest,
  scoring: Scoring,
  { ids: sources, mixed, chunks, share }: ScannedFitting & { ids: SourceIds },
  firstRows: number,
): Promise<Candidate[]> {
  const { terms } = scoring;
  const { limit } = request;
  const postings = Math.min(chunksOfAll(terms), rowsOfFirst(limit, firstRows) / share);
  const areFew = chunks <= FEW_CHUNKS + postings * CHUNK_PER_POSTING;
  const indexFor = (rows: number): NonNullable<Scope['index']> =>
    rows * (1 - share) > chunks * CHUNK_PER_FITTING ? 'both' : 'terms';
  const find = (look: (some: readonly ScoredTerm[], which: Scope) => Promise<Candidate[]>): Promise<Candidate[]> =>
    areFew
      ? look(terms, { matching: anyOf(terms), sources, index: 'sources' })
      : findBest(
          terms,
          limit,
          firstRows,
          (some, { matching, any, rows }) => {
            const index = indexFor(rows);
            return look(some, { matching: index === 'both' ? any : matching, sources, index });
          },
          undefined,
          share,
        );
  if (request.bySource !== true || mixed)
    return find((some, which) => score(tx, request, { ...scoring, terms: some }, which));
  return find((some, which) => scoreAll(tx, { ...scoring, terms: some }, { ...which, limit }));
}

interface Look {
  matching: string;
  /** All of these match, and others: what the planner takes for rare is not always rare, as a word together with its beginning. */
  any: string;
  /** Chunks that match it, if they shared no term. */
  rows: number;
}

/**
 * The best by score, then id.
 *
 * @param scoreMatching the best `limit` of the chunks that match, by these terms, which are all that they contain of them.
 * @param shortcut before so many chunks are looked at: another way to the result, if there is one.
 * @param share of the chunks that match, about so many are scored.
 */
async function findBest(
  terms: readonly ScoredTerm[],
  limit: number,
  firstRows: number,
  scoreMatching: (terms: readonly ScoredTerm[], look: Look) => Promise<Candidate[]>,
  shortcut: (rows: number) => Promise<Candidate[] | undefined> = async () => undefined,
  share = 1,
): Promise<Candidate[]> {
  /** All chunks with one of these terms have been looked at, the best of them are found. */
  let looked: readonly ScoredTerm[] = [];
  let found: Candidate[] = [];
  const lookAt = async (some: readonly ScoredTerm[], matching = anyOf(some)): Promise<void> => {
    const unseen = (query: string): string => (looked.length === 0 ? query : `(${query})&!(${anyOf(looked)})`);
    const look = { matching: unseen(matching), any: unseen(anyOf(some)), rows: chunksOfAll(some) };
    const more = await scoreMatching(without(terms, looked), look);
    found = inOrder([...found, ...more], 0).slice(0, limit);
  };
  for (let rows = rowsOfFirst(limit, firstRows) / share; ; rows *= LOOK_GROWTH) {
    const wider = rarest(terms, rows);
    if (wider.length === 0) return [];
    const short = await shortcut(chunksOfAll(wider));
    if (short) return short;
    const added = without(wider, looked);
    // The last of those before may have had so many chunks.
    if (added.length === 0) continue;
    await lookAt(added);
    looked = wider;
    const others = without(terms, looked);
    if (others.length === 0) return found;
    if (found.length < limit) continue;
    const least = found.at(-1)!.score * (1 - SCORE_TOLERANCE);
    const promising = reaching(others, least);
    // Each that matches has one of those that reach the score together with all that come after them: often many have it.
    const first = others.filter((_, i) => sumOf(others.slice(i), ({ bound }) => bound) >= least);
    if (promising !== undefined) await lookAt(first, promising);
    return found;
  }
}

function rowsOfFirst(limit: number, firstRows: number): number {
  return Math.max(firstRows, FIRST_ROWS_PER_RESULT * limit);
}

/** If they shared none. */
function chunksOfAll(terms: readonly ScoredTerm[]): number {
  return sumOf(terms, ({ chunks }) => chunks);
}

function sumOf(terms: readonly ScoredTerm[], number: (term: ScoredTerm) => number): number {
  return terms.reduce((sum, term) => sum + number(term), 0);
}

function without(terms: readonly ScoredTerm[], some: readonly ScoredTerm[]): ScoredTerm[] {
  return terms.filter((term) => !some.includes(term));
}

/** Those of the terms that chunks of these sources have. */
export async function termsAmong(
  tx: Tx,
  terms: readonly string[],
  { ids, chunks }: { ids: SourceIds; chunks: number },
): Promise<Set<string>> {
  const areFew = chunks <= FEW_CHUNKS;
  const rows = await tx.query<{ term: string }>(
    sql`select term from own_terms_among(${terms.filter(isIndexed)}::text[], ${ids}::uuid[], ${areFew}::boolean) as term`,
  );
  return new Set(rows.map(({ term }) => term));
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
async function weigh(terms: readonly string[], counts: TermCounts): Promise<Scoring> {
  const repeats = new Map<string, number>();
  for (const term of terms) repeats.set(term, (repeats.get(term) ?? 0) + 1);
  const counted = await counts.count([...repeats.keys()]);
  const all = counted.get('');
  if (!all) {
    throw new ServiceError('overloaded', 'The text index is being changed: the operator has to restart the service.', {
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
  const meanLength = Math.max(all.length / Math.max(all.chunks, 1), 1);
  const base = BM25_K1 * (1 - BM25_B);
  const slope = (BM25_K1 * BM25_B) / meanLength;
  const weighed = [...counted.values()]
    .filter(({ term }) => term !== '')
    .map((one) => {
      const { term, chunks } = one;
      const rarity = Math.log(1 + (all.chunks - chunks + 0.5) / (chunks + 0.5));
      const weight = repeats.get(term)! * rarity * (BM25_K1 + 1);
      return { term, chunks, weight, bound: weight * shareMax(one, base, slope) };
    })
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, SCORED_TERMS_MAX);
  return { terms: weighed.toSorted((a, b) => b.bound - a.bound), base, slope };
}

/** Of a term's weight no chunk's score has more. */
function shareMax({ most, sparsest }: TermCount, base: number, slope: number): number {
  if (most === null || sparsest === null || most > COUNT_MAX) return 1;
  return 1 / (1 + base / most + slope * sparsest);
}

/** As many of the rarest as it takes to have this many chunks, if they shared none; or about so many. */
function rarest(terms: readonly ScoredTerm[], rows: number): ScoredTerm[] {
  const byRarity = terms.toSorted((a, b) => a.chunks - b.chunks);
  let sum = 0;
  const end = byRarity.findIndex(({ chunks }) => {
    if (sum >= rows || (sum >= rows * SUFFICIENT_SHARE && chunks > rows)) return true;
    sum += chunks;
    return false;
  });
  return end < 0 ? byRarity : byRarity.slice(0, end);
}

/** The best of all chunks that match. */
async function scoreAll(tx: Tx, { terms, base, slope }: Scoring, which: Scope): Promise<Candidate[]> {
  return tx.query(sql`select chunk_id as id, source_id, score from ${scores(terms, base, slope, which)} m`);
}

/** Those of the best that are there and fulfil the conditions, up to the limit. */
async function readFitting(tx: Tx, request: CandidateRequest, best: readonly Candidate[]): Promise<Candidate[]> {
  if (best.length === 0) return [];
  const found = await tx.query<Candidate>(sql`
    select c.id, c.source_id, m.score
    from unnest(${best.map(({ id }) => id)}::uuid[], ${best.map((one) => one.score)}::float8[]) with ordinality m(chunk_id, score, place)
    ${chunksOf(request)} limit ${request.limit}`);
  return inOrder(found, 0);
}

/** The best of the chunks that match or are named, and fulfil the conditions. */
async function score(
  tx: Tx,
  request: CandidateRequest,
  { terms, base, slope }: Scoring,
  which: Scope,
): Promise<Candidate[]> {
  const found = await tx.query<Candidate>(sql`
    select c.id, c.source_id, m.score
    from ${scores(terms, base, slope, which)} m ${chunksOf(request)} and m.score > 0 limit ${request.limit}`);
  return inOrder(found, 0);
}

/** Which chunks are scored: those that match, of these sources if there are any, or those that are named. At most `limit` come. */
interface Scope {
  matching?: string;
  sources?: SourceIds;
  /** Which index is asked where there are sources. */
  index?: 'sources' | 'terms' | 'both';
  named?: readonly string[];
  limit?: number;
}

function scores(
  terms: readonly ScoredTerm[],
  base: number,
  slope: number,
  { matching, sources, index, named, limit }: Scope,
): Sql {
  const areFew = index === 'both' ? null : index === 'sources';
  return sql`own_text_scores(${matching ?? null}::tsquery, ${named ?? null}::uuid[], ${sources ?? null}::uuid[], ${areFew}::boolean,
    ${terms.map(({ term }) => term)}::text[], ${terms.map(({ weight }) => weight)}::float8[], ${base}::float8, ${slope}::float8,
    ${limit ?? null}::bigint)`;
}

/** Chunks `c` of the scores `m`. The lateral look-up keeps their order, and ends at the limit. */
function chunksOf({ tenantId, partitionNo, conditions }: CandidateRequest): Sql {
  return sql`cross join lateral (select * from ${identifier(chunkPartition(partitionNo))}
                                 where tenant_id = ${tenantId} and id = m.chunk_id offset 0) c
    where ${join([sql`c.tenant_id = ${tenantId}`, ...conditions], ' and ')}`;
}
