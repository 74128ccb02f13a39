/** Finds what an answer is made from: the search query of the question, the chunks of the sources, and pages of the web. */
import { isUnrestricted } from '../../access/access.ts';
import { type StandaloneQuery, standaloneQuery } from '../../answers/conversation/rewrite.ts';
import { askedPartFirst, asksPart } from '../../answers/extractive/numbered-part.ts';
import type { Deps } from '../../http/deps.ts';
import { withoutStatistics } from '../../http/records/content-record.ts';
import type { OnUsage } from '../../llm/models.ts';
import { redactChunk, redactText, type View, viewsOf } from '../../redaction/apply-redaction.ts';
import type { ApplyAt } from '../../redaction/redact.ts';
import type { ReadContent } from '../../retrieval/reading/fence.ts';
import { retrieve } from '../../retrieval/retrieve.ts';
import { type Stage, timed } from '../../retrieval/stages.ts';
import type { Hit, Warning } from '../../retrieval/types.ts';
import type { Asked } from './conversation.ts';
import type { CompletionBody } from './request.ts';
import { queryForAnswer, type TableResult } from './table-query.ts';
import { findOnWeb, redactPage, type WebPage } from './web.ts';

/** Maximum UTF-16 units of a search query. A longer query does not improve the search. */
const QUERY_UNITS_MAX = 2000;
/** Hits that are retrieved for each chunk of the context. The spare hits let several sources share the context. */
const SPARE_FACTOR = 2;
const RETRIEVE_MAX = 100;

const NO_TABLE = { result: null, warnings: [] };

/** A retrieved chunk with its label in the request to the model. */
export type LabelledHit = Hit & { number: number };

export interface Context {
  query: View<string> & Pick<StandaloneQuery, 'rewrittenBy' | 'modelFailure'>;
  /** The retrieved chunks, the best first. */
  hits: View<LabelledHit[]>;
  /** The result of a query of tables, which comes first. Null without one. */
  table: TableResult | null;
  /** The pages of the web search. Empty without web grounding. */
  pages: View<WebPage[]>;
  /** The chunks that the answer may repeat. When one of them is gone, the answer ends. */
  content: ReadContent;
  warnings: Warning[];
  /** As `Retrieved` has them; absent for an answer from collected evidence. */
  corrections?: ReadonlyMap<string, string>;
  /** For the header Server-Timing. */
  stages: Stage[];
}

/**
 * Returns the context of a question.
 *
 * @throws what retrieval throws; the signal's reason.
 */
export async function findContext(
  deps: Deps,
  asked: Asked,
  body: CompletionBody,
  signal: AbortSignal,
): Promise<Context> {
  const { caller, principal, redactor, question } = asked;
  const masking = redactor?.withoutHashes ?? null;
  signal.throwIfAborted();
  const onUsage: OnUsage = (usage) => deps.usage.add(caller, usage);
  const stages: Stage[] = [];
  const webSearch = body.grounding
    ? timed(stages, 'web', () => findOnWeb(deps, question.forModel, onUsage, signal))
    : undefined;
  webSearch?.catch(() => {}); // awaited below; without this, a failure before that would be an unhandled rejection
  const askedAs = { asked: asked.original, forModel: question.forModel };
  const query = await timed(stages, 'rewrite', () =>
    standaloneQuery({ ...deps, onUsage }, askedAs, asked.history, signal),
  );
  const search = query.text.slice(0, QUERY_UNITS_MAX).toWellFormed();
  const { hits, warnings, corrections, ...retrieved } = await retrieve(
    deps,
    {
      ...caller,
      principal,
      query: search,
      mode: 'hybrid',
      filters: asked.filters,
      usePostfilter: body.use_postfilter,
      limit: asksPart(search) ? RETRIEVE_MAX : Math.min(RETRIEVE_MAX, body.limit * SPARE_FACTOR),
      offset: 0,
    },
    signal,
  );
  const chosen = diversify(askedPartFirst(search, hits), body.limit);
  const { access, pastChunks } = asked;
  const found =
    body.tables === 'auto'
      ? await timed(stages, 'tables', () => queryForAnswer(deps, asked, search, chosen, body.citation, signal))
      : NO_TABLE;
  const { result: table } = found;
  const citedRows = table?.citations.map(({ hit }) => hit) ?? [];
  const content = { tenantId: caller.tenantId, access, chunks: [...chosen, ...citedRows, ...pastChunks] };
  asked.rights.holdContent(content);
  const hitViews = await viewHits(asked, chosen, table === null ? 0 : 1);
  const web = (await webSearch) ?? { pages: [], warnings: [] };
  const pageViews = await viewsOf(web.pages, (page, step) => redactPage(masking, page, stepsOf(asked, step)));
  return {
    query: {
      ...query,
      forModel: (await redactText(masking, query.text, ['llm_input'])) ?? question.forModel,
      forReader: (await redactText(masking, query.text, ['output'])) ?? '',
    },
    hits: hitViews,
    table,
    pages: labelled(pageViews, hitViews.forModel.length + (table === null ? 0 : 1)),
    content,
    // The search also asks for spare hits. The warning counts only when fewer hits than `limit` were found.
    warnings: [
      ...warnings.filter(({ type }) => type !== 'postfilter_underfilled' || hits.length < body.limit),
      ...found.warnings,
      ...web.warnings,
    ],
    corrections,
    stages: [...stages, ...retrieved.stages],
  };
}

/** Returns the hits as the model and as readers get them, numbered after the first `before` sources. */
export async function viewHits(
  asked: Pick<Asked, 'access' | 'redactor' | 'outputRedactor' | 'modelSteps'>,
  hits: readonly Hit[],
  before = 0,
): Promise<View<LabelledHit[]>> {
  const { access, redactor, outputRedactor } = asked;
  const views = await viewsOf(hits, (hit, step) =>
    redactChunk(step === 'output' ? outputRedactor : redactor, hit, stepsOf(asked, step)),
  );
  if (!isUnrestricted(access)) views.forReader = views.forReader.map((hit, i) => withoutStatistics(hit, i + 1));
  return labelled(views, before);
}

/** Returns the steps whose rules apply to a passage. */
function stepsOf({ modelSteps }: Pick<Asked, 'modelSteps'>, step: 'llm_input' | 'output'): readonly ApplyAt[] {
  return step === 'output' ? [step] : modelSteps;
}

/** Numbers the sources after the first `before` ones. */
function labelled<T>({ forModel, forReader }: View<T[]>, before: number): View<(T & { number: number })[]> {
  const label = (source: T, i: number) => ({ ...source, number: before + i + 1 });
  return { forModel: forModel.map(label), forReader: forReader.map(label) };
}

/**
 * Returns the best `limit` hits in their order. At most half of them, rounded up, come from one source, as long as other sources have
 * hits. So one source does not fill the whole context.
 */
export function diversify<T extends { sourceId: string }>(hits: readonly T[], limit: number): T[] {
  const perSourceMax = Math.ceil(limit / 2);
  const counts = new Map<string, number>();
  const chosen = new Set<T>();
  for (const hit of hits) {
    const count = counts.get(hit.sourceId) ?? 0;
    if (chosen.size === limit || count === perSourceMax) continue;
    counts.set(hit.sourceId, count + 1);
    chosen.add(hit);
  }
  for (const hit of hits) if (chosen.size < limit) chosen.add(hit);
  return hits.filter((hit) => chosen.has(hit));
}
