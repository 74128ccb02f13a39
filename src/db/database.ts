/**
 * The database port. Two adapters: `embedded/` (PGlite in a worker thread) and `server/` (pg).
 *
 * Rows come back as plain objects whose members have the column names in camelCase: `source_group_id` is read as `sourceGroupId`.
 * Keys within jsonb, and the rows of `execute`, keep their names. Both adapters return int8 as number (our values fit 2^53),
 * timestamptz as Date, uuid as string, jsonb parsed, arrays as arrays, bytea as Buffer. Both accept Date, string, number, boolean,
 * null, Buffer, arrays of these types (bound as SQL arrays), and `json(value)` for jsonb.
 *
 * Tenant transactions run as the role `pinakes_app`, which neither owns the tables nor bypasses row-level security,
 * with `app.tenant` set. A statement that forgets the tenant predicate still sees no row of another tenant.
 */
import type { Sql } from './sql.ts';

export type Row = Record<string, unknown>;

export interface Queryable {
  /** Runs one statement and returns its rows (those of RETURNING for writes). */
  query<R extends object = Row>(statement: Sql): Promise<R[]>;
}

/** A transaction in progress. `Tx` in a signature means that the function must be called inside a transaction of a tenant. */
export interface Tx<Tenant extends string | undefined = string> extends Queryable {
  readonly inTransaction: true;
  /** The tenant of the transaction; undefined in a system transaction. */
  readonly tenantId: Tenant;
  /** Runs raw text as `SystemDatabase.execute` does, within the transaction. */
  execute(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

/** A transaction without a tenant, of `SystemDatabase`. */
export type SystemTx = Tx<undefined>;

/** A tenant's transaction or a system transaction. */
export type AnyTx = Tx | SystemTx;

export interface TransactionOptions {
  /** Rolls back and rejects when aborted before the commit was sent. The statement of a read-only transaction is ended too. */
  signal?: AbortSignal;
  /** Nobody waits for this transaction: on the embedded database, other statements go first. */
  background?: boolean;
  /** The transaction is short and lets nobody wait: it starts before all others that wait. For the checks of rights alone. */
  urgent?: boolean;
  /** Whose transaction it is within the tenant: on the embedded database, key families take turns. */
  keyFamilyId?: string | undefined;
  /** Turns off the time limit of statements, for migrations. */
  withoutTimeout?: boolean;
  /** The database refuses writes, the caller gets the result before the commit, and the transaction has a time limit. */
  readOnly?: boolean;
  /** Commands `set local` of the program, which run together with the begin. */
  settings?: readonly string[];
}

export interface Database {
  readonly kind: 'embedded' | 'server';
  /** True when the BM25 access method of pg_textsearch is installed. */
  readonly hasTextSearch: boolean;
  /** Runs one statement as the tenant, in its own transaction. */
  query<R extends object = Row>(tenantId: string, statement: Sql): Promise<R[]>;
  /** Commits when `fn` resolves, rolls back when `fn` rejects. `fn` must do no slow outside work, because transactions queue. */
  transaction<T>(tenantId: string, fn: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs as the owner, without row-level security: authentication, tenants, migrations, the job queue, maintenance. */
  readonly system: SystemDatabase;
  /** Waits for transactions in flight (at most 10 s), then closes. */
  close(): Promise<void>;
}

export interface SystemDatabase extends Queryable {
  transaction<T>(fn: (tx: SystemTx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs raw text, for libraries with their own SQL (pg-boss). Without values the text may hold several statements. */
  execute(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
  /** Runs statements that a transaction cannot hold, such as VACUUM. On the embedded database they are background work. */
  executeOutsideTransaction(text: string): Promise<void>;
  /** Receives the NOTIFYs of a channel until closed. Calls `onConnect` whenever listening begins, also after a lost connection. */
  listen(channel: string, onNotify: (payload: string) => void, onConnect: () => void): Promise<Listener>;
}

export interface Listener {
  close(): Promise<void>;
}

/** Marks a value to be bound as jsonb. */
export class Json {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

export function json(value: unknown): Json {
  return new Json(value);
}
