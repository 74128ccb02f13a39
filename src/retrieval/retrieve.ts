/** `retrieve` is the only way to find chunks for a question: completions, search and evaluation all call it. */

import { type Access, openAccess } from '../access/access.ts';
import type { Tx } from '../db/database.ts';
import type { Redactor } from '../redaction/redact.ts';
import type { Candidates, SearchedCorpus } from './engine.ts';
import { type Plan, POSTFILTER_DEPTH, planSearch, scopeOf, searchedScope, UNBLOCKED_DEPTH } from './plan.ts';
import { openPostgresEngine } from './postgres/engine.ts';
import { embedQuery } from './query/embed-query.ts';
import { checkFilterCost } from './query/filter-cost.ts';
import { findNamedGroups } from './query/named-groups.ts';
import { readTenantFacts } from './query/tenant-facts.ts';
import { unreadFiles, whyNothing } from './query/why-nothing.ts';
import { selectDistinct, withLeftOut } from './ranking/distinct.ts';
import { FUSION_DEFAULT } from './ranking/fuse.ts';
import { correctTerms } from './ranking/fuzzy.ts';
import { preferring } from './ranking/preferred.ts';
import { orderByProximity, phrasesFirst } from './ranking/proximity.ts';
import { extendCandidates, type RankedCandidate, rankCandidates } from './ranking/rank.ts';
import { RERANKED_MAX, rerank } from './ranking/rerank.ts';
import { listHiddenPaths, loadRows, type ReadRow, readNeighbours, termsOf } from './reading/hits.ts';
import { keepMatching, openCorpus } from './reading/verify.ts';
import type { RetrieveDeps } from './retrieve-deps.ts';
import { openStopwatch, type Stopwatch } from './stages.ts';
import type { Retrieved, RetrieveRequest, Warning } from './types.ts';
import {
  modelViewOfQuery,
  modelViewOfRows,
  type Page,
  readerViewOfPage,
  readerViewOfWarnings,
  withoutBlocked,
} from './views.ts';

/** Among so many of the best chunks, equal scores are ordered by id, unless chunks with the same score follow after them. */
const TIES_MAX = 1_000;
const NO_NEIGHBOURS = { before: 0, after: 0 };

/**
 * Returns the chunks that match the query, best first; for equal scores, the lower id comes first. Copies and near-copies of a text
 * are left out.
 *
 * Without an embedding model, `hybrid` is a lexical search: it returns only chunks with a term of the query. All reads use one
 * transaction, so they see one state of the corpus and of the policy. With a rerank model, or if a rule may block chunks, a second
 * transaction drops chunks that were deleted or forbidden meanwhile.
 *
 * @throws ServiceError for mode `semantic`: `invalid_request` without an embedding model, else the error of the model.
 */
export async function retrieve(
  deps: RetrieveDeps,
  request: RetrieveRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Retrieved> {
  const { db, redactors, engine = openPostgresEngine(db) } = deps;
  const { tenantId, keyFamilyId, offset } = request;
  const options = { signal, readOnly: true, keyFamilyId, settings: engine.settings };
  const clock = openStopwatch();
  const warnings: Warning[] = [];
  const corrections = new Map<string, string>();
  const vector = await embedQuery(deps, request, warnings, signal);
  if (vector) clock.lap('embed');

  const find = async (tx: Tx) => {
    const access = await openAccess(tx, tenantId, request, request.principal);
    const tested = request.usePostfilter ? Math.max(POSTFILTER_DEPTH, offset + request.limit) : undefined;
    await checkFilterCost(tx, db.kind, scopeOf(request, access), tested);
    const scope = searchedScope(request, access);
    const openVisible = () => openCorpus(tx, engine, { ...scope, filters: {} });
    const { languages, redactionVersion, hasUnread } = await readTenantFacts(tx, tenantId, access);
    const redactor = (await redactors?.forTenant(tx, tenantId, redactionVersion)) ?? null;
    // The name of a group may be redacted, and the order of results must not depend on hidden text.
    const named =
      redactor || scope.filters.sourceGroupIds
        ? []
        : await findNamedGroups(tx, tenantId, access, request.query, languages);
    const blocks = ['ingest' as const, 'retrieval' as const].some((step) => redactor?.blocksAt(step));
    const all = openCorpus(tx, engine, scope);
    const ofNamed = { ...scope, filters: { ...scope.filters, sourceGroupIds: named.map(({ id }) => id) } };
    const corpus = named.length === 0 ? all : preferring(all, openCorpus(tx, engine, ofNamed));
    const plan = planSearch(request, {
      groupNames: named.map(({ name }) => name),
      ...{ access, languages, vector, redacts: redactor !== null, blocks },
      ...{ hasRerankModel: Boolean(deps.reranker), fusion: deps.config?.fusion ?? FUSION_DEFAULT },
    });
    if (plan.terms.length === 0 && plan.mode === 'lexical' && request.query.trim() !== '')
      warnings.push({
        type: 'no_words',
        message: 'The query has no words, and marks such as “...” are not searched for.',
      });
    clock.lap('analyze');
    const rows = new Map<string, ReadRow>();
    let ranked = await rank(tx, corpus, plan, rows, warnings);
    clock.lap(plan.mode);
    const terms = await correctTerms(tx, all, openVisible, plan, ranked, rows, warnings, corrections);
    const final = terms ? { ...plan, terms } : plan;
    if (terms) ranked = await rank(tx, corpus, final, rows, []);
    clock.lap('fuzzy');
    if (ranked.length === 0) warnings.push(...(await whyNothing(tx, request, access)));
    else if (hasUnread) warnings.push(...(await unreadFiles(tx, request, access)));
    const first = plan.reranks || plan.reordered > 0 ? ranked : blocks ? ranked.slice(0, UNBLOCKED_DEPTH) : [];
    await loadRows(tx, request, [...first, ...ranked.slice(Math.max(offset, first.length))], rows);
    const chunkTerms = (id: string) => termsOf(rows.get(id));
    const { weight } = plan.fusion;
    if (plan.reordered > 0) ranked = orderByProximity(ranked, new Set(final.terms), chunkTerms, weight);
    const { hasPhrase, reordered } = plan;
    if (hasPhrase) ranked = phrasesFirst(ranked, reordered, (id) => hasPhrase(rows.get(id)?.content ?? ''));
    const page = plan.reranks || blocks ? undefined : await readPage(tx, request, access, redactor, ranked);
    clock.lap('read');
    return { page, ranked, rows, redactor, plan };
  };
  const { page, ranked, rows, redactor, plan } = await db.transaction(tenantId, find, options);
  if (page) return toRetrieved(page, rows, warnings, corrections, clock);

  const wanted = Math.max(offset + request.limit, plan.reranks ? RERANKED_MAX : 0);
  const open = plan.blocks ? await withoutBlocked(redactor, request, ranked, rows, wanted) : ranked;
  const shown = plan.reranks ? await reranked(deps, request, redactor, open, rows, warnings, signal) : open;
  if (plan.reranks) clock.lap('rerank');
  const check = async (tx: Tx): Promise<Page> => {
    const access = await openAccess(tx, tenantId, request, request.principal);
    const redactor = (await redactors?.forTenant(tx, tenantId)) ?? null;
    const left = await keepMatching(tx, scopeOf(request, access), shown);
    return readPage(tx, request, access, redactor, left);
  };
  const checked = await db.transaction(tenantId, check, options);
  clock.lap('check');
  return toRetrieved(checked, rows, warnings, corrections, clock);
}

/** Returns the candidates in the order of the rerank model. */
async function reranked(
  { reranker }: RetrieveDeps,
  { tenantId, keyFamilyId, query }: RetrieveRequest,
  redactor: Redactor | null,
  ranked: readonly RankedCandidate[],
  rows: ReadonlyMap<string, ReadRow>,
  warnings: Warning[],
  signal: AbortSignal,
): Promise<RankedCandidate[]> {
  const asked = await modelViewOfQuery(redactor, query);
  const judged = ranked.slice(0, RERANKED_MAX).flatMap(({ id }) => rows.get(id) ?? []);
  const texts = await modelViewOfRows(redactor, judged);
  return rerank(reranker!, asked, ranked, texts, warnings, signal, { owner: tenantId, part: keyFamilyId });
}

/**
 * Returns the first `plan.count` candidates, without copies and without chunks beyond the limit per source. If a rule may block chunks,
 * the best of those are there, too: they take the place of blocked ones.
 */
async function rank(
  tx: Tx,
  corpus: SearchedCorpus,
  plan: Plan,
  rows: Map<string, ReadRow>,
  warnings: Warning[],
): Promise<RankedCandidate[]> {
  const { request, mode, terms, vector, count } = plan;
  let found: Candidates = { lexical: [], semantic: [], exhausted: false };
  for (const depth of plan.depths) {
    const more = await corpus.candidates({ terms, vector, depth });
    found = mode === 'lexical' ? more : extendCandidates(found, more);
    const all = rankCandidates(plan, found);
    const kept = plan.filteredAfter ? await keepMatching(tx, plan.filteredAfter, all) : all;
    const isLast = found.exhausted || depth === plan.depths.at(-1);
    if (!isLast && kept.length < count) continue;
    const selected = await selectDistinct(tx, request, kept, count, rows);
    if (isLast) warnOfFilters(request, selected, all, depth, warnings);
    else if (selected.length < count) continue;
    // Chunks with the last score are not settled: a longer list may order them differently.
    if (isLast || mode !== 'lexical' || depth >= TIES_MAX || selected.at(-1)!.score > all.at(-1)!.score)
      return plan.blocks ? withLeftOut(kept, selected, count) : selected;
  }
  return [];
}

/** Warns if `use_postfilter` has left fewer candidates than wanted. */
function warnOfFilters(
  { usePostfilter, offset, limit }: RetrieveRequest,
  selected: RankedCandidate[],
  { length: searched }: readonly RankedCandidate[],
  depth: number,
  warnings: Warning[],
): void {
  if (usePostfilter && searched >= depth && selected.length < offset + limit) {
    warnings.push({
      type: 'postfilter_underfilled',
      message: `Of the best ${searched} chunks only ${selected.length} match the filters; without use_postfilter all chunks are searched.`,
    });
  }
}

/** Returns the requested page of the candidates, with the neighbours that the request asks for. */
async function readPage(
  tx: Tx,
  request: RetrieveRequest,
  access: Access,
  redactor: Redactor | null,
  ranked: readonly RankedCandidate[],
): Promise<Page> {
  const { tenantId, offset, limit, context = NO_NEIGHBOURS } = request;
  const candidates = ranked.slice(offset, offset + limit);
  const neighbours = await readNeighbours(tx, { ...access, tenantId }, candidates, context);
  const hiddenPaths = await listHiddenPaths(tx, tenantId, candidates, access);
  return { candidates, neighbours, hiddenPaths, access, redactor };
}

/** Returns the page as a reader may see it. Redaction may be slow, so it never runs within a transaction. */
async function toRetrieved(
  page: Page,
  rows: ReadonlyMap<string, ReadRow>,
  warnings: readonly Warning[],
  corrections: ReadonlyMap<string, string>,
  { stages }: Stopwatch,
): Promise<Retrieved> {
  const hits = await readerViewOfPage(page, rows);
  const shown = page.redactor ? new Map<string, string>() : corrections;
  return { hits, warnings: await readerViewOfWarnings(page.redactor, warnings), corrections: shown, stages };
}
