/**
 * One statement on a server together with what goes before and after it, in one message: each message is a round trip. What
 * follows a statement that fails is not run, so nothing of it runs outside of the transaction that comes before it.
 */
import pg from 'pg';
import type { BoundValue } from './values.ts';

export interface Batch {
  /** One command each, of which nobody wants rows. */
  before: readonly string[];
  /** Behind them, a query of one value. */
  state?: string;
  /** Called when all of them have been run. */
  onBegun?: (() => void) | undefined;
  text: string;
  values: readonly BoundValue[];
  after?: readonly string[];
  /** Under which the connection keeps `text`, or has it already. */
  name?: string | undefined;
  isKnown?: boolean;
  timeoutMs?: number | undefined;
}

export interface BatchResult {
  /** Of `text`. */
  rows: unknown[];
  /** What `state` found, as PostgreSQL writes it. */
  state: string | undefined;
}

/** @throws the first error. */
export function runBatch(client: pg.ClientBase, batch: Batch): Promise<BatchResult> {
  return new Promise((resolve, reject) => {
    const query: BatchQuery = new BatchQuery(batch, (error, result) =>
      error ? reject(error) : resolve({ rows: result.rows, state: query.state }),
    );
    client.query(query);
  });
}

type Done = (error: Error | undefined, result: pg.QueryResult) => void;

interface DataRow {
  fields: readonly (string | null)[];
}

/** What the driver calls of its queries, and its types leave out. */
interface DriverQuery {
  handleDataRow(message: DataRow): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
}
const Query = pg.Query as unknown as new (
  config: { text: string },
  values: readonly BoundValue[],
  done: Done,
) => pg.Query & DriverQuery;

class BatchQuery extends Query {
  /** The driver's name for it. */
  readonly query_timeout: number | undefined;
  readonly #batch: Batch;
  readonly #before: readonly string[];
  /** Commands that have ended. */
  #ended = 0;
  state: string | undefined;

  constructor(batch: Batch, done: Done) {
    super({ text: batch.text }, [], done);
    this.query_timeout = batch.timeoutMs;
    this.#batch = batch;
    this.#before = batch.state === undefined ? batch.before : [...batch.before, batch.state];
    this.submit = (connection) => {
      const { after = [] } = this.#batch;
      // As one message, and not as many.
      connection.stream.cork();
      for (const command of this.#before) send(connection, command);
      sendDescribed(connection, this.#batch);
      for (const command of after) send(connection, command);
      connection.sync();
      connection.stream.uncork();
      return null;
    };
  }

  get #isDescribed(): boolean {
    return this.#ended === this.#before.length;
  }

  override handleDataRow(message: DataRow): void {
    if (this.#isDescribed) super.handleDataRow(message);
    else if (this.#ended === this.#batch.before.length) this.state = message.fields[0] ?? undefined;
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#isDescribed) super.handleCommandComplete(message, connection);
    this.#ended += 1;
    if (this.#isDescribed) this.#batch.onBegun?.();
  }
}

function send(connection: pg.Connection, text: string): void {
  connection.parse({ name: '', text, types: [] }, true);
  connection.bind({}, true);
  connection.execute({}, true);
}

function sendDescribed(connection: pg.Connection, { text, values, name = '', isKnown = false }: Batch): void {
  if (!isKnown) connection.parse({ name, text, types: [] }, true);
  connection.bind({ statement: name, values: [...values] }, true);
  connection.describe({ type: 'P' }, true);
  connection.execute({}, true);
}
