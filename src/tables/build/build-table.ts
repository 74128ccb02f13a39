/** Builds one table from the text of its source: finds the header, decides the types over all rows, writes the Parquet file. */
import type { TablePlace } from '../../corpus/values.ts';
import { type ColumnPlan, ColumnStats } from '../../files/columns/column-stats.ts';
import type { ColumnType } from '../../files/columns/column-type.ts';
import { findHeader, HEAD_ROWS } from '../../files/columns/header.ts';
import { TOTAL_WORDS } from '../../files/columns/words.ts';
import { sqlNameOf, uniqueName } from '../names.ts';
import type { TableColumn, TableWarning } from '../table.ts';
import { ColumnSummary } from './column-summary.ts';
import { type CellValue, convertCell, numberOf, valueText } from './convert.ts';
import { openTableFile } from './parquet-file.ts';
import { gridRows, type RawRow, records, type TableText } from './read-rows.ts';

export const TABLE_ROWS_MAX = 2_000_000;
export const TABLE_COLUMNS_MAX = 500;
export const TABLE_BYTES_MAX = 256 * 1024 * 1024;
const CELL_UNITS_MAX = 32_768;
/** Rows below a table that have a first cell only. */
const NOTES_MAX = 10;
const SUM_TOLERANCE = 1e-6;
const TEXT_SHOWN_UNITS_MAX = 200;

/** What a user has set for a column, by its header. */
export interface ColumnSetting {
  name?: string;
  description?: string;
  type?: ColumnType;
}

export interface BuildRequest {
  text: TableText;
  place: Pick<TablePlace, 'firstSheetRow' | 'caption' | 'end'>;
  language: string | null;
  /** The chunks of the source in order: where each ends, its ordinal, and its first page or 0. */
  chunks: { ends: Int32Array; ordinals: Int32Array; pages: Int32Array };
  settings: Record<string, ColumnSetting>;
  /** Where the Parquet file is written. */
  out: string;
}

export interface BuiltTable {
  rowCount: number;
  totalRows: number;
  bytes: number;
  columns: TableColumn[];
  warnings: TableWarning[];
  /** The title rows above the header. */
  caption: string;
}

/** The table cannot be built. The message is shown to people. */
export class TableProblem extends Error {}

interface Column {
  header: string;
  sqlName: string;
  setting: ColumnSetting;
  plan: ColumnPlan;
  summary: ColumnSummary;
}

/** Builds the table. @throws TableProblem */
export function buildTable(request: BuildRequest): BuiltTable {
  const layout = request.text.form === 'grid' ? gridLayout(request.text) : recordLayout(request.text);
  const warnings: TableWarning[] = [];
  const { columns, totalAt } = planColumns(request, layout, warnings);
  if (columns.length === 0) throw new TableProblem('There are no columns in this table.');
  const file = openTableFile(request.out, columns);
  const counts = writeRows(request, layout, columns, totalAt, (row) => file.add(row), warnings);
  const bytes = file.finish();
  if (bytes > TABLE_BYTES_MAX) throw new TableProblem('The table is larger than 256 MiB.');
  return {
    ...counts,
    bytes,
    columns: columns.map(describe),
    warnings,
    caption: [request.place.caption ?? '', ...layout.caption].filter((line) => line !== '').join(' '),
  };
}

interface Layout {
  /** Names of the first columns. Rows may be wider. */
  headers: string[];
  caption: string[];
  /** Rows of the text before the first row of data. */
  skipped: number;
  rows(): Iterable<RawRow>;
}

function gridLayout(text: TableText): Layout {
  const head: string[][] = [];
  for (const { cells } of gridRows(text)) if (head.push(cells) === HEAD_ROWS) break;
  const { names, caption, rows: skipped } = findHeader(head);
  // The lines above the first row of data may be the widest.
  const width = head.slice(0, skipped).reduce((most, { length }) => Math.max(most, length), 0);
  return {
    headers: Array.from({ length: width }, (_, column) => names[column] ?? ''),
    caption,
    skipped,
    *rows() {
      let index = 0;
      for (const row of gridRows(text)) if (index++ >= skipped) yield row;
    },
  };
}

function recordLayout(text: TableText): Layout {
  const places = new Map<string, number>();
  for (const { members } of records(text)) {
    for (const path of members.keys()) if (!places.has(path)) places.set(path, places.size);
    if (places.size > TABLE_COLUMNS_MAX) break;
  }
  return {
    headers: [...places.keys()],
    caption: [],
    skipped: 0,
    *rows() {
      for (const { members, start } of records(text)) {
        const cells = Array<string>(places.size).fill('');
        for (const [path, value] of members) cells[places.get(path)!] = value;
        yield { cells, start };
      }
    },
  };
}

/** Decides the types of all columns over all rows. `totalAt` is the index of the row that may be a total, or -1. */
function planColumns(
  { language, settings }: BuildRequest,
  layout: Layout,
  warnings: TableWarning[],
): { columns: Column[]; totalAt: number } {
  const stats = layout.headers.map(() => new ColumnStats());
  const add = (cells: readonly string[]): void => {
    for (let i = 0; i < cells.length; i += 1) stats[i]!.add(cells[i]!);
  };
  let rows = 0;
  // The last row, which may be a total, and notes below it. They must not decide a type.
  const held: string[][] = [];
  for (const { cells } of layout.rows()) {
    if (held.length > NOTES_MAX || !isNote(cells, held[0])) for (const row of held.splice(0)) add(row);
    held.push(cells);
    rows += 1;
    while (stats.length < cells.length) stats.push(new ColumnStats());
    if (stats.length > TABLE_COLUMNS_MAX)
      throw new TableProblem(`The table has more than ${TABLE_COLUMNS_MAX} columns.`);
    if (rows > TABLE_ROWS_MAX) throw new TableProblem(`The table has more than ${TABLE_ROWS_MAX} rows.`);
  }
  const last = held[0];
  const endsInTotal = last !== undefined && rows - held.length >= 2 && isTotal(last);
  if (last && !endsInTotal) add(last);
  if (stats.length === 1) for (const row of held.slice(1)) add(row);
  const marks = new Set(stats.flatMap(({ provenMark }) => provenMark ?? []));
  const tableMark = marks.size === 1 ? [...marks][0] : undefined;
  const taken = new Set<string>();
  const columns = stats.map((column, i): Column => {
    const header = layout.headers[i] ?? '';
    const setting = settings[header] ?? {};
    const { plan, warning } = column.decide(tableMark, language);
    const name = uniqueName(sqlNameOf(header, `column_${i + 1}`), taken);
    const forced = setting.type === undefined ? plan : column.forced(setting.type, tableMark);
    if (warning && setting.type === undefined)
      warnings.push({ code: warning.code, message: warning.message, column: name });
    return { header, sqlName: name, setting, plan: forced, summary: new ColumnSummary() };
  });
  return { columns, totalAt: endsInTotal ? rows - held.length : -1 };
}

/** Returns whether a row has a text in the first column of the row above it, and nothing else. */
function isNote(cells: readonly string[], above: readonly string[] | undefined): boolean {
  const first = above?.findIndex((cell) => cell !== '');
  return cells.every((cell, column) => (cell !== '') === (column === first));
}

function isTotal(cells: readonly string[]): boolean {
  const first = cells.find((cell) => cell !== '') ?? '';
  return TOTAL_WORDS.has(first.toLowerCase().replace(/[\s:：*]+$/, ''));
}

function writeRows(
  { chunks, place }: BuildRequest,
  layout: Layout,
  columns: readonly Column[],
  totalAt: number,
  write: (row: Parameters<ReturnType<typeof openTableFile>['add']>[0]) => void,
  warnings: TableWarning[],
): { rowCount: number; totalRows: number } {
  const sums = columns.map(() => 0);
  let [index, chunk, totalRows, cut] = [0, 0, 0, 0];
  for (const { cells, start } of layout.rows()) {
    while (chunk < chunks.ends.length - 1 && chunks.ends[chunk]! <= start) chunk += 1;
    let raw: Record<string, string> | undefined;
    const failed: number[] = [];
    const values = columns.map(({ plan, sqlName }, i): CellValue => {
      let cell = cells[i] ?? '';
      if (cell.length > CELL_UNITS_MAX) {
        cell = cell.slice(0, CELL_UNITS_MAX).toWellFormed();
        cut += 1;
      }
      const value = convertCell(cell, plan);
      if (value !== undefined) return value;
      raw ??= {};
      raw[sqlName] = cell;
      failed.push(i);
      return null;
    });
    const isTotalRow = index === totalAt && addsUp(values, sums, columns);
    if (isTotalRow) totalRows += 1;
    else summarize(values, failed, cells, sums, columns);
    write({
      part: chunks.ordinals[chunk] ?? 0,
      // Rows that are not in the text have the end of the text as their place.
      start: Math.min(start, place.end),
      page: chunks.pages[chunk] || null,
      sheetRow: place.firstSheetRow === undefined ? null : place.firstSheetRow + layout.skipped + index,
      kind: isTotalRow ? 'total' : 'data',
      raw,
      values,
    });
    index += 1;
  }
  if (totalRows > 0)
    warnings.push({ code: 'total_rows_excluded', message: 'The last row is a total. Queries leave it out.' });
  if (cut > 0) warnings.push({ code: 'cells_cut', message: `${cut} cells are longer than 32,768 characters.` });
  const failures = columns.reduce((sum, { summary }) => sum + summary.failures, 0);
  if (failures > 0)
    warnings.push({ code: 'cast_failures', message: `${failures} cells do not have the type of their column.` });
  return { rowCount: index - totalRows, totalRows };
}

function summarize(
  values: readonly CellValue[],
  failed: readonly number[],
  cells: readonly string[],
  sums: number[],
  columns: readonly Column[],
): void {
  for (const [i, value] of values.entries()) {
    const { summary, plan } = columns[i]!;
    if (value === null && failed.includes(i))
      summary.fail((cells[i] ?? '').slice(0, TEXT_SHOWN_UNITS_MAX).toWellFormed());
    else summary.add(value);
    sums[i]! += numberOf(value, plan) ?? 0;
  }
}

/** Returns whether at least half of the row's numbers are the sums of their columns. */
function addsUp(values: readonly CellValue[], sums: readonly number[], columns: readonly Column[]): boolean {
  let [numbers, right] = [0, 0];
  for (const [i, value] of values.entries()) {
    const number = numberOf(value, columns[i]!.plan);
    if (number === undefined) continue;
    numbers += 1;
    if (Math.abs(number - sums[i]!) <= SUM_TOLERANCE * Math.max(1, Math.abs(sums[i]!))) right += 1;
  }
  return right > 0 && right * 2 >= numbers;
}

function describe({ header, sqlName, setting, plan, summary }: Column): TableColumn {
  const shown = (value: CellValue): string | null =>
    valueText(value, plan.type, plan.scale)?.slice(0, TEXT_SHOWN_UNITS_MAX).toWellFormed() ?? null;
  return {
    name: setting.name ?? (header === '' ? sqlName : header),
    sqlName,
    type: plan.type,
    unit: plan.unit,
    nullable: summary.nulls > 0,
    distinct: summary.distinct,
    min: shown(summary.min),
    max: shown(summary.max),
    examples: summary.examples.flatMap((value) => shown(value) ?? []),
    description: setting.description ?? null,
    castFailures: summary.failures,
    castFailureExamples: summary.failureExamples,
    header,
  };
}
