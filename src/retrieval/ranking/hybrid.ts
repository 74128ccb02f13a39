/**
 * Finds lexical and semantic candidates and fuses them. One statement finds both halves; two statements if few chunks match or if the
 * database has no BM25 index.
 */
import type { Tx } from '../../db/database.ts';
import { join, raw, sql } from '../../db/sql.ts';
import { bm25Select, type Candidate, deepened, type FoundRow, toCandidates } from '../lexical/lexical.ts';
import { chunkConditions, lookedUpSourcePredicate } from '../query/filter-sql.ts';
import {
  exactPlan,
  matchesTable,
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

/** The candidates of both kinds, best first. */
export interface Halves {
  lexical: readonly Candidate[];
  semantic: readonly Candidate[];
}

/**
 * Yields batches of fused candidates. The first FUSED_DEPTH candidates of each kind are fused. Candidates of longer lists follow after
 * them, so that every page has the same order. The mode `semantic` has only one kind.
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

/** Returns the best `limit` candidates of each kind; fewer only if no more exist. */
export async function findHalves(tx: Tx, search: HybridSearch, filters: Filters, limit: number): Promise<Halves> {
  const nearest = await nearestRequest(search, filters, limit);
  const plan = plannedBySize(nearest);
  const found = await findPlanned(tx, search, nearest, plan);
  if (plan.exact || found.semantic.length >= limit) return found;
  // The index gave up early, or no more vectors match.
  return { ...found, semantic: await nearestCandidates(tx, exactPlan(nearest)) };
}

async function nearestRequest(search: HybridSearch, filters: Filters, limit: number): Promise<NearestRequest> {
  const { request, semantic, exactRowsMax } = search;
  const filterMatches = await search.filterMatches(filters);
  return { request, semantic, filters, filterMatches, limit, exactRowsMax };
}

async function findPlanned(tx: Tx, search: HybridSearch, nearest: NearestRequest, plan: NearestPlan): Promise<Halves> {
  const { request, terms, hasTextSearch } = search;
  const { filters, filterMatches, limit } = nearest;
  if (request.mode === 'semantic') return { lexical: [], semantic: await nearestCandidates(tx, plan) };
  if (terms.length === 0 || !hasTextSearch || (await search.smallCorpusScan?.(filters))) {
    const semantic = await nearestCandidates(tx, plan);
    return { lexical: await lexicalCandidates(tx, search, filters, limit), semantic };
  }
  const conditions = filterMatches
    ? [isAmong(raw('matching'), filterMatches)]
    : [lookedUpSourcePredicate(request.tenantId, request, filters)];
  const lexical = bm25Select(lexicalRequest(search, [...conditions, ...chunkConditions(request, filters)], limit));
  // Not a common table expression: it would compute the score of every row again, at 0.3 ms each.
  const tables = filterMatches && !plan.hasMatchesTable ? join([matchesTable(nearest), plan.tables]) : plan.tables;
  const both = sql`
    with ${tables}
    select true as is_lexical, l.* from (${lexical}) l union all select false, s.* from (${NEAREST_ROWS}) s`;
  const rows = await deepened<FoundRow & { isLexical: boolean }>(tx, filterMatches, limit, both);
  const half = (isLexical: boolean): FoundRow[] => rows.filter((row) => row.isLexical === isLexical);
  return { lexical: toCandidates(half(true), limit), semantic: toSimilar(half(false)) };
}

/** Returns `first`, followed by new candidates of `longer`. A limit may cut through equal scores, so the two orders can differ. */
function append(first: readonly Candidate[], longer: readonly Candidate[]): Candidate[] {
  const ids = new Set(first.map(({ id }) => id));
  return [...first, ...longer.filter(({ id }) => !ids.has(id))];
}

function toBatch(search: HybridSearch, halves: Halves, complete: boolean): Batch {
  return { ranked: rankHalves(search, halves), complete, isSettled: () => true };
}

/** Returns the ranking of both halves. In mode `semantic` the score is the similarity. */
export function rankHalves({ request, fusion }: HybridSearch, { lexical, semantic }: Halves): RankedCandidate[] {
  if (request.mode === 'semantic') {
    // Candidates that the index missed come at the end, so their scores are lowered to stay in order.
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
