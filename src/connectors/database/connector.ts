/**
 * The connector of databases: each table becomes a CSV file.
 *
 * A listing reads all tables in one transaction of one connection, so that they belong together. A table that cannot be read costs the
 * connection; the tables after it are read in a new one. Empty tables of PostgreSQL, and tables that were replaced before their turn, are
 * read again at the end, all in a new one. A table that is missing or cannot be read is a failure of this table: what earlier runs stored
 * of it stays.
 */
import { Buffer } from 'node:buffer';
import type { Origin } from '../../corpus/origin.ts';
import { invalidRequest } from '../../errors.ts';
import type { TenantSockets } from '../../net/tenant-sockets.ts';
import {
  type Change,
  type Connector,
  type ListRequest,
  OriginError,
  type OriginItem,
  parseStored,
} from '../connector.ts';
import { openMysql } from './mysql.ts';
import { openPostgres } from './postgres.ts';
import { databaseError, TableError, tooLarge } from './problems.ts';
import { type DatabaseSession, type OpenTable, READ_LIMITS, type ReadLimits, type WantedTable } from './session.ts';
import { type DatabaseUrl, parseDatabaseUrl } from './url.ts';
import { csvLine, headerLine } from './values.ts';

type DatabaseOrigin = Extract<Origin, { kind: 'database' }>;

export interface DatabaseConnectorOptions {
  sockets: TenantSockets;
  /** Tests pass smaller ones. */
  limits?: Partial<ReadLimits>;
}

const TABLES_MAX = 100;
const COLUMNS_MAX = 500;
const NAME_UNITS_MAX = 200;
const PART_BYTES = 64 * 1024;

export function openDatabaseConnector(options: DatabaseConnectorOptions): Connector<'database'> {
  const limits = { ...READ_LIMITS, ...options.limits };
  const opener = (credential: string | null, signal: AbortSignal): OpenSession => {
    const url = urlOf(credential);
    const open = url.engine === 'postgresql' ? openPostgres : openMysql;
    return {
      url,
      open: () => explained('connect', () => open({ url, sockets: options.sockets, limits, signal })),
    };
  };
  return {
    kind: 'database',
    list: (origin, credential, request) => list(origin, opener(credential, request.signal), limits, request),
    async fetch(_origin, credential, item, _stored, signal) {
      const session = await opener(credential, signal).open();
      const wanted = item.locator as unknown as WantedTable;
      try {
        const table = await explained('read', () => session.readTable(wanted));
        return { kind: 'content', content: { body: closing(lines(table, limits), () => session.close()) } };
      } catch (error) {
        await session.close();
        throw error;
      }
    },
    check,
    account(credential) {
      const { user, host } = parseDatabaseUrl(credential);
      return `${user}@${host}`;
    },
  };
}

interface OpenSession {
  url: DatabaseUrl;
  open(): Promise<DatabaseSession>;
}

const NO_URL = {
  title: 'There is no connection URL',
  message: 'Give the source a stored secret of the type database.',
  retryable: false,
};

function urlOf(credential: string | null): DatabaseUrl {
  if (credential === null) throw new OriginError(NO_URL);
  return parseStored('The connection URL cannot be used', () => parseDatabaseUrl(credential));
}

function check({ tables }: DatabaseOrigin, credential: string | null): void {
  if (credential !== null) parseDatabaseUrl(credential);
  if (tables.length < 1 || tables.length > TABLES_MAX)
    throw invalidRequest(`tables must have 1 to ${TABLES_MAX} elements.`);
  for (const { name, columns } of tables) {
    if (!/^[^.]+\.[^.]+$/.test(name) || !isName(name))
      throw invalidRequest(
        'The name of a table has the form schema.table, for example public.orders; in MySQL, database.table.',
      );
    if (columns.length > COLUMNS_MAX || !columns.every(isName))
      throw invalidRequest(`columns are at most ${COLUMNS_MAX} names of columns.`);
    if (new Set(columns).size < columns.length) throw invalidRequest('A column is named twice.');
  }
  if (new Set(tables.map(({ name }) => name)).size < tables.length) throw invalidRequest('A table is named twice.');
}

function isName(name: string): boolean {
  return name !== '' && name.length <= NAME_UNITS_MAX && name.isWellFormed() && !/\p{Cc}/u.test(name);
}

async function* list(
  origin: DatabaseOrigin,
  { url, open }: OpenSession,
  limits: ReadLimits,
  { signal }: ListRequest,
): AsyncGenerator<Change> {
  let session: DatabaseSession | undefined;
  let waiting = origin.tables.length;
  /**
   * To older transactions, PostgreSQL shows a table as empty that was truncated or rewritten meanwhile, and lacks a column that was
   * renamed: these are read again.
   */
  const again: DatabaseOrigin['tables'][number][] = [];
  try {
    for (const tables of [origin.tables, again]) {
      if (tables === again && again.length > 0) {
        await session?.close();
        session = undefined;
      }
      for (const { name, columns } of tables) {
        yield { kind: 'outlook', waiting };
        const [schema = '', table = ''] = name.split('.');
        const wanted = { schema, table, columns };
        const mayHideRows = url.engine === 'postgresql' && session !== undefined && tables !== again;
        session ??= await open();
        const reading = await tryOpen(session, wanted);
        if ('table' in reading && reading.table.isEmpty && mayHideRows) {
          again.push({ name, columns });
          continue;
        }
        if ('error' in reading && reading.error.mayPass && tables !== again) {
          again.push({ name, columns });
          await session.close();
          session = undefined;
          continue;
        }
        waiting -= 1;
        if ('table' in reading) {
          const progress: Reading = { isComplete: false, error: undefined };
          yield {
            kind: 'present',
            item: itemOf(url, wanted),
            content: { body: observed(reading.table, limits, progress) },
          };
          if (progress.isComplete) continue;
          if (progress.error && !(progress.error instanceof TableError)) throw progress.error;
        } else yield { kind: 'failed', originId: name, name: fileName(name), problem: reading.error.problem };
        signal.throwIfAborted();
        await session.close();
        session = undefined;
      }
    }
    yield { kind: 'end', full: true, cursor: null };
  } finally {
    await session?.close();
  }
}

/** @throws OriginError for a fault of the connection. */
async function tryOpen(
  session: DatabaseSession,
  wanted: WantedTable,
): Promise<{ table: BegunTable } | { error: TableError }> {
  try {
    return { table: await explained('read', async () => begun(await session.readTable(wanted))) };
  } catch (error) {
    if (error instanceof TableError) return { error };
    throw error;
  }
}

interface BegunTable extends OpenTable {
  isEmpty: boolean;
}

/** Reads the first part of the rows. */
async function begun({ columns, rows }: OpenTable): Promise<BegunTable> {
  const parts = rows[Symbol.asyncIterator]();
  const first = await parts.next();
  return { columns, isEmpty: first.done === true, rows: resumed(first, parts) };
}

async function* resumed<Part>(first: IteratorResult<Part>, rest: AsyncIterator<Part>): AsyncGenerator<Part> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function itemOf({ engine, database }: DatabaseUrl, wanted: WantedTable): OriginItem {
  const name = `${wanted.schema}.${wanted.table}`;
  const text = (val: string) => ({ val, type: 'string' as const });
  return {
    originId: name,
    name: fileName(name),
    url: null,
    revision: null,
    modifiedAt: null,
    metadata: {
      engine: text(engine),
      database: text(database),
      schema: text(wanted.schema),
      table: text(wanted.table),
    },
    locator: { ...wanted },
  };
}

function fileName(table: string): string {
  return `${table}.csv`;
}

interface Reading {
  isComplete: boolean;
  error: unknown;
}

async function* observed(table: OpenTable, limits: ReadLimits, reading: Reading): AsyncGenerator<Uint8Array> {
  try {
    yield* lines(table, limits);
    reading.isComplete = true;
  } catch (error) {
    reading.error = error;
    throw error;
  }
}

/** Yields the table as CSV. @throws TableError for a table over its limits. */
async function* lines({ columns, rows }: OpenTable, limits: ReadLimits): AsyncGenerator<Uint8Array> {
  let rowsLeft = limits.rowsMax;
  let bytesLeft = limits.tableBytesMax;
  let text = headerLine(columns);
  const flush = (): Uint8Array => {
    const bytes = Buffer.from(text);
    text = '';
    bytesLeft -= bytes.length;
    if (bytesLeft < 0) throw tooLarge(`It has more than ${limits.tableBytesMax / 1024 / 1024} MiB of text.`);
    return bytes;
  };
  try {
    for await (const part of rows) {
      rowsLeft -= part.length;
      if (rowsLeft < 0) throw tooLarge(`It has more than ${limits.rowsMax} rows.`);
      for (const row of part) {
        const long = row.findIndex((cell) => cell !== null && cell.length > limits.cellUnitsMax);
        if (long !== -1)
          throw tooLarge(
            `A value of the column ${columns[long]?.name} has more than ${limits.cellUnitsMax} characters.`,
          );
        text += csvLine(columns, row);
        if (text.length >= PART_BYTES) yield flush();
      }
    }
  } catch (error) {
    throw databaseError(error, 'read');
  }
  if (text !== '') yield flush();
}

async function* closing(body: AsyncIterable<Uint8Array>, close: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    await close();
  }
}

async function explained<Result>(stage: 'connect' | 'read', work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw databaseError(error, stage);
  }
}
