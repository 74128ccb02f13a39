/**
 * The database port. Two adapters: `embedded/` (PGlite in a worker thread) and `server.ts` (pg).
 *
 * Rows come back as plain objects whose members have the columns' names in camelCase: `source_group_id` is read as `sourceGroupId`.
 * Keys within jsonb, and the rows of `execute`, keep the names that they have.
 *
 * Both adapters return: int8 as number (ours fit 2^53), timestamptz as Date, uuid as string, jsonb parsed, arrays as arrays, bytea as
 * Buffer. Both accept: Date, string, number, boolean, null,
 * Buffer, arrays of those (bound as SQL arrays), and `json(value)` for jsonb.
 *
 * Tenant transactions run as the role `pinakes_app`, which neither owns the tables nor bypasses row-level security,
 * with `app.tenant` set: a forgotten tenant predicate sees no foreign row.
 */
import type { Sql } from './sql.ts';

export type Row = Record<string, unknown>;

export interface Queryable {
  /** Runs one statement and returns its rows (those of RETURNING for writes). */
  query<R extends object = Row>(statement: Sql): Promise<R[]>;
}

/** A running transaction. `Tx` in a signature means "call me inside a transaction". */
export interface Tx extends Queryable {
  readonly inTransaction: true;
  /** The tenant it runs as; absent in a system transaction. */
  readonly tenantId: string | undefined;
  /** As `SystemDatabase.execute`, within the transaction. */
  execute(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
  /**
   * As `query`, but other statements need not wait for it: on a server with little to do it runs on another connection, which sees
   * the same `state`. `settings`: the `set_config(…)` that it needs, of the transaction. Absent: not possible.
   */
  readonly beside?: <R extends object = Row>(statement: Sql, settings: Sql, state: State) => Promise<R[]>;
}

/** What a transaction found: one that finds the same sees all that the statement reads as this one does. */
export interface State {
  /** Selects it, as text. */
  of: Sql;
  is: string;
}

export interface TransactionOptions {
  /** Rolls back and rejects when aborted before the commit was sent. */
  signal?: AbortSignal;
  /** Work that nobody waits for: on the embedded database what others ask for goes first. */
  background?: boolean;
  /** Statements may take as long as they take: migrations. */
  patient?: boolean;
  /** Only reads: anything else is refused, and nobody waits for it to commit. */
  readOnly?: boolean;
}

export interface Database {
  readonly kind: 'embedded' | 'server';
  /** True when the BM25 access method of pg_textsearch is installed. */
  readonly hasTextSearch: boolean;
  /** One statement in a transaction of its own, as the tenant. */
  query<R extends object = Row>(tenantId: string, statement: Sql): Promise<R[]>;
  /** Commits when `fn` resolves, rolls back when it rejects. Do no slow outside work within `fn`: transactions queue. */
  transaction<T>(tenantId: string, fn: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** As the owner, above row-level security: authentication, tenants, migrations, the job queue, maintenance. */
  readonly system: SystemDatabase;
  /** Waits for running transactions (at most 10 s), then closes. */
  close(): Promise<void>;
}

export interface SystemDatabase extends Queryable {
  transaction<T>(fn: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Raw text and values: for libraries that bring their own SQL (pg-boss). Text may hold several statements when there are no values. */
  execute(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
  /** Statements that cannot run in a transaction, such as VACUUM; on the embedded database, background work. */
  executeOutsideTransaction(text: string): Promise<void>;
  /** Hears NOTIFYs of a channel until closed. `onConnect` is called whenever listening begins, also after a lost connection. */
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
