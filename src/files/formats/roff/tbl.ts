/** Reads tables of roff (between .TS and .TE) as rows of cells. */
import type { RoffReader } from './reader.ts';

/** Reads a table up to .TE. Cells of several lines (`T{` to `T}`) are joined. */
export function readTable(reader: RoffReader): string[][] {
  const rows: string[][] = [];
  let separator = '\t';
  let isFormat = true;
  let isFirst = true;
  /** Lines of the open cell of several lines. */
  let cell: string[] | undefined;
  const put = (line: string) => {
    let row = cell ? rows.at(-1)! : undefined;
    let rest = line;
    if (cell && row) {
      row[row.length - 1] = cell.join(' ');
      cell = undefined;
      if (rest === '') return;
      rest = rest.startsWith(separator) ? rest.slice(separator.length) : rest;
    } else {
      row = [];
      rows.push(row);
    }
    for (const part of rest.split(separator)) {
      if (part.trim() === 'T{') {
        cell = [];
        row.push('');
        break;
      }
      row.push(/^(?:\\\^|[_=]|\\_)$/.test(part.trim()) ? '' : reader.text(part));
    }
  };
  for (let raw = reader.nextRaw(); raw !== undefined; raw = reader.nextRaw()) {
    if (/^[.']\s*TE\b/.test(raw)) break;
    if (isFirst && /;\s*$/.test(raw)) {
      separator = /\btab\s*\((.)\)/.exec(raw)?.[1] ?? separator;
      isFirst = false;
    } else if (isFormat) {
      isFirst = false;
      if (/\.\s*$/.test(raw)) isFormat = false;
    } else if (/^[.']\s*T&/.test(raw)) isFormat = true;
    else if (cell && /^T\}/.test(raw)) put(raw.slice(2));
    else if (cell) cell.push(cellLine(raw, reader));
    else if (/^[.'](?!\d)/.test(raw)) cellLine(raw, reader);
    else if (!/^[_=\s]*$/.test(raw)) put(raw);
  }
  if (cell) put('');
  return rows;
}

/** Returns the words of a line inside a cell: of a request, its arguments. */
function cellLine(raw: string, reader: RoffReader): string {
  const request = /^[.'][ \t]*([A-Za-z]{1,3})\b[ \t]*(.*)$/.exec(raw);
  if (!request) return reader.text(raw);
  const isText = /^(?:B|I|BI|IB|BR|RB|IR|RI|SM|SB|IP|TP)$/.test(request[1]!);
  return isText ? reader.text(request[2]!.replaceAll('"', '')) : '';
}
