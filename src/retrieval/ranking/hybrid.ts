/**
 * Finds and fuses lexical and semantic candidates. One statement finds both; two statements where few chunks match or where there is
 * no BM25 index.
 */
import type { Tx } from '../../db/database.ts';
import { join, raw, sql } from '../../db/sql.ts';
import { bm25Select, type Candidate, deepened, type FoundRow, toCandidates } from '../lexical/lexical.ts';
import { chunkConditions, lookedUpSourcePredicate } from '../query/filter-sql.ts';
import {
  exactPlan,
  fittingTable,
  NEAREST_ROWS,
  type NearestPlan,
  type NearestRequest,
  nearestCandidates,
  plannedBySize,
  toSimilar,
} from '../semantic/nearest.ts';
import type { SemanticQuery } from '../semantic/semantic.ts';
import type { Filters } from '../types.ts';
import {
  BATCHES,
  type Batch,
  CANDIDATES_MAX,
  isAmong,
  lexicalCandidates,
  lexicalRequest,
  type RankedCandidate,
  type Search,
} from './candidates.ts';
import { FUSED_DEPTH, fuse } from './fuse.ts';

export type HybridSearch = Search & { semantic: SemanticQuery };

/** Best first. */
export interface Halves {
  lexical: readonly Candidate[];
  semantic: readonly Candidate[];
}

/**
 * Batches of candidates of both kinds. The first FUSED_DEPTH of each kind are fused; what longer lists add follows behind, so that
 * every page sees the same order. In mode `semantic` there is but one kind.
 */
export async function* hybridBatches(tx: Tx, search: HybridSearch): AsyncGenerator<Batch> {
  const { request } = search;
  let found = await findHalves(tx, search, request.filters, FUSED_DEPTH);
  const isComplete = (halves: Halves, limit: number): boolean =>
    halves.lexical.length < limit && halves.semantic.length < limit;
  yield toBatch(search, found, isComplete(found, FUSED_DEPTH));
  for (const limit of BATCHES) {
    const nearest = await nearestRequest(search, request.filters, limit);
    const longer = {
      lexical: request.mode === 'semantic' ? [] : await lexicalCandidates(tx, search, request.filters, limit),
      semantic: await nearestCandidates(tx, exactPlan(nearest)),
    };
    found = { lexical: append(found.lexical, longer.lexical), semantic: append(found.semantic, longer.semantic) };
    yield toBatch(search, found, limit >= CANDIDATES_MAX || isComplete(longer, limit));
  }
}

/** The best candidates of each kind, at most `limit`. Fewer are found only when there are no more. */
export async function findHalves(tx: Tx, search: HybridSearch, filters: Filters, limit: number): Promise<Halves> {
  const nearest = await nearestRequest(search, filters, limit);
  const plan = plannedBySize(nearest);
  const found = await findPlanned(tx, search, nearest, plan);
  if (plan.exact || found.semantic.length >= limit) return found;
  // The index gave up, or there are no more.
  return { ...found, semantic: await nearestCandidates(tx, exactPlan(nearest)) };
}

async function nearestRequest(search: HybridSearch, filters: Filters, limit: number): Promise<NearestRequest> {
  const { request, semantic, exactRowsMax } = search;
  const fitting = await search.fitting(filters);
  const doubtful = fitting ? undefined : await search.fitting.doubtful?.();
  return { request, semantic, filters, fitting, doubtful, limit, exactRowsMax };
}

async function findPlanned(tx: Tx, search: HybridSearch, nearest: NearestRequest, plan: NearestPlan): Promise<Halves> {
  const { request, terms, hasTextSearch } = search;
  const { filters, fitting, limit } = nearest;
  if (request.mode === 'semantic') return { lexical: [], semantic: await nearestCandidates(tx, plan) };
  if (terms.length === 0 || !hasTextSearch || (await search.few?.(filters))) {
    const semantic = await nearestCandidates(tx, plan);
    return { lexical: await lexicalCandidates(tx, search, filters, limit), semantic };
  }
  const conditions = fitting
    ? [isAmong(raw('fitting'), fitting)]
    : [lookedUpSourcePredicate(request.tenantId, request, filters)];
  const lexical = bm25Select(lexicalRequest(search, [...conditions, ...chunkConditions(request, filters)], limit));
  // Not as a common table expression: there the score of every row would be computed anew, at 0.3 ms each.
  const tables = fitting && !plan.hasFitting ? join([fittingTable(nearest), plan.tables]) : plan.tables;
  const both = sql`
    with ${tables}
    select true as is_lexical, l.* from (${lexical}) l union all select false, s.* from (${NEAREST_ROWS}) s`;
  const rows = await deepened<FoundRow & { isLexical: boolean }>(tx, fitting, limit, both);
  const half = (isLexical: boolean): FoundRow[] => rows.filter((row) => row.isLexical === isLexical);
  return { lexical: toCandidates(half(true), limit), semantic: toSimilar(half(false)) };
}

/** Those of `longer` that are not among the first follow them: where a limit cuts through equal scores, the order behind it may differ. */
function append(first: readonly Candidate[], longer: readonly Candidate[]): Candidate[] {
  const ids = new Set(first.map(({ id }) => id));
  return [...first, ...longer.filter(({ id }) => !ids.has(id))];
}

function toBatch(search: HybridSearch, halves: Halves, complete: boolean): Batch {
  return { ranked: rankHalves(search, halves), complete, isSettled: () => true };
}

/** In mode `semantic` the score is the similarity. */
export function rankHalves({ request, fusion }: HybridSearch, { lexical, semantic }: Halves): RankedCandidate[] {
  if (request.mode === 'semantic') {
    // What the index missed among the first comes behind them all the same.
    let least = Number.POSITIVE_INFINITY;
    return semantic.map((candidate) => {
      least = Math.min(least, candidate.score);
      return { ...candidate, score: least, scores: { lexical: null, semantic: candidate.score, rerank: null } };
    });
  }
  return fuse(lexical, semantic, fusion).map((fused) => ({
    id: fused.id,
    sourceId: fused.from.sourceId,
    score: fused.score,
    scores: { lexical: fused.lexical, semantic: fused.semantic, rerank: null },
  }));
}
