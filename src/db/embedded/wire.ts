/**
 * The part of PostgreSQL's wire protocol (version 3) that the embedded engine needs. The engine takes protocol bytes and answers with
 * protocol bytes, so that one message carries a whole batch of statements.
 */
import pg from 'pg';
import { camelCase } from '../column-names.ts';
import type { Row } from '../database.ts';
import { type BoundValue, valueParser } from '../values.ts';

/** Returns a simple query: any number of statements without values. */
export function simpleQuery(text: string): Buffer {
  return message('Q', cString(text));
}

/** Returns one statement with values: Parse, Bind, Describe, Execute, Sync. The engine keeps the statement only if it has a name. */
export function statement(text: string, values: readonly BoundValue[], name = ''): Buffer {
  return Buffer.concat([message('P', cString(name), cString(text), int16(0)), boundStatement(name, values)]);
}

/** Returns the execution of a prepared statement, which the engine knows by its name. */
export function boundStatement(name: string, values: readonly BoundValue[]): Buffer {
  return Buffer.concat([bindMessage(name, values), DESCRIBE_EXECUTE_SYNC]);
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

/** Returns everything that the engine answered to one batch. `keepNames` keeps the column names, instead of camelCase. */
export function readReply(bytes: Uint8Array, keepNames = false): Reply {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reply: Reply = { rows: [], error: undefined, inTransaction: false, isParsed: false, notifications: [] };
  let columns: Column[] = [];
  for (let at = 0; at < data.length; ) {
    const length = data.readInt32BE(at + 1);
    const body = at + 5;
    switch (data[at]) {
      case ROW_DESCRIPTION:
        columns = columnsOf(data, body, at + 1 + length);
        break;
      case DATA_ROW:
        reply.rows.push(readRow(data, body, columns, keepNames ? 'name' : 'member'));
        break;
      case ERROR_RESPONSE:
        reply.error ??= readError(data, body, length);
        break;
      case NOTIFICATION:
        reply.notifications.push(readNotification(data, body));
        break;
      case PARSE_COMPLETE:
        reply.isParsed = true;
        break;
      case READY_FOR_QUERY:
        reply.inTransaction = data[body] !== IDLE;
        break;
      default:
        break;
    }
    at += 1 + length;
  }
  return reply;
}

const PARSE_COMPLETE = '1'.charCodeAt(0);
const ROW_DESCRIPTION = 'T'.charCodeAt(0);
const DATA_ROW = 'D'.charCodeAt(0);
const ERROR_RESPONSE = 'E'.charCodeAt(0);
const NOTIFICATION = 'A'.charCodeAt(0);
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

const EMPTY_NAME = Buffer.from([0]);
const DESCRIBE_EXECUTE_SYNC = Buffer.concat([
  message('D', Buffer.from('P\0')),
  message('E', EMPTY_NAME, int32(0)),
  message('S'),
]);

function bindMessage(name: string, values: readonly BoundValue[]): Buffer {
  const formats = values.map((value) => int16(typeof value === 'object' && value !== null ? 1 : 0));
  const bound = values.flatMap((value) => {
    if (value === null) return [int32(-1)];
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    return [int32(bytes.length), bytes];
  });
  const count = int16(values.length);
  return message('B', EMPTY_NAME, cString(name), count, ...formats, count, ...bound, int16(0));
}

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  return Buffer.concat([Buffer.from(type), int32(length), ...parts]);
}

/** @throws Error on U+0000, which would end the statement early. */
function cString(text: string): Buffer {
  if (text.includes('\0')) throw new Error('SQL text must not contain U+0000');
  return Buffer.from(`${text}\0`);
}

function int16(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}

interface Column {
  /** As the statement names it. */
  name: string;
  /** The same in camelCase. */
  member: string;
  parse: (text: string) => unknown;
}

/** By row description, because statements repeat, and because rows that share the strings of names are stored faster. */
const columnsByDescription = new Map<string, Column[]>();
const DESCRIPTIONS_MAX = 500;

function columnsOf(data: Buffer, body: number, end: number): Column[] {
  const description = data.toString('latin1', body, end);
  let columns = columnsByDescription.get(description);
  if (!columns) {
    if (columnsByDescription.size >= DESCRIPTIONS_MAX) columnsByDescription.clear();
    columns = readColumns(data, body);
    columnsByDescription.set(description, columns);
  }
  return columns;
}

function readColumns(data: Buffer, body: number): Column[] {
  const columns: Column[] = [];
  const count = data.readUInt16BE(body);
  let at = body + 2;
  for (let i = 0; i < count; i++) {
    const end = data.indexOf(0, at);
    const name = data.toString('utf8', at, end);
    columns.push({ name: asKey(name), member: asKey(camelCase(name)), parse: valueParser(data.readUInt32BE(end + 7)) });
    at = end + 19;
  }
  return columns;
}

/** Returns the string as the engine of JavaScript stores keys: then it is the same string in all rows. */
function asKey(name: string): string {
  return Object.keys({ [name]: 0 })[0]!;
}

function readRow(data: Buffer, body: number, columns: readonly Column[], naming: 'name' | 'member'): Row {
  const row: Row = {};
  let at = body + 2;
  for (const column of columns) {
    const length = data.readInt32BE(at);
    at += 4;
    if (length < 0) {
      row[column[naming]] = null;
      continue;
    }
    row[column[naming]] = column.parse(data.toString('utf8', at, at + length));
    at += length;
  }
  return row;
}

function readNotification(data: Buffer, body: number): Notification {
  const channelAt = body + 4;
  const payloadAt = data.indexOf(0, channelAt) + 1;
  const channel = data.toString('utf8', channelAt, payloadAt - 1);
  return { channel, payload: data.toString('utf8', payloadAt, data.indexOf(0, payloadAt)) };
}

const ERROR_FIELDS: Readonly<Record<string, string>> = {
  S: 'severity',
  C: 'code',
  D: 'detail',
  H: 'hint',
  P: 'position',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  n: 'constraint',
};

/** Returns an error with the class and members of the `pg` driver's errors, so that one function reads both. */
function readError(data: Buffer, body: number, length: number): Error {
  const fields = new Map<string, string>();
  for (let at = body; data[at] !== 0; ) {
    const end = data.indexOf(0, at + 1);
    fields.set(String.fromCharCode(data[at]!), data.toString('utf8', at + 1, end));
    at = end + 1;
  }
  const error = new pg.DatabaseError(fields.get('M') ?? 'unknown database error', length, 'error');
  for (const [key, name] of Object.entries(ERROR_FIELDS)) Object.assign(error, { [name]: fields.get(key) });
  return error;
}
