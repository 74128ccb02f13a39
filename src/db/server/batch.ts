/**
 * Sends one statement with the commands before and after it in one message, because each message is a round trip. After a command
 * fails, the server skips the rest of the message, so that nothing runs outside the transaction that the first command begins.
 */
import pg from 'pg';
import type { BoundValue } from '../values.ts';

export interface Batch {
  /** Single commands, whose rows are ignored. */
  before: readonly string[];
  /** Called after all commands of `before` have run. */
  onBegun?: (() => void) | undefined;
  text: string;
  values: readonly BoundValue[];
  after?: readonly string[];
  /** The name under which the connection prepares `text`. */
  name?: string | undefined;
  /** The connection has prepared `text` already. */
  isPrepared?: boolean;
  timeoutMs?: number | undefined;
}

/** Returns the result of `text`. @throws the first error. */
export function runBatch(client: pg.ClientBase, batch: Batch): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    client.query(new BatchQuery(batch, (error, result) => (error ? reject(error) : resolve(result))));
  });
}

type Done = (error: Error | undefined, result: pg.QueryResult) => void;

/** Methods of a query that the driver calls and its types leave out. */
interface DriverQuery {
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
}
const Query = pg.Query as unknown as new (
  config: { text: string },
  values: readonly BoundValue[],
  done: Done,
) => pg.Query & DriverQuery;

class BatchQuery extends Query {
  /** The driver reads the time limit from this member. */
  readonly query_timeout: number | undefined;
  readonly #batch: Batch;
  /** The number of commands that have ended. */
  #ended = 0;

  constructor(batch: Batch, done: Done) {
    super({ text: batch.text }, [], done);
    this.query_timeout = batch.timeoutMs;
    this.#batch = batch;
    this.submit = (connection) => {
      const { before, after = [] } = this.#batch;
      // One message instead of many.
      connection.stream.cork();
      for (const command of before) send(connection, command);
      sendDescribed(connection, this.#batch);
      for (const command of after) send(connection, command);
      connection.sync();
      connection.stream.uncork();
      return null;
    };
  }

  get #isDescribed(): boolean {
    return this.#ended === this.#batch.before.length;
  }

  override handleDataRow(message: unknown): void {
    if (this.#isDescribed) super.handleDataRow(message);
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

function sendDescribed(connection: pg.Connection, { text, values, name = '', isPrepared = false }: Batch): void {
  if (!isPrepared) connection.parse({ name, text, types: [] }, true);
  connection.bind({ statement: name, values: [...values] }, true);
  connection.describe({ type: 'P' }, true);
  connection.execute({}, true);
}
