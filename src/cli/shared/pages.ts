/** Reads and prints lists page by page, newest first, so that only one page is in memory. */

import { openGate } from '../../util/pool.ts';
import { type Column, layOut, type Table, tableText } from './columns.ts';
import { flagOption, type Invocation, integerOption, type OptionSpec, type OptionValues } from './command.ts';
import type { Io } from './io.ts';

const PAGE_SIZE_MAX = 100;
const REQUESTS_AT_ONCE = 8;
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1_000_000;

export const LIST_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  limit: { short: 'n', value: '<n>', text: `number of entries to show, newest first (default ${LIMIT_DEFAULT})` },
  all: { text: 'show all entries, newest first' },
};

/** One answer of a list operation. */
interface Page<Row> {
  rows: readonly Row[];
  pagination: { next_id: string | null; total: number };
}

export interface PageQuery {
  limit: number;
  after_id?: string | undefined;
}

/** Returns the number of rows to show; infinite with `--all`. @throws CliError for an invalid `--limit`. */
export function limitOf(options: OptionValues): number {
  const limit = integerOption(options, 'limit', 1, LIMIT_MAX);
  return flagOption(options, 'all') ? Number.POSITIVE_INFINITY : (limit ?? LIMIT_DEFAULT);
}

/** Yields pages with at most `limit` rows together. `name` is the member of an answer that has the rows. */
export async function* pagesOf<Name extends string, Row>(
  name: Name,
  read: (query: PageQuery) => Promise<Record<Name, readonly Row[]> & Pick<Page<Row>, 'pagination'>>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Page<Row>> {
  let left = limit;
  let after: string | null | undefined;
  while (after !== null && left > 0) {
    const answer = await read({ limit: Math.min(left, PAGE_SIZE_MAX), after_id: after });
    const { [name]: rows, pagination } = answer;
    yield { rows, pagination };
    left -= rows.length;
    after = pagination.next_id;
  }
}

/** Returns all rows of a list. */
export async function allOf<Name extends string, Row>(...list: Parameters<typeof pagesOf<Name, Row>>): Promise<Row[]> {
  return (await Array.fromAsync(pagesOf(...list))).flatMap(({ rows }) => rows);
}

/** Calls `work` for each row, for REQUESTS_AT_ONCE rows at the same time, and returns the results in order. */
export function mapRows<Row, Detailed>(
  rows: readonly Row[],
  work: (row: Row) => Promise<Detailed>,
): Promise<Detailed[]> {
  const gate = openGate(REQUESTS_AT_ONCE);
  return Promise.all(rows.map((row) => gate(() => work(row))));
}

export interface ListOutput<Row> {
  columns: readonly Column<Row>[];
  /** Printed for an empty list, for example `There are no runs.` */
  none: string;
}

/**
 * Prints pages as they arrive: as a table, or with `--json` as one line with an array. Prints to `err` how many rows are not shown.
 * Returns the exit code of success.
 */
export async function printList<Row>(
  pages: AsyncIterable<Page<Row>>,
  { columns, none }: ListOutput<Row>,
  { options, io }: Pick<Invocation, 'options' | 'io'>,
): Promise<number> {
  const isJson = flagOption(options, 'json');
  let table: Table<Row> | undefined;
  let [shown, total] = [0, 0];
  for await (const { rows, pagination } of pages) {
    total = pagination.total;
    if (isJson) {
      for (const row of rows) io.out(`${shown++ === 0 ? '[' : ','}${JSON.stringify(row)}`);
      continue;
    }
    if (rows.length === 0) continue;
    if (table === undefined) {
      table = layOut(columns, rows, io.outColumns);
      io.out(`${table.head}\n`);
    }
    io.out(rows.map((row) => `${table!.line(row)}\n`).join(''));
    shown += rows.length;
  }
  if (isJson) io.out(shown === 0 ? '[]\n' : ']\n');
  else if (shown === 0) io.err(`${none}\n`);
  if (shown > 0 && shown < total) io.err(notShown(shown, total));
  return 0;
}

/** Returns the line that says how many entries of a list are not shown. */
export function notShown(shown: number, total: number): string {
  return `${shown} of ${total} shown: --limit <n> or --all shows more.\n`;
}

/** Prints a table of rows that are already loaded. */
export function printRows<Row>(rows: readonly Row[], { columns, none }: ListOutput<Row>, io: Io): void {
  if (rows.length === 0) io.err(`${none}\n`);
  else io.out(tableText(columns, rows, io.outColumns));
}
