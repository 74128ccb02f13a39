/** Rules of tables whose file is at an address: the web connector reads the file, on a schedule if there is one. */
import type { Caller } from '../../access/caller.ts';
import { connectorOf } from '../../connectors/registry.ts';
import type { Origin } from '../../corpus/origin.ts';
import { findSettingOfGroup, saveSchedule } from '../../corpus/setting-store.ts';
import type { Tx } from '../../db/database.ts';
import { invalidAt, notFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';

type WebOrigin = Extract<Origin, { kind: 'web' }>;

/** Returns the origin that is this file only, on whatever host redirects lead to. */
function originOf(url: string): WebOrigin {
  return {
    kind: 'web',
    urls: [url],
    maxDepth: 0,
    maxPages: 1,
    includePaths: [],
    excludePaths: [],
    sameHost: false,
    useSitemap: false,
    delayMs: null,
    oneFile: true,
  };
}

export interface FileAtUrl {
  origin: WebOrigin;
  rrule: string;
  nextTimes: readonly Date[];
}

/** Checks an address and its schedule without a request to it. @throws ServiceError invalid_request */
export async function checkUrl(deps: Deps, url: string, rrule: string, now: Date): Promise<FileAtUrl> {
  const origin = originOf(url);
  try {
    connectorOf(deps.connectors, 'web').check(origin, null);
  } catch {
    throw invalidAt(['source', 'url'], 'it must begin with https:// or http://, without a user name.');
  }
  return { origin, rrule, nextTimes: rrule === '' ? [] : await deps.schedules.check(rrule, now, now) };
}

/** Returns a change of the schedule, to be made in a transaction that has locked the group. @throws ServiceError */
export async function scheduleChange(
  deps: Deps,
  caller: Caller,
  table: { url: string | null; sourceGroupId: string },
  rrule: string,
): Promise<(tx: Tx) => Promise<void>> {
  if (table.url === null) throw invalidAt(['rrule'], 'only the table of an address has a schedule of its own.');
  const { sourceGroupId: groupId } = table;
  const now = deps.clock.now();
  const setting = await deps.db.transaction(caller.tenantId, (tx) => findSettingOfGroup(tx, groupId));
  if (!setting || setting.deletedAt) throw notFound();
  const nextTimes = rrule === '' ? [] : await deps.schedules.check(rrule, setting.createdAt, now);
  return (tx) => saveSchedule(tx, groupId, rrule, nextTimes);
}
