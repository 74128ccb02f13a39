/** Candidates of a search, in growing batches: as many as it takes until enough remain after selection. */
import type { Tx } from '../db/database.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import { chunkConditions, lookedUpSourcePredicate, narrowsCheaply, sourcePredicate } from './filter-sql.ts';
import { bm25Candidates, type Candidate } from './lexical.ts';
import { scanCandidates } from './lexical-scan.ts';
import { select } from './select.ts';
import type { Filters, Hit, RetrieveRequest, Warning } from './types.ts';

/** `use_postfilter` looks at this many of the best chunks, or at `offset + limit` if that is more. */
export const POSTFILTER_CANDIDATES = 200;

/** Batches after the first, which is as large as what is wanted. */
const BATCHES = [1_000, 4_000, 20_000];
const CANDIDATES_MAX = 20_000;
/** Beyond what is wanted, so that a few copies do not cost a second batch. */
const SPARE_CANDIDATES = 10;

/** With filters, so many of the best chunks are tested one by one before the filter is evaluated for the whole corpus. */
const TESTED_FIRST = 500;

/** Among so many of the best chunks, equal scores are ordered by id; those of a score that goes on beyond are not. */
const TIES_MAX = 1_000;

export interface RankedCandidate extends Candidate {
  scores: Hit['scores'];
}

/** What is searched for, and where. */
export interface Search {
  request: RetrieveRequest;
  hasTextSearch: boolean;
  /** From `analyzeQuery`. */
  terms: readonly string[];
}

/** The best candidates so far. Each batch begins with those of the one before. */
export interface Batch {
  ranked: readonly RankedCandidate[];
  /** There are no more. */
  complete: boolean;
  /** Whether a larger batch has the same candidates up to this one, in this order. */
  isSettled(last: RankedCandidate): boolean;
}

/** Batches of lexical candidates that fulfil the filters. `wanted` of them are asked for first. */
export async function* lexicalBatches(tx: Tx, search: Search, wanted: number): AsyncGenerator<Batch> {
  const { request, hasTextSearch } = search;
  if (search.terms.length === 0) return;
  const first = wanted + SPARE_CANDIDATES;
  if (hasTextSearch && narrowsCheaply(request, request.filters)) {
    const conditions = predicates(request, request.filters, lookedUpSourcePredicate);
    const found = await bm25Candidates(tx, { ...lexicalRequest(search, conditions, first), tested: TESTED_FIRST });
    if (found.length === first) yield toBatch(found, false, false);
  }
  const conditions = predicates(request, request.filters);
  for (const limit of [first, ...BATCHES.filter((batch) => batch > first)]) {
    const found = await lexicalCandidates(tx, search, conditions, limit);
    yield toBatch(found, found.length < limit || limit >= CANDIDATES_MAX, limit >= TIES_MAX);
  }
}

/** Chunks of the score that the limit cuts through would be ordered differently in a larger batch. */
function toBatch(found: readonly Candidate[], complete: boolean, final: boolean): Batch {
  const lastScore = found.at(-1)?.score ?? 0;
  return { ranked: found.map(lexicalOnly), complete, isSettled: (last) => final || last.score > lastScore };
}

/**
 * Searches first and filters what was found. What the caller may not see is never a candidate.
 *
 * @param wanted how many the caller is warned about when fewer fit.
 */
export async function postfiltered(
  tx: Tx,
  search: Search,
  wanted: number,
  warnings: Warning[],
): Promise<RankedCandidate[]> {
  const { request } = search;
  const searched = Math.max(POSTFILTER_CANDIDATES, wanted);
  const found = search.terms.length === 0 ? [] : await lexicalCandidates(tx, search, predicates(request, {}), searched);
  const fitting = await keepFitting(tx, request, found.map(lexicalOnly));
  const remaining = select(fitting, request.maxChunksPerSource).length;
  if (remaining < wanted && found.length >= searched) {
    warnings.push({
      type: 'postfilter_underfilled',
      message: `Of the best ${found.length} chunks only ${remaining} fit the filters; without use_postfilter all are searched.`,
    });
  }
  return fitting;
}

/** Those that exist, may be seen and fit the filters now. */
export async function keepFitting<T extends { id: string }>(
  tx: Tx,
  request: RetrieveRequest,
  candidates: readonly T[],
): Promise<T[]> {
  const kept = await tx.query<{ id: string }>(sql`
    select c.id from chunk c
    where c.id = any(${candidates.map(({ id }) => id)}::uuid[])
      and ${join(predicates(request, request.filters, lookedUpSourcePredicate), ' and ')}`);
  const ids = new Set(kept.map(({ id }) => id));
  return candidates.filter(({ id }) => ids.has(id));
}

function lexicalCandidates(tx: Tx, search: Search, conditions: readonly Sql[], limit: number): Promise<Candidate[]> {
  const find = search.hasTextSearch ? bm25Candidates : scanCandidates;
  return find(tx, lexicalRequest(search, conditions, limit));
}

function lexicalRequest({ request, terms }: Search, conditions: readonly Sql[], limit: number) {
  return { tenantId: request.tenantId, partitionNo: request.partitionNo, terms, conditions, limit };
}

function lexicalOnly(candidate: Candidate): RankedCandidate {
  return { ...candidate, scores: { lexical: candidate.score, semantic: null, rerank: null } };
}

function predicates(request: RetrieveRequest, filters: Filters, ofSource = sourcePredicate): Sql[] {
  return [
    sql`c.tenant_id = ${request.tenantId}`,
    ofSource(request.tenantId, request, filters),
    ...chunkConditions(filters),
  ];
}
