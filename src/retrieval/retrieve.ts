/** `retrieve` is the only way to find chunks for a question: completions, search and evaluation all call it. */

import { type Access, openAccess } from '../access/access.ts';
import type { Tx } from '../db/database.ts';
import { join, keepPlan, raw, sql } from '../db/sql.ts';
import { invalidRequest } from '../errors.ts';
import { readerSteps, redactChunk, redactText } from '../redaction/apply-redaction.ts';
import type { Redactor } from '../redaction/redact.ts';
import { redactionVersion } from '../redaction/redaction-store.ts';
import { analyzeForIndex, searchTerms } from '../text/analyzer.ts';
import { collect } from '../util/collect.ts';
import { FORCE_INDEX_ORDER, FORCE_INDEXES, indexWeights } from './lexical/lexical.ts';
import { countedWeights } from './lexical/lexical-scan.ts';
import { openSmallCorpusScan } from './lexical/small-corpus-scan.ts';
import { openFilterMatches } from './query/filter-matches.ts';
import { narrows } from './query/filter-sql.ts';
import { readLanguages } from './query/languages.ts';
import { type Batch, keepMatching, lexicalBatches, type RankedCandidate, type Search } from './ranking/candidates.ts';
import { FUSION_DEFAULT } from './ranking/fuse.ts';
import { correct, FUZZY_WARNING, FUZZY_WITHOUT_WORDS } from './ranking/fuzzy.ts';
import { hybridBatches } from './ranking/hybrid.ts';
import { fingerprint } from './ranking/near-duplicates.ts';
import { postfiltered } from './ranking/postfilter.ts';
import { type ChunkTerms, orderByProximity, PROXIMITY_MAX } from './ranking/proximity.ts';
import { RERANKED_MAX, rerank } from './ranking/rerank.ts';
import { select } from './ranking/select.ts';
import {
  addNeighbours,
  hashOf,
  type NeighbourRow,
  type ReadRow,
  readHashes,
  readNeighbours,
  readRows,
  toHit,
} from './reading/hits.ts';
import type { RetrieveDeps } from './retrieve-deps.ts';
import { EXACT_ROWS_MAX, NEAREST_SETTINGS } from './semantic/nearest.ts';
import { type EmbeddedQuery, embedQuery, vectorCount, vectorPages } from './semantic/semantic.ts';
import type { AdmittedRequest, Hit, ReadText, Retrieved, RetrieveRequest, Warning } from './types.ts';

/** Number of the best candidates that are compared with each other, for every page. Later candidates are compared by hash only. */
export const COMPARED_MAX = 100;
/** Number of further candidates whose hashes are read at once if some candidates are copies. */
const HASHED_AHEAD = 1_000;

const NO_NEIGHBOURS = { before: 0, after: 0 };
const UNLIMITED: Access = { sourceGroupIds: null, tagIds: null, policy: null };

/**
 * Returns the chunks that match the query, best first; for equal scores, the lower id comes first. Copies and near-copies of a text
 * are left out.
 *
 * Without an embedding model, `hybrid` is a lexical search: it returns only chunks with a term of the query. All reads use one
 * transaction, so they see one state of the corpus and of the policy. With a rerank model, a second transaction drops chunks that
 * were deleted or forbidden meanwhile.
 *
 * @throws ServiceError for mode `semantic`: `invalid_request` without an embedding model, else the error of the model.
 */
export async function retrieve(
  deps: RetrieveDeps,
  request: RetrieveRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Retrieved> {
  const { db } = deps;
  const { tenantId, offset } = request;
  const clock = stopwatch();
  const warnings: Warning[] = [];
  const model = request.rerank === false || offset >= RERANKED_MAX ? null : (deps.reranker ?? null);
  const wanted = offset + request.limit;
  const semantic = await embedQuery(deps, request, () => loadModelQuery(deps, request, signal), warnings, signal);
  if (semantic) clock.lap('embed');
  const find = async (tx: Tx) => {
    const { search, redactor } = await prepare(tx, deps, request, semantic);
    clock.lap('analyze');
    const rows = new Map<string, ReadRow>();
    const isLexical = semantic === undefined && request.mode !== 'semantic';
    // Text that a redaction rule hides must not influence the order.
    const isReordered = request.proximity === true && isLexical && !model && !redactor && offset < PROXIMITY_MAX;
    const count = Math.max(wanted, model ? RERANKED_MAX : isReordered ? PROXIMITY_MAX : 0);
    let ranked = await rank(tx, search, count, rows, warnings);
    clock.lap(semantic ? request.mode : 'lexical');
    const corrected = await correct(tx, search, ranked, rows, warnings);
    if (corrected) ranked = await rank(tx, corrected, count, rows, []);
    clock.lap('fuzzy');
    await loadRows(tx, request, model || isReordered ? ranked : ranked.slice(offset), rows);
    if (isReordered)
      ranked = orderByProximity(ranked, new Set((corrected ?? search).terms), (id) => termsIn(rows.get(id)));
    const page = model ? [] : ranked.slice(offset, wanted);
    const neighbours = await readNeighbours(tx, search.request, page, request.context ?? NO_NEIGHBOURS);
    clock.lap('read');
    return { ranked, rows, page, neighbours, redactor };
  };
  const found = await db.transaction(tenantId, find, { signal, readOnly: true });
  // Redaction may be slow, so it never runs within a transaction.
  if (!model) return toRetrieved(found, found.rows, warnings, clock);
  const query = await modelView(found.redactor, request.query);
  const ordered = await rerank(
    model,
    query,
    found.ranked,
    await modelViewOfRows(found.rows, found.redactor),
    warnings,
    signal,
  );
  clock.lap('rerank');
  const checked = await db.transaction(
    tenantId,
    async (tx) => {
      const admitted = await admit(tx, request);
      const page = (await keepMatching(tx, admitted, ordered)).slice(offset, wanted);
      const neighbours = await readNeighbours(tx, admitted, page, request.context ?? NO_NEIGHBOURS);
      return { page, neighbours, redactor: await redactorOf(tx, deps, request) };
    },
    { signal, readOnly: true },
  );
  clock.lap('check');
  return toRetrieved(checked, found.rows, warnings, clock);
}

function termsIn(row: ReadRow | undefined): ChunkTerms | undefined {
  if (!row) return undefined;
  const termsOf = (text: string): Set<string> => new Set(analyzeForIndex(text, row.language).split(' '));
  return {
    terms: row.terms.split(' '),
    titles: termsOf([row.name, ...row.headingPath].join('\n')),
    heading: termsOf(row.headingPath.at(-1) ?? ''),
  };
}

/** Returns the page as a reader may see it. */
async function toRetrieved(
  {
    page,
    neighbours,
    redactor,
  }: { page: RankedCandidate[]; neighbours: NeighbourRow[] | null; redactor: Redactor | null },
  rows: ReadonlyMap<string, ReadRow>,
  warnings: readonly Warning[],
  { timings }: ReturnType<typeof stopwatch>,
): Promise<Retrieved> {
  const hits = await toHits(page, rows, redactor);
  await addNeighbours(hits, neighbours, redactor);
  return { hits, warnings: await readerViewOfWarnings(warnings, redactor), timings };
}

/** Returns the redactor that the transaction sees: a changed policy takes effect in the next transaction. */
async function redactorOf(
  tx: Tx,
  { redactors }: RetrieveDeps,
  { tenantId }: RetrieveRequest,
  version?: number | null,
): Promise<Redactor | null> {
  return (await redactors?.forTenant(tx, tenantId, version)) ?? null;
}

/** Returns the redacted query for the embedding model. @throws ServiceError invalid_request if a rule blocks the query. */
async function loadModelQuery(deps: RetrieveDeps, request: RetrieveRequest, signal: AbortSignal): Promise<string> {
  const find = (tx: Tx): Promise<Redactor | null> => redactorOf(tx, deps, request);
  return modelView(await deps.db.transaction(request.tenantId, find, { signal, readOnly: true }), request.query);
}

/** Returns the query as a model may read it. @throws ServiceError invalid_request if a rule blocks the query. */
async function modelView(redactor: Redactor | null, query: string): Promise<string> {
  const redacted = await redactText(redactor, query, ['llm_input']);
  if (redacted === undefined) throw invalidRequest('/query: holds text that a redaction rule keeps from models.');
  return redacted;
}

/** Returns the candidates as a rerank model may read them; blocked candidates are left out. */
async function modelViewOfRows(
  rows: ReadonlyMap<string, ReadRow>,
  redactor: Redactor | null,
): Promise<ReadonlyMap<string, ReadRow>> {
  const redacted = await collect(rows.values(), (row) =>
    redactChunk(redactor, row, [...readerSteps(redactor, row.redactedBy), 'llm_input']),
  );
  return new Map(redacted.map((row) => [row.id, row]));
}

/** Returns the redacted warnings: a warning may contain words of the corpus. */
function readerViewOfWarnings(warnings: readonly Warning[], redactor: Redactor | null): Promise<Warning[]> {
  const hides = (['ingest', 'retrieval', 'output'] as const).some((step) => redactor?.appliesAt(step));
  return collect(warnings, async (warning) => {
    // The words of this warning are folded, so a rule may not recognise them.
    if (hides && warning.type === FUZZY_WARNING) return { ...warning, message: FUZZY_WITHOUT_WORDS };
    const message = await redactText(redactor, warning.message, ['ingest', 'retrieval']);
    return message === undefined ? undefined : { ...warning, message };
  });
}

async function admit(tx: Tx, request: RetrieveRequest): Promise<AdmittedRequest> {
  return { ...request, ...(await openAccess(tx, request.tenantId, request, request.principal)) };
}

/** Returns the search, ready to run, and the redactor. */
async function prepare(
  tx: Tx,
  deps: RetrieveDeps,
  asked: RetrieveRequest,
  semantic: EmbeddedQuery | undefined,
): Promise<{ search: Search; redactor: Redactor | null }> {
  const { db, config } = deps;
  const forced = db.hasTextSearch ? FORCE_INDEX_ORDER : FORCE_INDEXES;
  const settings = semantic ? join([forced, NEAREST_SETTINGS]) : forced;
  // If filters narrow the search, the total number of vectors does not matter.
  const isNarrow = !asked.usePostfilter && narrows(UNLIMITED, asked.filters);
  const pages = semantic && !isNarrow ? vectorPages(semantic.vectors) : raw('0');
  const [state] = await tx.query<{ redaction: number | null; pages: number }>(
    keepPlan(sql`select ${redactionVersion(asked.tenantId)} as redaction, ${pages} as pages, ${settings}`),
  );
  const { redaction } = state!;
  const redactor = await redactorOf(tx, deps, asked, redaction);
  const request = await admit(tx, asked);
  const languages = await readLanguages(tx, request.tenantId, request);
  const terms = searchTerms(request.query, languages);
  const fusion = config?.fusion ?? FUSION_DEFAULT;
  const filterMatches = openFilterMatches(tx, request);
  const weigh = db.hasTextSearch ? indexWeights : countedWeights;
  const smallCorpusScan = openSmallCorpusScan(tx, request, filterMatches, (some) => weigh(tx, request, some));
  const search = {
    ...{ request, hasTextSearch: db.hasTextSearch, languages, terms, fusion, exactRowsMax: EXACT_ROWS_MAX },
    ...{ filterMatches, smallCorpusScan },
  };
  if (!semantic) return { search, redactor };
  const rows = vectorCount(semantic.vectors, state!.pages);
  return { search: { ...search, semantic: { ...semantic, rows } }, redactor };
}

/** Returns the first `count` candidates, without copies and without chunks beyond the limit per source. */
async function rank(
  tx: Tx,
  search: Search,
  count: number,
  rows: Map<string, ReadRow>,
  warnings: Warning[],
): Promise<RankedCandidate[]> {
  const { request } = search;
  if (request.mode === 'semantic' && !search.semantic) return [];
  const batches = request.usePostfilter
    ? [complete(await postfiltered(tx, search, request.offset + request.limit, warnings))]
    : search.semantic
      ? hybridBatches(tx, { ...search, semantic: search.semantic })
      : lexicalBatches(tx, search, count);
  for await (const { ranked, complete, isSettled } of batches) {
    if (!complete && ranked.length < count) continue;
    const selected = await selectDistinct(tx, request, ranked, count, rows);
    if (complete || (selected.length >= count && isSettled(selected[count - 1]!))) return selected;
  }
  return [];
}

function complete(ranked: readonly RankedCandidate[]): Batch {
  return { ranked, complete: true, isSettled: () => true };
}

/**
 * Returns the first `count` distinct candidates. The texts of at most COMPARED_MAX candidates are compared. Texts are read as needed;
 * usually these are the rows that the search returns.
 */
async function selectDistinct(
  tx: Tx,
  request: RetrieveRequest,
  ranked: readonly RankedCandidate[],
  count: number,
  rows: Map<string, ReadRow>,
): Promise<RankedCandidate[]> {
  const compared = ranked.slice(0, COMPARED_MAX);
  const texts = new Map<string, ReadText>();
  for (let ahead = 0; ; ahead = HASHED_AHEAD) {
    const selected = select(ranked, request.maxChunksPerSource, texts, count);
    const first = selected.filter((candidate) => {
      const text = texts.get(candidate.id);
      return !(compared.includes(candidate) ? text?.fingerprint : text);
    });
    if (first.length === 0) return selected;
    // One copy is a sign of more copies, so the search reads ahead.
    const further = ahead === 0 ? selected : select(ranked, request.maxChunksPerSource, texts, count + ahead);
    const near = first.filter((candidate) => compared.includes(candidate));
    await loadRows(tx, request, near, rows);
    for (const { id } of near) {
      const content = rows.get(id)?.content ?? '';
      texts.set(id, { hash: hashOf(content), fingerprint: fingerprint(content) });
    }
    const unread = further.flatMap(({ id }) => (texts.has(id) ? [] : [id]));
    for (const id of unread) texts.set(id, { hash: id });
    for (const [id, text] of await readHashes(tx, request.tenantId, unread)) texts.set(id, text);
  }
}

async function loadRows(
  tx: Tx,
  request: RetrieveRequest,
  candidates: readonly RankedCandidate[],
  rows: Map<string, ReadRow>,
): Promise<void> {
  const missing = candidates.map(({ id }) => id).filter((id) => !rows.has(id));
  for (const [id, row] of await readRows(tx, request, missing)) rows.set(id, row);
}

function toHits(
  candidates: readonly RankedCandidate[],
  rows: ReadonlyMap<string, ReadRow>,
  redactor: Redactor | null,
): Promise<Hit[]> {
  return collect(candidates, async (candidate) => {
    const row = rows.get(candidate.id);
    return row && toHit(row, candidate, redactor);
  });
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
