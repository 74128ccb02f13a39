/** `retrieve` is the only way to chunks for a question: completions, search and evaluation all come through here. */

import { type Access, openAccess } from '../access/access.ts';
import type { Tx } from '../db/database.ts';
import { join, keepPlan, raw, sql } from '../db/sql.ts';
import { invalidRequest } from '../errors.ts';
import { readerSteps, redactChunk, redactText } from '../redaction/apply-redaction.ts';
import type { Redactor } from '../redaction/redact.ts';
import { redactionVersion } from '../redaction/redaction-store.ts';
import { analyzeForIndex, searchTerms } from '../text/analyzer.ts';
import { collect } from '../util/collect.ts';
import { openFew } from './lexical/few-chunks.ts';
import { FORCE_INDEX_ORDER, FORCE_INDEXES } from './lexical/lexical.ts';
import { openTermCounts } from './lexical/term-counts.ts';
import { narrows } from './query/filter-sql.ts';
import { openFitting } from './query/fitting.ts';
import { readLanguages } from './query/languages.ts';
import { type Batch, keepFitting, lexicalBatches, type RankedCandidate, type Search } from './ranking/candidates.ts';
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

/** So many of the best candidates are compared with each other, whichever page is asked for; later ones only by their hash. */
export const COMPARED_MAX = 100;
/** Behind them, so many are read at once when some are copies. */
const HASHED_AHEAD = 1_000;

const NO_NEIGHBOURS = { before: 0, after: 0 };
const UNLIMITED: Access = { sourceGroupIds: null, tagIds: null, policy: null };

/**
 * Chunks that fit the query, best first; of equal score, the lower id first. No text comes twice, nor nearly the same text.
 *
 * With no embedding model, `hybrid` is lexical search, and chunks with no term of the query never come. One database transaction,
 * so one state of the corpus and of the policy; with a rerank model another one, in which what has been deleted or forbidden
 * meanwhile is left out.
 *
 * @throws ServiceError for mode `semantic`: `invalid_request` when no embedding model is configured, else what the model throws.
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
  const find = async (tx: Tx, semantic: EmbeddedQuery | undefined) => {
    const { search, redactor } = await prepare(tx, deps, request, semantic);
    clock.lap('analyze');
    const rows = new Map<string, ReadRow>();
    const isLexical = semantic === undefined && request.mode !== 'semantic';
    // What a redaction rule hides must not show in the order.
    const isMoved = request.proximity === true && isLexical && !model && !redactor && offset < PROXIMITY_MAX;
    const count = Math.max(wanted, model ? RERANKED_MAX : isMoved ? PROXIMITY_MAX : 0);
    let ranked = await rank(tx, search, count, rows, warnings);
    clock.lap(semantic ? request.mode : 'lexical');
    const corrected = await correct(tx, search, ranked, rows, warnings);
    if (corrected) ranked = await rank(tx, corrected, count, rows, []);
    clock.lap('fuzzy');
    await loadRows(tx, request, model || isMoved ? ranked : ranked.slice(offset), rows);
    if (isMoved) ranked = orderByProximity(ranked, new Set((corrected ?? search).terms), (id) => termsIn(rows.get(id)));
    const page = model ? [] : ranked.slice(offset, wanted);
    const neighbours = await readNeighbours(tx, search.request, page, request.context ?? NO_NEIGHBOURS);
    clock.lap('read');
    return { ranked, rows, page, neighbours, redactor };
  };
  const findWith = async (semantic: EmbeddedQuery | undefined) => {
    if (semantic) clock.lap('embed');
    return db.transaction(tenantId, (tx) => find(tx, semantic), { signal, readOnly: true });
  };
  const found = await findWith(
    await embedQuery(deps, request, () => toldQuery(deps, request, signal), warnings, signal),
  );
  // Redaction may take its time, so it never happens within a transaction.
  if (!model) return shown(found, found.rows, warnings, clock);
  const query = await told(found.redactor, request.query);
  const ordered = await rerank(
    model,
    query,
    found.ranked,
    await toldRows(found.rows, found.redactor),
    warnings,
    signal,
  );
  clock.lap('rerank');
  const checked = await db.transaction(
    tenantId,
    async (tx) => {
      const admitted = await admit(tx, request);
      const page = (await keepFitting(tx, admitted, ordered)).slice(offset, wanted);
      const neighbours = await readNeighbours(tx, admitted, page, request.context ?? NO_NEIGHBOURS);
      return { page, neighbours, redactor: await redactorOf(tx, deps, request) };
    },
    { signal, readOnly: true },
  );
  clock.lap('check');
  return shown(checked, found.rows, warnings, clock);
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

async function shown(
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
  return { hits, warnings: await shownWarnings(warnings, redactor), timings };
}

/** As the transaction sees it: a change of the policy is effective in the next one. */
async function redactorOf(
  tx: Tx,
  { redactors }: RetrieveDeps,
  { tenantId }: RetrieveRequest,
  version?: number | null,
): Promise<Redactor | null> {
  return (await redactors?.forTenant(tx, tenantId, version)) ?? null;
}

/** The query as an embedding model is told it. @throws ServiceError invalid_request */
async function toldQuery(deps: RetrieveDeps, request: RetrieveRequest, signal: AbortSignal): Promise<string> {
  const find = (tx: Tx): Promise<Redactor | null> => redactorOf(tx, deps, request);
  return told(await deps.db.transaction(request.tenantId, find, { signal, readOnly: true }), request.query);
}

/** @throws ServiceError invalid_request */
async function told(redactor: Redactor | null, query: string): Promise<string> {
  const shown = await redactText(redactor, query, ['llm_input']);
  if (shown === undefined) throw invalidRequest('/query: holds text that a redaction rule keeps from models.');
  return shown;
}

/** Candidates as a rerank model is told them: of what it may not read, nothing. */
async function toldRows(
  rows: ReadonlyMap<string, ReadRow>,
  redactor: Redactor | null,
): Promise<ReadonlyMap<string, ReadRow>> {
  const shown = await collect(rows.values(), (row) =>
    redactChunk(redactor, row, [...readerSteps(redactor, row.redactedBy), 'llm_input']),
  );
  return new Map(shown.map((row) => [row.id, row]));
}

/** They may name words of the corpus. */
function shownWarnings(warnings: readonly Warning[], redactor: Redactor | null): Promise<Warning[]> {
  const hides = (['ingest', 'retrieval', 'output'] as const).some((step) => redactor?.appliesAt(step));
  return collect(warnings, async (warning) => {
    // Its words are folded: a rule that is meant for one of them may not know it again.
    if (hides && warning.type === FUZZY_WARNING) return { ...warning, message: FUZZY_WITHOUT_WORDS };
    const message = await redactText(redactor, warning.message, ['ingest', 'retrieval']);
    return message === undefined ? undefined : { ...warning, message };
  });
}

async function admit(tx: Tx, request: RetrieveRequest): Promise<AdmittedRequest> {
  return { ...request, ...(await openAccess(tx, request.tenantId, request, request.principal)) };
}

async function prepare(
  tx: Tx,
  deps: RetrieveDeps,
  asked: RetrieveRequest,
  semantic: EmbeddedQuery | undefined,
): Promise<{ search: Search; redactor: Redactor | null }> {
  const { db, config, memory } = deps;
  const forced = db.hasTextSearch ? FORCE_INDEX_ORDER : FORCE_INDEXES;
  const settings = semantic ? join([forced, NEAREST_SETTINGS]) : forced;
  // Where filters narrow the search, how many vectors there are makes no difference.
  const isNarrow = !asked.usePostfilter && narrows(UNLIMITED, asked.filters);
  const pages = semantic && !isNarrow ? vectorPages(semantic.vectors) : raw('0');
  const [state] = await tx.query<{ version: string; redaction: number | null; pages: number }>(
    keepPlan(
      sql`select ${memory ? memory.version : raw("''")} as version, ${redactionVersion(asked.tenantId)} as redaction, ${pages} as pages, ${settings}`,
    ),
  );
  const knowledge = memory?.at(state!.version);
  const { redaction } = state!;
  const redactor = await redactorOf(tx, deps, asked, redaction);
  const request = await admit(tx, asked);
  const languages = await readLanguages(tx, request.tenantId, request, knowledge);
  const terms = searchTerms(request.query, languages);
  const fusion = config?.fusion ?? FUSION_DEFAULT;
  const fitting = openFitting(tx, request, knowledge);
  const ofIndex = db.hasTextSearch
    ? { few: openFew(tx, request, fitting, knowledge) }
    : { counts: openTermCounts(tx, request.tenantId, knowledge) };
  const search = {
    ...{ request, hasTextSearch: db.hasTextSearch, languages, terms, fusion, exactRowsMax: EXACT_ROWS_MAX },
    ...{ fitting, ...ofIndex },
  };
  if (!semantic) return { search, redactor };
  const rows = vectorCount(semantic.vectors, state!.pages);
  const { vectors, vector } = semantic;
  return { search: { ...search, semantic: { vectors, vector, rows } }, redactor };
}

/** At most `count` candidates from the first on: copies and overlong sources taken out. */
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
 * The first `count` of what remains of the candidates. They are compared by their text (of COMPARED_MAX candidates at most), which is
 * read as needed: usually those are the rows that are returned.
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
    // Where there was a copy, there may be many.
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
