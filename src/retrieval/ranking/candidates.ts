/** Finds the candidates of a search in growing batches, until enough candidates remain after selection. */
import type { Tx } from '../../db/database.ts';
import { join, type Sql, sql } from '../../db/sql.ts';
import { bm25Candidates, type Candidate } from '../lexical/lexical.ts';
import { scanCandidates } from '../lexical/lexical-scan.ts';
import type { FindSmallCorpusScan } from '../lexical/small-corpus-scan.ts';
import type { FilterMatches, FindFilterMatches } from '../query/filter-matches.ts';
import { chunkConditions, lookedUpSourcePredicate, narrowsCheaply } from '../query/filter-sql.ts';
import type { SemanticQuery } from '../semantic/semantic.ts';
import type { AdmittedRequest, Filters, Hit } from '../types.ts';
import type { FusionSettings } from './fuse.ts';

/** Sizes of the batches after the first. The first batch is as large as the number of wanted results. */
export const BATCHES = [1_000, 4_000, 20_000];
export const CANDIDATES_MAX = 20_000;
/** Number of extra candidates in the first batch, so that a few copies do not cost a second batch. */
const SPARE_CANDIDATES = 10;

/** With filters, so many of the best chunks are tested one by one first, before the filter is evaluated for the whole corpus. */
const TESTED_FIRST = 500;

/** Among so many of the best chunks, equal scores are ordered by id, unless chunks with the same score follow after them. */
const TIES_MAX = 1_000;

export interface RankedCandidate extends Candidate {
  scores: Hit['scores'];
}

/** A search that is ready to run: what to search for, and the parts of the corpus to search in. */
export interface Search {
  request: AdmittedRequest;
  hasTextSearch: boolean;
  /** The languages of the corpus. */
  languages: readonly string[];
  /** The terms of the query, from `searchTerms`. */
  terms: readonly string[];
  /** Finds the sources that match filters: those of the request, or none. */
  filterMatches: FindFilterMatches;
  /** Opens a scan of the chunks that match filters, if they are few. Absent if they are never opened. */
  smallCorpusScan?: FindSmallCorpusScan;
  /** Absent if the search is lexical. */
  semantic?: SemanticQuery;
  fusion: FusionSettings;
  /** Up to so many rows, every vector is compared. */
  exactRowsMax: number;
}

/** The best candidates so far. Each batch begins with the candidates of the previous batch. */
export interface Batch {
  ranked: readonly RankedCandidate[];
  /** True if no more candidates exist. */
  complete: boolean;
  /** Returns true if a larger batch has the same candidates in the same order, up to this one. */
  isSettled(last: RankedCandidate): boolean;
}

/** Yields batches of lexical candidates that match the filters. The first batch asks for `wanted` candidates. */
export async function* lexicalBatches(tx: Tx, search: Search, wanted: number): AsyncGenerator<Batch> {
  const { request, hasTextSearch } = search;
  if (search.terms.length === 0) return;
  const first = wanted + SPARE_CANDIDATES;
  if (hasTextSearch && narrowsCheaply(request, request.filters)) {
    const conditions = lookedUpPredicates(request, request.filters);
    const found = await bm25Candidates(tx, { ...lexicalRequest(search, conditions, first), tested: TESTED_FIRST });
    if (found.length === first) yield toBatch(found, false, false);
  }
  for (const limit of [first, ...BATCHES.filter((batch) => batch > first)]) {
    const found = await lexicalCandidates(tx, search, request.filters, limit);
    yield toBatch(found, found.length < limit || limit >= CANDIDATES_MAX, limit >= TIES_MAX);
  }
}

/** Returns the batch. Chunks with the last score are not settled: a larger batch may order them differently. */
function toBatch(found: readonly Candidate[], complete: boolean, final: boolean): Batch {
  const lastScore = found.at(-1)?.score ?? 0;
  return { ranked: found.map(lexicalOnly), complete, isSettled: (last) => final || last.score > lastScore };
}

/** Returns the candidates that exist now, are visible and match the filters. */
export async function keepMatching<T extends { id: string }>(
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

/** Returns the best `limit` lexical candidates that match the filters. */
export async function lexicalCandidates(tx: Tx, search: Search, filters: Filters, limit: number): Promise<Candidate[]> {
  if (search.terms.length === 0) return [];
  const scan = await search.smallCorpusScan?.(filters);
  if (scan) return scan.best(search.terms, limit);
  const filterMatches = await search.filterMatches(filters);
  const areNamed = search.hasTextSearch || filterMatches?.ids !== null;
  const conditions = predicates(search.request, filters, areNamed ? filterMatches : undefined);
  const request = lexicalRequest(search, conditions, limit);
  if (search.hasTextSearch) return bm25Candidates(tx, request, filterMatches);
  return scanCandidates(tx, request, filterMatches);
}

export function lexicalRequest({ request, terms }: Search, conditions: readonly Sql[], limit: number) {
  return { tenantId: request.tenantId, partitionNo: request.partitionNo, terms, conditions, limit };
}

export function lexicalOnly(candidate: Candidate): RankedCandidate {
  return { ...candidate, scores: { lexical: candidate.score, semantic: null, rerank: null } };
}

/** Returns the conditions on a chunk `c`. Known matching sources are evaluated once and hashed. */
function predicates(request: AdmittedRequest, filters: Filters, filterMatches: FilterMatches | undefined): Sql[] {
  if (!filterMatches) return lookedUpPredicates(request, filters);
  return [
    ofTenant(request),
    isAmong(sql`(${filterMatches.sources})`, filterMatches),
    ...chunkConditions(request, filters),
  ];
}

/** Returns the same conditions, but with a look-up of the source for each candidate: cheaper if few candidates are tested. */
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
 * Returns the condition that chunk `c` belongs to one of the sources. `coalesce` prevents a join, which would lose the order of the
 * BM25 index.
 */
export function isAmong(sources: Sql, { mixed }: Pick<FilterMatches, 'mixed'>): Sql {
  return mixed
    ? sql`coalesce((c.source_id, c.generation) in (select f.id, f.generation from ${sources} f), false)`
    : sql`coalesce(c.source_id in (select f.id from ${sources} f), false)`;
}
