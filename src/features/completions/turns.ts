/** Finds the place of a turn in its conversation, and stores the turn. The SQL is in corpus/conversation-store.ts. */

import type { Caller } from '../../access/caller.ts';
import {
  appendMessages,
  type Conversation,
  findConversation,
  findConversationByThread,
  findMessage,
  insertConversation,
  lockConversation,
  type MessageContext,
  type NewMessage,
  type Owner,
  type StoredCitation,
  type StoredWebCitation,
} from '../../corpus/conversation-store.ts';
import type { Database, Tx } from '../../db/database.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import { isId, newId } from '../../util/ids.ts';
import { CONVERSATION_MESSAGES_MAX, type CompletionBody } from './request.ts';

const TITLE_CODE_POINTS_MAX = 80;
/** Maximum bytes of texts and citations in a conversation to which a turn may be added. The answer is not counted. */
export const CONVERSATION_BYTES_MAX = 8 * 1024 * 1024;

/** A turn. Its ids are allocated before the first byte. Its rows are written when there is an answer. */
export interface Turn {
  conversationId: string;
  /** True when the conversation does not exist yet. */
  isNew: boolean;
  /** The name that an ag-ui client gave a new conversation. */
  threadId: string | null;
  userMessageId: string;
  assistantMessageId: string;
  /** The parent of the user message. Null at the root. */
  parentId: string | null;
  /** The last message of the history before the question. Null without history. */
  historyLeafId: string | null;
  /** The question of a stored user message that is answered again. Then no user message is written. Null for a new question. */
  storedQuestion: string | null;
}

type TurnFields = Pick<CompletionBody, 'conversation_id' | 'parent_message_id' | 'regenerate' | 'threadId'>;

/**
 * Returns the turn with its place in the conversation.
 *
 * An ag-ui `threadId` is either the id of a conversation, from RUN_STARTED, or a name that the client gave. An unknown name starts a new
 * conversation that is found by this name later, because ag-ui clients invent names and do not read our ids. `conversation_id` takes
 * precedence over `threadId`.
 *
 * @throws ServiceError `not_found` for unknown ids; `invalid_request` for members that contradict each other, and for a full conversation.
 */
export async function findTurn(
  db: Database,
  caller: Caller,
  owner: Owner,
  body: TurnFields,
  latestQuestion: string,
): Promise<Turn> {
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
    const conversation = await findTurnConversation(tx, caller.tenantId, owner, body);
    if (conversation === undefined) {
      if (needsConversation !== undefined) throw notFound();
      return newTurn({ conversationId: newId(), isNew: true, threadId: body.threadId ?? null, parentId: null });
    }
    const place = { conversationId: conversation.id, isNew: false, threadId: null };
    assertRoom(conversation, body.regenerate ? null : latestQuestion);
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

/**
 * Checks that the conversation has room for the turn.
 *
 * @param question null when the question is already stored.
 * @throws ServiceError invalid_request
 */
function assertRoom(conversation: Conversation, question: string | null): void {
  const full = reachedLimit(conversation, question);
  if (full !== undefined)
    throw invalidRequest(`The conversation holds ${full}, which is the maximum: start a new conversation.`);
}

/** Returns the limit that the turn would exceed, in words; undefined when there is room. */
function reachedLimit({ messageCount, storedBytes }: Conversation, question: string | null): string | undefined {
  const added = question === null ? { messages: 1, bytes: 0 } : { messages: 2, bytes: Buffer.byteLength(question) };
  if (messageCount + added.messages > CONVERSATION_MESSAGES_MAX) return `${CONVERSATION_MESSAGES_MAX} messages`;
  if (storedBytes + added.bytes > CONVERSATION_BYTES_MAX) return `${CONVERSATION_BYTES_MAX / 1024 / 1024} MiB`;
  return undefined;
}

async function findTurnConversation(
  tx: Tx,
  tenantId: string,
  owner: Owner,
  { conversation_id: id, threadId }: TurnFields,
) {
  if (id !== undefined) {
    const found = isId(id) ? await findConversation(tx, tenantId, id, owner) : undefined;
    if (found === undefined) throw notFound();
    return found;
  }
  if (threadId === undefined) return undefined;
  const found = isId(threadId) ? await findConversation(tx, tenantId, threadId, owner) : undefined;
  return found ?? findConversationByThread(tx, tenantId, threadId, owner);
}

/** A question and its answer, as they are stored. */
export interface Answered {
  question: string;
  answer: string;
  finishReason: string;
  citations: readonly StoredCitation[];
  webCitations: readonly StoredWebCitation[];
  context: MessageContext;
  createdAt: Date;
}

/**
 * Writes question and answer in one transaction and makes the answer the active leaf.
 *
 * @returns false when the conversation was deleted or became full in the meantime.
 */
export async function saveTurn(
  db: Database,
  { tenantId }: Caller,
  owner: Owner,
  turn: Turn,
  answered: Answered,
  signal: AbortSignal,
): Promise<boolean> {
  const { conversationId, threadId } = turn;
  const { question, createdAt } = answered;
  return db.transaction(
    tenantId,
    async (tx) => {
      if (turn.isNew) {
        const row = {
          id: conversationId,
          title: titleOf(question),
          threadId,
          principalId: owner?.id ?? null,
          createdAt,
        };
        await insertConversation(tx, tenantId, row);
      } else {
        const conversation = await lockConversation(tx, tenantId, conversationId, owner);
        const added = turn.storedQuestion === null ? question : null;
        if (conversation === undefined || reachedLimit(conversation, added) !== undefined) return false;
      }
      await appendMessages(tx, tenantId, conversationId, messagesOf(turn, answered));
      return true;
    },
    { signal },
  );
}

function messagesOf(turn: Turn, answered: Answered): NewMessage[] {
  const { createdAt } = answered;
  const asked: NewMessage = {
    id: turn.userMessageId,
    parentId: turn.parentId,
    role: 'user',
    content: answered.question,
    citations: [],
    webCitations: [],
    finishReason: null,
    context: { groupIds: null, sourceIds: null, chunkIds: null },
    createdAt,
  };
  const answer: NewMessage = {
    id: turn.assistantMessageId,
    parentId: turn.userMessageId,
    role: 'assistant',
    content: answered.answer,
    citations: answered.citations,
    webCitations: answered.webCitations,
    finishReason: answered.finishReason,
    context: answered.context,
    createdAt,
  };
  return turn.storedQuestion === null ? [asked, answer] : [answer];
}

/** Returns the title of a conversation: its first question on one line, truncated. */
function titleOf(question: string): string {
  const line = [...question.replace(/\s+/g, ' ').trim()];
  return line.length <= TITLE_CODE_POINTS_MAX ? line.join('') : `${line.slice(0, TITLE_CODE_POINTS_MAX - 1).join('')}…`;
}
