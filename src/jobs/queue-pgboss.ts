/** The job queue over pg-boss, in the service's own database, so that jobs and content share a transaction. */

import type { FastifyBaseLogger } from 'fastify';
import { type JobWithMetadata, PgBoss } from 'pg-boss';
import type { AnyTx, Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { enterTenant } from '../db/tenant-scope.ts';
import { idsOf } from '../util/ids.ts';
import { openFailureLog } from './failure-log.ts';
import { listRunsWithJob, openPlaces } from './places.ts';
import { JOB_KINDS, type JobHandler, type JobKind, type JobPayload, type JobQueue, type KindOfWork } from './queue.ts';
import { priorityOfNext } from './turn.ts';

/** Retries after the first attempt. */
const RETRIES_MAX = 3;
const RETRY_DELAY_SECONDS = 1;
const RETRY_DELAY_SECONDS_MAX = 60;
/** pg-boss fails a job that runs longer. */
const RUN_SECONDS_MAX = 12 * 3600;
/** Finished jobs are deleted after this time. Until then an operator can look at them. */
const FINISHED_KEPT_SECONDS = 24 * 3600;
/** A NOTIFY wakes workers at once. Polling only finds jobs whose delay is over, so many workers of a kind poll less often each. */
const POLLING_SECONDS_MIN = 2;
const POLLING_SECONDS_MAX = 5;
/**
 * On a server the job of a lost worker is retried after heartbeat + supervision + delay + polling ≤ 30 s. The embedded database has
 * one process: it releases lost jobs at its start, and a busy moment must not look like a lost worker.
 */
const HEARTBEAT_SECONDS = { server: 10, embedded: 60 } as const;
const SUPERVISE_SECONDS = { server: 10, embedded: 60 } as const;
const NO_JOB_ID = '00000000-0000-0000-0000-000000000000';
/** Handlers may take this long to end after their signal was aborted. */
const ABORT_WAIT_MS = 2_000;

interface RunningJob {
  kind: JobKind;
  id: string;
  tenantId: string | undefined;
  abort: AbortController;
  done: Promise<void>;
}

interface QueueState {
  stopping: boolean;
  /** How many jobs of a kind a tenant may have in this process at once. */
  ofTenant: Map<JobKind, number>;
}

type Log = Pick<FastifyBaseLogger, 'error' | 'warn'>;

/**
 * Installs or updates pg-boss's tables, and opens the queue. `enqueue` works at once, `work` starts workers.
 *
 * On the embedded database, releases every job that an earlier process left active, because no other process can be running it.
 */
export async function openJobQueue(db: Database, log: Log): Promise<JobQueue> {
  const boss = new PgBoss({
    db: {
      executeSql: (text, values) => db.system.execute(text, values),
      listen: (channel, onNotify, onConnect) => db.system.listen(channel, onNotify, onConnect),
    },
    ...(db.kind === 'embedded' ? { backend: 'pglite' as const } : {}),
    useListenNotify: true,
    schedule: false,
    reindex: false,
    monitorVacuum: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS[db.kind],
    monitorIntervalSeconds: SUPERVISE_SECONDS[db.kind],
    flowIntervalSeconds: 3600,
    bamIntervalSeconds: 3600,
  });
  boss.on('error', openFailureLog(log));
  boss.on('warning', (warning) => log.warn({ warning }, 'job queue warning'));
  await boss.start();
  await ensureQueues(boss, db.kind);
  if (db.kind === 'embedded') await releaseAll(db);

  const running = new Set<RunningJob>();
  const state: QueueState = { stopping: false, ofTenant: new Map() };
  const places = openPlaces(db.system);
  return {
    enqueue: (tx, kind, payload, options) => enqueue(boss, tx, kind, payload, options),
    givesPlace: (kind, tenantId) => places.give(kind, fullTenants(running, state, kind, tenantId)),
    listRunsWithJob: (tx) => asOwner(tx, () => listRunsWithJob(tx)),
    async work(handlers) {
      for (const kind of JOB_KINDS) {
        const { concurrency, ofTenant = Math.max(1, concurrency - 1), handler } = handlers[kind];
        state.ofTenant.set(kind, ofTenant);
        await startWorkers(boss, kind, { concurrency, ofTenant }, (job) =>
          runJob(boss, db, running, state, kind, handler, job),
        );
      }
    },
    async stop(graceMs) {
      if (state.stopping) return;
      state.stopping = true;
      await stop(boss, db, running, graceMs);
    },
  };
}

async function ensureQueues(boss: PgBoss, database: Database['kind']): Promise<void> {
  const options = {
    retryLimit: RETRIES_MAX,
    retryDelay: RETRY_DELAY_SECONDS,
    retryBackoff: true,
    retryDelayMax: RETRY_DELAY_SECONDS_MAX,
    expireInSeconds: RUN_SECONDS_MAX,
    deleteAfterSeconds: FINISHED_KEPT_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS[database],
    notify: true,
  };
  const existing = new Set((await boss.getQueues([...JOB_KINDS])).map((queue) => queue.name));
  for (const kind of JOB_KINDS) {
    if (existing.has(kind)) await boss.updateQueue(kind, options);
    else await boss.createQueue(kind, options);
    // This query fills pg-boss's cache of queues, so that `enqueue` does not look a queue up outside its transaction.
    await boss.findJobs(kind, { id: NO_JOB_ID });
  }
}

/** Returns the other tenants that have all places of the kind that they may have in this process. */
function fullTenants(running: ReadonlySet<RunningJob>, state: QueueState, kind: JobKind, tenantId: string): string[] {
  const ofKind = [...running].filter((job) => job.kind === kind && job.tenantId !== tenantId);
  const counts = Map.groupBy(ofKind, (job) => job.tenantId);
  const most = state.ofTenant.get(kind) ?? Infinity;
  return [...counts].flatMap(([id, jobs]) => (id !== undefined && jobs.length >= most ? [id] : []));
}

/** Inserts a job in the transaction of the caller. */
async function enqueue(
  boss: PgBoss,
  tx: AnyTx,
  kind: JobKind,
  payload: JobPayload,
  { startAfterSeconds = 0 }: { startAfterSeconds?: number } = {},
): Promise<void> {
  await asOwner(tx, async () => {
    const db = { executeSql: (text: string, values?: unknown[]) => tx.execute(text, values) };
    const { tenantId } = payload;
    // Jobs of one tenant form a group, which `startWorkers` limits.
    const turn =
      tenantId === undefined ? {} : { group: { id: tenantId }, priority: await priorityOfNext(tx, kind, tenantId) };
    await boss.send(kind, payload, { startAfter: startAfterSeconds, db, ...turn });
  });
}

/** Runs statements of the queue in the transaction of a tenant, whose role has no rights on the tables of the queue. */
async function asOwner<T>(tx: AnyTx, work: () => Promise<T>): Promise<T> {
  if (tx.tenantId === undefined) return work();
  await tx.execute('set local role none');
  try {
    return await work();
  } finally {
    // This fails only in a transaction that an error has already aborted.
    await tx.execute(enterTenant(tx.tenantId)).catch(() => {});
  }
}

async function startWorkers(
  boss: PgBoss,
  kind: JobKind,
  { concurrency, ofTenant }: Required<Omit<KindOfWork, 'handler'>>,
  run: (job: JobWithMetadata<JobPayload>) => Promise<void>,
): Promise<void> {
  const pollingSeconds = Math.min(Math.max(concurrency, POLLING_SECONDS_MIN), POLLING_SECONDS_MAX);
  const options = {
    batchSize: 1,
    localConcurrency: concurrency,
    localGroupConcurrency: ofTenant,
    includeMetadata: true,
    pollingIntervalSeconds: pollingSeconds,
    notifyPollingIntervalSeconds: pollingSeconds,
  } as const;
  await boss.work<JobPayload, void, typeof options>(kind, options, async ([job]) => {
    if (job) await run(job);
  });
}

/** Runs one job. Never rejects after the queue stops: the job is then released, which does not count as a failed attempt. */
async function runJob(
  boss: PgBoss,
  db: Database,
  running: Set<RunningJob>,
  state: QueueState,
  kind: JobKind,
  handler: JobHandler,
  job: JobWithMetadata<JobPayload>,
): Promise<void> {
  if (state.stopping) {
    // The worker claimed this job while the queue began to stop: no handler may start now.
    return releaseJobs(db, [job.id]);
  }
  const abort = new AbortController();
  const finished = Promise.withResolvers<void>();
  const entry: RunningJob = { kind, id: job.id, tenantId: job.data['tenantId'], abort, done: finished.promise };
  running.add(entry);
  try {
    const lastAttempt = job.retryCount >= job.retryLimit;
    await handler(job.data, { signal: AbortSignal.any([job.signal, abort.signal]), lastAttempt });
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    // If `stop` has released the job, another worker may have it now.
    if (running.has(entry)) await releaseJobs(db, [job.id]);
  } finally {
    running.delete(entry);
    finished.resolve();
    if (!state.stopping) fetchNext(boss, kind);
  }
}

/** Wakes the workers of a kind. Otherwise each worker sleeps until its next poll after each job, however many jobs wait. */
function fetchNext(boss: PgBoss, kind: JobKind): void {
  for (const worker of boss.getWipData()) if (worker.name === kind) boss.notifyWorker(worker.id);
}

async function stop(boss: PgBoss, db: Database, running: Set<RunningJob>, graceMs: number): Promise<void> {
  // A worker ends when pg-boss has recorded its job as completed. pg-boss would fail a job that is not recorded, so it would run again.
  const workersEnd = Promise.all(JOB_KINDS.map((kind) => boss.offWork(kind, { wait: true })));
  await endsWithin(workersEnd, graceMs);
  for (const job of running) job.abort.abort(new Error('the worker stops'));
  await endsWithin(Promise.all([...running].map((job) => job.done)), ABORT_WAIT_MS);
  const hanging = [...running];
  running.clear();
  await releaseJobs(db, idsOf(hanging));
  // The worker of a handler that has not ended does not end either.
  if (hanging.length === 0) await endsWithin(workersEnd, ABORT_WAIT_MS);
  await boss.stop({ graceful: false, close: false });
}

/** Waits until the work ends, for at most `ms`. */
async function endsWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const timer = Promise.withResolvers<void>();
  const timeout = setTimeout(timer.resolve, ms);
  await Promise.race([work, timer.promise]);
  clearTimeout(timeout);
}

/**
 * Makes active jobs available again at once, with the same number of remaining attempts. Raising both counters keeps this number,
 * and invalidates the claim of the previous worker, because pg-boss settles a job by its id and retry_count.
 */
async function releaseJobs(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.system.query(sql`
    update pgboss.job set state = 'created', started_on = null, heartbeat_on = null,
      retry_count = retry_count + 1, retry_limit = retry_limit + 1
    where state = 'active' and id = any (${ids}::uuid[])`);
}

async function releaseAll(db: Database): Promise<void> {
  const active = await db.system.query<{ id: string }>(
    sql`select id from pgboss.job where state = 'active' and name = any (${JOB_KINDS}::text[])`,
  );
  await releaseJobs(db, idsOf(active));
}
