/**
 * The steps of a completion: conversation, retrieval, answer, citations, turn. The wire format is in request.ts and result.ts.
 *
 * prepareCompletion() refuses what must be refused, before the first byte is sent. answer() then streams.
 */

import { openAccess, type Principal, principalOf } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { fitHistory, HISTORY_MESSAGES_MAX } from '../../answers/conversation/history.ts';
import { type StandaloneQuery, standaloneQuery } from '../../answers/conversation/rewrite.ts';
import { type Citation, citeAnswer, type Span } from '../../answers/grounding/citations.ts';
import { openJudge } from '../../answers/grounding/judge.ts';
import { type BranchMessage, listBranch, type StoredCitation } from '../../corpus/conversation-store.ts';
import { invalidRequest } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { readFilters } from '../../http/search-filters.ts';
import type { ChatEvent, ChatMessage, ContextChunk, OnUsage, Usage } from '../../llm/models.ts';
import { redactText } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { retrieve } from '../../retrieval/retrieve.ts';
import type { Hit, Warning } from '../../retrieval/types.ts';
import { collect } from '../../util/collect.ts';
import { openAnswerText, type TextFilter } from './answer-text.ts';
import { contextOf, observeQuotes, type PastMessage } from './context.ts';
import { diversify } from './diversify.ts';
import { noAnswerText } from './no-answer.ts';
import { forModel, forReader, PAST_ANSWER_STEPS, redactPage } from './redaction.ts';
import type { CompletionBody } from './request.ts';
import { findTurn, saveTurn, type Turn } from './turns.ts';
import { citeWeb, findOnWeb, toChunk, type WebCitation, type WebPage } from './web.ts';

/** Maximum UTF-16 units of a search query. A longer query does not improve the search. */
const QUERY_UNITS_MAX = 2000;
/** Hits that are retrieved for each chunk of the context. The spare hits let several sources share the context. */
const SPARE_FACTOR = 2;
const RETRIEVE_MAX = 100;

type CompletionDeps = Pick<
  Deps,
  'db' | 'config' | 'clock' | 'log' | 'chatModel' | 'usage' | 'embedding' | 'reranker' | 'entailment' | 'redactors'
>;

/** A retrieved chunk with its label in the request to the model. */
export type LabelledHit = Hit & { number: number };

/** A completion that was checked and has its context, ready to be answered. */
export interface Prepared {
  turn: Turn;
  caller: Caller;
  /** The history that goes to the model, ending with the question. */
  messages: ChatMessage[];
  /** The question as models may see it. */
  question: string;
  /** The question as it is stored. */
  storedQuestion: string;
  /** The search query as models may see it. */
  query: StandaloneQuery;
  /** The search query as the caller may see it. Null when the caller did not ask for the trace. */
  readerQuery: StandaloneQuery | null;
  onUsage: OnUsage;
  /** The retrieved chunks as readers may see them. */
  readerHits: LabelledHit[];
  /** The same chunks as models may see them. */
  modelHits: LabelledHit[];
  /** The pages of the web search as readers may see them. Empty without web grounding. */
  readerPages: WebPage[];
  /** The same pages as models may see them. */
  modelPages: WebPage[];
  /** Null when authorization is off. */
  principal: Principal | null;
  /** The messages that go to the model with what their answers rest on, then the question. */
  history: readonly PastMessage[];
  citation: boolean;
  /** Changes the text of the answer before it is streamed, cited and stored. Null when no rule applies. */
  answerFilter: TextFilter | null;
  warnings: Warning[];
  /** Times of the search, for the header Server-Timing. */
  timings: Record<string, number>;
}

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'no_answer';

/** What an answer was made from. */
export interface Trace {
  query: StandaloneQuery;
  /** The chunks in the order in which the model saw them. */
  hits: readonly LabelledHit[];
}

export interface Answer {
  text: string;
  finishReason: FinishReason;
  citations: Citation<LabelledHit>[];
  webCitations: WebCitation[];
  unsupported: Span[];
  warnings: Warning[];
  /** Null when the caller did not ask for the trace. */
  trace: Trace | null;
  /** Null when the turn was not stored. */
  conversationId: string | null;
  userMessageId: string | null;
  assistantMessageId: string | null;
}

/**
 * Checks the request, finds the conversation and retrieves the context. Returns what answer() needs.
 *
 * @throws ServiceError `invalid_request`, `not_found` (conversation, parent message), or what retrieval throws.
 */
export async function prepareCompletion(
  deps: CompletionDeps,
  caller: Caller,
  body: CompletionBody,
  signal: AbortSignal,
): Promise<Prepared> {
  const filters = await readFilters(deps.db, caller.tenantId, body);
  const latest = body.messages.findLastIndex(({ role }) => role === 'user');
  const principal = principalOf(deps, body);
  const turn = await findTurn(deps.db, caller, principal, body, body.messages[latest]!.content);
  const asked = turn.storedQuestion ?? body.messages[latest]!.content;
  const redactor = await deps.db.transaction(caller.tenantId, (tx) => deps.redactors.forTenant(tx, caller.tenantId));
  const question = await redactText(redactor, asked, ['llm_input']);
  if (question === undefined) {
    throw invalidRequest('The question contains text that a redaction rule blocks for models.');
  }
  const past: PastMessage[] = turn.isNew
    ? body.messages.slice(0, latest)
    : await storedHistory(deps, caller, principal, turn);
  const history = await collect(past, async (message) => {
    const content = await redactText(redactor, message.content, turn.isNew ? ['llm_input'] : PAST_ANSWER_STEPS);
    return content === undefined ? undefined : { ...message, content };
  });
  const fitted = fitHistory(history, question, deps.chatModel.contextTokens);
  if (!fitted.complete && !turn.isNew && body.truncation === 'disabled') {
    throw invalidRequest('The conversation exceeds the context of the model, and truncation is disabled.');
  }
  signal.throwIfAborted();
  const onUsage = usageCounter(deps, caller);
  const webSearch = body.grounding ? findOnWeb(deps, question, onUsage, signal) : undefined;
  webSearch?.catch(() => {}); // awaited below; without this, a failure before that would be an unhandled rejection
  const query = await standaloneQuery(
    { ...deps, onUsage },
    { asked, modelView: question },
    fitted.messages.slice(0, -1),
    signal,
  );
  const retrieved = await retrieve(
    deps,
    {
      tenantId: caller.tenantId,
      partitionNo: caller.partitionNo,
      sourceGroupIds: caller.sourceGroupIds,
      tagIds: caller.tagIds,
      principal,
      query: query.text.slice(0, QUERY_UNITS_MAX).toWellFormed(),
      mode: 'hybrid',
      filters,
      usePostfilter: body.use_postfilter,
      limit: Math.min(RETRIEVE_MAX, body.limit * SPARE_FACTOR),
      offset: 0,
    },
    signal,
  );
  const pairs = await collect(diversify(retrieved.hits, body.limit), async (hit) => {
    const readerView = await forReader(redactor, hit);
    const modelView = await forModel(redactor, hit);
    return readerView && modelView && { readerView, modelView };
  });
  const web = (await webSearch) ?? { results: [], warnings: [] };
  const pages = await collect(web.results, async (page) => {
    const readerView = await redactPage(redactor, page, 'output');
    const modelView = await redactPage(redactor, page, 'llm_input');
    return readerView && modelView && { readerView, modelView };
  });
  return {
    turn,
    caller,
    messages: fitted.messages.map(({ role, content }) => ({ role, content })),
    question,
    storedQuestion: await storable(redactor, question),
    query: { ...query, text: (await redactText(redactor, query.text, ['llm_input'])) ?? question },
    readerQuery: body.trace ? { ...query, text: await storable(redactor, query.text) } : null,
    onUsage,
    readerHits: pairs.map(({ readerView }, i) => ({ ...readerView, number: i + 1 })),
    modelHits: pairs.map(({ modelView }, i) => ({ ...modelView, number: i + 1 })),
    principal,
    history: fitted.messages,
    readerPages: pages.map(({ readerView }, i) => ({ ...readerView, number: pairs.length + i + 1 })),
    modelPages: pages.map(({ modelView }, i) => ({ ...modelView, number: pairs.length + i + 1 })),
    citation: body.citation,
    answerFilter: redactor?.appliesAt('output') ? redactor.stream('output', signal) : null,
    timings: retrieved.timings,
    // The search also asks for spare hits. The warning counts only when fewer hits than `limit` were found.
    warnings: [
      ...retrieved.warnings.filter(
        ({ type }) => type !== 'postfilter_underfilled' || retrieved.hits.length < body.limit,
      ),
      ...web.warnings,
    ],
  };
}

/** A function of its own, so that its closure does not keep unused hits in memory for as long as the answer streams. */
function usageCounter({ usage: ledger }: CompletionDeps, caller: Caller): OnUsage {
  return (usage: Usage) => ledger.add(caller, usage);
}

/** Returns a question as it is stored: redacted, and empty when a rule blocks it. */
async function storable(redactor: Redactor | null, question: string): Promise<string> {
  return (await redactText(redactor, question, ['output'])) ?? '';
}

async function storedHistory(
  deps: CompletionDeps,
  caller: Caller,
  principal: Principal | null,
  turn: Turn,
): Promise<BranchMessage[]> {
  const leaf = turn.historyLeafId;
  if (leaf === null) return [];
  const branch = await deps.db.transaction(caller.tenantId, async (tx) => {
    const access = await openAccess(tx, caller.tenantId, caller, principal);
    return listBranch(tx, caller.tenantId, turn.conversationId, leaf, access, HISTORY_MESSAGES_MAX);
  });
  return branch.filter(({ seen }) => seen);
}

/**
 * Streams the text of the answer. The return value of the generator is the answer with its citations, after the turn was stored.
 *
 * Returning from the generator early or aborting ends the call of the model. Then nothing is stored.
 *
 * @throws ServiceError when the model fails; the signal's reason when it aborts.
 */
export async function* answer(
  deps: CompletionDeps,
  prepared: Prepared,
  signal: AbortSignal,
): AsyncGenerator<string, Answer> {
  const { readerHits, readerPages } = prepared;
  const sources = readerHits.length + readerPages.length;
  const answerText = openAnswerText((number) => number >= 1 && number <= sources, prepared.answerFilter);
  const quotes = observeQuotes();
  for await (const event of modelEvents(deps, prepared, signal)) {
    signal.throwIfAborted();
    quotes.observe(event);
    const delta = await answerText.take(event);
    if (delta !== '') yield delta;
    if (answerText.finishReason !== null) break; // ends the call of the model
  }
  signal.throwIfAborted();
  let { text } = answerText;
  let finishReason: FinishReason = answerText.finishReason ?? 'no_answer';
  const isAnswer = text.trim() !== '' && finishReason !== 'no_answer';
  if (text.trim() === '' && finishReason !== 'content_filter') {
    finishReason = 'no_answer';
    const noAnswer = noAnswerText(prepared.question);
    text += noAnswer;
    yield noAnswer;
  }
  const judge = openJudge(deps.entailment, signal, (err) => deps.log.warn({ err }, 'the entailment model failed'));
  const cited =
    isAnswer && prepared.citation
      ? await citeAnswer(text, answerText.markers(), readerHits, judge)
      : { citations: [], unsupported: [] };
  const webMarkers = isAnswer && prepared.citation ? answerText.markers() : [];
  const web = citeWeb(text, webMarkers, readerPages, cited.unsupported);
  const { citations } = cited;
  const answered = { text, finishReason, citations, webCitations: web.citations, quotedNumbers: quotes.quotedOnly() };
  const stored = isAnswer && (await store(deps, prepared, answered, signal));
  const { turn } = prepared;
  return {
    text,
    finishReason,
    citations: cited.citations,
    webCitations: web.citations,
    unsupported: web.unsupported,
    trace: prepared.readerQuery && { query: prepared.readerQuery, hits: readerHits },
    warnings: isAnswer && !stored ? [...prepared.warnings, NOT_STORED] : prepared.warnings,
    conversationId: stored || !turn.isNew ? turn.conversationId : null,
    userMessageId: stored ? turn.userMessageId : null,
    assistantMessageId: stored ? turn.assistantMessageId : null,
  };
}

const NOT_STORED: Warning = {
  type: 'history_not_stored',
  message: 'The answer could not be added to the conversation.',
};

/** Returns the events of the model. Without chunks and pages the model is not called, because it could only invent an answer. */
function modelEvents(
  deps: CompletionDeps,
  prepared: Prepared,
  signal: AbortSignal,
): AsyncIterable<ChatEvent> | ChatEvent[] {
  if (prepared.modelHits.length + prepared.modelPages.length === 0) return [{ type: 'finish', reason: 'no_answer' }];
  const chunks: ContextChunk[] = prepared.modelHits.map(
    ({ number, name, headingPath, context, content, score, language, fileType }) => ({
      number,
      name,
      headingPath,
      context,
      content,
      score,
      language,
      isCode: fileType === 'code',
    }),
  );
  const { messages, question, query, citation, onUsage } = prepared;
  const standalone = query.rewrittenBy === null ? question : query.text;
  chunks.push(...prepared.modelPages.map(toChunk));
  return deps.chatModel.stream({ messages, question, standalone, chunks, citation, onUsage }, signal);
}

/** Stores the turn. Returns false when that failed: the caller gets the answer anyway. */
async function store(
  deps: CompletionDeps,
  { turn, caller, principal, storedQuestion: question, readerHits, history }: Prepared,
  answered: {
    text: string;
    finishReason: string;
    citations: Citation<LabelledHit>[];
    webCitations: WebCitation[];
    quotedNumbers: ReadonlySet<number> | null;
  },
  signal: AbortSignal,
): Promise<boolean> {
  const { quotedNumbers } = answered;
  const all = contextOf(readerHits, history);
  const quotedHits = readerHits.filter(({ number }) => quotedNumbers?.has(number));
  // An answer of quotations rests on the quoted chunks alone. Its source groups are still those of the whole context.
  const context = quotedNumbers ? { ...contextOf(quotedHits, []), groupIds: all.groupIds } : all;
  try {
    return await saveTurn(
      deps.db,
      caller,
      principal,
      turn,
      {
        question,
        answer: answered.text,
        finishReason: answered.finishReason,
        citations: answered.citations.map(toStored),
        webCitations: answered.webCitations,
        context,
        createdAt: deps.clock.now(),
      },
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    deps.log.error({ err: error }, 'a turn could not be stored');
    return false;
  }
}

function toStored({
  chunk,
  number,
  spans,
  quote,
  verified,
  verifiedBy,
  reason,
  quoted,
}: Citation<LabelledHit>): StoredCitation {
  return {
    id: chunk.id,
    source_id: chunk.sourceId,
    source_group_id: chunk.sourceGroupId,
    name: chunk.name,
    url: chunk.url,
    citation: { number, spans, quote, verified, verified_by: verifiedBy, reason, quoted },
  };
}
