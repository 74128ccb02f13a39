/** SQL of the tables source_origin, source_update, run_item and run_step: the stored items of an origin, and what a run listed there. */

import { json, type Tx } from '../db/database.ts';
import { recordset } from '../db/recordset.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import type { Opaque } from './origin.ts';
import type { Source } from './source-store.ts';
import type { TypedMetadata } from './values.ts';

/** An item of an origin together with its source. */
export interface StoredItem {
  originId: string;
  sourceId: string;
  name: string;
  url: string | null;
  contentAt: Date;
  status: Source['status'];
  revision: string | null;
  state: Opaque | null;
  /** The metadata that the origin reported. */
  metadata: TypedMetadata;
  /** Hash of the bytes that are served, or that wait for their first read. */
  blobHash: string;
  fileSize: number;
  /** Hash of the new version that waits or failed; null without a new version. */
  updateHash: string | null;
}

/** Returns the stored items among `originIds`, by origin id. Items whose source is deleted are left out. */
export async function findStoredItems(
  tx: Tx,
  groupId: string,
  originIds: readonly string[],
): Promise<Map<string, StoredItem>> {
  const rows = await tx.query<StoredItem>(sql`
    select o.origin_id, s.id as source_id, s.name, s.url, s.content_at, s.status, o.revision,
           o.state, o.metadata, s.blob_hash, s.file_size,
           u.blob_hash as update_hash
    from source_origin o join source s on s.tenant_id = o.tenant_id and s.id = o.source_id and s.deleted_at is null
    left join source_update u on u.tenant_id = o.tenant_id and u.source_id = o.source_id
    where o.tenant_id = ${tx.tenantId} and o.source_group_id = ${groupId} and o.origin_id = any(${[...originIds]}::text[])`);
  return new Map(rows.map((row) => [row.originId, row]));
}

/** Returns the ids of the stored items that have one of these revisions. Items whose source is deleted are left out. */
export async function findItemsByRevision(
  tx: Tx,
  groupId: string,
  revisions: readonly string[],
): Promise<{ originId: string; revision: string }[]> {
  return tx.query(sql`
    select o.origin_id, o.revision
    from source_origin o join source s on s.tenant_id = o.tenant_id and s.id = o.source_id and s.deleted_at is null
    where o.tenant_id = ${tx.tenantId} and o.source_group_id = ${groupId} and o.revision = any(${[...revisions]}::text[])
    order by o.source_id`);
}

/** Returns the ids of all stored items. Items whose source is deleted are left out. */
export async function listStoredIds(tx: Tx, groupId: string): Promise<string[]> {
  const rows = await tx.query<{ originId: string }>(sql`
    select o.origin_id
    from source_origin o join source s on s.tenant_id = o.tenant_id and s.id = o.source_id and s.deleted_at is null
    where o.tenant_id = ${tx.tenantId} and o.source_group_id = ${groupId} order by o.source_id`);
  return rows.map(({ originId }) => originId);
}

/** Returns the ids of the stored items for which the run has saved no outcome. Items whose source is deleted are left out. */
export async function listUnreportedIds(
  tx: Tx,
  { groupId, runId }: { groupId: string; runId: string },
): Promise<string[]> {
  const rows = await tx.query<{ originId: string }>(sql`
    select o.origin_id
    from source_origin o join source s on s.tenant_id = o.tenant_id and s.id = o.source_id and s.deleted_at is null
    where o.tenant_id = ${tx.tenantId} and o.source_group_id = ${groupId} and not exists (select from run_item i
      where i.tenant_id = o.tenant_id and i.run_id = ${runId} and i.origin_id = o.origin_id)
    order by o.source_id`);
  return rows.map(({ originId }) => originId);
}

/** Gives stored items other ids. Their revision is forgotten, so that the next report of an item saves its other facts, too. */
export async function moveItems(
  tx: Tx,
  groupId: string,
  moves: readonly { from: string; to: string }[],
): Promise<void> {
  const given = recordset({ from: 'text', to: 'text' }, moves);
  await tx.query(sql`
    update source_origin o set origin_id = r.to, revision = null from ${given.table}
    where o.tenant_id = ${tx.tenantId} and o.source_group_id = ${groupId} and o.origin_id = r.from
      and not exists (select from source_origin x
        where x.tenant_id = o.tenant_id and x.source_group_id = o.source_group_id and x.origin_id = r.to)`);
}

/** Returns true if any item of the origin is stored. */
export async function hasStoredItems(tx: Tx, groupId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as one from source_origin where tenant_id = ${tx.tenantId} and source_group_id = ${groupId} limit 1`);
  return rows.length > 0;
}

export interface ItemFacts {
  sourceId: string;
  originId: string;
  revision: string | null;
  state: Opaque | null;
  metadata: TypedMetadata;
}

/** Saves the origin ids of sources, and the facts that the origin reported. */
export async function saveItemFacts(tx: Tx, groupId: string, items: readonly ItemFacts[]): Promise<void> {
  if (items.length === 0) return;
  const given = recordset(
    { source_id: 'uuid', origin_id: 'text', revision: 'text', state: 'jsonb', metadata: 'jsonb' },
    items,
  );
  await tx.query(sql`
    insert into source_origin (tenant_id, source_group_id, ${given.columns})
    select ${tx.tenantId}::uuid, ${groupId}::uuid, ${given.values} from ${given.table}
    on conflict (tenant_id, source_id) do update set revision = excluded.revision, state = excluded.state,
      metadata = excluded.metadata`);
}

export interface NewVersion {
  sourceId: string;
  blobHash: string;
  fileSize: number;
  /** Null keeps the present value. */
  contentAt: Date | null;
}

/** Saves new versions of served sources; they wait to be read. A new version replaces one that waited or failed. */
export async function saveUpdates(tx: Tx, groupId: string, versions: readonly NewVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const given = recordset(
    { source_id: 'uuid', blob_hash: 'text', file_size: 'bigint', content_at: 'timestamptz' },
    versions,
  );
  await tx.query(sql`
    insert into source_update (tenant_id, source_group_id, ${given.columns})
    select ${tx.tenantId}::uuid, ${groupId}::uuid, ${given.values} from ${given.table}
    on conflict (tenant_id, source_id) do update set blob_hash = excluded.blob_hash, file_size = excluded.file_size,
      content_at = excluded.content_at, status = 'pending'`);
}

/** Deletes new versions: they are served now, or not wanted any more. */
export async function dropUpdates(tx: Tx, sourceIds: readonly string[]): Promise<void> {
  if (sourceIds.length === 0) return;
  await tx.query(sql`
    delete from source_update where tenant_id = ${tx.tenantId} and source_id = any(${[...sourceIds]}::uuid[])`);
}

/** Marks new versions as failed. The old version stays served, and a later run retries the new version. */
export async function failUpdates(tx: Tx, sourceIds: readonly string[]): Promise<void> {
  if (sourceIds.length === 0) return;
  await tx.query(sql`
    update source_update set status = 'failed' where tenant_id = ${tx.tenantId} and source_id = any(${[...sourceIds]}::uuid[])`);
}

/** Makes failed new versions wait again, so that a new run retries them. */
export async function resetFailedUpdates(tx: Tx, groupId: string, sourceIds?: readonly string[]): Promise<void> {
  const wanted = sourceIds === undefined ? raw('true') : sql`source_id = any(${[...sourceIds]}::uuid[])`;
  await tx.query(sql`
    update source_update set status = 'pending'
    where tenant_id = ${tx.tenantId} and source_group_id = ${groupId} and status = 'failed' and ${wanted}`);
}

/**
 * The outcome of an item in a run. A source whose item is `there` or `failed` is kept. A source whose item is `skipped` or
 * `gone` is deleted at the end of the listing.
 */
export type Outcome = 'there' | 'failed' | 'skipped' | 'gone';

/** Returns the outcomes that the run has saved before, by origin id. */
export async function findOutcomes(tx: Tx, runId: string, originIds: readonly string[]): Promise<Map<string, Outcome>> {
  const rows = await tx.query<{ originId: string; outcome: Outcome }>(sql`
    select origin_id, outcome from run_item
    where tenant_id = ${tx.tenantId} and run_id = ${runId} and origin_id = any(${[...originIds]}::text[])`);
  return new Map(rows.map((row) => [row.originId, row.outcome]));
}

/**
 * Returns the condition that the run has listed source `s` as `there` and that `s` is not in `inHand`. Each row is looked up by
 * two primary keys. Written as a join and planned without statistics, the statement scanned all items for every source, which
 * took a minute.
 */
export function isNamedBy(runId: string, inHand: readonly string[]): Sql {
  return sql`s.id <> all(${[...inHand]}::uuid[]) and (
    select i.outcome from run_item i where i.tenant_id = s.tenant_id and i.run_id = ${runId} and i.origin_id = (
      select n.origin_id from source_origin n where n.tenant_id = s.tenant_id and n.source_id = s.id)) = 'there'`;
}

export async function saveOutcomes(
  tx: Tx,
  runId: string,
  outcomes: readonly { originId: string; outcome: Outcome }[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const given = recordset({ origin_id: 'text', outcome: 'text' }, outcomes);
  await tx.query(sql`
    insert into run_item (tenant_id, run_id, ${given.columns})
    select ${tx.tenantId}::uuid, ${runId}::uuid, ${given.values} from ${given.table}
    on conflict (tenant_id, run_id, origin_id) do update set outcome = excluded.outcome`);
}

/** Returns true if the run saved any item with one of these outcomes. */
export async function hasOutcome(tx: Tx, runId: string, outcomes: readonly Outcome[]): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as one from run_item
    where tenant_id = ${tx.tenantId} and run_id = ${runId} and outcome = any(${[...outcomes]}::text[]) limit 1`);
  return rows.length > 0;
}

/** Returns up to `limit` items that the run could not list or fetch. */
export async function listFailedItems(tx: Tx, runId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ originId: string }>(sql`
    select origin_id from run_item where tenant_id = ${tx.tenantId} and run_id = ${runId} and outcome = 'failed'
    order by origin_id limit ${limit}`);
  return rows.map(({ originId }) => originId);
}

/**
 * Returns up to `limit` sources whose items are gone at the origin or skipped. Call this function after a complete listing.
 *
 * @param full the listing was full: items that it did not name are gone too.
 * @param unread only sources that were never served.
 */
export async function listGoneSources(
  tx: Tx,
  { groupId, runId }: { groupId: string; runId: string },
  { full, unread, limit }: { full: boolean; unread: boolean; limit: number },
): Promise<string[]> {
  const named: Sql = sql`select from run_item i
    where i.tenant_id = o.tenant_id and i.run_id = ${runId} and i.origin_id = o.origin_id`;
  const gone = full
    ? sql`not exists (${named} and i.outcome in ('there', 'failed'))`
    : sql`exists (${named} and i.outcome in ('skipped', 'gone'))`;
  const rows = await tx.query<{ id: string }>(sql`
    select s.id from source_origin o join source s on s.tenant_id = o.tenant_id and s.id = o.source_id and s.deleted_at is null
    where o.tenant_id = ${tx.tenantId} and o.source_group_id = ${groupId} and ${gone}
      and ${unread ? raw("s.status <> 'ready'") : raw('true')}
    order by s.id limit ${limit}`);
  return rows.map((row) => row.id);
}

/** Adds steps of the run. The caller has passed the fence of `ingest/fence.ts`. */
export async function saveSteps(tx: Tx, runId: string, steps: readonly Opaque[]): Promise<void> {
  if (steps.length === 0) return;
  await tx.query(sql`
    insert into run_step (tenant_id, run_id, ordinal, steps)
    select ${tx.tenantId}, ${runId}, coalesce(max(ordinal), 0) + 1, ${json(steps)} from run_step
    where tenant_id = ${tx.tenantId} and run_id = ${runId}`);
}

/** Returns rows of steps of the run in their order, behind the ordinal `after`. */
export function readSteps(
  tx: Tx,
  runId: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ ordinal: number; steps: Opaque[] }[]> {
  return tx.query(sql`
    select ordinal, steps from run_step where tenant_id = ${tx.tenantId} and run_id = ${runId} and ordinal > ${after}
    order by ordinal limit ${limit}`);
}

/** Deletes up to `limit` rows of steps, and as many items, of runs that have ended. Returns the greater of the two numbers. */
export async function dropEndedItems(tx: Tx, limit: number): Promise<number> {
  const steps = await tx.query(sql`
    delete from run_step where tenant_id = ${tx.tenantId} and (run_id, ordinal) in (
      select s.run_id, s.ordinal from run_step s join run r on r.tenant_id = s.tenant_id and r.id = s.run_id
      where s.tenant_id = ${tx.tenantId} and r.ended_at is not null limit ${limit})
    returning 1 as one`);
  const items = await tx.query(sql`
    delete from run_item where tenant_id = ${tx.tenantId} and (run_id, origin_id) in (
      select i.run_id, i.origin_id from run_item i join run r on r.tenant_id = i.tenant_id and r.id = i.run_id
      where i.tenant_id = ${tx.tenantId} and r.ended_at is not null limit ${limit})
    returning 1 as one`);
  return Math.max(steps.length, items.length);
}
