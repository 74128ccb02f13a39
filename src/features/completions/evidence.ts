/** Answers from evidence that an agent run has gathered. Conversation, citations and their checks are those of completions. */
import type { Caller } from '../../access/caller.ts';
import type { Tx } from '../../db/database.ts';
import type { Deps } from '../../http/deps.ts';
import type { RequestRights } from '../../http/live-rights.ts';
import type { ChatModel } from '../../llm/models.ts';
import { readPresent } from '../../retrieval/reading/fence.ts';
import { toHit, UNRANKED } from '../../retrieval/reading/hits.ts';
import { findChunks } from '../../retrieval/reading/lookup.ts';
import { collect } from '../../util/collect.ts';
import { type Answer, answer } from './answer.ts';
import { type Context, viewHits } from './context.ts';
import { type Asked, readConversation, type Turn } from './conversation.ts';
import { type CompletionBody, parameters } from './request.ts';
import { toCitations } from './result.ts';
import { runForAnswer, type Statement } from './table-query.ts';

/** A chunk that an answer may cite. A higher score is better. */
interface Evidence {
  id: string;
  score: number;
}

interface AnswerOptions {
  chatModel: ChatModel;
  /** A statement whose result is evidence, too. */
  statement?: Statement | undefined;
  /** Writes more in the transaction that stores the turn. */
  alongside(tx: Tx, answered: Pick<Answer, 'finishReason' | 'unsupported' | 'warnings'>): Promise<void>;
}

type Question = Partial<Omit<CompletionBody, 'messages'>> & { input: string };
type TurnIds = Pick<Turn, 'conversationId' | 'userMessageId' | 'assistantMessageId'>;

/** Returns the function that begins a question. */
export function openAnswering(deps: Deps) {
  /**
   * Returns a question with its conversation.
   *
   * @param ids the ids of a turn that was begun before.
   * @throws ServiceError as `readConversation` does.
   */
  return async ({ input, ...more }: Question, caller: Caller, rights: RequestRights, ids?: TurnIds) => {
    const body = { ...parameters.parse({ messages: [{ role: 'user', content: input }] }), ...more };
    const read = await readConversation(deps, caller, body, rights);
    const asked = ids ? { ...read, turn: { ...read.turn, ...ids } } : read;
    const { tenantId } = caller;
    return {
      ...asked,
      /** From now on, the request ends when one of these chunks is gone. */
      async hold(ids: readonly string[]): Promise<void> {
        const chunks = await deps.db.transaction(tenantId, (tx) => readPresent(tx, asked.access, ids));
        rights.holdContent({ tenantId, access: asked.access, chunks: [...chunks, ...asked.pastChunks] });
      },
      /** Streams the answer. Its turn is stored at the end, if there is an answer. */
      async *answer(
        evidence: readonly Evidence[],
        { chatModel, statement, alongside }: AnswerOptions,
        signal: AbortSignal,
      ) {
        const context = await contextOf(deps, asked, evidence, statement, signal);
        const options = { citation: true, trace: false, alongside };
        const ended = yield* answer({ ...deps, chatModel }, asked, context, options, signal);
        return {
          text: ended.text,
          finishReason: ended.finishReason,
          citations: toCitations(ended.citations),
          unsupported: ended.unsupported,
          warnings: ended.warnings,
          isStored: ended.assistantMessageId !== null,
        };
      },
    };
  };
}

/** Returns the context of an answer: the chunks of the evidence that the caller may still see. */
async function contextOf(
  deps: Deps,
  asked: Asked,
  evidence: readonly Evidence[],
  statement: Statement | undefined,
  signal: AbortSignal,
): Promise<Context> {
  const { caller, access, question, redactor, pastChunks } = asked;
  const scores = new Map(evidence.map(({ id, score }) => [id, score]));
  const rows = await deps.db.transaction(caller.tenantId, (tx) => findChunks(tx, [...scores.keys()], access));
  const hits = await collect(rows, (row) => toHit(row, { ...UNRANKED, score: scores.get(row.id)! }, redactor));
  const { result: table, warnings } = statement
    ? await runForAnswer(deps, asked, statement, signal)
    : { result: null, warnings: [] };
  const citedRows = table?.citations.map(({ hit }) => hit) ?? [];
  const content = { tenantId: caller.tenantId, access, chunks: [...hits, ...citedRows, ...pastChunks] };
  asked.rights.holdContent(content);
  return {
    query: { ...question, rewrittenBy: null, modelFailure: null },
    hits: await viewHits(asked, hits, table === null ? 0 : 1),
    table,
    pages: { forModel: [], forReader: [] },
    content,
    warnings,
    stages: [],
  };
}
