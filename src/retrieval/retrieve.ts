/** `retrieve` is the only way to chunks for a question: completions, search and evaluation all come through here. */
import type { Tx } from '../db/database.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { invalidRequest } from '../errors.ts';
import { analyzeQuery } from './analyzer.ts';
import { chunkConditions, lookedUpSourcePredicate, narrowsCheaply, sourcePredicate } from './filter-sql.ts';
import { readHits } from './hits.ts';
import { readLanguages } from './languages.ts';
import { bm25Candidates, type Candidate, FORCE_INDEX_ORDER } from './lexical.ts';
import { scanCandidates } from './lexical-scan.ts';
import { select } from './select.ts';
import type { Filters, Retrieved, RetrieveRequest, Warning } from './types.ts';

/** `use_postfilter` looks at this many of the best chunks, or at `offset + limit` if that is more. */
export const POSTFILTER_CANDIDATES = 200;

/** Query terms beyond these are not searched for: the rarest words of so long a query say enough. */
export const QUERY_TERMS_MAX = 512;

/** Candidates are fetched in growing batches until enough remain after selection, at most the last many. */
const BATCHES = [1_000, 4_000, 20_000];
const CANDIDATES_MAX = 20_000;

/** With filters, so many of the best chunks are tested one by one before the filter is evaluated for the whole corpus. */
const TESTED_FIRST = 500;

/** Among so many of the best chunks, equal scores are ordered by id; those of a score that goes on beyond are not. */
const TIES_MAX = 1_000;

/**
 * Chunks that fit the query, best first; of equal score, the lower id first. Chunks with no term of the query never come.
 *
 * With no embedding model, `hybrid` is lexical search. One database transaction, so one state of the corpus.
 *
 * @throws ServiceError `invalid_request` for mode `semantic` when no embedding model is configured.
 */
export async function retrieve(
  { db }: Pick<Deps, 'db'>,
  request: RetrieveRequest,
  signal?: AbortSignal,
): Promise<Retrieved> {
  if (request.mode === 'semantic') {
    throw invalidRequest('/mode: semantic search needs an embedding model, and none is configured.');
  }
  const clock = stopwatch();
  return db.transaction(
    request.tenantId,
    async (tx) => {
      if (db.hasTextSearch) await tx.query(sql`select ${FORCE_INDEX_ORDER}`);
      const languages = await readLanguages(tx, request.tenantId);
      const terms = analyzeQuery(request.query, languages).slice(0, QUERY_TERMS_MAX);
      clock.lap('analyze');
      const warnings: Warning[] = [];
      const chosen = terms.length === 0 ? [] : await candidates(tx, db.hasTextSearch, request, terms, warnings);
      clock.lap('lexical');
      const hits = await readHits(tx, request, chosen);
      clock.lap('read');
      return { hits, warnings, timings: clock.timings };
    },
    signal ? { signal } : {},
  );
}

/** The requested page of candidates, duplicates and overlong sources taken out. */
async function candidates(
  tx: Tx,
  hasTextSearch: boolean,
  request: RetrieveRequest,
  terms: readonly string[],
  warnings: Warning[],
): Promise<Candidate[]> {
  const { tenantId, partitionNo } = request;
  const loadCandidates = async (conditions: readonly Sql[], limit: number): Promise<Candidate[]> =>
    (hasTextSearch ? bm25Candidates : scanCandidates)(tx, { tenantId, partitionNo, terms, conditions, limit });
  const wanted = request.offset + request.limit;
  if (request.usePostfilter) {
    return postfiltered(tx, loadCandidates, request, warnings);
  }
  const page = (found: readonly Candidate[], complete: boolean, final: boolean): Candidate[] | undefined => {
    const selected = select(found, request.maxChunksPerSource);
    // Chunks of one score that the limit cuts through would be ordered differently on the next page.
    const settled = final || selected.length < wanted || selected[wanted - 1]!.score > found.at(-1)!.score;
    return complete || (settled && selected.length >= wanted) ? selected.slice(request.offset, wanted) : undefined;
  };
  if (hasTextSearch && narrowsCheaply(request, request.filters)) {
    const conditions = predicates(request, request.filters, lookedUpSourcePredicate);
    const near = { tenantId, partitionNo, terms, conditions, limit: wanted + 1, tested: TESTED_FIRST };
    const found = await bm25Candidates(tx, near);
    const answer = found.length > wanted ? page(found, false, false) : undefined;
    if (answer) return answer;
  }
  const conditions = predicates(request, request.filters);
  for (const limit of [wanted + 1, ...BATCHES.filter((batch) => batch > wanted + 1)]) {
    const found = await loadCandidates(conditions, limit);
    const answer = page(found, found.length < limit || limit >= CANDIDATES_MAX, limit >= TIES_MAX);
    if (answer) return answer;
  }
  return [];
}

/** Searches first and filters what was found. What the caller may not see is never a candidate. */
async function postfiltered(
  tx: Tx,
  loadCandidates: (conditions: readonly Sql[], limit: number) => Promise<Candidate[]>,
  request: RetrieveRequest,
  warnings: Warning[],
): Promise<Candidate[]> {
  const wanted = request.offset + request.limit;
  const searched = Math.max(POSTFILTER_CANDIDATES, wanted);
  const found = await loadCandidates(predicates(request, {}), searched);
  const ids = found.map((candidate) => candidate.id);
  const kept = await tx.query<{ id: string }>(sql`
    select c.id from chunk c
    where c.id = any(${ids}::uuid[]) and ${join(predicates(request, request.filters), ' and ')}`);
  const keptIds = new Set(kept.map((row) => row.id));
  const selected = select(
    found.filter((candidate) => keptIds.has(candidate.id)),
    request.maxChunksPerSource,
  );
  if (selected.length < wanted && found.length >= searched) {
    warnings.push({
      type: 'postfilter_underfilled',
      message: `Of the best ${found.length} chunks only ${selected.length} fit the filters; without use_postfilter all are searched.`,
    });
  }
  return selected.slice(request.offset, wanted);
}

function predicates(request: RetrieveRequest, filters: Filters, ofSource = sourcePredicate): Sql[] {
  return [
    sql`c.tenant_id = ${request.tenantId}`,
    ofSource(request.tenantId, request, filters),
    ...chunkConditions(filters),
  ];
}

function stopwatch() {
  const timings: Record<string, number> = {};
  let last = performance.now();
  return {
    timings,
    lap(stage: string): void {
      const now = performance.now();
      timings[stage] = now - last;
      last = now;
    },
  };
}
