/** The promises of the job queue: jobs are enqueued in the caller's transaction, run at least once, and are released when a worker stops. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { raw, sql } from '../../src/db/sql.ts';
import { JOB_KINDS, type JobContext, type JobKind, type JobPayload, type JobQueue } from '../../src/jobs/queue.ts';
import { openJobQueue } from '../../src/jobs/queue-pgboss.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/upload.ts';

type Run = { payload: JobPayload; context: JobContext };

let opened: TestDatabase;
let tenant: Tenant;
const log = { error: () => {}, warn: () => {} };
const idle = { handler: async () => {}, concurrency: 1 };
const allIdle = Object.fromEntries(JOB_KINDS.map((kind) => [kind, idle])) as Record<JobKind, typeof idle>;

before(async () => {
  opened = await openTestDatabase();
  tenant = await createTenant(opened.db, { id: newId(), name: 'default' });
});

after(() => opened.close());

// A queue that a failed test left open would take the jobs of the next tests, and would keep the process alive.
const queues: JobQueue[] = [];
afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.stop(0);
});

async function openQueue(db: Database = opened.db): Promise<JobQueue> {
  const queue = await openJobQueue(db, log);
  queues.push(queue);
  return queue;
}

/** Opens a queue whose `ingest-run` jobs go to `handler`. Resolves with the ids of the runs that it received. */
async function working(handler: (run: Run) => Promise<void>, db: Database = opened.db): Promise<JobQueue> {
  const queue = await openQueue(db);
  const ingest = {
    handler: (payload: JobPayload, context: JobContext) => handler({ payload, context }),
    concurrency: 2,
  };
  await queue.work({ ...allIdle, 'ingest-run': ingest });
  return queue;
}

function enqueue(queue: JobQueue, kind: JobKind, payload: JobPayload): Promise<void> {
  return opened.db.transaction(tenant.id, (tx) => queue.enqueue(tx, kind, payload));
}

test('a job runs after its transaction commits, and the transaction keeps the role of the tenant', async () => {
  const seen = Promise.withResolvers<Run>();
  const queue = await working(async (run) => seen.resolve(run));
  const user = await opened.db.transaction(tenant.id, async (tx) => {
    await queue.enqueue(tx, 'ingest-run', { runId: 'a' });
    const [row] = await tx.query<{ role: string; tenant: string }>(
      sql`select current_user as role, current_setting('app.tenant') as tenant`,
    );
    return row;
  });
  assert.deepEqual(user, { role: 'pinakes_app', tenant: tenant.id });
  assert.deepEqual((await seen.promise).payload, { runId: 'a' });
  await queue.stop(1_000);
});

test('a job enqueued in a transaction that rolls back never exists', async () => {
  const queue = await openQueue();
  const failure = new Error('rolled back');
  await assert.rejects(
    opened.db.transaction(tenant.id, async (tx) => {
      await queue.enqueue(tx, 'ingest-run', { runId: 'rolled-back' });
      throw failure;
    }),
    failure,
  );
  const rows = await opened.db.system.query(sql`select id from pgboss.job where data ->> 'runId' = 'rolled-back'`);
  assert.deepEqual(rows, []);
  await queue.stop(0);
});

test('a failed job is retried, and its handler knows the last attempt', async () => {
  const attempts: boolean[] = [];
  const succeeded = Promise.withResolvers<void>();
  const queue = await working(async ({ context }) => {
    attempts.push(context.lastAttempt);
    if (attempts.length === 1) throw new Error('once');
    succeeded.resolve();
  });
  await enqueue(queue, 'ingest-run', { runId: 'b' });
  await succeeded.promise;
  assert.deepEqual(attempts, [false, false]);
  await queue.stop(1_000);
});

test('a queue that stops aborts and releases a job that does not end, and the next worker runs it at once', async () => {
  const started = Promise.withResolvers<void>();
  const first = await working(async ({ context }) => {
    started.resolve();
    await new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)));
  });
  await enqueue(first, 'ingest-run', { runId: 'c' });
  await started.promise;
  await first.stop(0);

  const [row] = await opened.db.system.query<{ state: string; left: number }>(
    sql`select state, retry_limit - retry_count as left from pgboss.job where data ->> 'runId' = 'c'`,
  );
  assert.deepEqual(row, { state: 'created', left: 3 });

  const again = Promise.withResolvers<Run>();
  const second = await working(async (run) => again.resolve(run));
  assert.deepEqual((await again.promise).payload, { runId: 'c' });
  await second.stop(1_000);
});

test('a queue that stops waits once for a handler that hangs, and a late end does not disturb the next worker', async (t) => {
  const job = async () => {
    const [row] = await opened.db.system.query<{ state: string; left: number }>(
      sql`select state, retry_limit - retry_count as left from pgboss.job where data ->> 'runId' = 'hangs'`,
    );
    return row;
  };
  const started = Promise.withResolvers<void>();
  const lateEnd = Promise.withResolvers<void>();
  const first = await working(async () => {
    started.resolve();
    await lateEnd.promise;
  });
  await enqueue(first, 'ingest-run', { runId: 'hangs' });
  await started.promise;
  const timers = t.mock.method(globalThis, 'setTimeout');
  await first.stop(0);
  const waits = timers.mock.calls.filter(({ stack }) => stack.stack?.includes('endsWithin'));
  timers.mock.restore();
  assert.equal(waits.length, 2, 'for the grace and for the abort');
  assert.deepEqual(await job(), { state: 'created', left: 3 });

  const again = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const second = await working(async () => {
    again.resolve();
    await end.promise;
  });
  await again.promise;
  lateEnd.reject(new Error('late'));
  await sleep(100);
  assert.deepEqual(await job(), { state: 'active', left: 3 });
  end.resolve();
  await second.stop(1_000);
  assert.deepEqual(await job(), { state: 'completed', left: 3 });
});

test('a job whose handler has ended while the queue stops is recorded as completed', async () => {
  // The database is slow to record the completion.
  const system: Database['system'] = {
    ...opened.db.system,
    async execute(text, values) {
      if (/set\s+completed_on/i.test(text) && /'completed'/.test(text)) await sleep(500);
      return opened.db.system.execute(text, values);
    },
  };
  const ended = Promise.withResolvers<void>();
  const queue = await working(async () => ended.resolve(), { ...opened.db, system });
  await enqueue(queue, 'ingest-run', { runId: 'ended' });
  await ended.promise;
  await queue.stop(0);
  const [row] = await opened.db.system.query<{ state: string; retries: number }>(
    sql`select state, retry_count as retries from pgboss.job where data ->> 'runId' = 'ended'`,
  );
  assert.deepEqual(row, { state: 'completed', retries: 0 });
});

test('a job that a worker claims while the queue stops does not start, and the next worker runs it', async () => {
  // Holds the answer to the claim back until the queue has stopped.
  const stopped = Promise.withResolvers<void>();
  const system: Database['system'] = {
    ...opened.db.system,
    async execute(text, values) {
      const answer = await opened.db.system.execute(text, values);
      if (JSON.stringify(answer.rows).includes('claimed late')) await stopped.promise;
      return answer;
    },
  };
  const started: JobPayload[] = [];
  const first = await working(async ({ payload }) => void started.push(payload), { ...opened.db, system });
  await enqueue(first, 'ingest-run', { runId: 'claimed late' });
  const state = async () => {
    const [row] = await opened.db.system.query<{ state: string }>(
      sql`select state from pgboss.job where data ->> 'runId' = 'claimed late'`,
    );
    return row?.state;
  };
  await eventually(async () => (await state()) === 'active');
  await first.stop(0);
  stopped.resolve();
  await eventually(async () => (await state()) === 'created');
  assert.deepEqual(started, []);

  const seen = Promise.withResolvers<Run>();
  const second = await working(async (run) => seen.resolve(run));
  assert.deepEqual((await seen.promise).payload, { runId: 'claimed late' });
  await second.stop(1_000);
});

test('a job that a killed process left active runs at the next start', {
  skip: process.env['PINAKES_TEST_DATABASE_URL'] !== undefined && 'on a server another process may be running it',
}, async () => {
  const queue = await openQueue();
  await enqueue(queue, 'ingest-run', { runId: 'd' });
  await opened.db.system.query(
    sql`update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now() where data ->> 'runId' = 'd'`,
  );
  await queue.stop(0);

  const seen = Promise.withResolvers<Run>();
  const next = await working(async (run) => seen.resolve(run));
  assert.deepEqual((await seen.promise).payload, { runId: 'd' });
  await next.stop(1_000);
});

test('many short jobs run without a pause between them', async () => {
  const total = 40;
  const done = Promise.withResolvers<void>();
  let count = 0;
  const queue = await openQueue();
  for (let i = 0; i < total; i++) await enqueue(queue, 'ingest-run', { runId: String(i) });
  const ingest = { handler: async () => void (++count === total && done.resolve()), concurrency: 2 };
  await queue.work({ ...allIdle, 'ingest-run': ingest });
  await done.promise;
  await queue.stop(1_000);
});

test('a tenant with many jobs leaves a worker free for other tenants', async () => {
  const started: string[] = [];
  const otherStarted = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const queue = await working(async ({ payload }) => {
    started.push(payload['tenantId'] ?? '');
    if (payload['tenantId'] === 'other') otherStarted.resolve();
    await go.promise;
  });
  for (const runId of ['1', '2', '3', '4']) await enqueue(queue, 'ingest-run', { tenantId: 'busy', runId });
  await enqueue(queue, 'ingest-run', { tenantId: 'other', runId: '5' });
  await otherStarted.promise;
  assert.deepEqual(started.sort(), ['busy', 'other']);
  go.resolve();
  await queue.stop(10_000);
});

test('tenants take turns: a job waits for no backlog of other tenants, and a backlog is not overtaken for ever', async () => {
  const started: string[] = [];
  const queue = await openQueue();
  const add = (tenantId: string) => enqueue(queue, 'ingest-run', { tenantId, runId: 'turn' });
  const backlogs = ['first', 'second'];
  for (const tenantId of backlogs) for (let i = 0; i < 20; i++) await add(tenantId);
  // These tenants never have more than one job, but always another one. There are more of them than workers.
  const steady = ['third', 'fourth', 'fifth', 'sixth'];
  for (const tenantId of steady) await add(tenantId);
  const ended = Promise.withResolvers<void>();
  const handler = async ({ tenantId }: JobPayload) => {
    started.push(tenantId!);
    if (steady.includes(tenantId!) && started.length < 120) await add(tenantId!);
    if (started.filter((one) => backlogs.includes(one)).length === 40) ended.resolve();
  };
  await queue.work({ ...allIdle, 'ingest-run': { handler, concurrency: 2 } });
  await ended.promise;
  assert.ok(Math.max(...steady.map((one) => started.indexOf(one))) < 8, started.join(' '));
  const inTurns = started.slice(0, 60);
  for (const tenantId of [...backlogs, ...steady]) {
    const share = inTurns.filter((one) => one === tenantId).length;
    assert.ok(share >= 7 && share <= 13, `${tenantId}: ${started.join(' ')}`);
  }
  await queue.stop(1_000);
});

/** Returns the turns of the waiting jobs of a tenant, in the order in which they were enqueued; 0 is the first. */
async function turnsOf(tenantId: string): Promise<number[]> {
  const rows = await opened.db.system.query<{ turn: number }>(sql`
    select -priority as turn from pgboss.job where group_id = ${tenantId} and state = 'created' order by data ->> 'runId'`);
  return rows.map(({ turn }) => turn);
}

test('of jobs that one transaction enqueued, the first decides which turn is due', async () => {
  const queue = await openQueue();
  await opened.db.transaction(tenant.id, async (tx) => {
    for (const runId of ['1', '2', '3']) await queue.enqueue(tx, 'table-build', { tenantId: 'all at once', runId });
  });
  assert.deepEqual(await turnsOf('all at once'), [0, 1, 2]);
  await opened.db.system.transaction(async (tx) => {
    // The first job comes last when the table is read in the order of its rows, as a long table is.
    await tx.query(sql`update pgboss.job set data = data where group_id = 'all at once' and priority = 0`);
    await tx.query(sql`set local enable_indexscan = off`);
    await tx.query(sql`set local enable_bitmapscan = off`);
    await tx.query(sql`analyze pgboss.job`);
    await queue.enqueue(tx, 'table-build', { tenantId: 'newcomer', runId: '4' });
  });
  assert.deepEqual(await turnsOf('newcomer'), [0]);
});

test('a job whose delay is not over puts no other job of its tenant a turn back', async () => {
  const queue = await openQueue();
  await opened.db.transaction(tenant.id, (tx) =>
    queue.enqueue(tx, 'table-redact', { tenantId: 'delayed', runId: '1' }, { startAfterSeconds: 3_600 }),
  );
  await enqueue(queue, 'table-redact', { tenantId: 'delayed', runId: '2' });
  assert.deepEqual(await turnsOf('delayed'), [0, 0]);
});

test('a job that is blocked, or whose delay is not over, is given no place', async () => {
  const queue = await openQueue();
  const isGivenAfter = async (change: string): Promise<boolean> => {
    await opened.db.system.query(sql`update pgboss.job set ${raw(change)} where name = 'delete-group'`);
    return queue.givesPlace('delete-group', tenant.id);
  };
  await enqueue(queue, 'delete-group', {});
  assert.equal(await isGivenAfter('blocked = true'), false);
  assert.equal(await isGivenAfter(`blocked = false, start_after = now() + interval '1 hour'`), false);
  assert.equal(await isGivenAfter(`start_after = now(), state = 'active'`), false);
  assert.equal(await isGivenAfter(`state = 'completed'`), false);
  assert.equal(await isGivenAfter(`state = 'created'`), true);
});

test('of many jobs that may end, one gives its place to a job that waits', async () => {
  const queue = await openQueue();
  const give = () => Promise.all([1, 2, 3].map(() => queue.givesPlace('embed-chunks', tenant.id)));
  await enqueue(queue, 'embed-chunks', { tenantId: 'one waits' });
  assert.deepEqual((await give()).sort(), [false, false, true]);
  assert.deepEqual(await give(), [false, false, false]);
  for (const runId of ['1', '2']) await enqueue(queue, 'embed-chunks', { tenantId: 'more wait', runId });
  assert.deepEqual([...(await give()), ...(await give())].filter(Boolean).length, 2);
});

test('a job that goes on after others had its place is given one after as long a time', async () => {
  const queue = await openQueue();
  await enqueue(queue, 'reprocess', { tenantId: 'patient', again: 'true' });
  assert.equal(await queue.givesPlace('reprocess', tenant.id), false);
  await opened.db.system.query(
    sql`update pgboss.job set created_on = now() - interval '10 minutes 1 second' where name = 'reprocess'`,
  );
  assert.equal(await queue.givesPlace('reprocess', tenant.id), true);
});

test('a job whose tenant has all its places is given none, unless one of its own tenant ends', async () => {
  const started = new Set<string>();
  const go = Promise.withResolvers<void>();
  const queue = await openQueue();
  const handler = async ({ tenantId }: JobPayload): Promise<void> => {
    started.add(tenantId!);
    await go.promise;
  };
  await queue.work({ ...allIdle, 'agent-run': { handler, concurrency: 2, ofTenant: 1 } });
  for (const tenantId of ['busy', 'other']) await enqueue(queue, 'agent-run', { tenantId });
  await eventually(async () => started.size === 2);
  await enqueue(queue, 'agent-run', { tenantId: 'busy' });
  assert.equal(await queue.givesPlace('agent-run', 'other'), false);
  assert.equal(await queue.givesPlace('agent-run', 'busy'), true);
  go.resolve();
  await queue.stop(1_000);
});

test('the runs of a tenant that have a job are listed in its transaction, which keeps its role', async () => {
  const queue = await openQueue();
  const jobs: [string, string][] = [
    ['waits', 'created'],
    ['tries again', 'retry'],
    ['works', 'active'],
    ['over', 'completed'],
  ];
  for (const [runId, state] of jobs) {
    await enqueue(queue, 'origin-run', { tenantId: tenant.id, runId });
    await opened.db.system.query(sql`update pgboss.job set state = ${state} where data ->> 'runId' = ${runId}`);
  }
  await enqueue(queue, 'origin-run', { tenantId: 'another', runId: 'of another' });
  const [runs, user] = await opened.db.transaction(tenant.id, async (tx) => [
    await queue.listRunsWithJob(tx),
    await tx.query<{ user: string }>(sql`select current_user as user`),
  ]);
  assert.deepEqual(runs.map(({ runId, isWorkedOn }) => [runId, isWorkedOn]).sort(), [
    ['tries again', false],
    ['waits', false],
    ['works', true],
  ]);
  assert.deepEqual(user, await opened.db.transaction(tenant.id, (tx) => tx.query(sql`select current_user as user`)));
});
