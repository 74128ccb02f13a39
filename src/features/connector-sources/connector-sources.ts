/** Rules for sources that are synchronized with an origin, and for their settings. Wire schemas are in routes.ts. */

import type { Caller } from '../../access/caller.ts';
import { connectorOf } from '../../connectors/registry.ts';
import { recordChange } from '../../corpus/audit-store.ts';
import { findGroup, lockGroup, type SourceGroup, setGroupName } from '../../corpus/group-store.ts';
import type { Origin } from '../../corpus/origin.ts';
import {
  deleteSetting,
  findSetting,
  findSettingOfGroup,
  type Setting,
  saveSchedule,
} from '../../corpus/setting-store.ts';
import type { Tx } from '../../db/database.ts';
import { invalidAt, invalidRequest, notFound, orNotFound, type ServiceError } from '../../errors.ts';
import { checkPatch, mergeMetadata, type PatchRecord } from '../../filters/metadata.ts';
import type { Deps } from '../../http/deps.ts';
import { addOriginGroup } from '../../ingest/origins/add-origin.ts';
import { newId } from '../../util/ids.ts';
import { findSecret, insertSecret, prepareToSeal } from '../../vault/secret-store.ts';
import type { Credential, SourceKind } from './kinds.ts';

export interface NewSource {
  name: string;
  origin: Origin;
  oneTimeCredential: string | undefined;
  secretId: string | undefined;
  /** Empty: no schedule. */
  rrule: string;
  metadata: readonly PatchRecord[];
}

export interface ConnectorSource {
  group: SourceGroup;
  setting: Setting;
}

/**
 * Creates the source with its setting, and starts its first run.
 *
 * @param saveAnswer is called in the transaction that creates the source.
 * @throws ServiceError invalid_request; not_found for a secret that does not exist or has another type; conflict.
 */
export async function createSource(
  deps: Deps,
  caller: Caller,
  kind: SourceKind,
  given: NewSource,
  saveAnswer: (tx: Tx, source: ConnectorSource) => Promise<void>,
): Promise<ConnectorSource> {
  const createdAt = deps.clock.now();
  const checked = await checkNewSource(deps, kind, given, createdAt);
  if (given.oneTimeCredential !== undefined) await prepareToSeal(deps);
  return deps.db.transaction(caller.tenantId, async (tx) => {
    if (given.secretId !== undefined) await checkSecret(tx, kind.credential!, given.secretId);
    const { name, origin, secretId = null, rrule } = given;
    const id = await addOriginGroup(deps, tx, { name, origin, secretId, rrule, ...checked, createdAt });
    if (given.oneTimeCredential !== undefined) {
      await insertSecret(tx, deps.config, {
        id: newId(createdAt.getTime()),
        name: kind.credential!.member,
        type: kind.credential!.secretType,
        description: '',
        value: given.oneTimeCredential,
        createdAt,
        sourceGroupId: id,
      });
    }
    const source = await getSource(tx, caller, kind, id);
    await saveAnswer(tx, source);
    await record(tx, caller, 'create', source.setting);
    return source;
  });
}

/**
 * Checks everything that needs neither the database nor the origin.
 *
 * @throws ServiceError invalid_request
 */
export async function checkNewSource(deps: Deps, kind: SourceKind, given: NewSource, now: Date) {
  const needsCredential = checkCredentials(kind.credential, given);
  connectorOf(deps.connectors, kind.kind).check(given.origin, given.oneTimeCredential ?? null);
  checkPatch(given.metadata);
  const metadata = mergeMetadata({}, given.metadata);
  const nextTimes = given.rrule === '' ? [] : await deps.schedules.check(given.rrule, now, now);
  return { needsCredential, metadata, nextTimes };
}

/** Returns whether the origin is read with a credential. @throws ServiceError invalid_request */
function checkCredentials(credential: Credential | null, { oneTimeCredential, secretId, rrule }: NewSource): boolean {
  if (!credential) return false;
  const { member, required } = credential;
  if (oneTimeCredential !== undefined && secretId !== undefined)
    throw invalidRequest(`Give ${member} or secret_id, not both.`);
  if (required && oneTimeCredential === undefined && secretId === undefined)
    throw invalidRequest(`Give ${member} or secret_id.`);
  if (rrule !== '' && oneTimeCredential !== undefined) throw needsStoredSecret();
  return oneTimeCredential !== undefined || secretId !== undefined;
}

function needsStoredSecret(): ServiceError {
  return invalidAt(['rrule'], 'a schedule needs a stored secret: a one-time credential is erased after the first run.');
}

/** Checks that the tenant has this secret, and that it has the right type. @throws ServiceError not_found */
export async function checkSecret(tx: Tx, { secretType }: Credential, id: string): Promise<void> {
  const secret = await findSecret(tx, id);
  if (secret?.type !== secretType) throw notFound();
}

/** Returns the source and its setting. @throws ServiceError not_found */
export async function getSource(tx: Tx, caller: Caller, kind: SourceKind, id: string): Promise<ConnectorSource> {
  const group = await findGroup(tx, id, caller);
  const setting = group?.sourceType === kind.kind && (await findSettingOfGroup(tx, id));
  if (!group || !setting) throw notFound();
  return { group, setting };
}

/** Returns a setting. @throws ServiceError not_found */
export async function getSetting(deps: Deps, caller: Caller, kind: SourceKind, id: string): Promise<Setting> {
  return orNotFound(await deps.db.transaction(caller.tenantId, (tx) => findSetting(tx, kind.kind, id, caller)));
}

/**
 * Renames the source and, unless `rrule` is undefined, sets its schedule. An empty rule ends the schedule.
 *
 * @throws ServiceError invalid_request for a wrong rule, not_found: checked in this order.
 */
export async function changeSetting(
  deps: Deps,
  caller: Caller,
  kind: SourceKind,
  id: string,
  change: { name: string; rrule: string | undefined },
): Promise<Setting> {
  const { tenantId } = caller;
  const { rrule } = change;
  const now = deps.clock.now();
  const found = await deps.db.transaction(tenantId, (tx) => findSetting(tx, kind.kind, id, caller));
  const nextTimes = rrule ? await deps.schedules.check(rrule, found?.createdAt ?? now, now) : [];
  if (!found) throw notFound();
  if (rrule && found.needsCredential && found.secretId === null) throw needsStoredSecret();
  return deps.db.transaction(tenantId, async (tx) => {
    await lockVisible(tx, caller, kind, found);
    await setGroupName(tx, found.sourceGroupId, change.name);
    if (rrule !== undefined) await saveSchedule(tx, found.sourceGroupId, rrule, nextTimes);
    const setting = await lockVisible(tx, caller, kind, found);
    await record(tx, caller, 'change', setting);
    return setting;
  });
}

/** Deletes the setting and returns it. This ends the schedule; the source stays and can still be run. @throws ServiceError not_found */
export async function removeSetting(deps: Deps, caller: Caller, kind: SourceKind, id: string): Promise<Setting> {
  const found = await getSetting(deps, caller, kind, id);
  return deps.db.transaction(caller.tenantId, async (tx) => {
    const setting = await lockVisible(tx, caller, kind, found);
    await deleteSetting(tx, setting.sourceGroupId, deps.clock.now());
    await record(tx, caller, 'delete', setting);
    return setting;
  });
}

/** Writes an audit event with the source, the secret and the schedule, but without the origin. */
function record(tx: Tx, caller: Caller, action: 'create' | 'change' | 'delete', setting: Setting): Promise<void> {
  const { name, sourceGroupId, secretId, rrule } = setting;
  return recordChange(tx, caller, action, 'setting', setting.id, {
    name,
    source_group_id: sourceGroupId,
    secret_id: secretId,
    rrule,
  });
}

/** Locks the group and reads the setting again, because it may have been deleted meanwhile. @throws ServiceError not_found */
async function lockVisible(tx: Tx, caller: Caller, kind: SourceKind, found: Setting): Promise<Setting> {
  await lockGroup(tx, found.sourceGroupId);
  return orNotFound(await findSetting(tx, kind.kind, found.id, caller));
}
