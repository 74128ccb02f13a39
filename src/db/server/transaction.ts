/** One transaction on one client of the pool. */
import type pg from 'pg';
import { abortReason } from '../../util/abort.ts';
import type { Row, State, TransactionOptions, Tx } from '../database.ts';
import { mapDatabaseError } from '../pg-errors.ts';
import { keepPlan, type Sql, sql } from '../sql.ts';
import { tenantCommands } from '../tenant-scope.ts';
import { type BoundValue, encodeForeignValue, encodeValue } from '../values.ts';
import { type Batch, runBatch } from './batch.ts';
import type { ServerPlans } from './plans.ts';
import { rowsOf } from './rows.ts';

/** The driver's own limit, which knows no "none": 24 days. */
const PATIENT_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Runs a statement, or with no values a script of several, and returns all rows. `patient`: however long the server takes;
 * `keepNames` as in `rowsOf`.
 *
 * @throws mapped errors.
 */
export async function runStatement(
  client: pg.Pool | pg.ClientBase,
  text: string,
  values: readonly unknown[] = [],
  { patient = false, keepNames = false }: { patient?: boolean; keepNames?: boolean } = {},
): Promise<Row[]> {
  const limit = patient ? { query_timeout: PATIENT_TIMEOUT_MS } : {};
  try {
    const config = { text, rowMode: 'array' as const, ...limit };
    const result = await client.query(values.length > 0 ? { ...config, values: [...values] } : config);
    // Several statements answer with several results, which the driver's types leave out.
    const results = Array.isArray(result) ? (result as pg.QueryArrayResult[]) : [result];
    return results.flatMap((one) => rowsOf(one, keepNames));
  } catch (error) {
    throw mapDatabaseError(error);
  }
}

/** A pool, and what its connections know. */
export interface Connections {
  pool: pg.Pool;
  plans: ServerPlans;
}

/** All that is read together is of one state; what only reads never has to be begun anew for that. */
const BEGIN_READING = 'begin isolation level repeatable read, read only';

/** As `Database.transaction`; `tenantId` undefined is the system's. It begins with its first statement. */
export async function runTransaction<T>(
  connections: Connections,
  tenantId: string | undefined,
  fn: (tx: Tx) => Promise<T>,
  { signal, patient = false, readOnly = false }: TransactionOptions = {},
): Promise<T> {
  const opening = [
    readOnly ? BEGIN_READING : 'begin',
    ...(tenantId === undefined ? [] : tenantCommands(tenantId)),
    ...(patient ? ['set local statement_timeout=0'] : []),
  ];
  if (signal?.aborted) throw abortReason(signal);
  const lease = createLease(await connect(connections.pool), connections.plans, opening, patient);
  const onAbort = (): void => lease.abort(abortReason(signal!));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal?.aborted) onAbort();
    const result = await Promise.race([
      fn(createTx(lease, tenantId, besideOf(connections, lease, readOnly ? tenantId : undefined))),
      lease.aborted,
    ]);
    // What was read is right whatever becomes of the transaction; so whoever waits for it has it first.
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

/** One statement in a transaction of its own, as the tenant. */
export async function runSingle(connections: Connections, tenantId: string, statement: Sql): Promise<Row[]> {
  const lease = createLease(await connect(connections.pool), connections.plans);
  try {
    return await lease.only({ before: ['begin', ...tenantCommands(tenantId)], ...encoded(statement) });
  } catch (error) {
    lease.abort(error as Error);
    throw error;
  }
}

/** With more of them at work, the processors have enough to do. */
const BUSY_CONNECTIONS_MAX = 2;

/** Taken at once, so that nobody who comes meanwhile stands before it. */
function takeSpare(pool: pg.Pool): Promise<pg.PoolClient> | undefined {
  if (pool.waitingCount > 0 || pool.totalCount - pool.idleCount > BUSY_CONNECTIONS_MAX) return undefined;
  if (pool.idleCount > 0) return pool.connect();
  // Now it would take longer than it saves; the next will find it.
  pool.connect().then(
    (client) => client.release(),
    () => {},
  );
  return undefined;
}

/** For a transaction that only reads, of a tenant. */
function besideOf({ pool, plans }: Connections, lease: Lease, tenantId: string | undefined): Pick<Tx, 'beside'> {
  if (tenantId === undefined) return {};
  return {
    async beside<R extends object>(statement: Sql, settings: Sql, { of, is }: State): Promise<R[]> {
      const inside = async (): Promise<R[]> => (await lease.run(encoded(statement))) as R[];
      const client = await takeSpare(pool)?.catch(() => undefined);
      if (!client) return inside();
      const side = createLease(client, plans);
      lease.aborted.catch((reason: Error) => side.abort(reason));
      let isBegun = false;
      try {
        lease.throwIfEnded();
        const before = [BEGIN_READING, ...tenantCommands(tenantId), `select ${settings.text}`];
        const onBegun = (): void => {
          isBegun = true;
        };
        // In another state nothing of it is run.
        const inState = sql`select f.* from (${statement}) f where ${of} = ${is}`;
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
      // Its connection was lost, it sees another state, or there is nothing to find.
      return inside();
    },
  };
}

function createTx(lease: Lease, tenantId: string | undefined, beside: Pick<Tx, 'beside'>): Tx {
  return {
    inTransaction: true,
    tenantId,
    ...beside,
    query: async <R extends object>(statement: Sql) => (await lease.run(encoded(statement))) as R[],
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

function encoded({ text, values, keepsPlan }: Sql): Statement {
  return { text, values: values.map(encodeValue), keepsPlan };
}

/** The whole transaction. `onBegun`: the commands before the statement have been run. */
type Whole = Statement & Pick<Batch, 'before' | 'onBegun'>;

interface Lease {
  run(statement: Statement): Promise<Row[]>;
  /** The whole transaction in one message; gives the client back. */
  only(whole: Whole): Promise<Row[]>;
  /** Gives the client back. @throws when the commit failed or was not acknowledged. */
  commit(): Promise<void>;
  /** Rolls back, gives the client back (or drops it when it does not answer), and fails later `run`s. No-op when ended. */
  abort(reason: Error): void;
  /** Rejects with the reason of `abort`; never resolves. */
  aborted: Promise<never>;
  throwIfEnded(): void;
}

/** @throws mapped errors. */
async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw mapDatabaseError(error);
  }
}

/** `opening`: the commands that begin the transaction. */
function createLease(
  client: pg.PoolClient,
  plans: ServerPlans,
  opening: readonly string[] = [],
  patient = false,
): Lease {
  let ended: Error | undefined;
  let begun = false;
  let inDoubt = false;
  const known = plans.knownTo(client);
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  // A client in use reports its lost connection as an event too; the statement's failure tells the caller.
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
    keepNames,
    ...around
  }: Whole & Pick<Batch, 'after'>): Promise<Row[]> => {
    begun = true;
    const name = keepsPlan ? plans.nameOf(text) : undefined;
    const named = name === undefined ? {} : { name, isKnown: known.has(name) };
    try {
      const timeoutMs = patient ? PATIENT_TIMEOUT_MS : undefined;
      const result = await runBatch(client, { text, values, ...around, timeoutMs, ...named });
      if (name !== undefined) known.add(name);
      return rowsOf(result, keepNames);
    } catch (error) {
      // Whether the connection knows the name now, or whether its plan is out of date, is not worth finding out.
      inDoubt = name !== undefined;
      throw mapDatabaseError(error);
    }
  };
  const send = async (statement: Statement): Promise<Row[]> => {
    const { text, values, keepsPlan, keepNames = false } = statement;
    if (keepsPlan || (!begun && values.length > 0)) return batch({ before: begun ? [] : opening, ...statement });
    const script = begun ? text : [...opening, text].join(';');
    begun = true;
    return runStatement(client, script, values, { patient, keepNames });
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
      // Then it is given back already, or will be.
      if (ended) throw ended;
      ended = new Error('the transaction has ended');
      release();
      return rows;
    },
    run(statement) {
      // The driver wants to be given one at a time.
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
