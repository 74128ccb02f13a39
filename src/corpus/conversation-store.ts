/** SQL of the tables conversation and message: trees of messages, each with one active leaf. */

import { type Access, mayShowChunk, mayShowSource, type Principal } from '../access/access.ts';
import type { Caller } from '../access/caller.ts';
import { withinLimits } from '../access/limits.ts';
import { json, type Tx } from '../db/database.ts';
import { containsText, type Listed, type PageRequest, readPage } from '../db/page-sql.ts';
import { join, raw, type Sql, sql } from '../db/sql.ts';

export interface Conversation {
  id: string;
  activeMessageId: string | null;
  title: string;
  createdAt: Date;
  messageCount: number;
  /** Bytes of texts and citations. */
  storedBytes: number;
}

export interface StoredMessage {
  id: string;
  parentId: string | null;
  role: 'user' | 'assistant';
  content: string;
}

/** A citation as an assistant message stores it: enough to find the chunk again, without its content. */
export interface StoredCitation {
  id: string;
  source_id: string;
  source_group_id: string;
  name: string;
  url: string | null;
  citation: {
    number: number;
    spans: { start: number; end: number }[];
    quote: string;
    verified: boolean;
    /** Older stored answers lack the following members. */
    verified_by?: 'rules' | 'model' | 'query';
    reason?: string | null;
    quoted?: boolean;
  };
}

/** A part of an answer that rests on a web page. */
export interface StoredWebCitation {
  url: string;
  title: string;
  snippet: string;
  start: number;
  end: number;
}

/** The query of tables from which an answer was made. */
export interface StoredTableQuery {
  sql: string;
  row_count: number;
  witness_count: number | null;
}

/** The sentences of an answer that no source supports: ranges of code points. Absent if there are none. */
export interface StoredUnsupported {
  unsupported: readonly { start: number; end: number }[];
}

export interface NewMessage extends StoredMessage {
  citations: readonly StoredCitation[];
  webCitations: readonly StoredWebCitation[];
  tableQuery: StoredTableQuery | null;
  unsupported: StoredUnsupported['unsupported'];
  finishReason: string | null;
  createdAt: Date;
  context: MessageContext;
}

/** What an answer rests on, cited or not. A member is null for a question, and if the context is not known. */
export interface MessageContext {
  groupIds: readonly string[] | null;
  sourceIds: readonly string[] | null;
  chunkIds: readonly string[] | null;
}

/** Whose conversations a caller sees. */
export interface Owner {
  /** Null for a key that sees the conversations of all keys. */
  keyFamilyId: string | null;
  /** Null while authorization is off: then principals do not matter. */
  principal: Pick<Principal, 'id'> | null;
}

/** Returns the owner of the conversations that a caller begins and sees. */
export function ownerOf({ keyFamilyId, scopes }: Caller, principal: Owner['principal']): Owner {
  return { keyFamilyId: scopes.includes('conversations:all') ? null : keyFamilyId, principal };
}

/** Returns the condition that a conversation or an agent run belongs to the owner. Callers without a principal share one set. */
export function belongsTo({ keyFamilyId, principal }: Owner): Sql {
  const ofFamily = keyFamilyId === null ? raw('true') : sql`key_family_id = ${keyFamilyId}`;
  return principal === null ? ofFamily : sql`${ofFamily} and principal_id is not distinct from ${principal.id}::text`;
}

const CONVERSATION_COLUMNS = raw('id, active_message_id, title, created_at, message_count, stored_bytes');

export async function findConversation(tx: Tx, id: string, owner: Owner): Promise<Conversation | undefined> {
  const rows = await tx.query<Conversation>(
    sql`select ${CONVERSATION_COLUMNS} from conversation where tenant_id = ${tx.tenantId} and id = ${id} and ${belongsTo(owner)}`,
  );
  return rows[0];
}

/** Returns the conversation that an ag-ui client names by `threadId`. */
export async function findConversationByThread(
  tx: Tx,
  threadId: string,
  owner: Owner,
): Promise<Conversation | undefined> {
  const rows = await tx.query<Conversation>(
    sql`select ${CONVERSATION_COLUMNS} from conversation
      where tenant_id = ${tx.tenantId} and thread_id = ${threadId} and ${belongsTo(owner)} order by id limit 1`,
  );
  return rows[0];
}

export async function findMessage(tx: Tx, conversationId: string, id: string): Promise<StoredMessage | undefined> {
  const rows = await tx.query<StoredMessage>(sql`
    select id, parent_id, role, content from message
    where tenant_id = ${tx.tenantId} and conversation_id = ${conversationId} and id = ${id}`);
  return rows[0];
}

export type BranchMessage = StoredMessage & Pick<NewMessage, 'context'> & { seen: boolean };

/**
 * Returns the last `max` messages on the path from the root to `leafId`, oldest first. `seen` is false for an answer that rests
 * on something that the caller may not see.
 */
export async function listBranch(
  tx: Tx,
  conversationId: string,
  leafId: string,
  access: Access,
  max: number,
): Promise<BranchMessage[]> {
  const rows = await tx.query<StoredMessage & MessageContext & { seen: boolean }>(sql`
    with recursive branch as (
      select m.id, m.parent_id, m.role, m.content, ${CONTEXT_OF_M}, 1 as depth from message m
      where m.tenant_id = ${tx.tenantId} and m.conversation_id = ${conversationId} and m.id = ${leafId}
      union all
      select m.id, m.parent_id, m.role, m.content, ${CONTEXT_OF_M}, branch.depth + 1 from message m
      join branch on m.id = branch.parent_id
      where m.tenant_id = ${tx.tenantId} and m.conversation_id = ${conversationId} and branch.depth < ${max}
    )
    select b.id, b.parent_id, b.role, b.content, b.context_group_ids as group_ids,
      b.context_source_ids as source_ids, b.context_chunk_ids as chunk_ids, ${isSeen(tx.tenantId, access)} as seen
    from branch b order by b.depth desc`);
  return rows.map(({ groupIds, sourceIds, chunkIds, ...row }) => ({
    ...row,
    context: { groupIds, sourceIds, chunkIds },
  }));
}

const CONTEXT_OF_M = raw('m.context_group_ids, m.context_source_ids, m.context_chunk_ids, m.erased_at');

/**
 * Returns the condition that the caller may see a message: the caller may see everything that the answer rests on. If limits or
 * a policy apply to the caller, an answer with an unknown or deleted context is not seen. Nobody sees an erased answer.
 */
function isSeen(tenantId: string, access: Access): Sql {
  const conditions = [
    ...(access.sourceGroupIds || access.tagIds ? [restsWithin(tenantId, access)] : []),
    ...(access.policy ? restsOnVisible(tenantId, access) : []),
  ];
  return sql`(b.role = 'user' or (${join([raw('b.erased_at is null'), ...conditions], ' and ')}))`;
}

function restsWithin(tenantId: string, access: Access): Sql {
  return restsOn(
    raw('b.context_group_ids'),
    sql`select from source_group g where g.tenant_id = ${tenantId} and g.id = used.id and ${withinLimits(access)}`,
  );
}

function restsOnVisible(tenantId: string, access: Access): Sql[] {
  const source = sql`from source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
    where s.tenant_id = ${tenantId} and s.deleted_at is null and s.status = 'ready' and g.deleted_at is null`;
  const sources = restsOn(
    raw('b.context_source_ids'),
    sql`select ${source} and s.id = used.id and ${mayShowSource(access)}`,
  );
  if (!access.policy?.chunk) return [sources];
  const chunks = restsOn(
    raw('b.context_chunk_ids'),
    sql`select from chunk c where c.tenant_id = ${tenantId} and c.id = used.id and ${mayShowChunk(access)}
      and exists (select ${source} and s.id = c.source_id and s.generation = c.generation)`,
  );
  return [sources, chunks];
}

/** Returns the condition that `ids` is known and that `found` returns a row for each of the ids. */
function restsOn(ids: Sql, found: Sql): Sql {
  return sql`${ids} is not null and not exists (
    select from unnest(${ids}) as used(id) where not exists (${found}))`;
}

export function listConversations(
  tx: Tx,
  owner: Owner,
  q: string | undefined,
  page: PageRequest,
): Promise<Listed<Conversation>> {
  const found = q === undefined ? raw('true') : containsText(raw('title'), q);
  const matching = sql`conversation where tenant_id = ${tx.tenantId} and ${belongsTo(owner)} and ${found}`;
  return readPage<Conversation>(tx, CONVERSATION_COLUMNS, matching, raw('id'), page);
}

/** A message in a list. `seen` is false if the message rests on something that the caller may not see. */
export type TreeMessage = Omit<NewMessage, 'context'> & { seen: boolean };

/** Returns all messages of the conversation, or one of them, oldest first, so parents come before their children. */
export async function listMessages(
  tx: Tx,
  conversationId: string,
  access: Access,
  messageId?: string,
): Promise<TreeMessage[]> {
  const named = messageId === undefined ? raw('true') : sql`b.id = ${messageId}`;
  const rows = await tx.query<
    Omit<TreeMessage, 'citations' | 'webCitations' | 'tableQuery' | 'unsupported'> & { all: AnyCitation[] }
  >(sql`
    select b.id, b.parent_id, b.role, b.content, b.citations as "all", b.finish_reason,
      b.created_at, ${isSeen(tx.tenantId, access)} as seen
    from message b where b.tenant_id = ${tx.tenantId} and b.conversation_id = ${conversationId} and ${named}
    order by b.created_at, b.id`);
  return rows.map(({ all, ...message }) => ({
    ...message,
    citations: all.filter((one) => 'id' in one),
    webCitations: all.filter((one) => 'snippet' in one),
    tableQuery: all.find((one) => 'sql' in one) ?? null,
    unsupported: all.find((one) => 'unsupported' in one)?.unsupported ?? [],
  }));
}

/** One column holds all kinds. Citations of chunks have an id, those of web pages a snippet. */
type AnyCitation = StoredCitation | StoredWebCitation | StoredTableQuery | StoredUnsupported;

function allCitations({ citations, webCitations, tableQuery, unsupported }: NewMessage): AnyCitation[] {
  const sentences = unsupported.length > 0 ? [{ unsupported }] : [];
  return [...citations, ...webCitations, ...(tableQuery ? [tableQuery] : []), ...sentences];
}

export async function renameConversation(tx: Tx, id: string, title: string): Promise<void> {
  await tx.query(sql`update conversation set title = ${title} where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Deletes the conversation and, by cascade, its messages. */
export async function deleteConversation(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from conversation where tenant_id = ${tx.tenantId} and id = ${id}`);
}

/** Inserts the conversation; without its thread id if another conversation has taken that id meanwhile. */
export async function insertConversation(
  tx: Tx,
  row: {
    id: string;
    title: string;
    threadId: string | null;
    keyFamilyId: string;
    principalId: string | null;
    createdAt: Date;
  },
): Promise<void> {
  const rows = await tx.query(sql`
    insert into conversation (tenant_id, id, title, thread_id, key_family_id, principal_id, created_at)
    values (${tx.tenantId}, ${row.id}, ${row.title}, ${row.threadId}, ${row.keyFamilyId}, ${row.principalId}, ${row.createdAt})
    on conflict (tenant_id, thread_id, key_family_id, principal_id) where thread_id is not null do nothing returning id`);
  if (rows.length > 0) return;
  await tx.query(sql`
    insert into conversation (tenant_id, id, title, key_family_id, principal_id, created_at)
    values (${tx.tenantId}, ${row.id}, ${row.title}, ${row.keyFamilyId}, ${row.principalId}, ${row.createdAt})`);
}

/** Locks the conversation; returns undefined if it does not exist or belongs to somebody else. */
export async function lockConversation(tx: Tx, id: string, owner: Owner): Promise<Conversation | undefined> {
  const rows = await tx.query<Conversation>(
    sql`select ${CONVERSATION_COLUMNS} from conversation
      where tenant_id = ${tx.tenantId} and id = ${id} and ${belongsTo(owner)} for update`,
  );
  return rows[0];
}

/** Adds messages, parents first, and makes the last message the active leaf. The conversation must be locked or new. */
export async function appendMessages(tx: Tx, conversationId: string, messages: readonly NewMessage[]): Promise<void> {
  let bytes = 0;
  for (const message of messages) {
    bytes += Buffer.byteLength(message.content) + Buffer.byteLength(JSON.stringify(allCitations(message)));
    await insertMessage(tx, conversationId, message);
  }
  await tx.query(sql`
    update conversation set active_message_id = ${messages.at(-1)!.id}, message_count = message_count + ${messages.length},
      stored_bytes = stored_bytes + ${bytes}
    where tenant_id = ${tx.tenantId} and id = ${conversationId}`);
}

async function insertMessage(tx: Tx, conversationId: string, message: NewMessage): Promise<void> {
  await tx.query(sql`
    insert into message (tenant_id, id, conversation_id, parent_id, role, content, citations, finish_reason, created_at,
      context_group_ids, context_source_ids, context_chunk_ids)
    values (${tx.tenantId}, ${message.id}, ${conversationId}, ${message.parentId}, ${message.role}, ${message.content},
      ${json(allCitations(message))}, ${message.finishReason}, ${message.createdAt}, ${message.context.groupIds}::uuid[],
      ${message.context.sourceIds}::uuid[], ${message.context.chunkIds}::uuid[])`);
}

/**
 * Erases the answers that rest on the sources, or on the source group if `sourceIds` is null, also those that cite nothing of them. An
 * answer whose context is unknown may rest on them and is erased too. The size of the conversation is not changed: it is an upper bound.
 */
export async function eraseAnswers(
  tx: Tx,
  groupId: string,
  sourceIds: readonly string[] | null,
  now: Date,
): Promise<void> {
  const ofSources = sourceIds
    ? sql`(context_source_ids is null or context_source_ids && ${[...sourceIds]}::uuid[])`
    : raw('true');
  await tx.query(sql`
    update message set content = '', citations = '[]', erased_at = ${now},
      context_group_ids = '{}', context_source_ids = '{}', context_chunk_ids = '{}'
    where tenant_id = ${tx.tenantId} and role = 'assistant' and erased_at is null
      and (context_group_ids is null or context_group_ids @> array[${groupId}::uuid]) and ${ofSources}`);
}

/** Returns true if one of the messages was erased. */
export async function hasErased(tx: Tx, ids: readonly string[]): Promise<boolean> {
  const rows = await tx.query(
    sql`select from message where tenant_id = ${tx.tenantId} and id = any(${ids}::uuid[]) and erased_at is not null limit 1`,
  );
  return rows.length > 0;
}

export async function setActiveLeaf(tx: Tx, conversationId: string, messageId: string): Promise<void> {
  await tx.query(sql`
    update conversation set active_message_id = ${messageId} where tenant_id = ${tx.tenantId} and id = ${conversationId}`);
}
