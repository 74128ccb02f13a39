/** Parses CSV and similar formats. The delimiter is detected. The first row is the header, unless it is like the rows below. */
import { parse } from 'csv-parse/sync';
import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import { HEAD_ROWS, hasHeader } from '../../columns/header.ts';
import { cleanText } from '../../detect/decode.ts';
import { hasMoreLines } from '../../lines.ts';
import { KeyPicker } from '../../metadata-values.ts';
import type { ParsedFile } from '../../parsed.ts';
import { TEXT_UNITS_MAX, TextBuilder } from '../text-builder.ts';
import { headedRows, type RecordWriter, recordLine, recordWriter, SINGLE_RECORDS_MAX } from './records.ts';

/** Matches the first line in which Excel names the delimiter. */
const NAMED_DELIMITER = /^sep=([,;\t|])\n/i;
/** Maximum number of title lines above the header. */
const TITLE_LINES_MAX = 5;
/** Maximum number of rows above the header that are shorter than it. */
const LINES_ABOVE_MAX = 20;
const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Matches a cell in quotes, which may contain delimiters and line ends, with the delimiter before it. */
const QUOTED_CELL = /(^|[,;\t|\n]) ?"(?:[^"]|"")*"(?=[,;\t|\n]|$)/g;
/** The delimiter is detected from this many UTF-16 units and lines. */
const SAMPLE_UNITS = 64 * 1024;
const SAMPLE_LINES = 50;
/** UTF-16 units that are parsed at once, so that not all rows are in memory together. */
const PIECE_UNITS = 4 * 1024 * 1024;
/** A quote in a large file is never closed if it is open for so long. */
const QUOTED_UNITS_MAX = 32 * 1024 * 1024;
const COLUMNS_UNITS_MAX = 1_000;

/** Characters of the text of a large file. Further rows are in its table only. */
export const SEARCHED_UNITS_MAX = 4 * 1024 * 1024;
/** Room below the limit of a text for the last rows and the note about the others. */
const ROOM_UNITS = 1024 * 1024;
/** UTF-16 units of a piece of the rest. */
const REST_PIECE_UNITS = 256 * 1024;

/**
 * Parses rows as records. More than SINGLE_RECORDS_MAX rows share blocks, unless `keys` name metadata for each record.
 *
 * Rows beyond the limit of a text are the rest of the file, unless each record has metadata: such rows are visible one by one.
 *
 * @throws FileError if the text exceeds its limit.
 */
export function parseCsv(source: string, fileType: 'csv' | 'tsv', keys: readonly ChunkMetadataKey[]): ParsedFile {
  const picker = new KeyPicker(keys);
  const single = picker.active || !hasMoreLines(source, SINGLE_RECORDS_MAX);
  const unitsMax = picker.active ? Number.POSITIVE_INFINITY : TEXT_UNITS_MAX - ROOM_UNITS;
  return parsePieces([source], fileType, { picker, single, unitsMax });
}

/** Parses a large file, of whose rows the first become text. The pieces are not empty. */
export function parseLargeCsv(pieces: Iterable<string>, fileType: 'csv' | 'tsv'): ParsedFile {
  return parsePieces(pieces, fileType, { picker: new KeyPicker([]), single: false, unitsMax: SEARCHED_UNITS_MAX });
}

function parsePieces(
  pieces: Iterable<string>,
  fileType: 'csv' | 'tsv',
  { picker, single, unitsMax }: { picker: KeyPicker; single: boolean; unitsMax: number },
): ParsedFile {
  const parts = pieces[Symbol.iterator]();
  const source = parts.next().value ?? '';
  const named = NAMED_DELIMITER.exec(source);
  const text = named ? source.slice(named[0].length) : source;
  const builder = new TextBuilder();
  const delimiter = named?.[1] ?? findDelimiter(text, fileType === 'tsv' ? '\t' : ',');
  const warnings: string[] = [];
  let writer: RecordWriter | undefined;
  const waiting: string[][] = [];
  /** The first rows, until they show whether there is a header. */
  let head: string[][] = [];
  let columns: string[] = [];
  let width = 0;
  let count = 0;
  const write = (row: readonly string[]): void => {
    writer?.row(row);
    count += 1;
  };
  const begin = () => {
    for (const title of waiting) builder.add({ kind: 'paragraph' }, title.join(' '));
    const all = head.filter((row) => row.some((cell) => cell.trim() !== ''));
    const above = picker.keysOf(all[0] ?? []).length > 0 ? 0 : linesAbove(all);
    for (const row of all.slice(0, above)) builder.add({ kind: 'paragraph' }, filledCells(row).join(' '));
    const rows = headedRows(all.slice(above), picker);
    const [first] = rows;
    if (!first) return;
    width = first.length;
    if (picker.keysOf(first).length > 0 || hasHeader(rows)) columns = [...first];
    writer = recordWriter(builder, columns.length > 0 ? first : undefined, picker, single);
    for (const row of rows.slice(columns.length > 0 ? 1 : 0)) write(row);
    head = [];
  };
  const rows = readRows(text, parts, delimiter, warnings);
  let isOver = false;
  while (!isOver && builder.units < unitsMax) {
    const { value: row, done } = rows.next();
    isOver = done === true;
    if (!row) continue;
    const filled = filledCells(row);
    if (writer) write(row);
    else if (head.length === 0 && filled.length <= 1) {
      if (filled.length === 1) waiting.push(row);
      if (waiting.length > TITLE_LINES_MAX) head = waiting.splice(0);
    } else if (head.push(row) >= HEAD_ROWS) begin();
  }
  if (!writer) {
    if (head.length === 0) head = waiting.splice(0);
    begin();
  }
  writer?.end();
  if (builder.blocks.length === 1 && builder.blocks[0]!.kind === 'table')
    warnings.push('The table has a header and no rows.');
  const next = isOver ? undefined : rows.next();
  if (next && !next.done) {
    const found = `Search finds the first ${count} rows of this file. The other rows are in its table only.`;
    warnings.push(found);
    const names = columns.length === 0 ? '' : ` Columns: ${columns.join(', ').slice(0, COLUMNS_UNITS_MAX)}`;
    builder.add({ kind: 'paragraph' }, `${found}${names}`);
  }
  return builder.file(
    fileType,
    {},
    {
      warnings: [...warnings, ...picker.warnings()],
      ...(next && !next.done && { rest: restOf(next.value, rows, width) }),
    },
  );
}

function filledCells(row: readonly string[]): string[] {
  return row.filter((cell) => cell.trim() !== '');
}

/**
 * Returns how many of the first rows stand above the header: exports of banks and of bookkeeping begin with account, period and balance.
 * The header is the first row with the most cells, and has no numbers. The first row has at most half as many cells, and most rows below
 * the header have more than half as many, filled or empty.
 */
function linesAbove(rows: readonly string[][]): number {
  const counts = rows.map((row) => filledCells(row).length);
  const most = counts.reduce((max, count) => Math.max(max, count), 0);
  const header = counts.indexOf(most);
  const below = rows.slice(header + 1).map(({ length }) => length * 2 > most);
  if (below.filter(Boolean).length * 2 < below.length) return 0;
  if (header > LINES_ABOVE_MAX || (counts[0] ?? 0) * 2 > most) return 0;
  return hasHeader(rows.slice(header)) && !rows[header]!.some((cell) => /^\s*[-+]?\d/.test(cell)) ? header : 0;
}

/** Yields the lines of the rows in pieces. */
function* restOf(first: string[], rows: Generator<string[]>, width: number): Generator<string> {
  let piece = '';
  const add = (row: string[]): void => {
    const line = recordLine(row, width);
    if (line !== undefined) piece += `${cleanText(line)}\n`;
  };
  add(first);
  for (const row of rows) {
    add(row);
    if (piece.length < REST_PIECE_UNITS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/**
 * Returns the character before a quote within quotes: some programs write `\"` instead of `""`. A cell that ends with a backslash proves
 * nothing.
 */
function findEscape(text: string): '"' | '\\' {
  return /[^\\]\\"(?:[^,;\t|\n"]|"(?:[,;\t|\n]|$))/.test(text) && !/[^,;\t|\n"]""[^,;\t|\n"]/.test(text) ? '\\' : '"';
}

/** Yields rows. The text is parsed in pieces that end with a line outside of quotes. */
function* readRows(
  start: string,
  parts: Iterator<string>,
  delimiter: string,
  warnings: string[],
): Generator<string[], undefined> {
  let quoted = true;
  let text = start;
  let isWhole = false;
  const escapeSign = findEscape(text);
  const more = (): void => {
    const { value, done } = parts.next();
    if (done) isWhole = true;
    else text += value;
  };
  for (;;) {
    while (!isWhole && text.length < PIECE_UNITS) more();
    if (text === '') return;
    const cut = quoted ? cutOutsideQuotes(text, escapeSign, isWhole) : unquotedCut(text, isWhole);
    if (cut === -1 && !isWhole && text.length < QUOTED_UNITS_MAX) more();
    else if (cut === -1) {
      // The quote is never closed: quotes in the rest are ordinary characters.
      quoted = false;
      warnings.push('A quote is never closed; the rows after it were read without quoting.');
    } else {
      yield* parsePiece(text.slice(0, cut), delimiter, quoted ? '"' : null, escapeSign);
      text = text.slice(cut);
    }
  }
}

function unquotedCut(text: string, isWhole: boolean): number {
  return (isWhole ? 0 : text.lastIndexOf('\n') + 1) || text.length;
}

function parsePiece(piece: string, delimiter: string, quote: '"' | null, escapeSign: string): string[][] {
  return parse(piece, {
    delimiter,
    quote,
    escape: escapeSign,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    record_delimiter: '\n',
  }) as string[][];
}

/** Returns the end of the first piece, after a line feed outside quotes; -1 if a quote is open until the end. */
function cutOutsideQuotes(text: string, escapeSign: string, isWhole: boolean): number {
  let inside = false;
  let last = -1;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === 0x5c && escapeSign === '\\') i += 1;
    else if (unit === 0x22) inside = !inside;
    else if (unit === 0x0a && !inside) {
      last = i + 1;
      if (last >= PIECE_UNITS) return last;
    }
  }
  if (!inside && isWhole) return text.length;
  return last > 0 ? last : -1;
}

/** Returns the delimiter that cuts the sample's lines into the most columns, most evenly. */
function findDelimiter(text: string, usual: string): string {
  const lines = text
    .slice(0, SAMPLE_UNITS)
    .replace(QUOTED_CELL, '$1')
    .split('\n', SAMPLE_LINES)
    // Of a line in which all cells have quotes, only the tabs are left.
    .filter((line) => /[^ ]/.test(line));
  let best = usual;
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const common = mode(counts);
    const even = counts.filter((count) => count === common).length / Math.max(1, counts.length);
    const score = common === 0 ? 0 : even * Math.min(common, 20) * (delimiter === usual ? 1.2 : 1);
    if (score > bestScore) {
      best = delimiter;
      bestScore = score;
    }
  }
  return best;
}

function mode(counts: readonly number[]): number {
  const frequency = new Map<number, number>();
  for (const count of counts) frequency.set(count, (frequency.get(count) ?? 0) + 1);
  return [...frequency].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0;
}
