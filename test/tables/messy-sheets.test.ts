/**
 * Sheets as people make them, as CSV, Excel and OpenDocument: every cell is found again in the table at its place, and its place points to
 * the cell in the text. `npm run check:messy-sheets` checks 500 sheets (PINAKES_TEST_SHEETS).
 */
import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import type { TablePlace } from '../../src/corpus/values.ts';
import type { ProcessedFile } from '../../src/files/parsed.ts';
import { type BuiltTable, buildTable } from '../../src/tables/build/build-table.ts';
import { openTable, type TableRowRead } from '../../src/tables/read-table.ts';
import { columnName, makeXlsx } from '../support/files/make-files.ts';
import { makeOds } from '../support/files/make-ods.ts';
import { readBytes } from '../support/files/process-bytes.ts';
import { openRandom, type Random, TEST_SEED } from '../support/random.ts';
import { type MessyCell, type MessySheet, type MessyTable, makeMessySheet } from '../support/worlds/messy-sheets.ts';

const SHEETS = Number(process.env['PINAKES_TEST_SHEETS'] ?? 12);
const FORMATS = ['csv', 'xlsx', 'ods'] as const;
type Format = (typeof FORMATS)[number];

const folder = mkdtempSync(join(tmpdir(), 'pinakes-messy-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Built extends BuiltTable {
  place: TablePlace;
  rows: (TableRowRead & { raw: Record<string, string> })[];
}

/** Returns the cell on one line, as the text of a source has it. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function csvOf(sheet: MessySheet, { pick, next }: Random): string {
  const delimiter = pick([',', ';', '\t']);
  const width = Math.max(...sheet.grid.map((row) => row.length));
  const quotesAll = next() < 0.2;
  const lines = sheet.grid.map((row) =>
    Array.from({ length: width }, (_, c) => {
      const text = row[c]?.text ?? '';
      return quotesAll || /[,;\t"\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    }).join(delimiter),
  );
  return pick(['', '\ufeff']) + lines.join(pick(['\n', '\r\n'])) + pick(['', '\n']);
}

function bytesOf(sheet: MessySheet, format: Format, random: Random): Uint8Array | string {
  if (format === 'csv') return csvOf(sheet, random);
  const rows = sheet.grid.map((row) => row.map(({ stored }) => stored));
  if (format === 'ods') return makeOds([{ name: 'Data', rows, merged: sheet.merged }]);
  const at = (row: number, column: number): string => `${columnName(column)}${row + 1}`;
  const merged = sheet.merged.map(({ top, left, bottom, right }) => `${at(top, left)}:${at(bottom, right)}`);
  return makeXlsx({ sheets: [{ name: 'Data', rows, merged }] });
}

async function build(file: ProcessedFile, place: TablePlace, points: readonly string[]): Promise<Built> {
  const [path, out] = [join(folder, 'text'), join(folder, 'out.parquet')];
  writeFileSync(path, points.slice(place.start, place.end).join(''));
  const table = buildTable({
    text: { path, start: place.start, form: place.form, exact: place.automatic },
    place,
    language: file.language,
    chunks: {
      ends: Int32Array.from(file.chunks, ({ endOffset }) => endOffset),
      ordinals: Int32Array.from(file.chunks, ({ ordinal }) => ordinal),
      pages: new Int32Array(file.chunks.length),
    },
    settings: {},
    out,
  });
  const blobs = { read: async (_: string, __: string, range?: object) => createReadStream(out, range) };
  const reader = await openTable(blobs, { tenantId: '', blobHash: '', bytes: table.bytes });
  const raws = await parquetReadObjects({
    file: new Uint8Array(readFileSync(out)).buffer,
    columns: ['_raw'],
    compressors: { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) },
  });
  const rows = await reader.read(0, reader.rows, table.columns);
  return { ...table, place, rows: rows.map((row, i) => ({ ...row, raw: JSON.parse(raws[i]!['_raw'] ?? '{}') })) };
}

/** Returns the cells of a line, read from left to right. */
function cellsOfLine(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  for (let i = 1; i < line.length; i += 1) {
    if (line[i] === '\\' && line[i + 1] === '|') {
      cell += '|';
      i += 1;
    } else if (line[i] === '|') {
      cells.push(cell.trim());
      cell = '';
    } else cell += line[i];
  }
  return cells;
}

/** Returns the text that a format gives for a cell. */
function textOf({ text, stored }: MessyCell, format: Format): string {
  if (format === 'csv') return oneLine(text);
  if (stored === null) return '';
  if (stored instanceof Date) return stored.toISOString().slice(0, 19).replace('T00:00:00', '').replace('T', ' ');
  // Excel shows these cells with two decimals.
  if (typeof stored === 'object' && format === 'xlsx') return `${stored.percent.toFixed(2)}%`;
  if (typeof stored === 'object') return `${stored.percent}%`;
  return typeof stored === 'boolean' && format === 'ods' ? String(stored).toUpperCase() : oneLine(String(stored));
}

/** Returns the cells after each merged range is filled with its value. A CSV file has no ranges. */
function filled(sheet: MessySheet, format: Format): MessyCell[][] {
  const grid = sheet.grid.map((row) => [...row]);
  if (format === 'csv') return grid;
  for (const { top, left, bottom, right } of sheet.merged)
    for (let row = top; row <= bottom; row += 1)
      for (let column = left; column <= right; column += 1) grid[row]![column] = sheet.grid[top]![left]!;
  return grid;
}

interface Ranged extends Built {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

function withRange(table: Built): Ranged {
  const parts = /^([A-Z]+)(\d+):([A-Z]+)(\d+)$/.exec(table.place.range ?? '')!;
  const column = (letters: string): number =>
    [...letters].reduce((sum, one) => sum * 26 + one.charCodeAt(0) - 64, 0) - 1;
  const [left, right] = [column(parts[1]!), column(parts[3]!)];
  // Several header rows are one line of the text, which counts as the last of them.
  assert.ok(table.place.firstSheetRow! >= Number(parts[2]) && table.place.firstSheetRow! <= Number(parts[4]));
  return { ...table, top: Number(parts[2]) - 1, bottom: Number(parts[4]) - 1, left, right };
}

const counts = { cells: 0, columns: 0, typed: 0 };

/** Checks one cell of data. Returns what is wrong. */
function checkCell(table: Built, row: Built['rows'][number], column: number, cell: MessyCell, text: string): string[] {
  const named = table.columns[column];
  if (!named) return [`no column ${column}`];
  const { sqlName, type } = named;
  const value = row.values[sqlName] ?? null;
  counts.cells += 1;
  if (type === 'text') return (value ?? '') === text ? [] : [`text ${JSON.stringify(value)}`];
  if (value === null) {
    const isNull = ['', '-', '–', 'n/a', '?'].includes(text);
    return isNull || row.raw[sqlName] === text ? [] : [`lost, raw ${row.raw[sqlName]}`];
  }
  if (value === cell.means || String(value) === String(cell.means ?? text)) return [];
  if (cell.means !== undefined && type === 'datetime' && value === `${cell.means}T00:00:00`) return [];
  return [`${type} ${value} instead of ${cell.means}`];
}

function findTable(tables: readonly Built[], format: Format, top: number, left: number): Built | undefined {
  if (format === 'csv') return tables[0];
  return tables
    .map(withRange)
    .find((one) => one.top <= top && one.bottom >= top && one.left <= left && one.right >= left);
}

function check(
  file: ProcessedFile,
  tables: readonly Built[],
  sheet: MessySheet,
  format: Format,
  points: readonly string[],
): string[] {
  const problems: string[] = [];
  const grid = filled(sheet, format);
  const lines = grid.flatMap((row, r) => (row.some((cell) => textOf(cell, format) !== '') ? [r] : []));
  for (const [index, made] of sheet.tables.entries()) {
    const header = made.top + made.titles;
    const first = header + made.headers;
    const table = findTable(tables, format, first, made.left);
    if (!table) {
      problems.push(`no table at ${first}, ${made.left}`);
      continue;
    }
    const left = format === 'csv' ? 0 : (table as Ranged).left;
    checkHead(file, table, grid, made, index, sheet.tables.length, left, format, problems);
    const rows = made.count + Number(made.hasTotal) + made.notes;
    const isOnly = format !== 'csv' || sheet.tables.length === 1;
    for (let i = 0; i < rows; i += 1) {
      const r = first + i;
      const row =
        format === 'csv'
          ? table.rows.at(lines.indexOf(r) - lines.length)
          : table.rows.find(({ sheetRow }) => sheetRow === r + 1);
      const where = `row ${r + 1}`;
      if (!row) {
        // A short table above a wider one in a CSV file is text, as account and balance of a bank are.
        const cells = grid[r]!.map((cell) => textOf(cell, format)).filter((text) => text !== '');
        if (isOnly || !file.text.includes(cells.join(' '))) problems.push(`${where} is no row`);
        continue;
      }
      const line = points
        .slice(row.start, row.start + 100_000)
        .join('')
        .split('\n', 1)[0]!;
      const shown = cellsOfLine(line);
      if (isOnly && i < made.count && row.kind !== 'data') problems.push(`${where} is a total`);
      for (const [c] of made.kinds.entries()) {
        const cell = grid[r]![made.left + c] ?? { text: '', stored: null };
        const text = textOf(cell, format);
        const column = made.left + c - left;
        if ((shown[column] ?? '') !== text)
          problems.push(`${where}: text ${JSON.stringify(shown[column])} for ${text}`);
        for (const one of checkCell(table, row, column, cell, text))
          problems.push(`${where}, ${made.kinds[c]} ${JSON.stringify(text)}: ${one}`);
      }
    }
    if (isOnly) countTypes(table, made, left);
    if (format !== 'csv' && made.hasTotal && table.totalRows !== 1) problems.push('the total is not found');
  }
  return problems;
}

/** Titles are in the description or the text, header cells in the names of their columns. */
function checkHead(
  file: ProcessedFile,
  table: Built,
  grid: readonly MessyCell[][],
  made: MessyTable,
  index: number,
  tables: number,
  left: number,
  format: Format,
  problems: string[],
): void {
  const text = (row: number, column: number): string => {
    const cell = grid[row]?.[column];
    return cell ? textOf(cell, format) : '';
  };
  if (made.titles > 0) {
    const title = text(made.top, made.left);
    const isSaid = index === 0 && format !== 'csv' ? table.caption.includes(title) : file.text.includes(title);
    if (!isSaid) problems.push(`title ${title} is not in ${table.caption}`);
  }
  // A CSV file is one table: headers further down or to the right are rows and cells of it.
  if (format === 'csv' && tables > 1) return;
  for (const [c] of made.kinds.entries()) {
    const named = table.columns[made.left + c - left]?.header ?? '';
    for (let row = made.top + made.titles; row < made.top + made.titles + made.headers; row += 1) {
      const name = text(row, made.left + c);
      // A line of a CSV file with one cell is a title.
      const isTitle = format === 'csv' && row === made.top + made.titles && table.caption.includes(name);
      if (!named.includes(name) && !isTitle) problems.push(`header ${name} is not in ${named}`);
    }
  }
}

/** Kinds whose columns have a type. */
const TYPED = new Set(
  'serial integer small decimal currency percent parentheses sparse date datetime time boolean'.split(' '),
);

function countTypes(table: Built, made: MessyTable, left: number): void {
  for (const [c, kind] of made.kinds.entries()) {
    const type = table.columns[made.left + c - left]?.type ?? 'text';
    if (!TYPED.has(kind)) continue;
    counts.columns += 1;
    if (type !== 'text') counts.typed += 1;
  }
}

for (const format of FORMATS) {
  test(`every cell of a messy sheet is found again in the tables of a ${format} file`, async (t) => {
    const problems: string[] = [];
    Object.assign(counts, { cells: 0, columns: 0, typed: 0 });
    let wrong = 0;
    for (let i = 0; i < SHEETS; i += 1) {
      const seed = TEST_SEED * 1_000_003 + i;
      const random = openRandom(seed);
      const sheet = makeMessySheet(random, format === 'csv' && i % 4 > 0 ? 1 : 4);
      const file = await readBytes(`sheet.${format}`, bytesOf(sheet, format, random));
      const points = [...file.text];
      const tables: Built[] = [];
      for (const place of file.tables) tables.push(await build(file, place, points));
      const found = check(file, tables, sheet, format, points);
      if (found.length > 0) wrong += 1;
      problems.push(...found.slice(0, 3).map((one) => `sheet ${i} (seed ${seed}): ${one}`));
    }
    const { cells, columns, typed } = counts;
    t.diagnostic(
      `seed ${TEST_SEED}: ${SHEETS} sheets, ${wrong} wrong, ${cells} cells; ${typed} of ${columns} columns typed`,
    );
    assert.deepEqual(problems, []);
    assert.ok(typed >= columns * 0.98, `${typed} of ${columns} columns are typed`);
  });
}
