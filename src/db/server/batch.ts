/**
 * One statement on a server together with what goes before and after it, in one message: each message is a round trip. What
 * follows a statement that fails is not run, so nothing of it runs outside of the transaction that comes before it.
 */
import pg from 'pg';
import type { BoundValue } from '../values.ts';

export interface Batch {
  /** One command each, of which nobody wants rows. */
  before: readonly string[];
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

/** The result of `text`, its rows as arrays. @throws the first error. */
export function runBatch(client: pg.ClientBase, batch: Batch): Promise<pg.QueryArrayResult> {
  return new Promise((resolve, reject) => {
    client.query(new BatchQuery(batch, (error, result) => (error ? reject(error) : resolve(result))));
  });
}

type Done = (error: Error | undefined, result: pg.QueryArrayResult) => void;

/** What the driver calls of its queries, and its types leave out. */
interface DriverQuery {
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
}
const Query = pg.Query as unknown as new (
  config: { text: string; rowMode: 'array' },
  values: readonly BoundValue[],
  done: Done,
) => pg.Query & DriverQuery;

class BatchQuery extends Query {
  /** The driver's name for it. */
  readonly query_timeout: number | undefined;
  readonly #batch: Batch;
  /** Commands that have ended. */
  #ended = 0;

  constructor(batch: Batch, done: Done) {
    super({ text: batch.text, rowMode: 'array' }, [], done);
    this.query_timeout = batch.timeoutMs;
    this.#batch = batch;
    this.submit = (connection) => {
      const { before, after = [] } = this.#batch;
      // As one message, and not as many.
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

function sendDescribed(connection: pg.Connection, { text, values, name = '', isKnown = false }: Batch): void {
  if (!isKnown) connection.parse({ name, text, types: [] }, true);
  connection.bind({ statement: name, values: [...values] }, true);
  connection.describe({ type: 'P' }, true);
  connection.execute({}, true);
}
