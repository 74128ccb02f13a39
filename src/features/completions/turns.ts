/** A turn's place in its conversation: which one, after which message, under which ids. SQL is in corpus/conversation-store.ts. */
import {
  findConversation,
  findConversationByThread,
  findMessage,
  insertConversation,
  insertMessage,
  lockConversation,
  type StoredCitation,
  setActiveLeaf,
} from '../../corpus/conversation-store.ts';
import type { Database, Tx } from '../../db/database.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import type { Caller } from '../../http/route.ts';
import { isId, newId } from '../../util/ids.ts';
import type { CompletionBody } from './request.ts';

const TITLE_CODE_POINTS_MAX = 80;

/** Ids are allocated before the first byte; the rows are written when there is an answer. */
export interface Turn {
  conversationId: string;
  /** The conversation does not exist yet. */
  isNew: boolean;
  /** What an ag-ui client calls a new conversation. */
  threadId: string | null;
  userMessageId: string;
  assistantMessageId: string;
  /** Parent of the user message; null at the root. */
  parentId: string | null;
  /** Last message of the history that comes before the question; null: none. */
  historyLeafId: string | null;
  /** The question of the user message that is answered again; then no user message is written. */
  storedQuestion: string | null;
}

type TurnFields = Pick<CompletionBody, 'conversation_id' | 'parent_message_id' | 'regenerate' | 'threadId'>;

/**
 * Finds where the turn belongs.
 *
 * An ag-ui `threadId` is either a conversation's id (which RUN_STARTED told) or the client's own name for one; unknown, it begins a new
 * conversation that keeps it, since ag-ui clients invent names and never learn ours. `conversation_id` wins over it.
 *
 * @throws ServiceError `not_found` for unknown ids, `invalid_request` for members that contradict each other.
 */
export async function findTurn(db: Database, caller: Caller, body: TurnFields): Promise<Turn> {
  const needsConversation = body.regenerate
    ? 'regenerate'
    : body.parent_message_id !== undefined
      ? 'parent_message_id'
      : undefined;
  if (body.regenerate && body.parent_message_id === undefined) {
    throw invalidRequest('/parent_message_id: is required with regenerate: the user message to answer again.');
  }
  if (needsConversation !== undefined && body.conversation_id === undefined && body.threadId === undefined) {
    throw invalidRequest(`/${needsConversation}: needs conversation_id.`);
  }
  return db.transaction(caller.tenantId, async (tx) => {
    const conversation = await findTurnConversation(tx, caller.tenantId, body);
    if (conversation === undefined) {
      if (needsConversation !== undefined) throw notFound();
      return newTurn({ conversationId: newId(), isNew: true, threadId: body.threadId ?? null, parentId: null });
    }
    const place = { conversationId: conversation.id, isNew: false, threadId: null };
    if (body.parent_message_id === undefined) return newTurn({ ...place, parentId: conversation.activeMessageId });
    if (!isId(body.parent_message_id)) throw notFound();
    const parent = await findMessage(tx, caller.tenantId, conversation.id, body.parent_message_id);
    if (parent === undefined) throw notFound();
    if (!body.regenerate) return newTurn({ ...place, parentId: parent.id });
    if (parent.role !== 'user')
      throw invalidRequest('/parent_message_id: must be a user message when regenerate is true.');
    return {
      ...newTurn({ ...place, parentId: parent.parentId }),
      userMessageId: parent.id,
      historyLeafId: parent.parentId,
      storedQuestion: parent.content,
    };
  });
}

function newTurn(place: Pick<Turn, 'conversationId' | 'isNew' | 'threadId' | 'parentId'>): Turn {
  return {
    ...place,
    userMessageId: newId(),
    assistantMessageId: newId(),
    historyLeafId: place.parentId,
    storedQuestion: null,
  };
}

async function findTurnConversation(tx: Tx, tenantId: string, { conversation_id: id, threadId }: TurnFields) {
  if (id !== undefined) {
    const found = isId(id) ? await findConversation(tx, tenantId, id) : undefined;
    if (found === undefined) throw notFound();
    return found;
  }
  if (threadId === undefined) return undefined;
  const found = isId(threadId) ? await findConversation(tx, tenantId, threadId) : undefined;
  return found ?? findConversationByThread(tx, tenantId, threadId);
}

export interface Answered {
  question: string;
  answer: string;
  finishReason: string;
  citations: readonly StoredCitation[];
  createdAt: Date;
}

/**
 * Writes question and answer in one transaction and makes the answer the active leaf.
 *
 * @returns false when the conversation was deleted meanwhile.
 */
export async function saveTurn(
  db: Database,
  caller: Caller,
  turn: Turn,
  answered: Answered,
  signal: AbortSignal,
): Promise<boolean> {
  const { tenantId } = caller;
  const { conversationId, createdAt } = { conversationId: turn.conversationId, createdAt: answered.createdAt };
  return db.transaction(
    tenantId,
    async (tx) => {
      if (turn.isNew)
        await insertConversation(tx, tenantId, {
          id: conversationId,
          title: titleOf(answered.question),
          threadId: turn.threadId,
          createdAt,
        });
      else if (!(await lockConversation(tx, tenantId, conversationId))) return false;
      if (turn.storedQuestion === null) {
        await insertMessage(tx, tenantId, conversationId, {
          id: turn.userMessageId,
          parentId: turn.parentId,
          role: 'user',
          content: answered.question,
          citations: [],
          finishReason: null,
          createdAt,
        });
      }
      await insertMessage(tx, tenantId, conversationId, {
        id: turn.assistantMessageId,
        parentId: turn.userMessageId,
        role: 'assistant',
        content: answered.answer,
        citations: answered.citations,
        finishReason: answered.finishReason,
        createdAt,
      });
      await setActiveLeaf(tx, tenantId, conversationId, turn.assistantMessageId);
      return true;
    },
    { signal },
  );
}

/** The question on one line. */
function titleOf(question: string): string {
  const line = [...question.replace(/\s+/g, ' ').trim()];
  return line.length <= TITLE_CODE_POINTS_MAX ? line.join('') : `${line.slice(0, TITLE_CODE_POINTS_MAX - 1).join('')}…`;
}
