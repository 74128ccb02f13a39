/** Writes the texts that a database sends as lines of CSV. Pure. */
import { Buffer } from 'node:buffer';
import { bytesText } from '../../files/formats/data/binary-text.ts';

/**
 * `datetime`: date and time with a blank between them. `utc`: the same, in UTC and without a zone. `bytes`: hexadecimal digits, or the size
 * in brackets.
 */
export type ValueKind = 'text' | 'number' | 'boolean' | 'datetime' | 'utc' | 'bytes';

export interface Column {
  name: string;
  kind: ValueKind;
}

export function headerLine(columns: readonly Column[]): string {
  return lineOf(columns.map(({ name }) => quoted(name)));
}

export function csvLine(columns: readonly Column[], cells: readonly (string | null)[]): string {
  return lineOf(columns.map(({ kind }, index) => csvCell(kind, cells[index] ?? null)));
}

function lineOf(cells: readonly string[]): string {
  return `${cells.join(',')}\n`;
}

/** Returns a cell: empty for null. Texts are always in quotes, so that no sign in them looks like the delimiter. */
export function csvCell(kind: ValueKind, text: string | null): string {
  if (text === null) return '';
  switch (kind) {
    case 'number':
      return text === 'NaN' ? '' : text;
    case 'boolean':
      return /^(?:t|true|1)$/.test(text) ? 'true' : 'false';
    case 'datetime':
      return isoTime(text);
    case 'utc':
      return isoTime(`${text}+00`);
    case 'bytes':
      return text.startsWith('(') ? quoted(text) : quoted(bytesText(Buffer.from(text, 'hex')));
    default:
      return quoted(text);
  }
}

/** Line breaks become blanks, as in the text that is extracted from the file: each row is one line. */
function quoted(text: string): string {
  return `"${text.replace(/(?<!\s)\s*[\r\n]\s*/g, ' ').replaceAll('"', '""')}"`;
}

/** Returns ISO 8601. Empty for the date zero of MySQL. Times that ISO cannot write, such as `infinity`, stay. */
function isoTime(text: string): string {
  if (text.startsWith('0000-00-00')) return '';
  const parts = /^(\d{4,6}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,9})?(?:([+-]\d\d)(?::?(\d\d))?)?$/.exec(text);
  if (!parts) return text;
  const [, day, time, fraction = '', hours, minutes = '00'] = parts;
  const digits = fraction.replace(/\.?0+$/, '');
  const zone = hours === undefined ? '' : hours === '+00' && minutes === '00' ? 'Z' : `${hours}:${minutes}`;
  return `${day}T${time}${digits}${zone}`;
}
