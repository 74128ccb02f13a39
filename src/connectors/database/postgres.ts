/** Reads tables of a PostgreSQL server through a cursor, in one read-only transaction. */
import pg from 'pg';
import { noSuchColumn, noSuchTable } from './problems.ts';
import {
  type DatabaseSession,
  endConnection,
  FIRST_ROWS,
  nextRows,
  openSocket,
  type SessionOptions,
  tlsOptions,
  type WantedTable,
} from './session.ts';
import type { Column, ValueKind } from './values.ts';

/** Object ids of types, the same in every server. */
const TYPES: Readonly<Record<number, ValueKind>> = {
  16: 'boolean',
  17: 'bytes',
  20: 'number',
  21: 'number',
  23: 'number',
  26: 'number',
  700: 'number',
  701: 'number',
  790: 'number',
  1700: 'number',
  1114: 'datetime',
  1184: 'datetime',
};
const MONEY = 790;
/** Binary values that `bytesText` may recognize as words have at most this length. */
const BINARY_BYTES_MAX = 32_768;

/** Values come as the server writes them. */
const AS_TEXT = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

interface ColumnRow {
  name: string;
  type: number;
  isNested: boolean;
}

export async function openPostgres(options: SessionOptions): Promise<DatabaseSession> {
  const { url, limits } = options;
  const link = await openSocket(options);
  const tls = tlsOptions(url);
  const client = new pg.Client({
    stream: () => link.socket,
    host: link.address,
    port: url.port,
    user: url.user,
    // A function, because the driver replaces an empty password by one of the environment.
    password: () => url.password,
    database: url.database,
    ssl: tls ? { ...tls, servername: url.host } : false,
    application_name: 'pinakes',
    connectionTimeoutMillis: limits.connectTimeoutMs,
    types: AS_TEXT,
  });
  // A connection that ends between two statements; the next statement fails.
  client.on('error', () => undefined);
  const close = () => endConnection(link.socket, () => client.end());
  try {
    await client.connect();
    await client.query('begin transaction isolation level repeatable read, read only');
    for (const [name, value] of Object.entries(settings(limits.statementTimeoutMs)))
      await client.query('select set_config($1, $2, true)', [name, value]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    close,
    async readTable(wanted) {
      link.restart();
      const { relation, rows } = await columnsOf(client, wanted);
      const columns = chosen(rows, wanted.columns);
      const order = await primaryKey(client, relation);
      const cells = columns.map((column) => cellSql(column, limits.cellUnitsMax + 1)).join(', ');
      const from = `${client.escapeIdentifier(wanted.schema)}.${client.escapeIdentifier(wanted.table)}`;
      const orderBy =
        order.length === 0 ? '' : ` order by ${order.map((name) => client.escapeIdentifier(name)).join(', ')}`;
      await client.query(`declare pinakes_rows no scroll cursor for select ${cells} from ${from}${orderBy}`);
      return { columns: columns.map(toColumn), rows: fetchAll(client, () => link.progress()) };
    },
  };
}

function settings(statementTimeoutMs: number): Record<string, string> {
  return {
    statement_timeout: String(statementTimeoutMs),
    lock_timeout: String(statementTimeoutMs),
    timezone: 'UTC',
    datestyle: 'ISO, YMD',
    intervalstyle: 'iso_8601',
    extra_float_digits: '1',
    // Else a scan may begin in the middle of the table, and the same rows would come in another order.
    synchronize_seqscans: 'off',
    search_path: 'pg_catalog',
  };
}

/** Returns the columns in their order. The user needs no right on them to see them. @throws TableError */
async function columnsOf(
  client: pg.Client,
  { schema, table }: WantedTable,
): Promise<{ relation: string; rows: ColumnRow[] }> {
  const { rows } = await client.query<Record<'relation' | 'name' | 'type' | 'nested', string>>(
    `select c.oid as relation, a.attname as name, coalesce(nullif(t.typbasetype, 0), t.oid) as type,
       t.typcategory in ('A', 'C') as nested
     from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       join pg_type t on t.oid = a.atttypid
     where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'v', 'm', 'f', 'p')
     order by a.attnum`,
    [schema, table],
  );
  if (rows.length === 0) throw noSuchTable(schema, table);
  return {
    relation: rows[0]!.relation,
    rows: rows.map(({ name, type, nested }) => ({ name, type: Number(type), isNested: nested === 't' })),
  };
}

function chosen(rows: readonly ColumnRow[], names: readonly string[]): readonly ColumnRow[] {
  if (names.length === 0) return rows;
  const byName = new Map(rows.map((row) => [row.name, row]));
  return names.map((name) => {
    const row = byName.get(name);
    if (!row) throw noSuchColumn(name);
    return row;
  });
}

async function primaryKey(client: pg.Client, relation: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select a.attname as name
     from pg_index i, unnest(i.indkey::int2[]) with ordinality k (attnum, place), pg_attribute a
     where i.indrelid = $1::oid and i.indisprimary and a.attrelid = i.indrelid and a.attnum = k.attnum
     order by k.place`,
    [relation],
  );
  return rows.map(({ name }) => name);
}

/** Returns the SQL of a cell as text. Long values do not leave the server whole. */
function cellSql({ name, type, isNested }: ColumnRow, unitsMax: number): string {
  const cell = pg.escapeIdentifier(name);
  if (TYPES[type] === 'bytes') {
    return `case when octet_length(${cell}) <= ${BINARY_BYTES_MAX} then encode(${cell}, 'hex')
      else '(' || octet_length(${cell}) || ' bytes)' end`;
  }
  if (type === MONEY) return `${cell}::numeric::text`;
  return isNested ? `left(to_json(${cell})::text, ${unitsMax})` : `left(${cell}::text, ${unitsMax})`;
}

function toColumn({ name, type, isNested }: ColumnRow): Column {
  return { name, kind: (isNested ? undefined : TYPES[type]) ?? 'text' };
}

async function* fetchAll(client: pg.Client, progress: () => void): AsyncGenerator<(string | null)[][]> {
  for (let count = FIRST_ROWS; ; ) {
    const { rows } = await client.query<(string | null)[]>({
      text: `fetch forward ${count} from pinakes_rows`,
      rowMode: 'array',
    });
    progress();
    if (rows.length > 0) yield rows;
    if (rows.length < count) break;
    count = nextRows(rows);
  }
  await client.query('close pinakes_rows');
}
