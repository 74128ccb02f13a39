/** Reads the rows of a table from the text of its source. The text is in a file, so that tables of any size need little memory. */
import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { codePointLength } from '../../util/code-points.ts';

export interface RawRow {
  cells: string[];
  /** Code point in the text of the source. */
  start: number;
}

/** A table in a file. */
export interface TableText {
  path: string;
  /** The code point of the source's text with which the file begins. */
  start: number;
  form: 'grid' | 'records';
  /** True if our parsers wrote the lines, with one blank beside each bar. */
  exact: boolean;
}

const READ_BYTES = 256 * 1024;
const DELIMITER_LINE = /^\|(?:\s*:?-+:?\s*\|)+\s*$/;

interface Line {
  text: string;
  start: number;
}

/** Yields the lines of a file with their code points. */
function* readLines({ path, start }: TableText): Generator<Line> {
  const file = openSync(path, 'r');
  try {
    const decoder = new StringDecoder('utf8');
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    let rest = '';
    let at = start;
    for (;;) {
      const bytes = readSync(file, buffer, 0, READ_BYTES, null);
      const text = rest + (bytes > 0 ? decoder.write(buffer.subarray(0, bytes)) : decoder.end());
      let from = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        const line = text.slice(from, end);
        yield { text: line, start: at };
        at += codePointLength(line) + 1;
        from = end + 1;
      }
      rest = text.slice(from);
      if (bytes === 0) break;
    }
    if (rest !== '') yield { text: rest, start: at };
  } finally {
    closeSync(file);
  }
}

/** Yields the rows of a grid, its header included, in the order of the text. */
export function* gridRows(table: TableText): Generator<RawRow> {
  let index = 0;
  for (const { text, start } of readLines(table)) {
    if (!text.startsWith('|')) continue;
    index += 1;
    if (index === 2 && isDelimiterLine(text)) continue;
    yield { cells: table.exact ? exactCells(text) : cellsOf(text), start };
  }
}

/** Returns whether a line is the line below the header of a Markdown table. */
export function isDelimiterLine(line: string): boolean {
  return DELIMITER_LINE.test(line);
}

/** Returns the cells of a line as `rowText` of the parsers writes it. */
function exactCells(line: string): string[] {
  const cells = line.slice(2, -2).split(' | ');
  return line.includes('\\|') ? cells.map((cell) => cell.replaceAll('\\|', '|')) : cells;
}

/** Returns the cells of a line of a Markdown table, split at bars that are not escaped. */
export function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Members of a record: path -> text. */
export interface RawRecord {
  members: Map<string, string>;
  start: number;
}

const MEMBER = /^( *)(.+?):(?: (.*))?$/;

/** Yields the records of a text of `key: value` lines. Members of members have paths such as `address.city`. */
export function* records(table: TableText): Generator<RawRecord> {
  let record: RawRecord | undefined;
  let path: { key: string; hasValue: boolean }[] = [];
  let last: string | undefined;
  let blank = true;
  for (const { text, start } of readLines(table)) {
    if (text.trim() === '') {
      blank = true;
      continue;
    }
    if (blank && !text.startsWith(' ')) {
      if (record) yield record;
      record = { members: new Map(), start };
      path = [];
      last = undefined;
    }
    blank = false;
    const parts = MEMBER.exec(text);
    const level = Math.floor((parts?.[1] ?? '').length / 2);
    // Lines below a value belong to the value.
    const inside = path.slice(0, level).some(({ hasValue }) => hasValue);
    if (parts && !inside) {
      path = [...path.slice(0, level), { key: parts[2]!, hasValue: parts[3] !== undefined }];
      last = path.map(({ key }) => key).join('.');
      if (parts[3] !== undefined) join(record!.members, last, parts[3], ', ');
    } else if (last !== undefined) join(record!.members, last, text.trim(), path.at(-1)!.hasValue ? ' ' : ', ');
  }
  if (record) yield record;
}

function join(members: Map<string, string>, key: string, value: string, separator: string): void {
  const before = members.get(key);
  members.set(key, before === undefined ? value : before + separator + value);
}
