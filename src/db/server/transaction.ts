/** Transactions, each on one client of the pool. */
import type pg from 'pg';
import { abortReason } from '../../util/abort.ts';
import type { Row, TransactionOptions, Tx, VisibleState } from '../database.ts';
import { mapDatabaseError } from '../pg-errors.ts';
import { keepPlan, type Sql, sql } from '../sql.ts';
import { tenantCommands } from '../tenant-scope.ts';
import { type BoundValue, encodeForeignValue, encodeValue } from '../values.ts';
import { type Batch, runBatch } from './batch.ts';
import type { ServerPlans } from './plans.ts';

/** The longest time limit of the driver, 24 days. The driver has no value for "none". */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Runs a statement, or without values a script of several statements, and returns all rows. `withoutTimeout` waits without a limit.
 *
 * @throws errors as `mapDatabaseError` returns them.
 */
export async function runStatement(
  client: pg.Pool | pg.ClientBase,
  text: string,
  values: readonly unknown[] = [],
  withoutTimeout = false,
): Promise<Row[]> {
  const limit = withoutTimeout ? { query_timeout: NO_TIMEOUT_MS } : {};
  try {
    const result = await client.query(values.length > 0 ? { text, values: [...values], ...limit } : { text, ...limit });
    // Several statements answer with several results, which the driver's types leave out.
    const results = Array.isArray(result) ? (result as pg.QueryResult[]) : [result];
    return results.flatMap((one) => one.rows as Row[]);
  } catch (error) {
    throw mapDatabaseError(error);
  }
}

/** A pool, and the prepared statements of its connections. */
export interface Connections {
  pool: pg.Pool;
  plans: ServerPlans;
}

/** All statements see one state of the database. A transaction that only reads never fails with a serialization error. */
const BEGIN_READING = 'begin isolation level repeatable read, read only';

/** Runs a transaction as `Database.transaction`. Without `tenantId` it is a system transaction. It begins with its first statement. */
export async function runTransaction<T>(
  connections: Connections,
  tenantId: string | undefined,
  fn: (tx: Tx) => Promise<T>,
  { signal, withoutTimeout = false, readOnly = false }: TransactionOptions = {},
): Promise<T> {
  const opening = [
    readOnly ? BEGIN_READING : 'begin',
    ...(tenantId === undefined ? [] : tenantCommands(tenantId)),
    ...(withoutTimeout ? ['set local statement_timeout=0'] : []),
  ];
  if (signal?.aborted) throw abortReason(signal);
  const lease = createLease(await connect(connections.pool), connections.plans, opening, withoutTimeout);
  const onAbort = (): void => lease.abort(abortReason(signal!));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal?.aborted) onAbort();
    const result = await Promise.race([
      fn(createTx(lease, tenantId, parallelQueryOf(connections, lease, readOnly ? tenantId : undefined))),
      lease.aborted,
    ]);
    // The rows are right even if the commit fails, so the caller gets the result before the commit.
    if (readOnly) setImmediate(() => lease.commit().catch(() => {}));
    else await lease.commit();
    return result;
  } catch (error) {
    lease.abort(error as Error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Runs one statement as the tenant, in its own transaction. */
export async function runSingle(connections: Connections, tenantId: string, statement: Sql): Promise<Row[]> {
  const lease = createLease(await connect(connections.pool), connections.plans);
  try {
    return await lease.only({ before: ['begin', ...tenantCommands(tenantId)], ...encoded(statement) });
  } catch (error) {
    lease.abort(error as Error);
    throw error;
  }
}

/** With more busy connections, a parallel query has no free processor to use. */
const BUSY_CONNECTIONS_MAX = 2;

/** Takes an idle connection when there is little load, at once, so that no later caller gets it first. */
function takeSpareConnection(pool: pg.Pool): Promise<pg.PoolClient> | undefined {
  if (pool.waitingCount > 0 || pool.totalCount - pool.idleCount > BUSY_CONNECTIONS_MAX) return undefined;
  if (pool.idleCount > 0) return pool.connect();
  // To open a connection now would take longer than it saves. The next caller finds it open.
  pool.connect().then(
    (client) => client.release(),
    () => {},
  );
  return undefined;
}

/** Returns `queryInParallel` for a tenant's transaction that only reads, else nothing. */
function parallelQueryOf(
  { pool, plans }: Connections,
  lease: Lease,
  tenantId: string | undefined,
): Pick<Tx, 'queryInParallel'> {
  if (tenantId === undefined) return {};
  return {
    async queryInParallel<R extends object>(
      statement: Sql,
      settings: Sql,
      { expression, value }: VisibleState,
    ): Promise<R[]> {
      const runInTransaction = async (): Promise<R[]> => (await lease.run(encoded(statement))) as R[];
      const client = await takeSpareConnection(pool)?.catch(() => undefined);
      if (!client) return runInTransaction();
      const side = createLease(client, plans);
      lease.aborted.catch((reason: Error) => side.abort(reason));
      let isBegun = false;
      try {
        lease.throwIfEnded();
        const before = [BEGIN_READING, ...tenantCommands(tenantId), `select ${settings.text}`];
        const onBegun = (): void => {
          isBegun = true;
        };
        // If the other connection sees another state, the statement reads nothing there.
        const inState = sql`select f.* from (${statement}) f where ${expression} = ${value}`;
        const rows = await side.only({
          before,
          ...encoded(statement.keepsPlan ? keepPlan(inState) : inState),
          onBegun,
        });
        if (rows.length > 0) return rows as R[];
      } catch (error) {
        side.abort(error as Error);
        if (isBegun) throw error;
      }
      // The connection was lost, it sees another state, or the result is empty.
      return runInTransaction();
    },
  };
}

function createTx(lease: Lease, tenantId: string | undefined, parallel: Pick<Tx, 'queryInParallel'>): Tx {
  return {
    inTransaction: true,
    tenantId,
    ...parallel,
    query: async <R extends object>(statement: Sql) => (await lease.run(encoded(statement))) as R[],
    execute: async (text, values = []) => ({
      rows: await lease.run({ text, values: values.map(encodeForeignValue), keepsPlan: false }),
    }),
  };
}

interface Statement {
  text: string;
  values: readonly BoundValue[];
  keepsPlan: boolean;
}

function encoded({ text, values, keepsPlan }: Sql): Statement {
  return { text, values: values.map(encodeValue), keepsPlan };
}

/** A transaction with one statement. `onBegun` is called after the commands before the statement. */
type WholeTransaction = Statement & Pick<Batch, 'before' | 'onBegun'>;

interface Lease {
  run(statement: Statement): Promise<Row[]>;
  /** Runs the whole transaction in one message, and releases the client. */
  only(whole: WholeTransaction): Promise<Row[]>;
  /** Commits and releases the client. @throws when the commit failed or was not acknowledged. */
  commit(): Promise<void>;
  /** Rolls back, releases the client (or closes it when it does not answer), and fails later `run`s. No-op when ended. */
  abort(reason: Error): void;
  /** Rejects with the reason of `abort`. Never resolves. */
  aborted: Promise<never>;
  throwIfEnded(): void;
}

/** @throws errors as `mapDatabaseError` returns them. */
async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw mapDatabaseError(error);
  }
}

/** @param opening the commands that begin the transaction. */
function createLease(
  client: pg.PoolClient,
  plans: ServerPlans,
  opening: readonly string[] = [],
  withoutTimeout = false,
): Lease {
  let ended: Error | undefined;
  let begun = false;
  let inDoubt = false;
  const prepared = plans.preparedOn(client);
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  // A client in use also reports a lost connection as an event. The failure of the statement tells the caller.
  const ignore = (): void => {};
  client.on('error', ignore);
  const release = (): void => {
    client.off('error', ignore);
    client.release(inDoubt);
  };
  const finish = async (text: string): Promise<void> => {
    try {
      if (begun) await runStatement(client, text);
      release();
    } catch (error) {
      client.off('error', ignore);
      client.release(true);
      throw error;
    }
  };
  const batch = async ({
    text,
    values,
    keepsPlan,
    ...around
  }: WholeTransaction & Pick<Batch, 'after'>): Promise<Row[]> => {
    begun = true;
    const name = keepsPlan ? plans.nameOf(text) : undefined;
    const named = name === undefined ? {} : { name, isPrepared: prepared.has(name) };
    try {
      const timeoutMs = withoutTimeout ? NO_TIMEOUT_MS : undefined;
      const { rows } = await runBatch(client, { text, values, ...around, timeoutMs, ...named });
      if (name !== undefined) prepared.add(name);
      return rows as Row[];
    } catch (error) {
      // The connection may or may not have prepared the statement, and its plan may be stale: the connection is not used again.
      inDoubt = name !== undefined;
      throw mapDatabaseError(error);
    }
  };
  const send = async (statement: Statement): Promise<Row[]> => {
    const { text, values, keepsPlan } = statement;
    if (keepsPlan || (!begun && values.length > 0)) return batch({ before: begun ? [] : opening, ...statement });
    const script = begun ? text : [...opening, text].join(';');
    begun = true;
    return runStatement(client, script, values, withoutTimeout);
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    aborted: aborted.promise,
    throwIfEnded() {
      if (ended) throw ended;
    },
    async only(whole) {
      if (ended) throw ended;
      const rows = await batch({ ...whole, after: ['commit'] });
      // An abort has released the client, or will.
      if (ended) throw ended;
      ended = new Error('the transaction has ended');
      release();
      return rows;
    },
    run(statement) {
      // The driver accepts one statement at a time.
      const running = last.then(async () => {
        if (ended) throw ended;
        const rows = await send(statement);
        if (ended) throw ended;
        return rows;
      });
      last = running.catch(() => {});
      return running;
    },
    async commit() {
      if (ended) throw ended;
      ended = new Error('the transaction has ended');
      await finish('commit');
    },
    abort(reason) {
      if (ended) return;
      ended = reason;
      finish('rollback').catch(() => {});
      aborted.reject(reason);
    },
  };
}
