/**
 * Rules of a completion: conversation, retrieval, answer, citations, turn. Wire shapes are in request.ts and result.ts.
 *
 * Everything that can be refused is refused by prepareCompletion(), before the first byte; answer() then streams.
 */

import { openAccess, type Principal, principalOf } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { fitHistory, HISTORY_MESSAGES_MAX } from '../../answers/conversation/history.ts';
import { type StandaloneQuery, standaloneQuery } from '../../answers/conversation/rewrite.ts';
import { type Citation, citeAnswer, type Span } from '../../answers/grounding/citations.ts';
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
import { contextOf, type PastMessage, watchQuotes } from './context.ts';
import { diversify } from './diversify.ts';
import { noAnswerText } from './no-answer.ts';
import { forModel, forReader, PAST_FOR_MODEL, pageAt } from './redaction.ts';
import type { CompletionBody } from './request.ts';
import { findTurn, saveTurn, type Turn } from './turns.ts';
import { citeWeb, findOnWeb, toChunk, type WebCitation, type WebPage } from './web.ts';

/** More of a question does not make the search better. */
const QUERY_UNITS_MAX = 2000;
/** Hits asked for per place in the context, so that one source need not fill it. */
const SPARE_FACTOR = 2;
const RETRIEVE_MAX = 100;

type CompletionDeps = Pick<
  Deps,
  'db' | 'config' | 'clock' | 'log' | 'chatModel' | 'usage' | 'embedding' | 'reranker' | 'redactors'
>;

/** A retrieved chunk with its label in the request to the model. */
export type Labelled = Hit & { number: number };

export interface Prepared {
  turn: Turn;
  caller: Caller;
  /** History, ending with the question. */
  messages: ChatMessage[];
  /** As the model is told it. */
  question: string;
  /** As it is stored. */
  storedQuestion: string;
  /** What was searched for. */
  query: StandaloneQuery;
  /** The same as the caller sees it; null: it did not ask. */
  shownQuery: StandaloneQuery | null;
  onUsage: OnUsage;
  /** As the reader sees them. */
  hits: Labelled[];
  /** The same, as the model is told them. */
  told: Labelled[];
  /** What the web says, as it may be shown; none without grounding. */
  web: WebPage[];
  /** The same pages as the model may be told them. */
  toldWeb: WebPage[];
  /** For whom; null: authorization is off. */
  principal: Principal | null;
  /** What is stored of the conversation so far, as far as it went to the model, then the question. */
  history: readonly PastMessage[];
  citation: boolean;
  /** What the answer's text passes through before it is streamed, cited and stored; null: nothing. */
  answerFilter: TextFilter | null;
  warnings: Warning[];
  /** Of the search, for Server-Timing. */
  timings: Record<string, number>;
}

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'no_answer';

/** What led to an answer. */
export interface Trace {
  query: StandaloneQuery;
  /** In the order in which the model saw them. */
  hits: readonly Labelled[];
}

export interface Answer {
  text: string;
  finishReason: FinishReason;
  citations: Citation<Labelled>[];
  webCitations: WebCitation[];
  unsupported: Span[];
  warnings: Warning[];
  /** Null: the caller did not ask for it. */
  trace: Trace | null;
  /** Null: nothing was stored. */
  conversationId: string | null;
  userMessageId: string | null;
  assistantMessageId: string | null;
}

/**
 * Checks the request, finds the conversation and retrieves the context.
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
    throw invalidRequest('The question holds text that a redaction rule keeps from models.');
  }
  const past: PastMessage[] = turn.isNew
    ? body.messages.slice(0, latest)
    : await storedHistory(deps, caller, principal, turn);
  const history = await collect(past, async (message) => {
    const content = await redactText(redactor, message.content, turn.isNew ? ['llm_input'] : PAST_FOR_MODEL);
    return content === undefined ? undefined : { ...message, content };
  });
  const fitted = fitHistory(history, question, deps.chatModel.contextTokens);
  if (!fitted.complete && !turn.isNew && body.truncation === 'disabled') {
    throw invalidRequest('The conversation exceeds the context of the model, and truncation is disabled.');
  }
  signal.throwIfAborted();
  const onUsage = usageCounter(deps, caller);
  const webSearch = body.grounding ? findOnWeb(deps, question, onUsage, signal) : undefined;
  webSearch?.catch(() => {}); // heard of below, if nothing else fails before
  const query = await standaloneQuery(
    { ...deps, onUsage },
    { asked, told: question },
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
    const shown = await forReader(redactor, hit);
    const told = await forModel(redactor, hit);
    return shown && told && { shown, told };
  });
  const hits = pairs.map(({ shown }, i) => ({ ...shown, number: i + 1 }));
  const web = (await webSearch) ?? { results: [], warnings: [] };
  const pages = await collect(web.results, async (page) => {
    const shown = await pageAt(redactor, page, 'output');
    const told = await pageAt(redactor, page, 'llm_input');
    return shown && told && { shown, told };
  });
  return {
    turn,
    caller,
    messages: fitted.messages.map(({ role, content }) => ({ role, content })),
    question,
    storedQuestion: await storable(redactor, question),
    query: { ...query, text: (await redactText(redactor, query.text, ['llm_input'])) ?? question },
    shownQuery: body.trace ? { ...query, text: await storable(redactor, query.text) } : null,
    onUsage,
    hits,
    told: pairs.map(({ told }, i) => ({ ...told, number: i + 1 })),
    principal,
    history: fitted.messages,
    web: pages.map(({ shown }, i) => ({ ...shown, number: hits.length + i + 1 })),
    toldWeb: pages.map(({ told }, i) => ({ ...told, number: hits.length + i + 1 })),
    citation: body.citation,
    answerFilter: redactor?.appliesAt('output') ? redactor.stream('output', signal) : null,
    timings: retrieved.timings,
    // Spare hits that were not found are not missed.
    warnings: [
      ...retrieved.warnings.filter(
        ({ type }) => type !== 'postfilter_underfilled' || retrieved.hits.length < body.limit,
      ),
      ...web.warnings,
    ],
  };
}

/** Made here, so that what lives as long as the answer does not hold what was retrieved and is not used. */
function usageCounter({ usage: ledger }: CompletionDeps, caller: Caller): OnUsage {
  return (usage: Usage) => ledger.add(caller, usage);
}

/** The turn of a question that may not be shown is stored without it. */
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
 * Streams the answer's text; the generator's return value is the answer with its citations, stored.
 *
 * Leaving the generator or aborting ends the model's call; then nothing is stored.
 *
 * @throws ServiceError when the model fails; the signal's reason when it aborts.
 */
export async function* answer(
  deps: CompletionDeps,
  prepared: Prepared,
  signal: AbortSignal,
): AsyncGenerator<string, Answer> {
  const sources = prepared.hits.length + prepared.web.length;
  const said = openAnswerText((number) => number >= 1 && number <= sources, prepared.answerFilter);
  const quotes = watchQuotes();
  for await (const event of modelEvents(deps, prepared, signal)) {
    signal.throwIfAborted();
    quotes.hear(event);
    const delta = await said.take(event);
    if (delta !== '') yield delta;
    if (said.finishReason !== null) break; // ends the model's call
  }
  signal.throwIfAborted();
  let { text } = said;
  let finishReason: FinishReason = said.finishReason ?? 'no_answer';
  const isAnswer = text.trim() !== '' && finishReason !== 'no_answer';
  if (text.trim() === '' && finishReason !== 'content_filter') {
    finishReason = 'no_answer';
    const sorry = noAnswerText(prepared.question);
    text += sorry;
    yield sorry;
  }
  const cited =
    isAnswer && prepared.citation
      ? citeAnswer(text, said.markers(), prepared.hits)
      : { citations: [], unsupported: [] };
  const web = citeWeb(text, isAnswer && prepared.citation ? said.markers() : [], prepared.web, cited.unsupported);
  const { citations } = cited;
  const answered = { text, finishReason, citations, webCitations: web.citations, quoted: quotes.quotedOnly() };
  const stored = isAnswer && (await store(deps, prepared, answered, signal));
  const { turn } = prepared;
  return {
    text,
    finishReason,
    citations: cited.citations,
    webCitations: web.citations,
    unsupported: web.unsupported,
    trace: prepared.shownQuery && { query: prepared.shownQuery, hits: prepared.hits },
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

/** Without a source the model is not asked to invent one. */
function modelEvents(
  deps: CompletionDeps,
  prepared: Prepared,
  signal: AbortSignal,
): AsyncIterable<ChatEvent> | ChatEvent[] {
  if (prepared.hits.length + prepared.web.length === 0) return [{ type: 'finish', reason: 'no_answer' }];
  const chunks: ContextChunk[] = prepared.told.map(
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
  chunks.push(...prepared.toldWeb.map(toChunk));
  return deps.chatModel.stream({ messages, question, standalone, chunks, citation, onUsage }, signal);
}

/** False when the history write failed: the answer is given all the same. */
async function store(
  deps: CompletionDeps,
  { turn, caller, principal, storedQuestion: question, hits, history }: Prepared,
  answered: {
    text: string;
    finishReason: string;
    citations: Citation<Labelled>[];
    webCitations: WebCitation[];
    quoted: ReadonlySet<number> | null;
  },
  signal: AbortSignal,
): Promise<boolean> {
  const { quoted } = answered;
  const all = contextOf(hits, history);
  const context = quoted
    ? {
        ...contextOf(
          hits.filter(({ number }) => quoted.has(number)),
          [],
        ),
        groupIds: all.groupIds,
      }
    : all;
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

function toStored({ chunk, number, spans, quote, verified, reason, quoted }: Citation<Labelled>): StoredCitation {
  return {
    id: chunk.id,
    source_id: chunk.sourceId,
    source_group_id: chunk.sourceGroupId,
    name: chunk.name,
    url: chunk.url,
    citation: { number, spans, quote, verified, verified_by: 'rules', reason, quoted },
  };
}
