/** `pinakes tables`: lists tables, shows the columns and first rows of one, and adds the table of a file at an address. */
import { setTimeout as sleep } from 'node:timers/promises';
import { countOf } from '../../util/count-of.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import { type Column, tableText } from '../shared/columns.ts';
import {
  type Command,
  flagOption,
  type Invocation,
  integerOption,
  printAnswer,
  textOption,
} from '../shared/command.ts';
import { type Io, usageError } from '../shared/io.ts';
import { tableIdOf } from '../shared/names.ts';
import { LIST_OPTIONS, limitOf, type PageQuery, pagesOf, printList, printRows } from '../shared/pages.ts';
import { printable } from '../shared/printable.ts';
import { followGroup } from './follow.ts';
import { CREATION_OPTIONS, isHttpAddress, scheduleIn } from './schedule.ts';

const TABLE_INDEX_MAX = 199;
const POLL_MS = 500;

type Client = Awaited<ReturnType<typeof openConfiguredClient>>;
type Table = Awaited<ReturnType<Client['listTables']>>['tables'][number];
type TableDetails = Awaited<ReturnType<Client['getTable']>>;
type TableColumn = Table['columns'][number];

export const tablesCommand: Command = {
  name: 'tables',
  summary: 'List tables and their builds; show one; add the table of a file at an address.',
  synopsis: '[list|show|add] [table|url]',
  argumentsMax: 2,
  options: {
    ...LIST_OPTIONS,
    ...CREATION_OPTIONS,
    name: { value: '<text>', text: 'add: name of the table (default: made from the address)' },
    index: { value: '<n>', text: 'add: number of the table in the file, counted from 0' },
    json: { text: 'print the answer as one line of JSON' },
  },
  details: `
  pinakes tables                   list tables, newest first, with their names in SQL, files, rows and status
  pinakes tables show <table>      columns with types, warnings, and the first rows
  pinakes tables add https://data.example.com/prices.csv --schedule daily --wait

Spreadsheets, CSV files and lists of records become tables by themselves. The status is "building" until a table can be read.`,
  async run(invocation) {
    const [action = 'list', id] = invocation.arguments;
    if (action === 'list' && id === undefined) return list(await openConfiguredClient(), invocation);
    if (action === 'add') return add(id, invocation);
    if (action !== 'show') throw usageError(`There is no "pinakes tables ${action}". See pinakes tables --help.`);
    if (id === undefined)
      throw usageError('pinakes tables show needs a table, by name or id. See pinakes tables --help.');
    return show(id, invocation);
  },
};

async function list(client: Client, invocation: Invocation): Promise<number> {
  const read = (query: PageQuery) => client.listTables({ query: { order: 'desc', ...query } });
  const pages = pagesOf('tables', read, limitOf(invocation.options));
  const columns: Column<Table>[] = [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name, cut: true, omit: 2 },
    { title: 'SQL NAME', value: ({ sql_name: name }) => name, cut: true },
    { title: 'FILE', value: fileOf, cut: 'path', omit: 1 },
    { title: 'ROWS', value: ({ row_count: rows }) => (rows === null ? '' : String(rows)), right: true, omit: 3 },
    { title: 'COLUMNS', value: ({ columns: all }) => String(all.length), right: true, omit: 4 },
    { title: 'STATUS', value: ({ status }) => status },
  ];
  return printList(pages, { columns, none: 'There are no tables.' }, invocation);
}

/** Returns the file from which the table comes. A table of an address that was not read yet has the address alone. */
function fileOf({ source_path: path, source_name: name, url }: Table): string {
  return path ?? (name || url || '');
}

async function add(url: string | undefined, { options, io }: Invocation): Promise<number> {
  if (url === undefined || !isHttpAddress(url))
    throw usageError('pinakes tables add needs an address that starts with http:// or https://.');
  const name = textOption(options, 'name');
  const index = integerOption(options, 'index', 0, TABLE_INDEX_MAX);
  const client = await openConfiguredClient();
  const body = { name, source: { url, position: index === undefined ? index : { index } }, ...scheduleIn(options) };
  const { table_id: id, source_group_id: groupId } = await client.createTable({ body });
  const isJson = flagOption(options, 'json');
  if (!isJson) io.out(`${id}\n`);
  if (!flagOption(options, 'wait')) {
    if (isJson) io.out(`${JSON.stringify({ id, source_group_id: groupId })}\n`);
    return 0;
  }
  const { exitCode } = await followGroup(client, groupId, io);
  let table = await client.getTable({ params: { id } });
  for (; table.status === 'building'; table = await client.getTable({ params: { id } })) await sleep(POLL_MS);
  if (isJson) io.out(`${JSON.stringify(table)}\n`);
  if (table.error !== null && exitCode === 0) io.err(`The table could not be built: ${table.error}\n`);
  return table.status === 'ready' ? exitCode : 1;
}

async function show(name: string, invocation: Invocation): Promise<number> {
  const client = await openConfiguredClient();
  const table = await client.getTable({ params: { id: await tableIdOf(client, name) } });
  return printAnswer(invocation, table, () => print(table, invocation.io));
}

/** Prints the facts of a table, its columns and its first rows. */
function print(table: TableDetails, io: Io): void {
  const rows = table.row_count === null ? '' : `, ${countOf(table.row_count, 'row')}`;
  io.out(`${table.name} (${table.sql_name}): ${table.status}, version ${table.version}${rows}\n`);
  io.out(`From ${printable(fileOf(table))}${table.source_id === null ? '' : ` (${table.source_id})`}\n`);
  if (table.error !== null) io.out(`The last build failed: ${table.error}\n`);
  for (const { message } of table.warnings) io.out(`Warning: ${message}\n`);
  const columns: Column<TableColumn>[] = [
    { title: 'COLUMN', value: (column) => column.sql_name },
    { title: 'TYPE', value: ({ type, unit }) => (unit === null ? type : `${type} (${unit})`) },
    { title: 'EXAMPLES', value: ({ examples }) => examples.slice(0, 3).join(', '), cut: true },
  ];
  io.out('\n');
  printRows(table.columns, { columns, none: 'The table has no columns yet.' }, io);
  const samples = table.sample.map(({ values }) => values);
  if (samples.length === 0) return;
  const cells = table.columns.map(
    ({ sql_name: name }): Column<Record<string, unknown>> => ({
      title: name,
      value: (row) => (row[name] === null ? '' : String(row[name])),
      cut: true,
    }),
  );
  io.out(`\n${tableText(cells, samples, io.outColumns)}`);
}
