/** SQL of the tables conversation and message: trees of messages, each with one active leaf. */
import { json, type Queryable, type Tx } from '../db/database.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import { type GroupLimits, withinLimits } from './group-store.ts';

export interface Conversation {
  id: string;
  activeMessageId: string | null;
  messageCount: number;
  /** Of texts and citations. */
  storedBytes: number;
}

export interface StoredMessage {
  id: string;
  parentId: string | null;
  role: 'user' | 'assistant';
  content: string;
}

/** What an assistant message keeps of a citation: enough to find the chunk again, not its content. */
export interface StoredCitation {
  id: string;
  source_id: string;
  source_group_id: string;
  name: string;
  url: string | null;
  citation: { number: number; spans: { start: number; end: number }[]; quote: string; verified: boolean };
}

export interface NewMessage extends StoredMessage {
  citations: readonly StoredCitation[];
  finishReason: string | null;
  createdAt: Date;
  /** The source groups that the answer rests on, cited or not; null: not known, or a question. */
  contextGroupIds: readonly string[] | null;
}

const PLACE_COLUMNS = raw(`id, active_message_id as "activeMessageId", message_count as "messageCount",
  stored_bytes as "storedBytes"`);

export async function findConversation(db: Queryable, tenantId: string, id: string): Promise<Conversation | undefined> {
  const rows = await db.query<Conversation>(
    sql`select ${PLACE_COLUMNS} from conversation where tenant_id = ${tenantId} and id = ${id}`,
  );
  return rows[0];
}

/** The conversation that an ag-ui client calls `threadId`. */
export async function findConversationByThread(
  db: Queryable,
  tenantId: string,
  threadId: string,
): Promise<Conversation | undefined> {
  const rows = await db.query<Conversation>(
    sql`select ${PLACE_COLUMNS} from conversation where tenant_id = ${tenantId} and thread_id = ${threadId}`,
  );
  return rows[0];
}

export async function findMessage(
  db: Queryable,
  tenantId: string,
  conversationId: string,
  id: string,
): Promise<StoredMessage | undefined> {
  const rows = await db.query<StoredMessage>(sql`
    select id, parent_id as "parentId", role, content from message
    where tenant_id = ${tenantId} and conversation_id = ${conversationId} and id = ${id}`);
  return rows[0];
}

export type BranchMessage = StoredMessage & Pick<NewMessage, 'contextGroupIds'> & { seen: boolean };

/**
 * The messages from the root to `leafId`, oldest first: the last `max` of them. `seen` is false for answers outside the
 * caller's limits.
 */
export async function listBranch(
  db: Queryable,
  tenantId: string,
  conversationId: string,
  leafId: string,
  limits: GroupLimits,
  max: number,
): Promise<BranchMessage[]> {
  return db.query(sql`
    with recursive branch as (
      select m.id, m.parent_id, m.role, m.content, m.context_group_ids, 1 as depth from message m
      where m.tenant_id = ${tenantId} and m.conversation_id = ${conversationId} and m.id = ${leafId}
      union all
      select m.id, m.parent_id, m.role, m.content, m.context_group_ids, branch.depth + 1 from message m
      join branch on m.id = branch.parent_id
      where m.tenant_id = ${tenantId} and m.conversation_id = ${conversationId} and branch.depth < ${max}
    )
    select b.id, b.parent_id as "parentId", b.role, b.content, b.context_group_ids as "contextGroupIds",
      ${isSeen(tenantId, limits)} as seen
    from branch b order by b.depth desc`);
}

/** A key with limits does not see answers that rest on anything outside them, nor answers of which that is not known. */
function isSeen(tenantId: string, limits: GroupLimits): Sql {
  if (limits.sourceGroupIds === null && limits.tagIds === null) return raw('true');
  return sql`(b.role = 'user' or coalesce(cardinality(b.context_group_ids), 0) > 0 and not exists (
    select from unnest(b.context_group_ids) as used(id) where not exists (
      select from source_group g
      where g.tenant_id = ${tenantId} and g.id = used.id and ${withinLimits(limits)})))`;
}

export interface ConversationRow {
  id: string;
  activeMessageId: string | null;
  title: string;
  createdAt: Date;
}

const CONVERSATION_COLUMNS = raw('id, title, active_message_id as "activeMessageId", created_at as "createdAt"');

export async function findConversationRow(
  db: Queryable,
  tenantId: string,
  id: string,
): Promise<ConversationRow | undefined> {
  const rows = await db.query<ConversationRow>(
    sql`select ${CONVERSATION_COLUMNS} from conversation where tenant_id = ${tenantId} and id = ${id}`,
  );
  return rows[0];
}

/** Rows after `afterId` in order of creation, at most `limit`; and how many there are in all. */
export async function listConversations(
  tx: Queryable,
  tenantId: string,
  limit: number,
  afterId: string | undefined,
): Promise<{ rows: ConversationRow[]; total: number }> {
  const after = afterId === undefined ? raw('true') : sql`id > ${afterId}::uuid`;
  const rows = await tx.query<ConversationRow>(sql`
    select ${CONVERSATION_COLUMNS} from conversation where tenant_id = ${tenantId} and ${after} order by id limit ${limit}`);
  const [count] = await tx.query<{ total: number }>(
    sql`select count(*) as total from conversation where tenant_id = ${tenantId}`,
  );
  return { rows, total: count?.total ?? 0 };
}

/** A message as it is shown: `seen` is false when it rests on something outside the caller's limits. */
export type TreeMessage = Omit<NewMessage, 'contextGroupIds'> & { seen: boolean };

/** Every message of the conversation, oldest first, so parents come before their children. */
export async function listMessages(
  db: Queryable,
  tenantId: string,
  conversationId: string,
  limits: GroupLimits,
): Promise<TreeMessage[]> {
  return db.query<TreeMessage>(sql`
    select b.id, b.parent_id as "parentId", b.role, b.content, b.citations, b.finish_reason as "finishReason",
      b.created_at as "createdAt", ${isSeen(tenantId, limits)} as seen
    from message b where b.tenant_id = ${tenantId} and b.conversation_id = ${conversationId}
    order by b.created_at, b.id`);
}

export async function renameConversation(tx: Tx, tenantId: string, id: string, title: string): Promise<void> {
  await tx.query(sql`update conversation set title = ${title} where tenant_id = ${tenantId} and id = ${id}`);
}

/** Its messages go with it. */
export async function deleteConversation(tx: Tx, tenantId: string, id: string): Promise<void> {
  await tx.query(sql`delete from conversation where tenant_id = ${tenantId} and id = ${id}`);
}

/** A thread name that another conversation took meanwhile is left out. */
export async function insertConversation(
  tx: Tx,
  tenantId: string,
  row: { id: string; title: string; threadId: string | null; createdAt: Date },
): Promise<void> {
  const rows = await tx.query(sql`
    insert into conversation (tenant_id, id, title, thread_id, created_at)
    values (${tenantId}, ${row.id}, ${row.title}, ${row.threadId}, ${row.createdAt})
    on conflict (tenant_id, thread_id) do nothing returning id`);
  if (rows.length > 0) return;
  await tx.query(sql`
    insert into conversation (tenant_id, id, title, created_at)
    values (${tenantId}, ${row.id}, ${row.title}, ${row.createdAt})`);
}

/** Locks the conversation; undefined when it is gone. */
export async function lockConversation(tx: Tx, tenantId: string, id: string): Promise<Conversation | undefined> {
  const rows = await tx.query<Conversation>(
    sql`select ${PLACE_COLUMNS} from conversation where tenant_id = ${tenantId} and id = ${id} for update`,
  );
  return rows[0];
}

/** Adds messages, parents first, and makes the last one the active leaf. The conversation must be locked or new. */
export async function appendMessages(
  tx: Tx,
  tenantId: string,
  conversationId: string,
  messages: readonly NewMessage[],
): Promise<void> {
  let bytes = 0;
  for (const message of messages) {
    bytes += Buffer.byteLength(message.content) + Buffer.byteLength(JSON.stringify(message.citations));
    await insertMessage(tx, tenantId, conversationId, message);
  }
  await tx.query(sql`
    update conversation set active_message_id = ${messages.at(-1)!.id}, message_count = message_count + ${messages.length},
      stored_bytes = stored_bytes + ${bytes}
    where tenant_id = ${tenantId} and id = ${conversationId}`);
}

async function insertMessage(tx: Tx, tenantId: string, conversationId: string, message: NewMessage): Promise<void> {
  await tx.query(sql`
    insert into message (tenant_id, id, conversation_id, parent_id, role, content, citations, finish_reason, created_at,
      context_group_ids)
    values (${tenantId}, ${message.id}, ${conversationId}, ${message.parentId}, ${message.role}, ${message.content},
      ${json(message.citations)}, ${message.finishReason}, ${message.createdAt}, ${message.contextGroupIds}::uuid[])`);
}

export async function setActiveLeaf(
  tx: Tx,
  tenantId: string,
  conversationId: string,
  messageId: string,
): Promise<void> {
  await tx.query(sql`
    update conversation set active_message_id = ${messageId} where tenant_id = ${tenantId} and id = ${conversationId}`);
}
