/** Reads the cells of an Excel sheet from its source. Linear: the work grows with the source, not with the places of its cells. */
import { decodeXml } from '../../references.ts';
import { type CellFormat, type Day0, dateTimeText, numberText, shownNumber, shownText } from './cell-formats.ts';
import { columnIndex } from './cell-names.ts';
import { COLUMNS_MAX, ROWS_MAX, type SheetRow, sortedRows } from './rows.ts';

/** What all sheets of a workbook share. */
export interface Workbook {
  strings: readonly string[];
  /** Formats by the index of a style. */
  formats: readonly (CellFormat | undefined)[];
  day0: Day0;
}

interface Cells {
  rows: SheetRow[];
  /** Number of cells whose formula has no stored value. */
  uncalculated: number;
}

const ROW_OR_CELL = /<(?:\w{1,40}:)?(row|c)(?=[\s/>])([^<>]*)>/g;
const CELL_END = /<\/(?:\w{1,40}:)?c>/g;
const VALUE = /<(?:\w{1,40}:)?v(?:\s[^<>]*)?>([^<]*)</;
const FORMULA = /<(?:\w{1,40}:)?f[\s/>]/;
/** Matches the name of a row or cell, its style and its type. */
const ATTRIBUTE = /\s([rst])\s*=\s*["']([^"'<>]{0,20})["']/g;
const NAME = /^([A-Z]{0,3})(\d{0,7})$/;

/** Returns the cells that have a text. A cell without a name stands right of the cell before it, and a row below the row before it. */
export function readCells(xml: string, book: Workbook): Cells {
  const rows: SheetRow[] = [];
  let row: SheetRow = { index: -1, columns: [], texts: [] };
  let column = -1;
  let uncalculated = 0;
  ROW_OR_CELL.lastIndex = 0;
  for (let open = ROW_OR_CELL.exec(xml); open; open = ROW_OR_CELL.exec(xml)) {
    const [, kind, head = ''] = open;
    const { r: name = '', s: style = '', t: type = 'n' } = attributesOf(head);
    const [, letters = '', number = ''] = NAME.exec(name) ?? [];
    if (kind === 'row') {
      row = { index: number === '' ? row.index + 1 : Number(number) - 1, columns: [], texts: [] };
      column = -1;
      rows.push(row);
      continue;
    }
    column = letters === '' ? column + 1 : columnIndex(letters);
    if (head.endsWith('/')) continue;
    CELL_END.lastIndex = ROW_OR_CELL.lastIndex;
    const end = CELL_END.exec(xml)?.index ?? xml.length;
    const inside = xml.slice(ROW_OR_CELL.lastIndex, end);
    ROW_OR_CELL.lastIndex = end;
    const value = VALUE.exec(inside)?.[1] ?? '';
    // A formula that gives an empty text has the type `str`.
    if (value === '' && type !== 'str' && FORMULA.test(inside)) uncalculated += 1;
    const text = cellText(type, type === 'inlineStr' ? textIn(inside) : decodeXml(value), book, Number(style));
    if (text === '' || row.index < 0 || row.index >= ROWS_MAX || column >= COLUMNS_MAX) continue;
    row.columns.push(column);
    row.texts.push(text);
  }
  return { rows: sortedRows(rows), uncalculated };
}

function attributesOf(head: string): Partial<Record<string, string>> {
  const found: Partial<Record<string, string>> = {};
  for (const [, name = '', value = ''] of head.matchAll(ATTRIBUTE)) found[name] = value;
  return found;
}

function cellText(type: string, value: string, { strings, formats, day0 }: Workbook, style: number): string {
  // An error is no value: a column of numbers with one stays a column of numbers.
  if (value === '' || type === 'e') return '';
  if (type === 'b') return value === '1' ? 'true' : value === '0' ? 'false' : value;
  if (type === 'd') return Number.isNaN(Date.parse(value)) ? value : dateTimeText(new Date(value));
  const format = formats[style];
  if (type === 's') return shownText(strings[Number(value)] ?? '', format);
  const number = type === 'n' ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) return shownText(withCharacters(value), format);
  return format ? shownNumber(number, format, day0) : numberText(number);
}

const STRING_TAG = /<(\/?)(?:\w{1,40}:)?(si|rPh|t)(?=[\s/>])([^<>]*)>([^<]*)/g;

/** Returns the texts that the cells of a workbook share, without their readings. `source` is `xl/sharedStrings.xml`. */
export function readStrings(source: string): string[] {
  const strings: string[] = [];
  let text = '';
  let isReading = false;
  for (const [, slash, name, head = '', after = ''] of source.matchAll(STRING_TAG)) {
    const isOpening = slash === '' && !head.endsWith('/');
    if (name === 'rPh') isReading = isOpening;
    else if (name === 't') text += isOpening && !isReading ? after : '';
    else if (!isOpening) {
      strings.push(withCharacters(decodeXml(text)));
      text = '';
    }
  }
  return strings;
}

function textIn(source: string): string {
  return readStrings(`${source}</si>`)[0] ?? '';
}

/** Returns a text with the characters that Excel writes as `_x000D_`. */
function withCharacters(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9a-fA-F]{4})_/g, (_sign, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
