/** Turns the texts that a database sends into JSON values. Pure. */
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

/** More digits do not fit into a JSON number exactly. */
const NUMBER_DIGITS_MAX = 15;

export function jsonValue(kind: ValueKind, text: string | null): string | number | boolean | null {
  if (text === null) return null;
  switch (kind) {
    case 'number':
      return numberOf(text);
    case 'boolean':
      return text === 'true' || text === 't' || text === '1';
    case 'datetime':
      return isoTime(text);
    case 'utc':
      return isoTime(`${text}+00`);
    case 'bytes':
      return text.startsWith('(') ? text : bytesText(Buffer.from(text, 'hex'));
    default:
      return text;
  }
}

/** Returns a number, or the text if a number would lose digits. Null for NaN. */
function numberOf(text: string): number | string | null {
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/^-?0*\.?0*/, '')
    .replace('.', '');
  const value = Number(text);
  if (Number.isNaN(value)) return null;
  return Number.isFinite(value) && digits.length <= NUMBER_DIGITS_MAX ? value : text;
}

/** Returns ISO 8601. Null for the date zero of MySQL. Times that ISO cannot write, such as `infinity`, stay. */
function isoTime(text: string): string | null {
  if (text.startsWith('0000-00-00')) return null;
  const parts = /^(\d{4,6}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d+)?(?:([+-]\d\d)(?::?(\d\d))?)?$/.exec(text);
  if (!parts) return text;
  const [, day, time, fraction = '', hours, minutes = '00'] = parts;
  const digits = fraction.replace(/\.?0+$/, '');
  const zone = hours === undefined ? '' : hours === '+00' && minutes === '00' ? 'Z' : `${hours}:${minutes}`;
  return `${day}T${time}${digits}${zone}`;
}

/** Returns the row as a line of JSON with all columns, so that a reader learns all names from any line. */
export function jsonLine(columns: readonly Column[], cells: readonly (string | null)[]): string {
  const members = columns.map(({ name, kind }, index) => `${JSON.stringify(name)}:${json(kind, cells[index] ?? null)}`);
  return `{${members.join(',')}}\n`;
}

function json(kind: ValueKind, text: string | null): string {
  return JSON.stringify(jsonValue(kind, text));
}
