/**
 * The job `reprocess`: processes sources again whose ingest rules of the redaction policy have changed, and sources that a rule blocked
 * before the policy changed.
 *
 * The job queues an ordinary run for each group: the run is visible, has counts, can be canceled, and continues after a crash.
 * A new version is made from the same bytes while the old version is served, redacted by the new rules
 * (redaction/apply-redaction.ts). Several changes of the policy lead to one run, which uses the rules in force when it reads.
 * Busy groups are queued later.
 */
import { lockGroup } from '../../corpus/group-store.ts';
import {
  countSources,
  listBlockedSources,
  listOutdatedGroups,
  listOutdatedSources,
} from '../../corpus/source-lookup.ts';
import { BLOCKED_TITLE } from '../../files/sandbox/redact-parsed.ts';
import type { JobHandler } from '../../jobs/queue.ts';
import { listTenantsWithRedaction } from '../../redaction/redaction-store.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { resetFailed, saveVersions } from './new-versions.ts';
import { mayRun, queueStoredRun } from './run-actions.ts';

/** Delay until the job tries busy groups again. */
const LOOK_AGAIN_SECONDS = 15;

type ReprocessDeps = Pick<IngestDeps, 'db' | 'queue' | 'clock' | 'redactors'>;

export function reprocess(deps: ReprocessDeps): JobHandler {
  return async ({ tenantId }, { signal }) => {
    if (!tenantId) throw new Error('reprocess needs tenantId');
    let isBusy = false;
    for (const groupId of await outdatedGroups(deps, tenantId)) {
      signal.throwIfAborted();
      if (!(await startOne(deps, tenantId, groupId))) isBusy = true;
    }
    if (!isBusy) return;
    await deps.db.transaction(tenantId, (tx) =>
      deps.queue.enqueue(tx, 'reprocess', { tenantId }, { startAfterSeconds: LOOK_AGAIN_SECONDS }),
    );
  };
}

/**
 * Queues the job for every tenant with redaction. Called at every start, because rules or the key of their hashes may have
 * changed while the service was down.
 */
export async function wakeReprocessing({ db, queue }: Pick<IngestDeps, 'db' | 'queue'>): Promise<void> {
  await db.system.transaction(async (tx) => {
    for (const tenantId of await listTenantsWithRedaction(tx)) await queue.enqueue(tx, 'reprocess', { tenantId });
  });
}

function outdatedGroups({ db, redactors }: ReprocessDeps, tenantId: string): Promise<string[]> {
  return db.transaction(tenantId, async (tx) => {
    const redactor = await redactors.forTenant(tx);
    const outdated = await listOutdatedGroups(tx, redactor?.ingestMark ?? '');
    const blocked = await listBlockedSources(tx, BLOCKED_TITLE);
    return [...new Set([...outdated, ...blocked.map(({ groupId }) => groupId)])];
  });
}

/** Queues the run of one group. Returns false when the group is busy. */
async function startOne(deps: ReprocessDeps, tenantId: string, groupId: string): Promise<boolean> {
  return deps.db.transaction(tenantId, async (tx) => {
    const group = await lockGroup(tx, groupId);
    if (!group || group.deletedAt) return true;
    if (!mayRun(group.status)) return false;
    const redactor = await deps.redactors.forTenant(tx);
    const versions = await listOutdatedSources(tx, groupId, redactor?.ingestMark ?? '');
    const blocked = (await listBlockedSources(tx, BLOCKED_TITLE))
      .filter((source) => source.groupId === groupId)
      .map(({ sourceId }) => sourceId);
    if (versions.length + blocked.length === 0) return true;
    await resetFailed(tx, groupId, blocked);
    await saveVersions(tx, groupId, versions);
    const { pending, updating } = await countSources(tx, groupId);
    await queueStoredRun(deps, tx, group, pending + updating);
    return true;
  });
}
