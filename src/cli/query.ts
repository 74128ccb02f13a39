/** `pinakes query`: runs a SELECT over tables and prints the rows with their places. */
import type { CitedRow } from '../client/api.ts';
import { place } from './answer.ts';
import { PRINCIPAL_OPTIONS, principalIn } from './operate/principal.ts';
import { openConfiguredClient } from './shared/client-config.ts';
import { tableText } from './shared/columns.ts';
import { type Command, integerOption, printAnswer, textOptions } from './shared/command.ts';
import { tableIdOf } from './shared/names.ts';
import { printable } from './shared/printable.ts';

const LIMIT_MAX = 1_000;

export const queryCommand: Command = {
  name: 'query',
  summary: 'Query tables with a SELECT, and print the rows with their places.',
  synopsis: '<select>',
  argumentsMin: 1,
  options: {
    table: { multiple: true, value: '<name>', text: 'read only this table (name or id); may be repeated' },
    limit: { short: 'n', value: '<n>', text: 'maximum number of rows (1 to 1000, default 100)' },
    ...PRINCIPAL_OPTIONS,
    json: { text: 'print the answer as one line of JSON' },
  },
  details: `
  pinakes query "select region, sum(amount) from sales group by region"
  pinakes query "select * from sales" --table sales -n 5
  pinakes query "select count(*) from sales" --json | jq '.rows[0][0]'

The statement is SQL of DuckDB. Tables and columns have their names in SQL.`,
  async run({ arguments: [statement = ''], options, io }) {
    const limit = integerOption(options, 'limit', 1, LIMIT_MAX);
    const asked = principalIn(options);
    const client = await openConfiguredClient();
    const names = textOptions(options, 'table');
    const tables = await Promise.all(names.map((name) => tableIdOf(client, name, asked)));
    const answer = await client.queryTables({
      body: {
        sql: statement,
        tables: tables.length > 0 ? tables : undefined,
        row_limit: limit,
        ...asked,
      },
    });
    return printAnswer({ options, io }, answer, () => {
      io.out(formatResult(answer.columns, answer.rows, io.outColumns));
      if (answer.citations.length > 0) io.out(`\n${formatPlaces(answer.citations)}`);
      const { witness_count: read } = answer;
      if (read !== null && read > answer.citations.length)
        io.out(`  (the first ${answer.citations.length} of ${read} rows that were read)\n`);
      for (const warning of answer.warnings) io.err(`Warning: ${printable(warning.message)}\n`);
    });
  },
};

/** Returns the rows below their column names. */
export function formatResult(
  columns: readonly { name: string; type: string }[],
  rows: readonly (readonly unknown[])[],
  width: number | undefined,
): string {
  const shown = columns.map(({ name, type }, i) => ({
    title: name,
    value: (row: readonly unknown[]) => textOf(row[i]),
    cut: true as const,
    ...(/INT|DECIMAL|DOUBLE|FLOAT/.test(type) && { right: true as const }),
  }));
  return tableText(shown, rows, width);
}

function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

/** Returns a line for each place: `  sales.csv, rows 1, 3`. People count rows from 1, and the API from 0. */
function formatPlaces(citations: readonly CitedRow[]): string {
  const placed = Map.groupBy(citations, (one) => `${one.row.table_id} ${place(one)}`);
  const lines = [...placed.values()].map((rows) => {
    const numbers = rows.flatMap(({ row: { row } }) => (row === null ? [] : [row + 1]));
    const listed = numbers.length === 0 ? '' : `, ${numbers.length === 1 ? 'row' : 'rows'} ${numbers.join(', ')}`;
    return `  ${printable(place(rows[0]!))}${listed}\n`;
  });
  return `From:\n${lines.join('')}`;
}
