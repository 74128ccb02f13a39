/**
 * `retrieve` is the only way to find chunks for a question: completions, search and evaluation all call it. One transaction finds and
 * ranks candidates and reads them. Redaction and the rerank model are slow, so they run after it.
 */
import { type Access, openAccess } from '../access/access.ts';
import type { Tx } from '../db/database.ts';
import type { Redactor } from '../redaction/redact.ts';
import type { Candidates, Engine, QueryVector, SearchedCorpus } from './engine.ts';
import { type Plan, POSTFILTER_DEPTH, planSearch, scopeOf, searchedScope, UNBLOCKED_DEPTH } from './plan.ts';
import { openPostgresEngine } from './postgres/engine.ts';
import { embedQuery } from './query/embed-query.ts';
import { checkFilterCost } from './query/filter-cost.ts';
import { findNamedGroups, preferring } from './query/named-groups.ts';
import { readTenantFacts } from './query/tenant-facts.ts';
import { unreadFiles, whyNothing } from './query/why-nothing.ts';
import { selectDistinct, withLeftOut } from './ranking/distinct.ts';
import { FUSION_DEFAULT } from './ranking/fuse.ts';
import { correctTerms, fuzzyWarnings } from './ranking/fuzzy.ts';
import { orderByProximity, phrasesFirst, termsForOrder } from './ranking/proximity.ts';
import { extendCandidates, type RankedCandidate, rankCandidates } from './ranking/rank.ts';
import { RERANKED_MAX, rerank } from './ranking/rerank.ts';
import { listHiddenPaths, loadRows, type ReadRow, readNeighbours } from './reading/hits.ts';
import { keepMatching, openCorpus } from './reading/keep-matching.ts';
import type { RetrieveDeps } from './retrieve-deps.ts';
import { openStopwatch } from './stages.ts';
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
const NO_WORDS = 'The query has no words, and marks such as “...” are not searched for.';

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
  const { db, redactors, reranker, engine = openPostgresEngine(db) } = deps;
  const { tenantId, keyFamilyId, offset } = request;
  const options = { signal, readOnly: true, keyFamilyId, settings: engine.settings };
  const clock = openStopwatch();
  const warnings: Warning[] = [];
  const rows = new Map<string, ReadRow>();
  const vector = await embedQuery(deps, request, warnings, signal);
  if (vector) clock.lap('embed');

  const find = async (tx: Tx) => {
    const access = await openAccess(tx, request, request.principal);
    const { plan, redactor, corpora, hasUnread } = await prepare(tx, deps, engine, request, access, vector);
    if (plan.terms.length === 0 && plan.mode === 'lexical' && request.query.trim() !== '')
      warnings.push({ type: 'no_words', message: NO_WORDS });
    clock.lap('analyze');
    let ranked = await rank(tx, corpora.ranked, plan, rows, warnings);
    clock.lap(plan.mode);
    const corrected = await correctTerms(tx, corpora, plan, ranked, rows);
    const words = corrected?.words ?? new Map<string, string>();
    warnings.push(...fuzzyWarnings(words));
    const final = corrected ? { ...plan, terms: corrected.terms } : plan;
    if (corrected) ranked = await rank(tx, corpora.ranked, final, rows, []);
    clock.lap('fuzzy');
    if (ranked.length === 0) warnings.push(...(await whyNothing(tx, request, access)));
    else if (hasUnread) warnings.push(...(await unreadFiles(tx, request, access)));
    ranked = await readAndReorder(tx, final, ranked, rows);
    // A rerank model, or a rule that blocks chunks, decides first which chunks are on the page.
    const page = plan.reranks || plan.blocks ? undefined : await readPage(tx, request, access, redactor, ranked);
    clock.lap('read');
    return { page, ranked, redactor, plan, words };
  };
  const { page, ranked, redactor, plan, words } = await db.transaction(tenantId, find, options);
  // Redaction may be slow, so it never runs within a transaction.
  const shown = async (page: Page): Promise<Retrieved> => ({
    hits: await readerViewOfPage(page, rows),
    warnings: await readerViewOfWarnings(page.redactor, warnings),
    // If rules may hide text, a corrected word may be hidden too.
    corrections: page.redactor ? new Map() : words,
    stages: clock.stages,
  });
  if (page) return shown(page);

  const wanted = Math.max(offset + request.limit, plan.reranks ? RERANKED_MAX : 0);
  let left = plan.blocks ? await withoutBlocked(redactor, request, ranked, rows, wanted) : ranked;
  if (plan.reranks) {
    const query = await modelViewOfQuery(redactor, request.query);
    const judged = left.slice(0, RERANKED_MAX).flatMap(({ id }) => rows.get(id) ?? []);
    const texts = await modelViewOfRows(redactor, judged);
    left = await rerank(reranker!, query, left, texts, warnings, signal, { owner: tenantId, part: keyFamilyId });
    clock.lap('rerank');
  }
  const check = async (tx: Tx): Promise<Page> => {
    const access = await openAccess(tx, request, request.principal);
    const redactor = (await redactors?.forTenant(tx)) ?? null;
    return readPage(tx, request, access, redactor, await keepMatching(tx, scopeOf(request, access), left));
  };
  const checked = await db.transaction(tenantId, check, options);
  clock.lap('check');
  return shown(checked);
}

/** The parts of the corpus that a search looks into. */
interface Corpora {
  /** The chunks that are ranked: those of `matching`, and chunks of source groups that the query names are preferred. */
  ranked: SearchedCorpus;
  /** The chunks that match the filters. */
  matching: SearchedCorpus;
  /** All chunks that the caller may see. */
  visible: SearchedCorpus;
}

/** Refuses filters that are too costly. Then returns the plan of the search and what it looks into. */
async function prepare(
  tx: Tx,
  { db, redactors, reranker, config }: RetrieveDeps,
  engine: Engine,
  request: RetrieveRequest,
  access: Access,
  vector: QueryVector | undefined,
): Promise<{ plan: Plan; redactor: Redactor | null; corpora: Corpora; hasUnread: boolean }> {
  const { query, offset, limit } = request;
  const tested = request.usePostfilter ? Math.max(POSTFILTER_DEPTH, offset + limit) : undefined;
  await checkFilterCost(tx, db.kind, scopeOf(request, access), tested);
  const { languages, redactionVersion, hasUnread } = await readTenantFacts(tx, access);
  const redactor = (await redactors?.forTenant(tx, redactionVersion)) ?? null;
  const scope = searchedScope(request, access);
  const open = (filters = scope.filters) => openCorpus(tx, engine, { ...scope, filters });
  const matching = open();
  // The name of a group may be redacted, and the order of results must not depend on hidden text.
  const mayName = redactor === null && !scope.filters.sourceGroupIds;
  const named = mayName ? await findNamedGroups(tx, access, query, languages) : [];
  const sourceGroupIds = named.map(({ id }) => id);
  const ranked = named.length === 0 ? matching : preferring(matching, open({ ...scope.filters, sourceGroupIds }));
  const plan = planSearch(request, {
    groupNames: named.map(({ name }) => name),
    ...{ access, languages, vector, redacts: redactor !== null, hasRerankModel: Boolean(reranker) },
    blocks: redactor !== null && (redactor.blocksAt('ingest') || redactor.blocksAt('retrieval')),
    fusion: config?.fusion ?? FUSION_DEFAULT,
  });
  return { plan, redactor, corpora: { ranked, matching, visible: open({}) }, hasUnread };
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

/** Reads the rows that are still missing. Returns the candidates in the order of their words, if the plan wants that. */
async function readAndReorder(
  tx: Tx,
  { request, terms, fusion, reordered, hasPhrase, reranks, blocks }: Plan,
  ranked: RankedCandidate[],
  rows: Map<string, ReadRow>,
): Promise<RankedCandidate[]> {
  const first = reranks || reordered > 0 ? ranked : blocks ? ranked.slice(0, UNBLOCKED_DEPTH) : [];
  await loadRows(tx, request, [...first, ...ranked.slice(Math.max(request.offset, first.length))], rows);
  if (reordered === 0) return ranked;
  const ordered = orderByProximity(ranked, new Set(terms), (id) => termsForOrder(rows.get(id)), fusion.weight);
  return hasPhrase ? phrasesFirst(ordered, reordered, (id) => hasPhrase(rows.get(id)?.content ?? '')) : ordered;
}

/** Returns the requested page of the candidates, with the neighbours that the request asks for. */
async function readPage(
  tx: Tx,
  request: RetrieveRequest,
  access: Access,
  redactor: Redactor | null,
  ranked: readonly RankedCandidate[],
): Promise<Page> {
  const { offset, limit, context = NO_NEIGHBOURS } = request;
  const candidates = ranked.slice(offset, offset + limit);
  const neighbours = await readNeighbours(tx, access, candidates, context);
  const hiddenPaths = await listHiddenPaths(tx, candidates, access);
  return { candidates, neighbours, hiddenPaths, access, redactor };
}
