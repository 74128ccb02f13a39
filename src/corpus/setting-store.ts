/** SQL of the table connector_setting: the origin of a source group, its schedule, and the progress of its runs. */

import { type GroupLimits, withinLimits } from '../access/limits.ts';
import { lockAdditions } from '../db/additions.ts';
import { json, type Queryable, type Tx } from '../db/database.ts';
import { countRows, type Listed, type PageRequest, readPage } from '../db/page-sql.ts';
import { join, raw, type Sql, sql } from '../db/sql.ts';
import { NEXT_TIMES } from '../jobs/schedule-limits.ts';
import type { Opaque, Origin, OriginKind } from './origin.ts';

/** The setting of a source group. Every group with an origin has a row, also after its setting was deleted. */
export interface Setting {
  id: string;
  sourceGroupId: string;
  /** The name of the group. */
  name: string;
  origin: Origin;
  /** The id of a secret, which may have been deleted since. */
  secretId: string | null;
  /** False if the origin is read without a credential. */
  needsCredential: boolean;
  /** The recurrence rule; empty without a schedule. */
  rrule: string;
  /** The next occurrences, soonest first. */
  nextTimes: Date[];
  /** When the first of the runs was started that failed since the last success; null after a success. */
  failingSince: Date | null;
  cursor: Opaque | null;
  /** The last checkpoint of the active run. */
  runResume: Opaque | null;
  createdAt: Date;
  /** When the setting was deleted; its source group remains. */
  deletedAt: Date | null;
}

export type NewSetting = Pick<
  Setting,
  'id' | 'sourceGroupId' | 'origin' | 'secretId' | 'needsCredential' | 'rrule' | 'createdAt'
> & { nextTimes: readonly Date[] };

const SETTING_COLUMNS =
  raw(`c.id, c.source_group_id, g.name, c.origin, c.secret_id, c.needs_credential, c.rrule, c.next_times,
  c.failing_since, c.cursor, c.run_resume, c.created_at, c.deleted_at`);
const JOINED = raw('connector_setting c join source_group g on g.tenant_id = c.tenant_id and g.id = c.source_group_id');

export async function insertSetting(tx: Tx, setting: NewSetting): Promise<void> {
  await tx.query(sql`
    insert into connector_setting (tenant_id, id, source_group_id, kind, origin, secret_id, needs_credential, rrule, next_times,
      next_at, created_at)
    values (${tx.tenantId}, ${setting.id}, ${setting.sourceGroupId}, ${setting.origin.kind}, ${json(setting.origin)},
            ${setting.secretId}, ${setting.needsCredential}, ${setting.rrule}, ${[...setting.nextTimes]}::timestamptz[],
            ${setting.nextTimes[0] ?? null}::timestamptz, ${setting.createdAt})`);
}

/** Counts the tenant's groups with an origin. Nobody else can add one until the transaction ends. */
export async function countSettingsLocked(tx: Tx): Promise<number> {
  await lockAdditions(tx, 'connector_setting');
  return countRows(tx, sql`connector_setting where tenant_id = ${tx.tenantId}`);
}

/** Returns the setting of the group; undefined for a group of uploaded files. */
export async function findSettingOfGroup(tx: Tx, groupId: string): Promise<Setting | undefined> {
  const [setting] = await listSettingsOfGroups(tx, [groupId]);
  return setting;
}

export async function listSettingsOfGroups(tx: Tx, groupIds: readonly string[]): Promise<Setting[]> {
  return tx.query<Setting>(sql`
    select ${SETTING_COLUMNS} from ${JOINED}
    where c.tenant_id = ${tx.tenantId} and c.source_group_id = any(${[...groupIds]}::uuid[])`);
}

/** Returns the setting of this kind if it is not deleted and `limits` allow the caller to see it. */
export async function findSetting(
  tx: Tx,
  kind: OriginKind,
  id: string,
  limits: GroupLimits,
): Promise<Setting | undefined> {
  const [setting] = await tx.query<Setting>(
    sql`select ${SETTING_COLUMNS} from ${JOINED} where ${visible(tx.tenantId, kind, limits)} and c.id = ${id}`,
  );
  return setting;
}

export function listSettings(
  tx: Tx,
  kind: OriginKind,
  limits: GroupLimits,
  page: PageRequest,
): Promise<Listed<Setting>> {
  return readPage<Setting>(
    tx,
    SETTING_COLUMNS,
    sql`${JOINED} where ${visible(tx.tenantId, kind, limits)}`,
    raw('c.id'),
    page,
  );
}

function visible(tenantId: string, kind: OriginKind, limits: GroupLimits): Sql {
  return join(
    [sql`c.tenant_id = ${tenantId}`, sql`c.kind = ${kind}`, raw('c.deleted_at is null'), withinLimits(limits)],
    ' and ',
  );
}

/** Saves the schedule; the group must be locked. `nextTimes` are the next occurrences of the rule, empty after its last one. */
export async function saveSchedule(tx: Tx, groupId: string, rrule: string, nextTimes: readonly Date[]): Promise<void> {
  await tx.query(sql`
    update connector_setting set rrule = ${rrule}, next_times = ${[...nextTimes]}::timestamptz[],
      next_at = ${nextTimes[0] ?? null}::timestamptz
    where tenant_id = ${tx.tenantId} and source_group_id = ${groupId} and deleted_at is null`);
}

/** Saves when the runs of the group began to fail; `start` is the start of a run that failed. Null: the last run succeeded. */
export async function saveFailing(tx: Tx, groupId: string, start: Date | null): Promise<void> {
  const value = start === null ? raw('null') : sql`coalesce(failing_since, ${start})`;
  await tx.query(sql`
    update connector_setting set failing_since = ${value} where tenant_id = ${tx.tenantId} and source_group_id = ${groupId}`);
}

/**
 * Makes the schedules due whose runs fail with this secret, and ends their pauses: an active run may still fail with the old value. Call
 * this function when the secret has another value.
 */
export async function retryFailing(tx: Tx, secretId: string, now: Date): Promise<void> {
  await tx.query(sql`
    update connector_setting set failing_since = null, next_at = case when next_at > ${now} then ${now} else next_at end,
      next_times = case when next_at > ${now} then (array[${now}::timestamptz] || next_times)[1:${NEXT_TIMES}] else next_times end
    where tenant_id = ${tx.tenantId} and secret_id = ${secretId} and failing_since is not null`);
}

/** Returns whether the schedule is unchanged and this occurrence was not started meanwhile. */
export function isSameSchedule(a: Setting, b: Setting): boolean {
  return a.rrule === b.rrule && a.nextTimes[0]?.getTime() === b.nextTimes[0]?.getTime();
}

/** Returns settings of all tenants whose next occurrence is due at `now`, the longest overdue first. */
export async function listDueSettings(
  system: Queryable,
  now: Date,
  limit: number,
): Promise<{ id: string; tenantId: string; sourceGroupId: string; nextAt: Date }[]> {
  return system.query(sql`
    select id, tenant_id, source_group_id, next_at from connector_setting
    where next_at <= ${now} order by next_at, id limit ${limit}`);
}

/** Deletes the setting and its schedule; a caller can still start runs of the group. The group must be locked. */
export async function deleteSetting(tx: Tx, groupId: string, now: Date): Promise<void> {
  await tx.query(sql`
    update connector_setting set deleted_at = coalesce(deleted_at, ${now}), rrule = '', next_times = '{}', next_at = null
    where tenant_id = ${tx.tenantId} and source_group_id = ${groupId}`);
}

/** Clears the checkpoint of an earlier run when a new run begins. The group must be locked. */
export async function forgetCheckpoint(tx: Tx, groupId: string): Promise<void> {
  await tx.query(sql`
    update connector_setting set run_resume = null where tenant_id = ${tx.tenantId} and source_group_id = ${groupId}`);
}

/** Saves the checkpoint of the run. The caller has passed the fence of `ingest/fence.ts`. */
export async function saveCheckpoint(tx: Tx, groupId: string, resume: Opaque): Promise<void> {
  await tx.query(sql`
    update connector_setting set run_resume = ${json(resume)}
    where tenant_id = ${tx.tenantId} and source_group_id = ${groupId}`);
}

/** Saves the cursor at the end of a run: the next run starts from `cursor`, or with a full listing if the cursor is null. */
export async function saveCursor(tx: Tx, groupId: string, cursor: Opaque | null): Promise<void> {
  const value = cursor === null ? raw('null') : sql`${json(cursor)}`;
  await tx.query(sql`
    update connector_setting set cursor = ${value}, run_resume = null
    where tenant_id = ${tx.tenantId} and source_group_id = ${groupId}`);
}
