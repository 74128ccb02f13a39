/** Stores a turn, and records what its answer rests on. The SQL is in corpus/conversation-store.ts. */

import { findEnded, holdStanding } from '../../access/standing.ts';
import type { Citation } from '../../answers/grounding/citations.ts';
import {
  appendMessages,
  hasErased,
  insertConversation,
  lockConversation,
  type MessageContext,
  type NewMessage,
  ownerOf,
  type StoredCitation,
  type StoredTableQuery,
  type StoredWebCitation,
} from '../../corpus/conversation-store.ts';
import type { Tx } from '../../db/database.ts';
import type { ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { endedError } from '../../http/live-rights.ts';
import { findGone, type ReadContent } from '../../retrieval/reading/fence.ts';
import { oneLine, shortened } from '../../util/code-points.ts';
import type { Context, LabelledHit } from './context.ts';
import { type Asked, type PastMessage, reachedLimit } from './conversation.ts';
import type { TableResult } from './table-query.ts';

const TITLE_CODE_POINTS_MAX = 80;
/** Maximum ids that are stored. An answer that rests on more is hidden from everybody who may not see the whole tenant. */
const CONTEXT_IDS_MAX = 1_000;

/** An answer as it is stored. */
interface Answered {
  text: string;
  finishReason: string;
  citations: readonly Citation<LabelledHit>[];
  tableQuery: { result: TableResult } | null;
  webCitations: readonly StoredWebCitation[];
  unsupported: NewMessage['unsupported'];
  /** The numbers of the quoted chunks when the answer has no other text. Otherwise null. */
  quotedNumbers: ReadonlySet<number> | null;
}

/**
 * Writes question and answer in one transaction and makes the answer the active leaf.
 *
 * @param alongside writes more in the same transaction.
 * @returns false when the turn was not stored: the database failed, or the conversation was deleted or became full in the meantime.
 * @throws ServiceError when the rights of the request or the content have ended; the signal's reason.
 */
export async function saveTurn(
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  asked: Asked,
  context: Pick<Context, 'hits' | 'table' | 'content'>,
  answered: Answered,
  signal: AbortSignal,
  alongside: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  const { turn, principal, caller } = asked;
  const hits = context.hits.forReader;
  const { conversationId, threadId } = turn;
  const question = asked.question.forReader;
  const createdAt = deps.clock.now();
  let ended: ServiceError | undefined;
  let stored = false;
  try {
    stored = await deps.db.transaction(
      caller.tenantId,
      async (tx) => {
        const rested = restsOn(hits, context.table !== null, asked.history, answered.quotedNumbers);
        ended = await findEnd(tx, asked, context.content, rested.groupIds, createdAt);
        if (ended !== undefined) return false;
        if (turn.isNew) {
          const conversation = { id: conversationId, title: titleOf(question), threadId, createdAt };
          await insertConversation(tx, {
            ...conversation,
            keyFamilyId: caller.keyFamilyId,
            principalId: principal?.id ?? null,
          });
        } else {
          const conversation = await lockConversation(tx, conversationId, ownerOf(caller, principal));
          const added = turn.storedQuestion === null ? question : null;
          if (conversation === undefined || reachedLimit(conversation, added) !== undefined) return false;
        }
        const messages = messagesOf(asked, answered, rested, createdAt);
        await appendMessages(tx, conversationId, messages);
        await alongside(tx);
        return true;
      },
      { signal },
    );
  } catch (error) {
    signal.throwIfAborted();
    deps.log.error({ err: error }, 'a turn could not be stored');
  }
  if (ended !== undefined) throw ended;
  return stored;
}

/** Returns why the turn must not be stored. A revocation or deletion that comes later waits until the turn is stored. */
async function findEnd(
  tx: Tx,
  asked: Asked,
  content: ReadContent,
  groupIds: readonly string[] | null,
  now: Date,
): Promise<ServiceError | undefined> {
  const { caller, history } = asked;
  await holdStanding(tx, caller, groupIds ?? content.chunks.map(({ sourceGroupId }) => sourceGroupId));
  const gone = await findGone(tx, [content]);
  const past = history.flatMap(({ id }) => id ?? []);
  const isErased = past.length > 0 && (await hasErased(tx, past));
  const [ended] = await findEnded(tx, [asked], now);
  if (ended) return endedError(ended);
  return gone.size > 0 || isErased ? endedError('content') : undefined;
}

function messagesOf(
  { turn, question }: Asked,
  answered: Answered,
  context: MessageContext,
  createdAt: Date,
): NewMessage[] {
  const asked: NewMessage = {
    id: turn.userMessageId,
    parentId: turn.parentId,
    role: 'user',
    content: question.forReader,
    citations: [],
    webCitations: [],
    tableQuery: null,
    unsupported: [],
    finishReason: null,
    context: { groupIds: null, sourceIds: null, chunkIds: null },
    createdAt,
  };
  const answer: NewMessage = {
    id: turn.assistantMessageId,
    parentId: turn.userMessageId,
    role: 'assistant',
    content: answered.text,
    citations: answered.citations.map(toStored),
    webCitations: answered.webCitations,
    tableQuery: answered.tableQuery && toStoredQuery(answered.tableQuery),
    unsupported: answered.unsupported,
    finishReason: answered.finishReason,
    context,
    createdAt,
  };
  return turn.storedQuestion === null ? [asked, answer] : [answer];
}

function toStored(citation: Citation<LabelledHit>): StoredCitation {
  const { chunk, number, spans, quote, verified, verifiedBy, reason, quoted } = citation;
  return {
    id: chunk.id,
    source_id: chunk.sourceId,
    source_group_id: chunk.sourceGroupId,
    name: chunk.name,
    url: chunk.url,
    citation: { number, spans, quote, verified, verified_by: verifiedBy, reason, quoted },
  };
}

/** Returns the query without its rows: they can be selected again. */
function toStoredQuery({ result: { sql, rows, witnessCount } }: { result: TableResult }): StoredTableQuery {
  return { sql, row_count: rows.length, witness_count: witnessCount };
}

/** Returns the title of a conversation: its first question on one line, truncated. */
function titleOf(question: string): string {
  return shortened(oneLine(question), TITLE_CODE_POINTS_MAX);
}

/**
 * Returns what an answer rests on, cited or not: the hits, and what the earlier answers rest on, because the model may repeat something
 * of them. The record decides later who may read the answer. An answer of quotations rests on the quoted chunks alone, but its source
 * groups are those of the whole context. The result of a query rests on chunks that nobody lists, so those of the answer are unknown.
 */
function restsOn(
  hits: readonly LabelledHit[],
  restsOnResult: boolean,
  history: readonly PastMessage[],
  quotedNumbers: ReadonlySet<number> | null,
): MessageContext {
  const past = history.flatMap(({ role, context }) => (role === 'assistant' && context ? [context] : []));
  const restedHits = quotedNumbers ? hits.filter(({ number }) => quotedNumbers.has(number)) : hits;
  const restedPast = quotedNumbers ? [] : past;
  return {
    groupIds: union([hits.map(({ sourceGroupId }) => sourceGroupId), ...past.map(({ groupIds }) => groupIds)]),
    sourceIds: union([restedHits.map(({ sourceId }) => sourceId), ...restedPast.map(({ sourceIds }) => sourceIds)]),
    chunkIds: restsOnResult
      ? null
      : union([restedHits.map(({ id }) => id), ...restedPast.map(({ chunkIds }) => chunkIds)]),
  };
}

/** Returns the ids of all lists in order; null when one list is not known or there are too many ids. */
function union(lists: readonly (readonly string[] | null)[]): string[] | null {
  const ids = new Set(lists.flatMap((list) => list ?? []));
  return lists.includes(null) || ids.size > CONTEXT_IDS_MAX ? null : [...ids].sort();
}
