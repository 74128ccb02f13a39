/** Makes small but real OpenDocument workbooks. */
import { strToU8, zipSync } from 'fflate';
import { escapeXml, type XlsxValue } from './make-files.ts';

export interface OdsSheet {
  name: string;
  rows: readonly (readonly XlsxValue[])[];
  /** Merged ranges: indices of the first and last row and column. */
  merged: readonly { top: number; left: number; bottom: number; right: number }[];
}

const TYPE = 'application/vnd.oasis.opendocument.spreadsheet';
const NAMES = ['office', 'table', 'text']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ');

/** Returns an OpenDocument workbook. Empty rows and cells are counted, as LibreOffice does. */
export function makeOds(sheets: readonly OdsSheet[]): Uint8Array {
  const tables = sheets.map(
    (sheet) => `<table:table table:name="${escapeXml(sheet.name)}">${rowsOf(sheet)}</table:table>`,
  );
  const content = `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${NAMES} office:version="1.3"><office:body>
<office:spreadsheet>${tables.join('')}</office:spreadsheet></office:body></office:document-content>`;
  return zipSync({
    mimetype: [strToU8(TYPE), { level: 0 }],
    'content.xml': strToU8(content),
    'META-INF/manifest.xml': strToU8('<manifest/>'),
  });
}

function rowsOf({ rows, merged }: OdsSheet): string {
  let [out, empty] = ['', 0];
  const flush = (): void => {
    if (empty > 0)
      out += `<table:table-row table:number-rows-repeated="${empty}"><table:table-cell/></table:table-row>`;
    empty = 0;
  };
  for (const [r, row] of rows.entries()) {
    if (row.every((value) => value === null)) {
      empty += 1;
      continue;
    }
    flush();
    out += `<table:table-row>${cellsOf(row, r, merged)}</table:table-row>`;
  }
  empty += 1_000_000;
  flush();
  return out;
}

function cellsOf(row: readonly XlsxValue[], r: number, merged: OdsSheet['merged']): string {
  let [out, empty] = ['', 0];
  const flush = (): void => {
    if (empty > 0) out += `<table:table-cell table:number-columns-repeated="${empty}"/>`;
    empty = 0;
  };
  for (const [c, value] of row.entries()) {
    const range = merged.find(({ top, left, bottom, right }) => r >= top && r <= bottom && c >= left && c <= right);
    const isCovered = range !== undefined && (range.top !== r || range.left !== c);
    if (value === null && !isCovered) {
      empty += 1;
      continue;
    }
    flush();
    if (isCovered) out += '<table:covered-table-cell/>';
    else {
      const spans = range
        ? ` table:number-columns-spanned="${range.right - range.left + 1}" table:number-rows-spanned="${range.bottom - range.top + 1}"`
        : '';
      out += cellOf(value, spans);
    }
  }
  return out;
}

function cellOf(value: XlsxValue, spans: string): string {
  const [attributes, text] = typed(value);
  const paragraphs = text.split('\n').map((line) => `<text:p>${escapeXml(line)}</text:p>`);
  return `<table:table-cell${attributes}${spans}>${paragraphs.join('')}</table:table-cell>`;
}

/** Returns the attributes of a cell, and its text as LibreOffice shows it to an American. */
function typed(value: XlsxValue): [attributes: string, text: string] {
  if (value === null) return ['', ''];
  if (typeof value === 'string') return [' office:value-type="string"', value];
  if (typeof value === 'boolean')
    return [` office:value-type="boolean" office:boolean-value="${value}"`, value ? 'TRUE' : 'FALSE'];
  if (typeof value === 'number')
    return [` office:value-type="float" office:value="${value}"`, value.toLocaleString('en-US')];
  if (value instanceof Date) {
    const text = value.toISOString().slice(0, 19);
    return [` office:value-type="date" office:date-value="${text.replace('T00:00:00', '')}"`, text.replace('T', ' ')];
  }
  return [` office:value-type="percentage" office:value="${value.percent / 100}"`, `${value.percent}%`];
}
