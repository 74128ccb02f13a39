/** One transaction on one client of the pool. */
import type pg from 'pg';
import { abortReason } from '../util/abort.ts';
import type { Row, TransactionOptions, Tx } from './database.ts';
import { mapDatabaseError } from './pg-errors.ts';
import { enterTenant } from './tenant-scope.ts';
import { encodeForeignValue, encodeValue } from './values.ts';

/** The driver's own limit, which knows no "none": 24 days. */
const PATIENT_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Runs a statement, or with no values a script of several, and returns all rows. `patient`: however long the server takes.
 *
 * @throws mapped errors.
 */
export async function runStatement(
  client: pg.Pool | pg.ClientBase,
  text: string,
  values: readonly unknown[] = [],
  patient = false,
): Promise<Row[]> {
  const limit = patient ? { query_timeout: PATIENT_TIMEOUT_MS } : {};
  try {
    const result = await client.query(values.length > 0 ? { text, values: [...values], ...limit } : { text, ...limit });
    // Several statements answer with several results, which the driver's types leave out.
    const results = Array.isArray(result) ? (result as pg.QueryResult[]) : [result];
    return results.flatMap((one) => one.rows as Row[]);
  } catch (error) {
    throw mapDatabaseError(error);
  }
}

/** As `Database.transaction`; `tenantId` undefined is the system's. */
export async function runTransaction<T>(
  pool: pg.Pool,
  tenantId: string | undefined,
  fn: (tx: Tx) => Promise<T>,
  { signal, patient = false }: TransactionOptions = {},
): Promise<T> {
  const begin = [
    'begin',
    ...(tenantId === undefined ? [] : [enterTenant(tenantId)]),
    ...(patient ? ['set local statement_timeout=0'] : []),
  ].join(';');
  if (signal?.aborted) throw abortReason(signal);
  const client = await pool.connect().catch((error: unknown) => {
    throw mapDatabaseError(error);
  });
  const lease = createLease(client, patient);
  const onAbort = (): void => lease.abort(abortReason(signal!));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal?.aborted) onAbort();
    await lease.run(begin);
    const result = await Promise.race([fn(createTx(lease, tenantId)), lease.aborted]);
    await lease.commit();
    return result;
  } catch (error) {
    lease.abort(error as Error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

function createTx(lease: Lease, tenantId: string | undefined): Tx {
  return {
    inTransaction: true,
    tenantId,
    query: async <R extends object>({ text, values }: { text: string; values: readonly unknown[] }) =>
      (await lease.run(text, values.map(encodeValue))) as R[],
    execute: async (text, values) => ({ rows: await lease.run(text, values?.map(encodeForeignValue)) }),
  };
}

interface Lease {
  run(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Gives the client back. @throws when the commit failed or was not acknowledged. */
  commit(): Promise<void>;
  /** Rolls back, gives the client back (or drops it when it does not answer), and fails later `run`s. No-op when ended. */
  abort(reason: Error): void;
  /** Rejects with the reason of `abort`; never resolves. */
  aborted: Promise<never>;
}

function createLease(client: pg.PoolClient, patient: boolean): Lease {
  let ended: Error | undefined;
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  // A client in use reports its lost connection as an event too; the statement's failure tells the caller.
  const ignore = (): void => {};
  client.on('error', ignore);
  const finish = async (text: string): Promise<void> => {
    try {
      await runStatement(client, text);
      client.off('error', ignore);
      client.release();
    } catch (error) {
      client.off('error', ignore);
      client.release(true);
      throw error;
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    aborted: aborted.promise,
    run(text, values) {
      // The driver wants to be given one at a time.
      const running = last.then(async () => {
        if (ended) throw ended;
        const rows = await runStatement(client, text, values, patient);
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
