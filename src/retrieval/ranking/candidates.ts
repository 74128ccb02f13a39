/** Candidates of a search, in growing batches: as many as it takes until enough remain after selection. */
import type { Tx, VisibleState } from '../../db/database.ts';
import { join, type Sql, sql } from '../../db/sql.ts';
import type { FindFew } from '../lexical/few-chunks.ts';
import { bm25Candidates, type Candidate } from '../lexical/lexical.ts';
import { scanCandidates } from '../lexical/lexical-scan.ts';
import type { TermCounts } from '../lexical/term-counts.ts';
import { chunkConditions, lookedUpSourcePredicate, narrows, narrowsCheaply } from '../query/filter-sql.ts';
import type { FindFitting, Fitting } from '../query/fitting.ts';
import type { FindKnown } from '../semantic/known-vectors.ts';
import type { SemanticQuery } from '../semantic/semantic.ts';
import type { AdmittedRequest, Filters, Hit } from '../types.ts';
import type { FusionSettings } from './fuse.ts';

/** Batches after the first, which is as large as what is wanted. */
export const BATCHES = [1_000, 4_000, 20_000];
export const CANDIDATES_MAX = 20_000;
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
  request: AdmittedRequest;
  hasTextSearch: boolean;
  /** The corpus as the transaction sees it. Absent: searches remember nothing of it. */
  state?: VisibleState;
  /** Of the searched corpus. */
  languages: readonly string[];
  /** From `searchTerms`. */
  terms: readonly string[];
  /** Where the database has no BM25 index. */
  counts?: TermCounts;
  /** What fits the filters of the request, or none. */
  fitting: FindFitting;
  /** The chunks that fit the filters, where they are so few that each is scored. Absent: the index is asked for all. */
  few?: FindFew;
  /** Absent: the search is lexical. */
  semantic?: SemanticQuery;
  /** Vectors that are in memory. Absent: none are. */
  known?: FindKnown;
  fusion: FusionSettings;
  /** Up to so many rows every vector is compared. */
  exactRowsMax: number;
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
  if (hasTextSearch && narrowsCheaply(request, request.filters) && !search.fitting.isKnown?.(request.filters)) {
    const conditions = lookedUpPredicates(request, request.filters);
    const found = await bm25Candidates(tx, { ...lexicalRequest(search, conditions, first), tested: TESTED_FIRST });
    if (found.length === first) yield toBatch(found, false, false);
  }
  for (const limit of [first, ...BATCHES.filter((batch) => batch > first)]) {
    const found = await lexicalCandidates(tx, search, request.filters, limit);
    yield toBatch(found, found.length < limit || limit >= CANDIDATES_MAX, limit >= TIES_MAX);
  }
}

/** Chunks of the score that the limit cuts through would be ordered differently in a larger batch. */
function toBatch(found: readonly Candidate[], complete: boolean, final: boolean): Batch {
  const lastScore = found.at(-1)?.score ?? 0;
  return { ranked: found.map(lexicalOnly), complete, isSettled: (last) => final || last.score > lastScore };
}

/** Those that exist, may be seen and fit the filters now. */
export async function keepFitting<T extends { id: string }>(
  tx: Tx,
  request: AdmittedRequest,
  candidates: readonly T[],
): Promise<T[]> {
  const kept = await tx.query<{ id: string }>(sql`
    select c.id from chunk c
    where c.id = any(${candidates.map(({ id }) => id)}::uuid[])
      and ${join(lookedUpPredicates(request, request.filters), ' and ')}`);
  const ids = new Set(kept.map(({ id }) => id));
  return candidates.filter(({ id }) => ids.has(id));
}

export async function lexicalCandidates(tx: Tx, search: Search, filters: Filters, limit: number): Promise<Candidate[]> {
  if (search.terms.length === 0) return [];
  const few = await search.few?.(filters);
  if (few) return few.best(search.terms, limit);
  const fitting = await search.fitting(filters);
  const areNamed = search.hasTextSearch || fitting?.ids !== null;
  const conditions = predicates(search.request, filters, areNamed ? fitting : undefined);
  const request = lexicalRequest(search, conditions, limit);
  if (search.hasTextSearch) return bm25Candidates(tx, request, fitting);
  const doubtful = request.unfiltered ? await search.fitting.doubtful?.() : undefined;
  return scanCandidates(tx, { ...request, doubtful }, fitting);
}

export function lexicalRequest({ request, terms, counts }: Search, conditions: readonly Sql[], limit: number) {
  const { tenantId, partitionNo, filters } = request;
  const bySource = chunkConditions(request, filters).length === 0;
  const unfiltered = bySource && !narrows(request, filters);
  return { tenantId, partitionNo, terms, conditions, unfiltered, bySource, limit, ...(counts && { counts }) };
}

export function lexicalOnly(candidate: Candidate): RankedCandidate {
  return { ...candidate, scores: { lexical: candidate.score, semantic: null, rerank: null } };
}

/** What a chunk `c` must fulfil. What narrows the search is evaluated once and hashed. */
export function predicates(request: AdmittedRequest, filters: Filters, fitting: Fitting | undefined): Sql[] {
  if (!fitting) return lookedUpPredicates(request, filters);
  return [ofTenant(request), isAmong(sql`(${fitting.sources})`, fitting), ...chunkConditions(request, filters)];
}

/** The same, where the source is looked up for each candidate: cheaper when few are tested. */
function lookedUpPredicates(request: AdmittedRequest, filters: Filters): Sql[] {
  return [
    ofTenant(request),
    lookedUpSourcePredicate(request.tenantId, request, filters),
    ...chunkConditions(request, filters),
  ];
}

function ofTenant({ tenantId }: AdmittedRequest): Sql {
  return sql`c.tenant_id = ${tenantId}`;
}

/**
 * Chunk `c` is of one of the sources. `coalesce` keeps the planner from turning the test into a join, which would lose the order of
 * the BM25 index.
 */
export function isAmong(sources: Sql, { mixed }: Pick<Fitting, 'mixed'>): Sql {
  return mixed
    ? sql`coalesce((c.source_id, c.generation) in (select f.id, f.generation from ${sources} f), false)`
    : sql`coalesce(c.source_id in (select f.id from ${sources} f), false)`;
}
