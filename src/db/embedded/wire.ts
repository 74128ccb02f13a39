/**
 * PostgreSQL's wire protocol, as the embedded engine speaks it. The engine takes protocol bytes and answers with protocol bytes, so that
 * one message carries a whole batch of statements.
 */
import { type DatabaseError, serialize } from 'pg-protocol';
import type {
  DataRowMessage,
  Field,
  NotificationResponseMessage,
  ReadyForQueryMessage,
  RowDescriptionMessage,
} from 'pg-protocol/dist/messages.js';
import { Parser } from 'pg-protocol/dist/parser.js';
import { camelCase } from '../column-names.ts';
import type { Row } from '../database.ts';
import { type BoundValue, valueParser } from '../values.ts';

/** Returns a simple query: any number of statements without values. @throws Error on U+0000, which would end the text early. */
export function simpleQuery(text: string): Buffer {
  return serialize.query(withoutNul(text));
}

/**
 * Returns one statement with values: Parse, Bind, Describe, Execute, Sync. The engine keeps the statement only if it has a name.
 *
 * @throws Error as `simpleQuery` does.
 */
export function statement(text: string, values: readonly BoundValue[], name = ''): Buffer {
  return Buffer.concat([serialize.parse({ name, text: withoutNul(text) }), boundStatement(name, values)]);
}

/** Returns the execution of a prepared statement, which the engine knows by its name. */
export function boundStatement(name: string, values: readonly BoundValue[]): Buffer {
  // The message has their number in 16 bits.
  if (values.length > VALUES_MAX) throw new RangeError(`a statement has at most ${VALUES_MAX} values`);
  return Buffer.concat([serialize.bind({ statement: name, values: [...values] }), DESCRIBE_EXECUTE_SYNC]);
}

const VALUES_MAX = 65_535;
const DESCRIBE_EXECUTE_SYNC = Buffer.concat([serialize.describe({ type: 'P' }), serialize.execute(), serialize.sync()]);

function withoutNul(text: string): string {
  if (text.includes('\0')) throw new Error('SQL text must not contain U+0000');
  return text;
}

/** The engine stopped in the middle of its answer, for example in a checkpoint on a full disk. It does not recover. */
export class CutReply extends Error {
  constructor() {
    super('the answer of the embedded engine ends early');
    this.name = 'CutReply';
  }
}

export interface Reply {
  /** The rows of all statements, in order. */
  rows: Row[];
  /** The first error. The statements after it, up to the next Sync, did not run. */
  error: Error | undefined;
  /** True when the batch left a transaction open, also a failed transaction. */
  inTransaction: boolean;
  /** A statement with values was parsed. If the statement has a name, it is now prepared. */
  isParsed: boolean;
  notifications: Notification[];
}

export interface Notification {
  channel: string;
  payload: string;
}

/**
 * Returns everything that the engine answered to one batch. `keepNames` keeps the column names, instead of camelCase.
 *
 * @throws CutReply if the answer ends early.
 */
export function readReply(bytes: Uint8Array, keepNames = false): Reply {
  const reply: Reply = { rows: [], error: undefined, inTransaction: false, isParsed: false, notifications: [] };
  let columns: Column[] = [];
  let isComplete = false;
  new Parser().parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), (message) => {
    switch (message.name) {
      case 'rowDescription':
        columns = (message as RowDescriptionMessage).fields.map((field) => columnOf(field, keepNames));
        break;
      case 'dataRow':
        reply.rows.push(readRow((message as DataRowMessage).fields, columns));
        break;
      case 'error':
        reply.error ??= message as DatabaseError;
        break;
      case 'notification':
        reply.notifications.push(message as NotificationResponseMessage);
        break;
      case 'parseComplete':
        reply.isParsed = true;
        break;
      case 'readyForQuery':
        isComplete = true;
        reply.inTransaction = (message as ReadyForQueryMessage).status !== 'I';
        break;
      default:
        break;
    }
  });
  if (!isComplete) throw new CutReply();
  return reply;
}

interface Column {
  member: string;
  parse: (text: string) => unknown;
}

function columnOf({ name, dataTypeID }: Field, keepsName: boolean): Column {
  return { member: keepsName ? name : camelCase(name), parse: valueParser(dataTypeID) };
}

function readRow(fields: readonly (string | null)[], columns: readonly Column[]): Row {
  const row: Row = {};
  for (const [i, { member, parse }] of columns.entries()) {
    const text = fields[i];
    row[member] = text == null ? null : parse(text);
  }
  return row;
}
