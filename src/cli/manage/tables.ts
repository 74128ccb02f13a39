/** `pinakes tables`: lists tables, and shows the columns and first rows of one. */
import { openConfiguredClient } from '../shared/client-config.ts';
import type { Column } from '../shared/columns.ts';
import { layOut } from '../shared/columns.ts';
import { type Command, flagOption, type Invocation } from '../shared/command.ts';
import { usageError } from '../shared/io.ts';
import { LIST_OPTIONS, limitOf, pagesOf, printList, printRows } from '../shared/pages.ts';
import { checkId } from './find.ts';
import { countOf } from './words.ts';

type Client = Awaited<ReturnType<typeof openConfiguredClient>>;
type Table = Awaited<ReturnType<Client['listTables']>>['tables'][number];
type TableColumn = Table['columns'][number];

export const tablesCommand: Command = {
  name: 'tables',
  summary: 'List tables and their builds; show the columns and first rows of one.',
  synopsis: '[list|show] [table id]',
  argumentsMin: 0,
  argumentsMax: 2,
  options: { ...LIST_OPTIONS, json: { type: 'boolean', text: 'print the answer as one line of JSON' } },
  details: `
  pinakes tables                   list tables, newest first, with rows, columns and status
  pinakes tables show <table id>   columns with types, warnings, and the first rows

Spreadsheets, CSV files and lists of records become tables by themselves. The status is "building" until a table can be read.`,
  async run(invocation) {
    const [action = 'list', id] = invocation.arguments;
    if (action === 'list' && id === undefined) return list(await openConfiguredClient(), invocation);
    if (action !== 'show') throw usageError(`There is no "pinakes tables ${action}". See pinakes tables --help.`);
    if (id === undefined) throw usageError('pinakes tables show needs the id of a table. See pinakes tables --help.');
    return show(checkId(id), invocation);
  },
};

async function list(client: Client, { options, io }: Invocation): Promise<number> {
  const pages = pagesOf(async (query) => {
    const { tables: rows, pagination } = await client.listTables({ query: { order: 'desc', ...query } });
    return { rows, pagination };
  }, limitOf(options));
  const columns: Column<Table>[] = [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name, cut: true },
    { title: 'ROWS', value: ({ row_count: rows }) => (rows === null ? '' : String(rows)), right: true },
    { title: 'COLUMNS', value: ({ columns: all }) => String(all.length), right: true },
    { title: 'STATUS', value: ({ status, version }) => (status === 'ready' ? `ready, v${version}` : status) },
  ];
  const output = { columns, isJson: flagOption(options, 'json'), none: 'There are no tables.' };
  await printList(pages, output, io);
  return 0;
}

async function show(id: string, { options, io }: Invocation): Promise<number> {
  const client = await openConfiguredClient();
  const table = await client.getTable({ params: { id } });
  if (flagOption(options, 'json')) {
    io.out(`${JSON.stringify(table)}\n`);
    return 0;
  }
  const rows = table.row_count === null ? '' : `, ${countOf(table.row_count, 'row')}`;
  io.out(`${table.name} (${table.sql_name}): ${table.status}, version ${table.version}${rows}\n`);
  if (table.error !== null) io.out(`The last build failed: ${table.error}\n`);
  for (const { message } of table.warnings) io.out(`Warning: ${message}\n`);
  const columns: Column<TableColumn>[] = [
    { title: 'COLUMN', value: (column) => column.sql_name },
    { title: 'TYPE', value: ({ type, unit }) => (unit === null ? type : `${type} (${unit})`) },
    { title: 'EXAMPLES', value: ({ examples }) => examples.slice(0, 3).join(', '), cut: true },
  ];
  io.out('\n');
  await printRows(table.columns, { columns, isJson: false, none: 'The table has no columns yet.' }, io);
  const samples = table.sample.map(({ values }) => values);
  if (samples.length === 0) return 0;
  const cells = table.columns.map(
    ({ sql_name: name }): Column<Record<string, unknown>> => ({
      title: name,
      value: (row) => (row[name] === null ? '' : String(row[name])),
      cut: true,
    }),
  );
  const text = layOut(cells, samples, io.outColumns);
  io.out(`\n${text.head}\n${samples.map((row) => `${text.line(row)}\n`).join('')}`);
  return 0;
}
