/** Answers a question from its context: the text of the model, its citations, and the stored turn. */
import { type Citation, citeAnswer, type Judge, type Span } from '../../answers/grounding/citations.ts';
import { openJudge } from '../../answers/grounding/judge.ts';
import type { Marker } from '../../answers/grounding/markers.ts';
import { openOutputPolicy } from '../../answers/output-policy.ts';
import type { Tx } from '../../db/database.ts';
import type { Deps } from '../../http/deps.ts';
import type { ChatEvent, ChatRequest, ContextChunk } from '../../llm/models.ts';
import type { Warning } from '../../retrieval/types.ts';
import { openAnswerText } from './answer-text.ts';
import type { Context } from './context.ts';
import type { Asked } from './conversation.ts';
import { noAnswerText } from './no-answer.ts';
import type { CompletionBody } from './request.ts';
import { saveTurn } from './save-turn.ts';
import { type CitedHit, citeResult, type ResultSpan, type TableResult, toResultChunk } from './table-query.ts';
import { citeWeb, toChunk, type WebCitation } from './web.ts';

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'no_answer';

export interface Answer {
  text: string;
  finishReason: FinishReason;
  citations: Citation<CitedHit>[];
  webCitations: WebCitation[];
  /** The query of tables from which the answer was made, and the sentences that cite its result. Null without one. */
  tableQuery: { result: TableResult; spans: ResultSpan[] } | null;
  unsupported: Span[];
  warnings: Warning[];
  /** Null when the caller did not ask for the trace. */
  trace: Pick<Context, 'query' | 'hits'> | null;
  /** Null when the turn was not stored. */
  conversationId: string | null;
  userMessageId: string | null;
  assistantMessageId: string | null;
}

const NO_SOURCES: readonly ChatEvent[] = [{ type: 'finish', reason: 'no_answer' }];
const NOT_STORED: Warning = {
  type: 'history_not_stored',
  message: 'The answer could not be added to the conversation.',
};

/** How an answer is given, besides the parameters of a completion. */
interface AnswerOptions {
  /** False: the turn is not stored, and nothing is said about it. */
  store?: boolean;
  /** Writes more in the transaction that stores the turn. */
  alongside?(tx: Tx, answered: Pick<Answer, 'finishReason' | 'unsupported' | 'warnings'>): Promise<void>;
}

/**
 * Streams the text of the answer. The return value of the generator is the answer with its citations, after the turn was stored.
 *
 * Returning from the generator early or aborting ends the call of the model. Then nothing is stored.
 *
 * @throws ServiceError when the model fails, or when the rights of the request or the content have ended before the citations are
 *   sent; the signal's reason when it aborts.
 */
export async function* answer(
  deps: Pick<Deps, 'db' | 'config' | 'clock' | 'log' | 'chatModel' | 'usage' | 'entailment'>,
  asked: Asked,
  context: Context,
  body: Pick<CompletionBody, 'citation' | 'trace'> & AnswerOptions,
  signal: AbortSignal,
): AsyncGenerator<string, Answer> {
  const { turn, outputRedactor } = asked;
  const sourceCount = (context.table ? 1 : 0) + context.hits.forModel.length + context.pages.forModel.length;
  const answerText = openAnswerText(
    (number) => number >= 1 && number <= sourceCount,
    outputRedactor?.appliesAt('output') ? outputRedactor.stream('output', signal) : null,
    deps.config.outputPolicy && deps.chatModel.ask ? openOutputPolicy(retrievedIn(context)) : null,
  );
  // Without sources the model is not called, because it could only invent an answer.
  const request = frame(deps, asked, context, body.citation);
  let isFirst = true;
  for await (const event of sourceCount === 0 ? NO_SOURCES : deps.chatModel.stream(request, signal)) {
    signal.throwIfAborted();
    const delta = await answerText.take(event);
    if (delta !== '') {
      // A model may think for long before its first words. Quotations follow the search at once.
      await asked.rights.confirm(isFirst && event.type === 'text');
      isFirst = false;
      yield delta;
    }
    if (answerText.finishReason !== null) break; // ends the call of the model
  }
  signal.throwIfAborted();
  let { text } = answerText;
  let finishReason: FinishReason = answerText.finishReason ?? 'no_answer';
  const isAnswer = text.trim() !== '' && finishReason !== 'no_answer';
  if (text.trim() === '' && finishReason !== 'content_filter') {
    finishReason = 'no_answer';
    const noAnswer = noAnswerText(
      asked.question.forModel,
      context.hits.forReader.map(({ language }) => language),
    );
    text += noAnswer;
    yield noAnswer;
  }
  const judge = openJudge(deps.entailment, signal, (err) => deps.log.warn({ err }, 'the entailment model failed'));
  const cited = await cite(text, isAnswer && body.citation ? answerText.markers() : null, context, judge);
  if (!isAnswer || finishReason === 'content_filter') cited.tableQuery = null;
  const answered = { text, finishReason, ...cited, quotedNumbers: answerText.quotedOnly() };
  const stores = isAnswer && body.store !== false;
  const alongside = async (tx: Tx): Promise<void> => body.alongside?.(tx, { ...answered, warnings: context.warnings });
  const stored = stores && (await saveTurn(deps, asked, context, answered, signal, alongside));
  if (!stored && (isAnswer || body.trace)) await asked.rights.confirm(true);
  return {
    text,
    finishReason,
    ...cited,
    warnings: stores && !stored ? [...context.warnings, NOT_STORED] : context.warnings,
    trace: body.trace ? context : null,
    conversationId: stored || !turn.isNew ? turn.conversationId : null,
    userMessageId: stored ? turn.userMessageId : null,
    assistantMessageId: stored ? turn.assistantMessageId : null,
  };
}

/** Returns the answer when its text does not matter before the end. */
export async function answerOf(stream: AsyncGenerator<string, Answer>): Promise<Answer> {
  for (;;) {
    const step = await stream.next();
    if (step.done) return step.value;
  }
}

/** Returns the addresses to which text of a model may lead, and the texts whose addresses it may repeat as links. */
function retrievedIn({ hits, pages }: Context): Parameters<typeof openOutputPolicy>[0] {
  return {
    addresses: [...hits.forReader, ...pages.forReader].flatMap(({ url }) => url ?? []),
    texts: [...hits.forReader.map(({ content }) => content), ...pages.forReader.map(({ text }) => text)],
  };
}

function frame(
  { usage: ledger }: Pick<Deps, 'usage'>,
  { caller, history, question }: Asked,
  { query, table, hits, pages, corrections }: Context,
  citation: boolean,
): ChatRequest {
  return {
    messages: [
      ...history.map(({ role, content }) => ({ role, content })),
      { role: 'user', content: question.forModel },
    ],
    question: question.forModel,
    standalone: query.rewrittenBy === null ? question.forModel : query.forModel,
    ...(corrections && { corrections }),
    chunks: [
      ...(table ? [toResultChunk(table)] : []),
      ...hits.forModel.map(toHitChunk),
      ...pages.forModel.map(toChunk),
    ],
    quotable: hits.forReader.map(toHitChunk),
    citation,
    onUsage: (usage) => ledger.add(caller, usage),
  };
}

function toHitChunk(hit: Context['hits']['forModel'][number]): ContextChunk {
  const { number, name, headingPath, context, content, score, language, fileType } = hit;
  return { number, name, headingPath, context, content, score, language, isCode: fileType === 'code' };
}

/** Returns the citations of a text; none when `markers` is null. They are verified against what readers may see. */
async function cite(
  text: string,
  markers: readonly Marker[] | null,
  { table, hits, pages }: Context,
  judge: Judge | null,
): Promise<Pick<Answer, 'citations' | 'webCitations' | 'tableQuery' | 'unsupported'>> {
  const tableQuery = table && { result: table, spans: [] };
  if (markers === null) return { citations: [], webCitations: [], tableQuery, unsupported: [] };
  const ofChunks = await citeAnswer(text, markers, hits.forReader, judge);
  const ofPages = citeWeb(text, markers, pages.forReader, ofChunks.unsupported);
  const { citations } = ofChunks;
  const web = { citations, webCitations: ofPages.citations, tableQuery, unsupported: ofPages.unsupported };
  if (table === null) return web;
  const ofResult = citeResult(text, markers, table, ofPages.unsupported);
  return {
    ...web,
    citations: inOrder([...ofResult.citations, ...citations]),
    tableQuery: { result: table, spans: ofResult.spans },
    unsupported: ofResult.unsupported,
  };
}

/** Returns the citations numbered in the order of the answer. */
function inOrder<Chunk>(citations: readonly Citation<Chunk>[]): Citation<Chunk>[] {
  return citations
    .toSorted((a, b) => a.spans[0]!.start - b.spans[0]!.start)
    .map((citation, i) => ({ ...citation, number: i + 1 }));
}
