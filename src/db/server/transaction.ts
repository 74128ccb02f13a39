/** Transactions, each on one client of the pool. */
import type pg from 'pg';
import { abortReason } from '../../util/abort.ts';
import type { Row, TransactionOptions, Tx } from '../database.ts';
import { mapDatabaseError } from '../pg-errors.ts';
import { withReadTimeout } from '../read-timeout.ts';
import type { Sql } from '../sql.ts';
import { enterTenant } from '../tenant-scope.ts';
import { type BoundValue, encodeForeignValue, encodeValue } from '../values.ts';
import { rowsOf } from './rows.ts';

/** The longest time limit of the driver, 24 days. The driver has no value for "none". */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

export interface StatementOptions {
  /** Runs without a time-out. */
  withoutTimeout?: boolean;
  /** Keeps the column names of the result, as `rowsOf` does. */
  keepNames?: boolean;
  /** Prepares the statement under this name on the connection. */
  name?: string;
}

/**
 * Runs a statement, or without values and name a script of several, and returns all rows.
 *
 * @throws errors as `mapDatabaseError` returns them.
 */
export async function runStatement(
  client: pg.Pool | pg.ClientBase,
  text: string,
  values: readonly unknown[] = [],
  { withoutTimeout = false, keepNames = false, name }: StatementOptions = {},
): Promise<Row[]> {
  const limit = withoutTimeout ? { query_timeout: NO_TIMEOUT_MS } : {};
  const prepared = name === undefined ? {} : { name };
  try {
    const bound = values.length > 0 || name !== undefined ? { values: [...values] } : {};
    const result = await client.query({ text, rowMode: 'array' as const, ...bound, ...prepared, ...limit });
    // Several statements answer with several results, which the driver's types leave out.
    const results = Array.isArray(result) ? (result as pg.QueryArrayResult[]) : [result];
    return results.flatMap((one) => rowsOf(one, keepNames));
  } catch (error) {
    throw mapDatabaseError(error);
  }
}

export interface Connections {
  pool: pg.Pool;
  /** The one connection of urgent transactions. */
  urgentPool: pg.Pool;
  /** Names of prepared statements, for all connections of the pool. */
  nameOf(text: string): string | undefined;
  /** Time limit of read-only transactions. */
  readTimeoutMs: number;
  /** Cancels the statement that runs on the connection of this server process. */
  cancel(processId: number): Promise<void>;
}

/** The server stops a statement so much later than this process does, so that callers always get the same message. */
const SERVER_LATER_MS = 1_000;
/** All statements of a read-only transaction see one state of the database. */
const BEGIN_READING = 'begin isolation level repeatable read, read only';

/** Runs `Database.transaction`; without `tenantId` as the system. */
export async function runTransaction<T, Tenant extends string | undefined>(
  connections: Connections,
  tenantId: Tenant,
  fn: (tx: Tx<Tenant>) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  if (!options.readOnly) return runLeased(connections, tenantId, fn, options);
  return withReadTimeout(connections.readTimeoutMs, options.signal, (signal) =>
    runLeased(connections, tenantId, fn, { ...options, signal }),
  );
}

async function runLeased<T, Tenant extends string | undefined>(
  connections: Connections,
  tenantId: Tenant,
  fn: (tx: Tx<Tenant>) => Promise<T>,
  { signal, withoutTimeout = false, readOnly = false, urgent = false, settings = [] }: TransactionOptions,
): Promise<T> {
  const opening = [
    readOnly ? BEGIN_READING : 'begin',
    ...(tenantId === undefined ? [] : [enterTenant(tenantId)]),
    ...(withoutTimeout ? ['set local statement_timeout=0'] : []),
    ...(readOnly ? [`set local statement_timeout=${connections.readTimeoutMs + SERVER_LATER_MS}`] : []),
    ...settings,
  ];
  if (signal?.aborted) throw abortReason(signal);
  const lease = await openLease(connections, opening, withoutTimeout, urgent);
  const onAbort = (): void => lease.abort(abortReason(signal!), readOnly);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal?.aborted) onAbort();
    const result = await Promise.race([fn(createTx(lease, tenantId)), lease.aborted]);
    // The commit of a read-only transaction cannot change its result, so the caller does not wait for it.
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

function createTx<Tenant extends string | undefined>(lease: Lease, tenantId: Tenant): Tx<Tenant> {
  return {
    inTransaction: true,
    tenantId,
    query: async <R extends object>({ text, values, keepsPlan }: Sql) =>
      (await lease.run({ text, values: values.map(encodeValue), keepsPlan })) as R[],
    execute: async (text, values = []) => ({
      rows: await lease.run({ text, values: values.map(encodeForeignValue), keepsPlan: false, keepNames: true }),
    }),
  };
}

interface Statement {
  text: string;
  values: readonly BoundValue[];
  keepsPlan: boolean;
  /** See `rowsOf`. */
  keepNames?: boolean;
}

interface Lease {
  run(statement: Statement): Promise<Row[]>;
  /** Gives the client back. @throws when the commit failed or was not acknowledged. */
  commit(): Promise<void>;
  /**
   * Rolls back, releases the client (or closes it when it does not answer), and fails later `run`s. No-op when ended. With `cancels`,
   * the server ends the statement that runs.
   */
  abort(reason: Error, cancels?: boolean): void;
  /** Rejects with the reason of `abort`. Never resolves. */
  aborted: Promise<never>;
}

/** @throws errors as `mapDatabaseError` returns them. */
async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw mapDatabaseError(error);
  }
}

/** Takes a client of the pool for one transaction, which begins with its first statement. `opening`: the commands that begin it. */
async function openLease(
  { pool, urgentPool, nameOf, cancel }: Connections,
  opening: readonly string[],
  withoutTimeout: boolean,
  isUrgent: boolean,
): Promise<Lease> {
  const client = await connect(isUrgent ? urgentPool : pool);
  let ended: Error | undefined;
  let begun = false;
  let inDoubt = false;
  let isRunning = false;
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  // A client in use also emits an error event when its connection breaks; the failed statement tells the caller.
  const ignore = (): void => {};
  client.on('error', ignore);
  const finish = async (text: string): Promise<void> => {
    try {
      if (begun) await runStatement(client, text);
      client.off('error', ignore);
      client.release(inDoubt);
    } catch (error) {
      client.off('error', ignore);
      client.release(true);
      throw error;
    }
  };
  const send = async ({ text, values, keepsPlan, keepNames = false }: Statement): Promise<Row[]> => {
    const script = values.length === 0 && !keepsPlan;
    if (!begun) {
      begun = true;
      // One message stops at its first error, so nothing runs outside of the transaction.
      if (script) return runStatement(client, [...opening, text].join(';'), [], { withoutTimeout, keepNames });
      await runStatement(client, opening.join(';'), [], { withoutTimeout });
    }
    const name = keepsPlan ? nameOf(text) : undefined;
    try {
      return await runStatement(client, text, values, {
        withoutTimeout,
        keepNames,
        ...(name !== undefined && { name }),
      });
    } catch (error) {
      // The prepared statement may be out of date (after a migration), so the connection is dropped.
      inDoubt = name !== undefined;
      throw error;
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    aborted: aborted.promise,
    run(statement) {
      // The driver takes one statement at a time.
      const running = last.then(async () => {
        if (ended) throw ended;
        isRunning = true;
        const rows = await send(statement).finally(() => {
          isRunning = false;
        });
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
    abort(reason, cancels = false) {
      if (ended) return;
      ended = reason;
      const { processID } = client as unknown as { processID: number };
      // The rollback waits for the cancellation, which would end the rollback or a statement of the next transaction.
      const canceled = cancels && isRunning ? cancel(processID).catch(() => {}) : Promise.resolve();
      canceled.then(() => finish('rollback')).catch(() => {});
      aborted.reject(reason);
    },
  };
}
