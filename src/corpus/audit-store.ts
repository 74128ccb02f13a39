/**
 * The audit log: who changed what, one hash chain per tenant.
 *
 * An event is written in the same transaction as the change that it describes, so neither exists without the other. The hash
 * of an event covers the hash of the previous event. An altered, removed or inserted event therefore breaks the chain, and
 * `findBrokenEvent` names that event. The tenant role may only add and read events.
 */
import { createHash } from 'node:crypto';
import type { Caller } from '../access/caller.ts';
import { type AnyTx, json, type Tx } from '../db/database.ts';
import { type Listed, type PageRequest, readPage } from '../db/page-sql.ts';
import { join, raw, sql } from '../db/sql.ts';
import { derivedId } from '../util/ids.ts';

export const AUDIT_ACTIONS = ['create', 'change', 'delete', 'issue', 'rotate', 'revoke'] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDIT_OBJECT_KINDS = [
  'api_key',
  'console_session',
  'secret',
  'subject',
  'authz_policy',
  'redaction_policy',
  'source_group',
  'source',
  'setting',
  'conversation',
  'tag',
  'metadata_column',
  'table',
  'tenant',
  'master_key',
] as const;
export type AuditObjectKind = (typeof AUDIT_OBJECT_KINDS)[number];

export interface NewAuditEvent {
  tenantId: string;
  /** The id of the API key; null means that the operator ran a command. */
  actor: string | null;
  action: AuditAction;
  objectKind: AuditObjectKind;
  objectId: string;
  /** What changed, as JSON: names, ids, versions, counts. Secrets and content are never allowed here. */
  details?: Readonly<Record<string, unknown>>;
}

export interface AuditEvent {
  id: string;
  seq: number;
  at: Date;
  apiKeyId: string | null;
  action: AuditAction;
  objectKind: AuditObjectKind;
  objectId: string;
  details: Record<string, unknown>;
  prevHash: string;
  hash: string;
}

/** An event with what is not part of its chain. */
export interface ListedAuditEvent extends AuditEvent {
  /** The name of the API key, also of one that was revoked; null for the operator. */
  apiKeyName: string | null;
}

export interface AuditFilter {
  action?: AuditAction | undefined;
  objectKind?: AuditObjectKind | undefined;
  objectId?: string | undefined;
  apiKeyId?: string | undefined;
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  before?: Date | undefined;
}

/** The first event has no previous event; this value stands for its hash. */
const FIRST_PREV_HASH = '0'.repeat(64);
const VERIFIED_AT_ONCE = 1_000;

const COLUMNS = raw(
  `e.id, e.seq, e.at, e.api_key_id, e.action, e.object_kind, e.object_id, e.details, e.prev_hash, e.hash`,
);

/** Adds the event that the caller changed an object. Call this function last in the transaction of the change: see `appendAudit`. */
export function recordChange(
  tx: Tx,
  { apiKeyId: actor }: Pick<Caller, 'apiKeyId'>,
  action: AuditAction,
  objectKind: AuditObjectKind,
  objectId: string,
  details: Record<string, unknown> = {},
): Promise<void> {
  return appendAudit(tx, { tenantId: tx.tenantId, actor, action, objectKind, objectId, details });
}

/**
 * Adds an event to the tenant's chain. Call this function last in the transaction of the change: it takes a lock that only
 * the end of the transaction releases. A caller that waits for the lock must hold no row that the lock's owner still needs.
 */
export async function appendAudit(tx: AnyTx, event: NewAuditEvent): Promise<void> {
  const { tenantId } = event;
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('audit ' || ${tenantId}::text, 0))`);
  // A separate statement: its snapshot includes what others committed while this transaction waited for the lock.
  const [head] = await tx.query<{ at: Date; id: string | null; seq: number | null; hash: string | null }>(sql`
    select date_trunc('milliseconds', clock_timestamp()) as at, h.id, h.seq, h.hash
    from (select) one left join audit_head h on h.tenant_id = ${tenantId}`);
  const { at, id: lastId, hash: lastHash } = head!;
  const seq = (head!.seq ?? 0) + 1;
  const row: Omit<AuditEvent, 'hash'> = {
    // Ids ascend with the chain even if a clock goes back, so a reader that pages by id misses no later event.
    id: derivedId(Math.max(at.getTime(), lastId === null ? 0 : idTime(lastId) + 1), tenantId, seq),
    seq,
    at,
    apiKeyId: event.actor,
    action: event.action,
    objectKind: event.objectKind,
    objectId: event.objectId,
    details: JSON.parse(JSON.stringify(event.details ?? {})),
    prevHash: lastHash ?? FIRST_PREV_HASH,
  };
  await tx.query(sql`
    insert into audit_event (tenant_id, id, seq, at, api_key_id, action, object_kind, object_id, details, prev_hash, hash)
    values (${tenantId}, ${row.id}, ${row.seq}, ${row.at}, ${row.apiKeyId}, ${row.action}, ${row.objectKind}, ${row.objectId},
            ${json(row.details)}, ${row.prevHash}, ${eventHash(row)})`);
}

export function listAuditEvents(tx: Tx, filter: AuditFilter, page: PageRequest): Promise<Listed<ListedAuditEvent>> {
  const conditions = [sql`e.tenant_id = ${tx.tenantId}`];
  if (filter.action !== undefined) conditions.push(sql`e.action = ${filter.action}`);
  if (filter.objectKind !== undefined) conditions.push(sql`e.object_kind = ${filter.objectKind}`);
  if (filter.objectId !== undefined) conditions.push(sql`e.object_id = ${filter.objectId}`);
  if (filter.apiKeyId !== undefined) conditions.push(sql`e.api_key_id = ${filter.apiKeyId}`);
  if (filter.from !== undefined) conditions.push(sql`e.at >= ${filter.from}`);
  if (filter.before !== undefined) conditions.push(sql`e.at < ${filter.before}`);
  const matching = sql`audit_event e where ${join(conditions, ' and ')}`;
  const keyName = sql`(select k.name from api_key k where k.tenant_id = e.tenant_id and k.id = e.api_key_id) as api_key_name`;
  return readPage<ListedAuditEvent>(tx, sql`${COLUMNS}, ${keyName}`, matching, raw('e.id'), page);
}

/** Returns the newest event of an object; undefined if it has none. */
export async function findLastEvent(
  tx: Tx,
  objectKind: AuditObjectKind,
  objectId: string,
): Promise<AuditEvent | undefined> {
  const [event] = await tx.query<AuditEvent>(sql`
    select ${COLUMNS} from audit_event e
    where e.tenant_id = ${tx.tenantId} and e.object_id = ${objectId} and e.object_kind = ${objectKind} order by e.id desc limit 1`);
  return event;
}

/** Checks the tenant's whole chain. Returns what is wrong with the first broken event; undefined if the chain is intact. */
export async function findBrokenEvent(tx: Tx): Promise<string | undefined> {
  let last: Pick<AuditEvent, 'seq' | 'hash'> = { seq: 0, hash: FIRST_PREV_HASH };
  for (;;) {
    const events = await tx.query<AuditEvent>(sql`
      select ${COLUMNS} from audit_event e where e.tenant_id = ${tx.tenantId} and e.seq > ${last.seq}
      order by e.seq limit ${VERIFIED_AT_ONCE}`);
    if (events.length === 0) break;
    for (const event of events) {
      if (event.seq !== last.seq + 1) return `audit event ${last.seq + 1} is missing`;
      const { seq, id } = event;
      if (event.prevHash !== last.hash) return `audit event ${seq} (${id}) does not follow the one before`;
      if (event.hash !== eventHash(event)) return `audit event ${seq} (${id}) was altered`;
      last = event;
    }
  }
  const [head] = await tx.query<{ seq: number; hash: string }>(
    sql`select seq, hash from audit_head where tenant_id = ${tx.tenantId}`,
  );
  if ((head?.seq ?? 0) !== last.seq) return `audit event ${last.seq + 1} is missing`;
  if ((head?.hash ?? FIRST_PREV_HASH) !== last.hash)
    return `audit event ${last.seq} is not the one that was written last`;
  return undefined;
}

/** Returns the SHA-256, in hex, of the previous hash, a line feed, and the event as canonical JSON (keys sorted, no blanks). */
function eventHash(event: Omit<AuditEvent, 'hash'>): string {
  const { prevHash, seq, id, at, apiKeyId, action, objectKind, objectId, details } = event;
  const said = {
    seq,
    id,
    at: at.toISOString(),
    api_key_id: apiKeyId,
    action,
    object_kind: objectKind,
    object_id: objectId,
    details,
  };
  return createHash('sha256')
    .update(`${prevHash}\n${canonical(said)}`)
    .digest('hex');
}

/** Returns JSON with sorted keys: jsonb does not keep the order of keys, and the hash needs one fixed order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}

/** Returns the time in milliseconds that the id begins with. */
function idTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
