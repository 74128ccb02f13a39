/**
 * BM25 candidates if the database has no BM25 index: the same formula and parameters over the tables that replace the index.
 *
 * The first look scores the chunks with the rarest terms. It gives a lower bound for the score of the last result. The second look
 * scores only chunks that can reach this bound with the remaining terms. The result equals scoring all chunks.
 */
import { BM25_B, BM25_K1, chunkPartition } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import { identifier, join, type Sql, sql } from '../../db/sql.ts';
import { ServiceError } from '../../errors.ts';
import type { Candidate } from '../engine.ts';
import type { FilterMatches, SourceIds } from '../query/filter-matches.ts';
import { type CandidateRequest, inOrder } from './lexical.ts';
import { isIndexed, openTermCounts, type TermCount, type TermCounts } from './term-counts.ts';
import { anyOf, type BoundedTerm, reaching } from './threshold-query.ts';

/** Maximum number of distinct terms that are scored for one query; the terms with the highest weights stay. */
const SCORED_TERMS_MAX = 32;
/** A lower number shifts work to the second look, a higher number to the first look. */
const FIRST_ROWS_PER_RESULT = 4;
/**
 * This share of the rows is enough if the next term has more chunks than all rows of the look: a common term alone rarely puts a
 * chunk among the best.
 */
const SUFFICIENT_SHARE = 0.5;
/** If the sources are too many to pass by id, so many times the average need of best chunks is tested. */
const WIDE_MARGIN = 1.5;
/**
 * Relative costs. Reading a chunk and finding terms in it takes about 1 µs. Finding a chunk in the index over terms takes 1/20 of
 * that, in the index over sources 1/6. Up to FEW_CHUNKS the choice makes no difference.
 */
const CHUNK_PER_POSTING = 1 / 20;
const CHUNK_PER_FITTING = 1 / 6;
const FEW_CHUNKS = 300;
/** Growth of the next look if too few chunks of the previous look satisfy the conditions. */
const LOOK_GROWTH = 8;
/** The database does not report larger counts exactly. */
const COUNT_MAX = 100;
/** Rounding in the database must not cut off a chunk of exactly the score. */
const SCORE_TOLERANCE = 1e-9;
const RETRY_SECONDS = 30;
/** Number of chunks scored in excess: some chunks belong to sources that are being deleted. */
const SPARE_MIN = 20;

export interface LookLimits {
  /** The first look scores about so many chunks, or more if many results are wanted. */
  firstRows: number;
  /** Before a larger look, the search tests whether only few chunks satisfy the conditions at all. */
  largeRows: number;
  /** Up to so many chunks that satisfy the conditions are scored one by one. */
  namedMax: number;
}
const LOOK_LIMITS: LookLimits = { firstRows: 200, largeRows: 5_000, namedMax: 10_000 };

interface ScoredTerm extends BoundedTerm {
  /** The score that the term would add to an infinitely long text of this term only. */
  weight: number;
  /** Number of the tenant's chunks that contain the term. */
  chunks: number;
}

interface Scoring {
  /** Ordered by bound, greatest first. */
  terms: readonly ScoredTerm[];
  /** The length of a chunk adds `base + slope * length` to the count of a term in the denominator. */
  base: number;
  slope: number;
}

/**
 * Returns the best chunks like `bm25Candidates`; for equal scores, the lower id always comes first.
 *
 * @param filterMatches the sources that match the filters, if they are known; chunks of other sources are not scored.
 */
export async function scanCandidates(
  tx: Tx,
  request: CandidateRequest,
  filterMatches?: ScannedMatches,
  { firstRows, largeRows, namedMax }: LookLimits = LOOK_LIMITS,
): Promise<Candidate[]> {
  const scoring = await weigh(request.terms, request.counts ?? openTermCounts(tx));
  if (scoring.terms.length === 0) return [];
  if (filterMatches?.chunks === 0) return [];
  if (filterMatches && filterMatches.ids !== null)
    return scanSources(tx, request, scoring, { ...filterMatches, ids: filterMatches.ids }, firstRows);
  if (request.unfiltered || filterMatches) {
    const likely = filterMatches ? (WIDE_MARGIN * request.limit) / filterMatches.share : request.limit;
    const wanted = Math.ceil(likely) + Math.max(SPARE_MIN, request.limit >> 3);
    const best = await findBestOfAll(tx, scoring, wanted, firstRows);
    const found = await readMatching(tx, request, best);
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

/** Returns the best chunks of all sources. */
function findBestOfAll(tx: Tx, scoring: Scoring, limit: number, firstRows: number): Promise<Candidate[]> {
  return findBest(scoring.terms, limit, firstRows, (terms, { matching }) =>
    scoreAll(tx, { ...scoring, terms }, { matching, limit }),
  );
}

export type ScannedMatches = Pick<FilterMatches, 'ids' | 'mixed' | 'chunks' | 'share'>;

/** Returns the best chunks of the matching sources. The conditions are evaluated only if they concern more than the source. */
async function scanSources(
  tx: Tx,
  request: CandidateRequest,
  scoring: Scoring,
  { ids: sources, mixed, chunks, share }: ScannedMatches & { ids: SourceIds },
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
  /** Matches a superset. The planner underestimates some conjunctions in `matching`, for example a word together with its prefix. */
  any: string;
  /** Upper bound of the number of matching chunks, as if no chunk had two of the terms. */
  rows: number;
}

/**
 * Returns the best chunks by score, then by id.
 *
 * @param scoreMatching returns the best `limit` matching chunks, scored by the given terms. The chunks contain none of the other terms.
 * @param shortcut called before a look at so many chunks; returns the result if a cheaper way finds it.
 * @param share about this share of the matching chunks is scored.
 */
async function findBest(
  terms: readonly ScoredTerm[],
  limit: number,
  firstRows: number,
  scoreMatching: (terms: readonly ScoredTerm[], look: Look) => Promise<Candidate[]>,
  shortcut: (rows: number) => Promise<Candidate[] | undefined> = async () => undefined,
  share = 1,
): Promise<Candidate[]> {
  /** All chunks with one of these terms have been scored; `found` has the best of them. */
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
    // The last term of the previous look may have had more chunks than this look asks for.
    if (added.length === 0) continue;
    await lookAt(added);
    looked = wider;
    const others = without(terms, looked);
    if (others.length === 0) return found;
    if (found.length < limit) continue;
    const least = found.at(-1)!.score * (1 - SCORE_TOLERANCE);
    const promising = reaching(others, least);
    // Every match contains one of the terms that reach the score together with all later terms. Often many chunks do.
    const first = others.filter((_, i) => sumOf(others.slice(i), ({ bound }) => bound) >= least);
    if (promising !== undefined) await lookAt(first, promising);
    return found;
  }
}

function rowsOfFirst(limit: number, firstRows: number): number {
  return Math.max(firstRows, FIRST_ROWS_PER_RESULT * limit);
}

/** Returns an upper bound of the number of chunks with one of the terms, as if no chunk had two of them. */
function chunksOfAll(terms: readonly ScoredTerm[]): number {
  return sumOf(terms, ({ chunks }) => chunks);
}

function sumOf(terms: readonly ScoredTerm[], number: (term: ScoredTerm) => number): number {
  return terms.reduce((sum, term) => sum + number(term), 0);
}

function without(terms: readonly ScoredTerm[], some: readonly ScoredTerm[]): ScoredTerm[] {
  return terms.filter((term) => !some.includes(term));
}

/** Returns the terms that chunks of these sources have. */
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

/** Returns the chunks that satisfy the conditions, at most `max + 1`. */
async function nameFew(tx: Tx, request: CandidateRequest, max: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select c.id from ${identifier(chunkPartition(request.partitionNo))} c
    where ${join([sql`c.tenant_id = ${request.tenantId}`, ...request.conditions], ' and ')}
    limit ${max + 1}`);
  return rows.map(({ id }) => id);
}

/** Returns the occurring terms with their BM25 weights. A repeated term counts repeatedly. */
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

/** Returns the maximum share of a term's weight that the score of a chunk can contain. */
function shareMax({ most, sparsest }: TermCount, base: number, slope: number): number {
  if (most === null || sparsest === null || most > COUNT_MAX) return 1;
  return 1 / (1 + base / most + slope * sparsest);
}

/** Returns the rarest terms that together have about `rows` chunks, as if no chunk had two of them. */
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

/** Returns the best of all chunks in the scope. */
async function scoreAll(tx: Tx, { terms, base, slope }: Scoring, which: Scope): Promise<Candidate[]> {
  return tx.query(sql`select chunk_id as id, source_id, score from ${scores(terms, base, slope, which)} m`);
}

/** Returns the chunks among `best` that exist and satisfy the conditions, up to the limit. */
async function readMatching(tx: Tx, request: CandidateRequest, best: readonly Candidate[]): Promise<Candidate[]> {
  if (best.length === 0) return [];
  const found = await tx.query<Candidate>(sql`
    select c.id, c.source_id, m.score
    from unnest(${best.map(({ id }) => id)}::uuid[], ${best.map((one) => one.score)}::float8[]) with ordinality m(chunk_id, score, place)
    ${chunksOf(request)} limit ${request.limit}`);
  return inOrder(found, 0);
}

/** Returns the best chunks in the scope that satisfy the conditions. */
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

/** The chunks to score: chunks that match, of these sources if given; or the named chunks. At most `limit` are returned. */
interface Scope {
  matching?: string;
  sources?: SourceIds;
  /** The index to use if sources are given. */
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

/** Joins the scores `m` with their chunks `c`. The lateral look-up keeps the order and stops at the limit. */
function chunksOf({ tenantId, partitionNo, conditions }: CandidateRequest): Sql {
  return sql`cross join lateral (select * from ${identifier(chunkPartition(partitionNo))}
                                 where tenant_id = ${tenantId} and id = m.chunk_id offset 0) c
    where ${join([sql`c.tenant_id = ${tenantId}`, ...conditions], ' and ')}`;
}
