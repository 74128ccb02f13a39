/** Reads tables of a MySQL or MariaDB server as a stream, in one read-only transaction. */
import type { RowDataPacket } from 'mysql2';
import { noSuchColumn, noSuchTable } from './problems.ts';
import {
  type DatabaseSession,
  endConnection,
  openSocket,
  type SessionOptions,
  tlsOptions,
  type WantedTable,
} from './session.ts';
import type { ValueKind } from './values.ts';

/** Binary values that `bytesText` may recognize as words have at most this length. */
const BINARY_BYTES_MAX = 32_768;
/** Characters that a part of rows should have. */
const PART_UNITS = 256 * 1024;

const NUMBERS = /^(?:tinyint|smallint|mediumint|int|bigint|decimal|float|double|year|bit)$/;
const BINARIES = /^(?:binary|varbinary|tinyblob|blob|mediumblob|longblob|vector)$/;
const TEXTS = /^(?:char|varchar|tinytext|text|mediumtext|longtext|json)$/;
const SHAPES = /^(?:geometry|point|linestring|polygon|multi\w+|geom\w*collection)$/;

type Cell = string | null;

export async function openMysql(options: SessionOptions): Promise<DatabaseSession> {
  const { url, limits } = options;
  // 80 modules, which only a service that reads such a server loads.
  const { createConnection } = await import('mysql2');
  const link = await openSocket(options);
  const tls = tlsOptions(url);
  const connection = createConnection({
    stream: () => link.socket.connect(url.port, link.address),
    host: url.host,
    port: url.port,
    user: url.user,
    password: url.password,
    database: url.database,
    ...(tls && { ssl: { ...tls, verifyIdentity: tls.rejectUnauthorized } }),
    connectTimeout: limits.connectTimeoutMs,
    charset: 'utf8mb4',
    // The server may not ask for files, and names of its columns do not become code.
    flags: ['-LOCAL_FILES'],
    disableEval: true,
    rowsAsArray: true,
    typeCast: (field) => field.string('utf8'),
  });
  // A connection that ends between two statements; the next statement fails.
  connection.on('error', () => undefined);
  let isReading = false;
  const close = async () => {
    if (isReading) link.socket.destroy();
    await endConnection(link.socket, () => new Promise((resolve) => connection.end(resolve)));
    connection.destroy();
  };
  const query = (sql: string, values: string[] = []) =>
    new Promise<Cell[][]>((resolve, reject) => {
      connection.query<RowDataPacket[][]>(sql, values, (error, rows) =>
        error ? reject(error) : resolve(rows as unknown as Cell[][]),
      );
    });
  try {
    await new Promise<void>((resolve, reject) => connection.connect((error) => (error ? reject(error) : resolve())));
    const [[version] = []] = await query('select version()');
    for (const statement of preparations(String(version), limits.statementTimeoutMs)) await query(statement);
  } catch (error) {
    isReading = true;
    await close();
    throw error;
  }
  return {
    close,
    async readTable(wanted) {
      link.restart();
      const columns = await columnsOf(query, wanted);
      const order = await query(
        `select column_name from information_schema.statistics
         where table_schema = ? and table_name = ? and index_name = 'PRIMARY' order by seq_in_index`,
        [wanted.schema, wanted.table],
      );
      const cells = columns.map(([name, type]) => cellSql(name, type, limits.cellUnitsMax + 1)).join(', ');
      const orderBy = order.length === 0 ? '' : ` order by ${order.map(([name]) => quoted(name!)).join(', ')}`;
      isReading = true;
      const stream = connection
        .query(`select ${cells} from ${quoted(wanted.schema)}.${quoted(wanted.table)}${orderBy}`)
        .stream({ highWaterMark: 64 });
      // The driver does not end a stream whose connection is gone.
      link.socket.once('close', () => stream.destroy(new Error('the connection was lost')));
      async function* rows(): AsyncGenerator<Cell[][]> {
        yield* parts(stream, () => link.progress());
        isReading = false;
      }
      return { columns: columns.map(([name, type]) => ({ name, kind: kindOf(type) })), rows: rows() };
    },
  };
}

function preparations(version: string, timeoutMs: number): string[] {
  const isMariaDb = /mariadb/i.test(version);
  return [
    "set session sql_mode = ''",
    "set session time_zone = '+00:00'",
    isMariaDb
      ? `set session max_statement_time = ${timeoutMs / 1000}`
      : `set session max_execution_time = ${timeoutMs}`,
    `set session lock_wait_timeout = ${Math.ceil(timeoutMs / 1000)}`,
    // Else the server ends the connection when the service is busy for a minute.
    `set session net_write_timeout = ${Math.ceil(timeoutMs / 1000)}`,
    'set session transaction isolation level repeatable read',
    'start transaction with consistent snapshot, read only',
  ];
}

type Query = (sql: string, values?: string[]) => Promise<Cell[][]>;

/** Returns names and types of the columns in their order. @throws TableError */
async function columnsOf(query: Query, { schema, table, columns }: WantedTable): Promise<[string, string][]> {
  const rows = (await query(
    `select column_name, lower(data_type) from information_schema.columns
     where table_schema = ? and table_name = ? order by ordinal_position`,
    [schema, table],
  )) as [string, string][];
  if (rows.length === 0) throw noSuchTable(schema, table);
  if (columns.length === 0) return rows;
  const byName = new Map(rows.map((row) => [row[0], row]));
  return columns.map((name) => {
    const row = byName.get(name);
    if (!row) throw noSuchColumn(name);
    return row;
  });
}

/** Returns the SQL of a cell as text. Long values do not leave the server whole. */
function cellSql(name: string, type: string, unitsMax: number): string {
  const cell = quoted(name);
  if (BINARIES.test(type)) {
    return `if(length(${cell}) <= ${BINARY_BYTES_MAX}, hex(${cell}), concat('(', length(${cell}), ' bytes)'))`;
  }
  if (type === 'bit') return `cast(${cell} + 0 as char)`;
  if (SHAPES.test(type)) return `left(st_astext(${cell}), ${unitsMax})`;
  return TEXTS.test(type) ? `left(${cell}, ${unitsMax})` : `cast(${cell} as char)`;
}

function kindOf(type: string): ValueKind {
  if (NUMBERS.test(type)) return 'number';
  if (BINARIES.test(type)) return 'bytes';
  if (type === 'timestamp') return 'utc';
  return type === 'datetime' || type === 'date' ? 'datetime' : 'text';
}

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** Yields the rows of a stream in parts. */
async function* parts(stream: AsyncIterable<Cell[]>, progress: () => void): AsyncGenerator<Cell[][]> {
  let rows: Cell[][] = [];
  let units = 0;
  for await (const row of stream) {
    progress();
    rows.push(row);
    units += row.reduce((length, cell) => length + (cell?.length ?? 4), 0);
    if (units < PART_UNITS) continue;
    yield rows;
    rows = [];
    units = 0;
  }
  if (rows.length > 0) yield rows;
}
