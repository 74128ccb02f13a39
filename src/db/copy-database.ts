/** Copies the rows of one database into another one with the same schema. */
import type { SystemTx } from './database.ts';
import { identifier, join, raw, type Sql, sql } from './sql.ts';

/** Rows that are read and written at once. A row has up to a few hundred KB. */
const ROWS_AT_ONCE = 200;
/** Tables whose triggers fill or check other tables: the rows of these are copied, too. */
const TRIGGERS_OFF = ['source_group', 'source', 'audit_event'];

/** Keeps other transactions from adding tenants until this one ends, and returns whether there is none. */
export async function lockEmpty(to: SystemTx): Promise<boolean> {
  // The connection is idle while rows are read from the other database.
  await to.execute('set local idle_in_transaction_session_timeout = 0');
  await to.execute('lock table tenant');
  return (await to.query(sql`select from tenant limit 1`)).length === 0;
}

interface ForeignKey {
  owner: string;
  name: string;
  definition: string;
}

/**
 * Copies all tables but `omitted`, and returns the number of rows. Partitions must exist. Foreign keys are checked at the end, so the
 * order of the tables does not matter.
 *
 * @param onTable is called with the name of each table before its rows are copied.
 */
export async function copyRows(
  from: SystemTx,
  to: SystemTx,
  omitted: readonly string[],
  onTable: (name: string) => void = () => {},
): Promise<number> {
  const keys = await to.query<ForeignKey>(sql`
    select conrelid::regclass::text as owner, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace`);
  for (const { owner, name } of keys) await to.execute(`alter table ${owner} drop constraint ${name}`);
  for (const name of TRIGGERS_OFF) await to.query(sql`alter table ${identifier(name)} disable trigger user`);
  const tables = await to.query<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname <> all(${[...omitted]}::text[]) order by 1`);
  let rows = 0;
  for (const { name } of tables) {
    onTable(name);
    rows += await copyTable(from, to, name);
  }
  for (const name of TRIGGERS_OFF) await to.query(sql`alter table ${identifier(name)} enable trigger user`);
  for (const { owner, name, definition } of keys)
    await to.execute(`alter table ${owner} add constraint ${name} ${definition}`);
  await to.query(sql`
    select setval(pg_get_serial_sequence('tenant', 'partition_no'), max(partition_no)) from tenant having count(*) > 0`);
  return rows;
}

/**
 * Copies the rows that `select` returns into the table, and returns their number. Rows travel as JSON text that only the databases read,
 * so that no number and no time loses digits.
 */
export async function copyTable(from: SystemTx, to: SystemTx, name: string, select?: Sql): Promise<number> {
  const table = identifier(name);
  const columns = await to.query<{ name: string }>(sql`
    select attname as name from pg_attribute
    where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`);
  const list = join(columns.map((column) => identifier(column.name)));
  await from.query(
    sql`declare copied no scroll cursor for select row_to_json(t)::text as line from ${select ? sql`(${select})` : table} t`,
  );
  let copied = 0;
  for (;;) {
    const rows = await from.query<{ line: string }>(sql`fetch ${raw(String(ROWS_AT_ONCE))} from copied`);
    if (rows.length === 0) break;
    const lines = `[${rows.map(({ line }) => line).join(',')}]`;
    await to.query(sql`
      insert into ${table} (${list}) overriding system value
      select ${list} from json_populate_recordset(null::${table}, ${lines}::json)`);
    copied += rows.length;
  }
  await from.query(sql`close copied`);
  return copied;
}
