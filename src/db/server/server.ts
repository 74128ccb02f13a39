/** The `Database` port over a PostgreSQL server: a pool, and one client for each transaction. */
import pg from 'pg';
import type { Database, SystemDatabase } from '../database.ts';
import { ensureExtensions } from '../extensions.ts';
import { READ_TIMEOUT_MS_DEFAULT } from '../read-timeout.ts';
import type { Sql } from '../sql.ts';
import { encodeForeignValue, encodeValue, valueParser } from '../values.ts';
import { listen } from './listener.ts';
import { explainStart, withStartLock } from './start.ts';
import { openStatementNames } from './statement-names.ts';
import { type Connections, runStatement, runTransaction } from './transaction.ts';

/** Per process. PostgreSQL allows 100 connections by default, for all of its clients. */
export const CONNECTIONS_MAX = 20;
/** A request waits this long for a free connection, and then fails with a hint to retry. */
const CONNECT_TIMEOUT_MS = 5_000;
/** A connection that is idle for this long is closed. */
const IDLE_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
/** The server cancels a statement that runs longer. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** After this time without an answer, not even the cancellation, the connection counts as lost. */
const ANSWER_TIMEOUT_MS = 75_000;
const IDLE_IN_TRANSACTION_MS = 60_000;
const CLOSE_WAIT_MS = 10_000;

export interface ServerOptions {
  /** `postgres://user:password@host:port/name` */
  url: string;
  readTimeoutMs?: number | undefined;
}

/** @throws ConfigError when the server cannot be reached or used, or pgvector cannot be created. */
export async function openServerDatabase(options: ServerOptions): Promise<Database> {
  const connection: pg.ClientConfig = {
    connectionString: options.url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    application_name: 'pinakes',
    types: { getTypeParser: (oid: number) => valueParser(oid) as never },
  };
  const settings: pg.PoolConfig = {
    ...connection,
    max: CONNECTIONS_MAX,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // The server would compile a statement with a high estimate for half a second, which then runs for a hundredth of a second.
    // `statement_timeout` also ends a wait for a lock.
    onConnect: (client) => client.query('set jit=off; set lock_timeout=0'),
  };
  const pool = new pg.Pool(settings);
  // Waits for nobody: all connections of the pool may be busy with searches.
  const urgentPool = new pg.Pool({ ...settings, max: 1 });
  // A pool replaces an idle connection that broke.
  for (const one of [pool, urgentPool]) one.on('error', () => {});
  const connections: Connections = {
    pool,
    urgentPool,
    nameOf: openStatementNames(),
    readTimeoutMs: options.readTimeoutMs ?? READ_TIMEOUT_MS_DEFAULT,
    cancel: (processId) => runOnce(connection, 'select pg_cancel_backend($1)', [processId]),
  };
  const system = createSystem(connections, connection);
  try {
    return createDatabase(connections, system, await withStartLock(system, () => ensureExtensions(system)));
  } catch (error) {
    await pool.end();
    throw explainStart(error, options.url);
  }
}

function createDatabase(connections: Connections, system: SystemDatabase, hasTextSearch: boolean): Database {
  return {
    kind: 'server',
    hasTextSearch,
    system,
    query: <R extends object>(tenantId: string, statement: Sql) =>
      runTransaction(connections, tenantId, (tx) => tx.query<R>(statement)),
    transaction: (tenantId, fn, options) => runTransaction(connections, tenantId, fn, options),
    async close() {
      const ended = Promise.all([connections.pool.end(), connections.urgentPool.end()]);
      await Promise.race([ended, new Promise((done) => setTimeout(done, CLOSE_WAIT_MS).unref())]);
    },
  };
}

function createSystem(connections: Connections, connection: pg.ClientConfig): SystemDatabase {
  const { pool } = connections;
  return {
    query: async <R extends object>({ text, values }: Sql) =>
      (await runStatement(pool, text, values.map(encodeValue))) as R[],
    transaction: (fn, options) => runTransaction(connections, undefined, fn, options),
    execute: async (text, values) => ({
      rows: await runStatement(pool, text, values?.map(encodeForeignValue), { keepNames: true }),
    }),
    async executeOutsideTransaction(text) {
      await runOnce(connection, text);
    },
    listen: (channel, onNotify, onConnect) => listen(() => new pg.Client(connection), channel, onNotify, onConnect),
  };
}

/**
 * Runs a statement on a client of its own, which has no time limits, also none that an administrator has set, and needs no free client
 * of the pool.
 */
async function runOnce(connection: pg.ClientConfig, text: string, values: readonly unknown[] = []): Promise<void> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('set statement_timeout=0; set lock_timeout=0');
    await runStatement(client, text, values);
  } finally {
    await client.end();
  }
}
