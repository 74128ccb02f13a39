/** The `Database` port over the embedded engine. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { dirname, resolve } from 'node:path';
import { abortReason } from '../../util/abort.ts';
import { makeFolder } from '../../util/folders.ts';
import { startWork } from '../../util/work/work-time.ts';
import type { Database, Queryable, Row, SystemDatabase, TransactionOptions, Tx } from '../database.ts';
import { ensureExtensions } from '../extensions.ts';
import { mapDatabaseError } from '../pg-errors.ts';
import { READ_TIMEOUT_MS_DEFAULT, tookTooLong, withReadTimeout } from '../read-timeout.ts';
import type { Sql } from '../sql.ts';
import { enterTenant } from '../tenant-scope.ts';
import { encodeForeignValue } from '../values.ts';
import { errorOfStart } from './disk-room.ts';
import { type Engine, openEngine } from './engine.ts';
import { initialiseDirectory } from './initialise.ts';
import { openKeptPlans, type RunPlanned } from './kept-plans.ts';
import { type DirectoryLock, lockDirectory } from './lock.ts';
import { createSession, JOBS, type Session } from './session.ts';
import { type Reply, simpleQuery, statement } from './wire.ts';

/** A search that has waited for this share of its time limit does not start any more: it would be stopped while it runs. */
const WAIT_SHARE_MAX = 0.9;
/** How long `close` waits for running transactions. */
const CLOSE_WAIT_MS = 10_000;

export interface EmbeddedOptions {
  /** Directory of the data; created when missing. */
  dataDir: string;
  readTimeoutMs?: number | undefined;
}

/** @throws Error with one helpful line when the engine does not start. */
export async function openEmbeddedDatabase(options: EmbeddedOptions): Promise<Database> {
  const dataDir = resolve(options.dataDir);
  makeFolder(dirname(dataDir));
  const lock = lockDirectory(dataDir);
  try {
    await initialiseDirectory(dataDir);
    const engine = await openEngine(dataDir);
    try {
      return await createDatabase(engine, lock, options.readTimeoutMs ?? READ_TIMEOUT_MS_DEFAULT);
    } catch (error) {
      await engine.close();
      throw error;
    }
  } catch (error) {
    const problem = await errorOfStart(dataDir, error);
    lock.release();
    throw problem;
  }
}

async function createDatabase(engine: Engine, lock: DirectoryLock, readTimeoutMs: number): Promise<Database> {
  const session = createSession(engine);
  const run = openKeptPlans(engine);
  const begin: Begin = { session, run, readTimeoutMs };
  const system = createSystem(engine, begin);
  const hasTextSearch = await ensureExtensions(system);
  return {
    kind: 'embedded',
    hasTextSearch,
    system,
    query: async <R extends object>(tenantId: string, given: Sql) => {
      refuseInsideTransaction(session);
      const [begin, commit] = [simpleQuery(`begin;${enterTenant(tenantId)}`), simpleQuery('commit')];
      return rowsOf<R>(
        await run(given, (bytes) => session.single(Buffer.concat([begin, bytes, commit]), false, { owner: tenantId })),
      );
    },
    transaction: (tenantId, fn, transactionOptions) => runTransaction(begin, tenantId, fn, transactionOptions),
    async close() {
      await Promise.race([session.idle(), new Promise((done) => setTimeout(done, CLOSE_WAIT_MS).unref())]);
      await engine.close();
      lock.release();
    },
  };
}

function createSystem(engine: Engine, begin: Begin): SystemDatabase {
  const { session, run } = begin;
  return {
    async query<R extends object>(given: Sql) {
      refuseInsideTransaction(session);
      return rowsOf<R>(await run(given, (bytes) => session.single(bytes)));
    },
    transaction: (fn, options) => runTransaction(begin, undefined, fn, options),
    async execute(text, values) {
      refuseInsideTransaction(session);
      if (values && values.length > 0) {
        return { rows: rowsOf(await session.single(batchOf(text, values), true, { owner: JOBS })) };
      }
      return { rows: await runScript(session, text) };
    },
    async executeOutsideTransaction(text) {
      refuseInsideTransaction(session);
      const lease = await session.lease({ background: true });
      rowsOf(await lease.end(simpleQuery(text)));
    },
    async listen(channel, onNotify, onConnect) {
      const unsubscribe = session.onNotification((notification) => {
        if (notification.channel === channel) onNotify(notification.payload);
      });
      const listen = async (): Promise<void> => {
        rowsOf(await session.single(simpleQuery(`listen "${channel.replaceAll('"', '""')}"`)));
        onConnect();
      };
      await listen();
      // An engine that fails right after its restart restarts again and calls this again.
      engine.onRestart(() => void listen().catch(() => {}));
      return { close: async () => unsubscribe() };
    },
  };
}

/** Runs several statements of the job queue, which may open and close transactions themselves. */
async function runScript(session: Session, text: string): Promise<Row[]> {
  const lease = await session.lease({ owner: JOBS });
  let reply: Reply;
  try {
    reply = await lease.run(simpleQuery(text), true);
  } catch (error) {
    lease.abort(error as Error);
    throw error;
  }
  if (reply.inTransaction) await lease.end(simpleQuery('rollback'));
  else lease.endUnawaited(simpleQuery(''));
  return rowsOf(reply);
}

/** What a transaction begins with. */
interface Begin {
  session: Session;
  run: RunPlanned;
  readTimeoutMs: number;
}

interface Running {
  session: Session;
  active: boolean;
}

/** The transaction that the calling code runs in. A statement outside its `tx` would wait for the transaction, and the reverse. */
const enclosing = new AsyncLocalStorage<Running>();

function refuseInsideTransaction(session: Session): void {
  const running = enclosing.getStore();
  if (running?.active && running.session === session) {
    throw new Error('inside a transaction, use its tx: the embedded database has one session');
  }
}

async function runTransaction<T, Tenant extends string | undefined>(
  begin: Begin,
  tenantId: Tenant,
  fn: (tx: Tx<Tenant>) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  refuseInsideTransaction(begin.session);
  if (!options.readOnly) return runLeased(begin, tenantId, fn, options);
  const limitMs = begin.readTimeoutMs;
  const used = startWork(begin.session.spentMs);
  const startInTime = (tx: Tx<Tenant>): Promise<T> => {
    if (used.exceeds(WAIT_SHARE_MAX * limitMs)) throw tookTooLong(limitMs);
    return fn(tx);
  };
  // The limit includes the engine's work for others before: searches that are sent together hold the engine no longer than one of them.
  const run = (signal: AbortSignal): Promise<T> => runLeased(begin, tenantId, startInTime, { ...options, signal });
  return withReadTimeout(limitMs, options.signal, run, used);
}

async function runLeased<T, Tenant extends string | undefined>(
  { session, run }: Begin,
  tenantId: Tenant,
  fn: (tx: Tx<Tenant>) => Promise<T>,
  { signal, background, urgent, readOnly, keyFamilyId, settings = [] }: TransactionOptions,
): Promise<T> {
  const start = readOnly ? 'begin read only' : 'begin';
  const beginning = [start, ...(tenantId === undefined ? [] : [enterTenant(tenantId)]), ...settings].join(';');
  const lease = await session.lease({ signal, background, urgent, owner: tenantId, part: keyFamilyId });
  const onAbort = (): void => lease.abort(abortReason(signal!), readOnly);
  signal?.addEventListener('abort', onAbort, { once: true });
  const running: Running = { session, active: true };
  try {
    if (signal?.aborted) onAbort();
    // BEGIN goes to the engine with the first statement, because each batch is a change of threads.
    let opening = [simpleQuery(beginning)];
    const opened = (bytes: Buffer): Buffer => {
      const batch = Buffer.concat([...opening, bytes]);
      opening = [];
      return batch;
    };
    const tx = createTx(tenantId, run, (bytes, keepNames) => lease.run(opened(bytes), keepNames));
    const result = await Promise.race([enclosing.run(running, () => fn(tx)), lease.aborted]);
    running.active = false;
    const commit = opened(simpleQuery('commit'));
    if (readOnly) lease.endUnawaited(commit);
    else rowsOf(await lease.end(commit));
    return result;
  } catch (error) {
    lease.abort(error as Error);
    throw error;
  } finally {
    running.active = false;
    signal?.removeEventListener('abort', onAbort);
  }
}

type Send = (bytes: Buffer, keepNames?: boolean) => Promise<Reply>;

function createTx<Tenant extends string | undefined>(tenantId: Tenant, run: RunPlanned, send: Send): Tx<Tenant> {
  const query: Queryable['query'] = async <R extends object>(given: Sql) => rowsOf<R>(await run(given, send));
  const execute: Tx['execute'] = async (text, values) => ({ rows: rowsOf(await send(batchOf(text, values), true)) });
  return { inTransaction: true, tenantId, query, execute };
}

/** Returns the bytes of a text, which is one statement with values and may be several without. */
function batchOf(text: string, values: readonly unknown[] = []): Buffer {
  return values.length > 0 ? statement(text, values.map(encodeForeignValue)) : simpleQuery(text);
}

/** Returns the rows of a reply. @throws the first error of the batch. */
function rowsOf<R extends object = Row>(reply: Reply): R[] {
  if (reply.error) throw mapDatabaseError(reply.error);
  return reply.rows as R[];
}
