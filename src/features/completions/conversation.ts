/** Reads what a completion continues: the place of the turn in its conversation, the question, and the history for the model. */
import { type Access, isUnrestricted, openAccess, type Principal, principalOf } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { type Rules, readRules } from '../../access/standing.ts';
import { fitHistory, HISTORY_MESSAGES_MAX } from '../../answers/conversation/history.ts';
import {
  type BranchMessage,
  type Conversation,
  findConversation,
  findConversationByThread,
  findMessage,
  listBranch,
  type Owner,
  ownerOf,
} from '../../corpus/conversation-store.ts';
import type { Tx } from '../../db/database.ts';
import { invalidAt, invalidRequest, notFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import type { RequestRights } from '../../http/live-rights.ts';
import { readFilters } from '../../http/search-filters.ts';
import type { ChatMessage } from '../../llm/models.ts';
import { redactText, type View } from '../../redaction/apply-redaction.ts';
import type { ApplyAt, Redactor } from '../../redaction/redact.ts';
import { type ReadChunk, readPresent } from '../../retrieval/reading/fence.ts';
import type { Filters } from '../../retrieval/types.ts';
import { collect } from '../../util/collect.ts';
import { isId, newId } from '../../util/ids.ts';
import { CONVERSATION_MESSAGES_MAX, type CompletionBody } from './request.ts';

/** Maximum bytes of texts and citations in a conversation to which a turn may be added. The answer is not counted. */
export const CONVERSATION_BYTES_MAX = 8 * 1024 * 1024;
/** Steps whose rules apply to earlier answers. Those answers contain text that was retrieved under the rules of that time. */
const PAST_ANSWER_STEPS: readonly ApplyAt[] = ['ingest', 'retrieval', 'llm_input'];

/** A turn. Its ids are allocated before the first byte. Its rows are written when there is an answer. */
export interface Turn {
  conversationId: string;
  /** True when the conversation does not exist yet. */
  isNew: boolean;
  /** The name that an ag-ui client gave a new conversation. */
  threadId: string | null;
  userMessageId: string;
  assistantMessageId: string;
  /** The message before the question. Null at the root. */
  parentId: string | null;
  /** The question of a stored user message that is answered again. Then no user message is written. Null for a new question. */
  storedQuestion: string | null;
}

/** A message before the question. Messages that the caller sent have no id and no context. */
export type PastMessage = ChatMessage & Partial<Pick<BranchMessage, 'id' | 'context'>>;

/** A question and the conversation that it continues. */
export interface Asked {
  caller: Caller;
  /** Null when authorization is off. */
  principal: Principal | null;
  /** The rules with which the answer began. The answer ends when other rules apply. */
  rules: Rules;
  /** What the caller may see under these rules. */
  access: Access;
  rights: RequestRights;
  redactor: Redactor | null;
  /** The redactor of the step `output`. A language model may repeat what the caller wrote, so its answers have masks, not hashes. */
  outputRedactor: Redactor | null;
  /**
   * The steps whose rules apply to passages for the model. The extractive model repeats their words without the headers of tables, so
   * rules for `output` apply before it reads them.
   */
  modelSteps: readonly ApplyAt[];
  filters: Filters;
  turn: Turn;
  /** The question as it was asked. Only the search uses this form. */
  original: string;
  /** The question. Readers get it from the stored conversation. */
  question: View<string>;
  /** The earlier messages that fit the model, redacted for models. */
  history: PastMessage[];
  /** The chunks of earlier answers that the answer may repeat. When one of them is gone, the answer ends. */
  pastChunks: ReadChunk[];
}

/**
 * Returns the question with its conversation.
 *
 * @throws ServiceError `not_found` for unknown ids; `invalid_request` for members that contradict each other, for a full conversation,
 *   for filters that are
 *   not valid, and for a question that a redaction rule blocks.
 */
export async function readConversation(
  deps: Pick<Deps, 'db' | 'config' | 'clock' | 'chatModel' | 'redactors'>,
  caller: Caller,
  body: CompletionBody,
  rights: RequestRights,
): Promise<Asked> {
  const filters = await readFilters(deps.db, caller.tenantId, body);
  const principal = principalOf(deps, body);
  const latest = body.messages.findLastIndex(({ role }) => role === 'user');
  const sent = body.messages[latest]!.content;
  const { past, ...read } = await deps.db.transaction(caller.tenantId, async (tx) => {
    const rules = await readRules(tx, principal);
    const access = await openAccess(tx, caller, principal);
    const found = await findTurn(tx, ownerOf(caller, principal), body, sent);
    const redactor = await deps.redactors.forTenant(tx, rules.redactionVersion);
    const fields = { turn: found, rules, access, redactor };
    if (found.isNew) return { ...fields, past: body.messages.slice(0, latest), pastChunks: [] };
    const past = await storedHistory(tx, access, found);
    // Without limits, policy and erasure, stored answers outlive what they rest on.
    const outlives = isUnrestricted(access) && deps.config.historyOnDelete === 'keep';
    const chunkIds = outlives ? [] : past.flatMap(({ context }) => context.chunkIds ?? []);
    return { ...fields, past, pastChunks: await readPresent(tx, access, [...new Set(chunkIds)]) };
  });
  const { turn, rules, redactor } = read;
  rights.holdRules(rules);
  const original = turn.storedQuestion ?? sent;
  // Hashes of the caller's own text would let the caller look for the hashed values of stored content.
  const masking = redactor?.withoutHashes ?? null;
  const question = await viewOfQuestion(masking, original);
  const redacted = await collect<PastMessage, PastMessage>(past as PastMessage[], async (message) => {
    const content = await redactText(masking, message.content, turn.isNew ? ['llm_input'] : PAST_ANSWER_STEPS);
    return content === undefined ? undefined : { ...message, content };
  });
  const { history, complete } = fitHistory(redacted, question.forModel, deps.chatModel.contextTokens);
  if (!complete && !turn.isNew && body.truncation === 'disabled') {
    throw invalidRequest('The conversation exceeds the context of the model, and truncation is disabled.');
  }
  return {
    ...read,
    ...{ caller, principal, rights, filters, original, question, history },
    outputRedactor: deps.chatModel.ask ? masking : redactor,
    modelSteps: deps.chatModel.ask ? ['llm_input'] : ['llm_input', 'output'],
  };
}

/** Returns the views of a question. A stored question is sent to models again, so its readers see no more than models. */
async function viewOfQuestion(redactor: Redactor | null, original: string): Promise<View<string>> {
  const forModel = await redactText(redactor, original, ['llm_input']);
  if (forModel === undefined) {
    throw invalidRequest('The question contains text that a redaction rule blocks for models.');
  }
  return { forModel, forReader: (await redactText(redactor, forModel, ['output'])) ?? '' };
}

/** Returns the stored messages before the question, without answers that rest on something that the caller may not see. */
async function storedHistory(tx: Tx, access: Access, { conversationId, parentId }: Turn): Promise<BranchMessage[]> {
  if (parentId === null) return [];
  const branch = await listBranch(tx, conversationId, parentId, access, HISTORY_MESSAGES_MAX);
  return branch.filter(({ seen }) => seen);
}

type TurnFields = Pick<CompletionBody, 'conversation_id' | 'parent_message_id' | 'regenerate' | 'threadId'>;

/**
 * Returns the turn with its place in the conversation.
 *
 * An ag-ui `threadId` is either the id of a conversation, from RUN_STARTED, or a name that the client gave. An unknown name starts a new
 * conversation that is found by this name later, because ag-ui clients invent names and do not read our ids. `conversation_id` takes
 * precedence over `threadId`.
 */
async function findTurn(tx: Tx, owner: Owner, body: TurnFields, latestQuestion: string): Promise<Turn> {
  const { parent_message_id: parentId, regenerate } = body;
  if (regenerate && typeof parentId !== 'string') {
    throw invalidAt(['parent_message_id'], 'is required with regenerate: the user message to answer again.');
  }
  if (parentId !== undefined && body.conversation_id === undefined && body.threadId === undefined) {
    throw invalidAt([regenerate ? 'regenerate' : 'parent_message_id'], 'needs conversation_id.');
  }
  const conversation = await findTurnConversation(tx, owner, body);
  const turn: Turn = {
    conversationId: conversation?.id ?? newId(),
    isNew: conversation === undefined,
    threadId: conversation === undefined ? (body.threadId ?? null) : null,
    userMessageId: newId(),
    assistantMessageId: newId(),
    parentId: conversation?.activeMessageId ?? null,
    storedQuestion: null,
  };
  if (conversation === undefined) {
    if (parentId !== undefined) throw notFound();
    return turn;
  }
  const full = reachedLimit(conversation, regenerate ? null : latestQuestion);
  if (full !== undefined)
    throw invalidRequest(`The conversation holds ${full}, which is the maximum: start a new conversation.`);
  if (parentId === undefined) return turn;
  if (parentId === null) return { ...turn, parentId };
  const parent = await findMessage(tx, conversation.id, parentId);
  if (parent === undefined) throw notFound();
  if (!regenerate) return { ...turn, parentId: parent.id };
  if (parent.role !== 'user') throw invalidAt(['parent_message_id'], 'must be a user message when regenerate is true.');
  return { ...turn, userMessageId: parent.id, parentId: parent.parentId, storedQuestion: parent.content };
}

async function findTurnConversation(
  tx: Tx,
  owner: Owner,
  { conversation_id: id, threadId }: TurnFields,
): Promise<Conversation | undefined> {
  const named = id ?? threadId;
  if (named === undefined) return undefined;
  const found = isId(named) ? await findConversation(tx, named, owner) : undefined;
  if (found === undefined && id !== undefined) throw notFound();
  return found ?? findConversationByThread(tx, named, owner);
}

/**
 * Returns the limit that a turn would exceed, in words; undefined when there is room.
 *
 * @param question null when the question is already stored.
 */
export function reachedLimit({ messageCount, storedBytes }: Conversation, question: string | null): string | undefined {
  const added = question === null ? { messages: 1, bytes: 0 } : { messages: 2, bytes: Buffer.byteLength(question) };
  if (messageCount + added.messages > CONVERSATION_MESSAGES_MAX) return `${CONVERSATION_MESSAGES_MAX} messages`;
  if (storedBytes + added.bytes > CONVERSATION_BYTES_MAX) return `${CONVERSATION_BYTES_MAX / 1024 / 1024} MiB`;
  return undefined;
}
