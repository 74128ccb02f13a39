/** Parallel queries of a transaction: their connection is taken at once and always released, and they fail only for a good reason. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Tx } from '../../src/db/database.ts';
import { openServerPlans } from '../../src/db/server/plans.ts';
import { type Connections, runSingle, runTransaction } from '../../src/db/server/transaction.ts';
import { type Sql, sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

const CONNECTIONS = 6;
const BACK_WAIT_MS = 5_000;
/** A caller that waits longer for a connection gets an error. */
const CONNECT_TIMEOUT_MS = 5_000;
const LOCK = 77;

const SETTINGS = sql`set_config('enable_seqscan', 'off', true)`;
const SAME = { expression: sql`(select 'same'::text)`, value: 'same' };
const PARALLEL = sql`select pg_backend_pid() as pid, 'parallel' as mark`;
const WAITING = sql`select pg_advisory_xact_lock_shared(${LOCK}::int)`;

type Step = (text: string, client: pg.PoolClient) => Promise<unknown> | undefined;
type Send = (...query: unknown[]) => unknown;

describe('a parallel query', { skip: process.env['PINAKES_TEST_DATABASE_URL'] ? false : 'for a server' }, () => {
  let opened: TestDatabase;
  let tenant: Tenant;
  let url: string;
  let admin: pg.Client;

  before(async () => {
    opened = await openTestDatabase();
    tenant = await createTenant(opened.db, { id: newId(), name: 'default' });
    const [row] = await opened.db.system.query<{ name: string }>(sql`select current_database()::text as name`);
    url = Object.assign(new URL(process.env['PINAKES_TEST_DATABASE_URL']!), { pathname: `/${row!.name}` }).href;
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
  });
  after(async () => {
    await admin.end();
    await opened.close();
  });

  /** Opens all connections and calls `step` before each statement is sent. In the end all connections must be idle again. */
  async function withConnections(step: Step, use: (connections: Connections) => Promise<void>): Promise<void> {
    const timeouts = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
    const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, application_name: newId(), ...timeouts });
    pool.on('error', () => {});
    pool.on('connect', (client) => {
      const send = client.query.bind(client) as Send;
      const stepping: Send = (query, ...rest) => {
        const waited = step((query as { text: string }).text, client);
        return waited ? waited.then(() => send(query, ...rest)) : send(query, ...rest);
      };
      Object.assign(client, { query: stepping });
    });
    const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()));
    for (const client of clients) client.release();
    try {
      await use({ pool, plans: openServerPlans() });
      await assertAllReleased(pool);
    } finally {
      // `end` would wait for connections that are not released.
      await Promise.race([pool.end(), sleep(BACK_WAIT_MS, undefined, { ref: false })]);
    }
  }

  async function assertAllReleased(pool: pg.Pool): Promise<void> {
    for (let waitedMs = 0; pool.idleCount < pool.totalCount; waitedMs += 10) {
      assert.ok(waitedMs < BACK_WAIT_MS, `${pool.totalCount - pool.idleCount} connections are not released`);
      await sleep(10);
    }
    const text = "select 1 from pg_stat_activity where application_name = $1 and state <> 'idle'";
    assert.equal((await admin.query(text, [pool.options.application_name])).rowCount, 0);
  }

  const read = <T>(connections: Connections, use: (tx: Tx) => Promise<T>, signal?: AbortSignal): Promise<T> =>
    runTransaction(connections, tenant.id, use, { readOnly: true, ...(signal && { signal }) });
  const pidOf = async (tx: Tx): Promise<number> =>
    (await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]!.pid;
  const parallelPid = async (tx: Tx, settings: Sql = SETTINGS): Promise<number> =>
    (await tx.queryInParallel!<{ pid: number }>(PARALLEL, settings, SAME))[0]!.pid;
  const end = (pid: number) => admin.query('select pg_terminate_backend($1, 5000)', [pid]);

  async function locked(use: () => Promise<void>): Promise<void> {
    await admin.query('select pg_advisory_lock($1)', [LOCK]);
    try {
      await use();
    } finally {
      await admin.query('select pg_advisory_unlock($1)', [LOCK]);
    }
  }

  for (const come of ['later', 'earlier'] as const) {
    test(`does not wait when others that come ${come} take all connections`, async () => {
      await withConnections(
        () => undefined,
        async (connections) => {
          const others: Promise<string>[] = [];
          const crowd = (): void => {
            for (let n = 0; n <= CONNECTIONS; n += 1) {
              const other = runSingle(connections, tenant.id, WAITING);
              others.push(
                other.then(
                  () => 'another',
                  () => 'another',
                ),
              );
            }
          };
          await locked(async () => {
            const first = read(connections, async (tx) => {
              const pid = await pidOf(tx);
              if (come === 'earlier') crowd();
              const found = parallelPid(tx);
              if (come === 'later') crowd();
              const where = found.then((at) => (at === pid ? 'inside' : 'parallel'));
              return Promise.race([where, ...others]);
            });
            assert.equal(await first, come === 'earlier' ? 'inside' : 'parallel');
          });
          await Promise.all(others);
        },
      );
    });
  }

  test('runs in the transaction when the other connection sees another state', async () => {
    await withConnections(
      () => undefined,
      async (connections) => {
        let pid = 0;
        let reading: Promise<unknown> | undefined;
        await locked(async () => {
          reading = read(connections, async (tx) => {
            pid = await pidOf(tx);
            return tx.queryInParallel!(WAITING, SETTINGS, { ...SAME, value: 'other' });
          });
          assert.deepEqual(await untilWaiting(connections.pool), [pid]);
        });
        await reading;
      },
    );
  });

  test('runs in the transaction when it cannot begin on the other connection', async () => {
    const wrong = sql`set_config('statement_timeout', 'wrong', true)`;
    const lost: Step = (text, client) => {
      const { processID } = client as unknown as { processID: number };
      return text.includes('parallel') && pids.add(processID).size === 1 ? end(processID) : undefined;
    };
    const pids = new Set<number>();
    const isInside = async (tx: Tx, settings?: Sql): Promise<void> => {
      const pid = await pidOf(tx);
      assert.equal(await parallelPid(tx, settings), pid);
    };
    await withConnections(
      () => undefined,
      (connections) => read(connections, (tx) => isInside(tx, wrong)),
    );
    await withConnections(lost, (connections) => read(connections, (tx) => isInside(tx)));
    assert.equal(pids.size, 2);
  });

  test('fails when its transaction fails', async () => {
    await withConnections(
      () => undefined,
      async (connections) => {
        await locked(async () => {
          const both = (tx: Tx) =>
            Promise.all([tx.queryInParallel!(WAITING, SETTINGS, SAME), tx.query(sql`select 1 / ${0}::int`)]);
          await assert.rejects(read(connections, both), /division by zero/);
        });
      },
    );
  });

  test('is not sent after an abort', async () => {
    const abort = new AbortController();
    const reason = new Error('the client left');
    const sent: string[] = [];
    await withConnections(
      (text) => void sent.push(text),
      async (connections) => {
        const found = Promise.withResolvers<unknown>();
        const reading = read(
          connections,
          async (tx) => {
            await pidOf(tx);
            parallelPid(tx).then(found.resolve, found.resolve);
            abort.abort(reason);
            return found.promise;
          },
          abort.signal,
        );
        await assert.rejects(reading, reason);
        assert.equal(await found.promise, reason);
      },
    );
    assert.ok(sent.length > 0);
    assert.ok(!sent.some((text) => text.includes('parallel')));
  });

  test('in flight at an abort is rolled back, and nobody waits for it', async () => {
    const sent: string[] = [];
    const abort = new AbortController();
    const reason = new Error('the client left');
    await withConnections(
      (text) => void sent.push(text),
      async (connections) => {
        const found = Promise.withResolvers<unknown>();
        await locked(async () => {
          const reading = read(
            connections,
            async (tx) => {
              await pidOf(tx);
              tx.queryInParallel!(WAITING, SETTINGS, SAME).then(found.resolve, found.resolve);
              return found.promise;
            },
            abort.signal,
          );
          reading.catch(() => {});
          await untilWaiting(connections.pool);
          abort.abort(reason);
          await assert.rejects(reading, reason);
        });
        assert.equal(await found.promise, reason);
      },
    );
    assert.equal(sent.filter((text) => text === 'rollback').length, 2);
  });

  /** Returns the processes of the connections that wait for the lock, once there are any. */
  async function untilWaiting(pool: pg.Pool): Promise<number[]> {
    const text = "select pid from pg_stat_activity where application_name = $1 and wait_event = 'advisory'";
    for (let waitedMs = 0; ; waitedMs += 10) {
      const { rows } = await admin.query<{ pid: number }>(text, [pool.options.application_name]);
      if (rows.length > 0) return rows.map(({ pid }) => pid);
      assert.ok(waitedMs < BACK_WAIT_MS, 'it does not run');
      await sleep(10);
    }
  }
});
