/** Lets detectors read the header of a column beside each cell of a table: the word that tells a value may stand there alone. */
import { columnPaths, hasGaps, pathParts, withoutGaps } from '../text/column-names.ts';
import { canonicalForm, withPlainBars } from './canonical-text.ts';
import type { Finder } from './redaction-session.ts';

/** A header tells by its last words. */
const HEADER_LENGTH_MAX = 100;
/** A bar that ends a cell. In a cell, a bar has a backslash before it. */
const BAR = /(?<!\\)\|/;
const BAR_OR_LINE_END = /(?<!\\)\||\n/;

/** What stands before the rows of a table in a quotation. */
const QUOTED = /[> \t]/;
/** UTF-16 units of a line that may be the header of a table whose rows do not begin with a bar. */
const OPEN_HEADER_UNITS_MAX = 10_000;
/** Ways of writing the names of one column, of all tables that follow one another. */
const FORMS_MAX = 20;

/** Returns the header of a table whose rows a text continues: the first row in the context of a chunk. */
export function headerOf(context: string | null | undefined): string | undefined {
  return context?.split('\n').find((line) => line.startsWith('|'));
}

/** Returns the headers of all tables of a chunk, and that of the table that it continues. */
export function headersOf(content: string, context: string | null): string[] {
  const lines = content.split('\n');
  const headers = lines.flatMap((line, i) => {
    if (!line.startsWith('|') || lines[i - 1]?.startsWith('|')) return [];
    const second = lines[i + 2] ?? '';
    return second.startsWith('|') && isDelimiter(cellsOf(lines[i + 1]!)) ? [line, withSecondRow(line, second)] : [line];
  });
  return [...headers, headerOf(context) ?? ''].filter((header) => header !== '');
}

/** Returns the header above a row of a chunk. `before` is the content of the chunk before the row. */
export function headerAbove(before: string, context: string | null): string | undefined {
  const lines = before.split('\n').map((line) => line.replace(/^[> \t]+/, ''));
  let header = headerOf(context);
  /** True below the header of the present table: a further row of dashes has data. */
  let isBelow = header !== undefined;
  for (const [i, line] of lines.entries()) {
    const above = lines[i - 1] ?? '';
    if (!BAR.test(line)) isBelow = false;
    else if (!isBelow && isDelimiter(line.split(BAR)) && BAR.test(above)) {
      const second = lines[i + 1] ?? '';
      header = BAR.test(second) ? withSecondRow(above, second) : above;
      isBelow = true;
    }
  }
  return header;
}

/** Returns a header with the names of the row below it. */
function withSecondRow(header: string, row: string): string {
  const names = cellsOf(header);
  const all = withNamesBelow(names, cellsOf(row));
  return all === names ? header : `| ${withoutEnd(all).join(' | ')} |`;
}

/** Returns the names of columns with those of the row below them, which may be a second row of headers if the first has gaps. */
function withNamesBelow(names: readonly string[], below: readonly string[]): readonly string[] {
  const cells = withoutEnd(names);
  return hasGaps(cells) || cells.length < withoutEnd(below).length
    ? columnPaths([withoutGaps(cells, below), below])
    : names;
}

/** Returns cells without an empty last one: behind the last bar of a row is no cell. */
function withoutEnd(cells: readonly string[]): readonly string[] {
  return cells.at(-1)?.trim() === '' ? cells.slice(0, -1) : cells;
}

/** Returns the cells of a row, and what stands behind its last bar. */
function cellsOf(row: string): string[] {
  return row.replace(/^\|/, '').split(BAR);
}

function isDelimiter(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return filled.length > 0 && filled.every((cell) => /^ *:?-+:? *$/.test(cell));
}

/**
 * Returns the ways of writing the name of a column that detectors read: as it stands, without its remarks in brackets, and each of the two
 * in words, such as `fecha de nacimiento` for `fecha_de_nacimiento` and `employee SSN` for `employeeSSN`. The name of several rows of
 * headers, such as `SSN / present`, is read as one name, `SSN present`, and each part by itself.
 */
export function headerForms(name: string): string[] {
  const plain = canonicalForm(name).text;
  const parts = pathParts(plain);
  // The name next to the values comes first: the limit must not leave it out.
  const forms = [parts.join(' '), ...parts.toReversed()]
    .flatMap((form) => [form, form.replace(/\([^()]*\)|\[[^[\]]*\]/g, ' ')])
    .flatMap((form) => [form, inWords(form)])
    .map((form) => form.trim().slice(-HEADER_LENGTH_MAX));
  return [...new Set(forms)].filter((form) => form !== '').slice(0, FORMS_MAX);
}

function inWords(name: string): string {
  return name.replace(/[\s_-]+/g, ' ').replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ');
}

/**
 * Returns a finder for one session that also finds what `finder` finds in a cell with its header before it. Tables are those of Markdown,
 * as all formats have them in their text: lines that begin with a bar, the first of which is the header. If the header has gaps, the row
 * below its line of dashes may have names, too. The rows of an open table, which people write, do not begin with a bar: its header is the
 * line above a line such as `--- | ---`. Blank lines are not in the canonical form, so the next table may follow as rows: the names above
 * its line of dashes are added to those of the columns.
 *
 * @param above the header of a table whose rows the text continues.
 */
export function besideHeaders(finder: Finder, above: string | undefined): Finder {
  let header = above === undefined ? [] : above.replace(/^\|/, '').split(BAR).map(headerForms);
  /** The finished cells of the present row. */
  let row: string[] = [];
  /** The row before it. */
  let rowBefore: string[] = [];
  /** The header, while the row below it may have names, too. */
  let headerAbove: string[] | undefined;
  /** Where the present cell begins; in a line that is no row, where reading goes on. */
  let at = 0;
  let place: 'start' | 'row' | 'line' = 'start';
  /** True until the first line ends: it may be the end of a row, whose cells could stand below any header. */
  let isFirst = header.length > 0;
  let isOpen = false;
  /** The present line, if it is no row, and the line before it. */
  let line = '';
  let before = '';
  /** Matches in finished cells that have not been reported. */
  let waiting: { start: number; end: number }[] = [];

  /** Returns the present cell up to `end` below each header that it may have, and the offset in the text of what stands at its offset 0. */
  const beside = (text: string, end: number): { piece: string; from: number; base: number }[] => {
    if (place !== 'row') return [];
    const value = withPlainBars(text.slice(Math.max(at, 0), end).trimStart());
    const above = isFirst ? header : header.slice(row.length, row.length + 1);
    return above.flat().map((words) => {
      const from = words.length + 2;
      return { piece: `${words}: ${value}`, from, base: end - value.length - from };
    });
  };
  const scanCell = (text: string, end: number, until: number, found: (start: number, end: number) => void): void => {
    for (const { piece, from, base } of beside(text, end))
      finder.scan(piece, from, Math.min(piece.length, until - base), (first, last) => found(base + first, base + last));
  };
  /** Reads all finished cells and lines. */
  const read = (text: string): void => {
    while (at < text.length) {
      if (place === 'start') {
        if (text[at] === '|') [row, place, isFirst] = [[], 'row', false];
        else if (isFirst) [row, place] = [[], 'row'];
        else if (QUOTED.test(text[at]!)) at++;
        else if (isOpen) [row, place] = [[], 'row'];
        else if (text[at] !== '\n') [header, line, place] = [[], '', 'line'];
        if (text[at] === '|' || (text[at] === '\n' && !isFirst)) at++;
        continue;
      }
      const from = Math.max(at, 0);
      const length = text.slice(from).search(place === 'row' ? BAR_OR_LINE_END : /\n/);
      const end = length < 0 ? text.length : from + length;
      if (place === 'line' && line.length < OPEN_HEADER_UNITS_MAX) line += text.slice(from, end);
      if (length < 0 && place === 'line') at = text.length;
      if (length < 0) return;
      if (place === 'row') {
        scanCell(text, end, end, (first, last) => waiting.push({ start: first, end: last }));
        row.push(text.slice(from, end));
      }
      at = end + 1;
      if (text[end] !== '|' || place === 'line') endLine();
    }
  };
  const addNames = (names: readonly string[]): void => {
    for (const [i, name] of names.entries())
      header[i] = [...new Set([...(header[i] ?? []), ...headerForms(name)])].slice(-FORMS_MAX);
  };
  const endLine = (): void => {
    const cells = place === 'row' ? row : line.split(BAR);
    const above = headerAbove;
    headerAbove = undefined;
    if (place === 'line') {
      isOpen = cells.length > 1 && isDelimiter(cells) && BAR.test(before);
      if (isOpen) {
        headerAbove = before.split(BAR);
        header = headerAbove.map(headerForms);
      }
    } else if (header.length === 0) {
      if (isDelimiter(cells) && BAR.test(before)) headerAbove = before.split(BAR);
      header = (headerAbove ?? cells).map(headerForms);
    } else if (isFirst) isOpen = cells.length > 1;
    else if (isOpen && cells.length === 1) [header, isOpen] = [[], false];
    else if (isDelimiter(cells)) {
      addNames(rowBefore);
      headerAbove = rowBefore;
    } else if (above) addNames(withNamesBelow(above, cells));
    before = place === 'line' ? line : '';
    rowBefore = place === 'row' ? row : [];
    isFirst = false;
    place = 'start';
  };
  return {
    readsWideBars: true,
    scan(text, from, until, found) {
      const next = finder.scan(withPlainBars(text), from, until, found);
      read(text);
      for (const { start, end } of waiting) found(start, end);
      waiting = [];
      // What is found in an unfinished cell is found again when more of the text is there.
      scanCell(text, text.length, until, found);
      return next;
    },
    openFrom(text, from) {
      read(text);
      const open = finder.openFrom(withPlainBars(text), from);
      const cells = beside(text, text.length).map((cell) => cell.base + finder.openFrom(cell.piece, cell.from));
      return Math.min(open, ...cells.map((cell) => Math.max(from, cell)));
    },
    forget(units) {
      at -= units;
      finder.forget?.(units);
    },
  };
}
