/** Texts of cells that are not text in their file. */
import { Buffer } from 'node:buffer';
import { decodeStrictly } from '../../detect/decode.ts';

/** Longer cells are truncated, with a warning. */
export const CELL_UNITS_MAX = 32_768;
/** Longer binary values, such as pictures, are named with their size. Keys and hashes are shorter. */
const SHOWN_BYTES_MAX = 32;

/** Returns the words if the bytes are text, hexadecimal digits if they are few, and else the number of bytes. */
export function bytesText(bytes: Uint8Array): string {
  const text = decodeStrictly(bytes, 'utf-8');
  if (text !== undefined && !/[\u0000-\u0008\u000e-\u001f\u007f]/.test(text)) return text;
  return bytes.length <= SHOWN_BYTES_MAX ? Buffer.from(bytes).toString('hex') : `(${bytes.length} bytes)`;
}

/** Shorter texts are keys and hashes. */
const FILE_UNITS_MIN = 200;
const DATA_ADDRESS = /^\s*data:(?:[\w.+-]{1,80}\/[\w.+-]{1,80})?(?:;[\w.=-]{1,80}){0,5};base64,/;
/** The first bytes of PNG, JPEG, GIF, TIFF, WebP, PDF, RTF, ZIP, gzip, 7z and old Office files, as Base64. */
const KNOWN_FILE = /^\s*(?:iVBORw0KGgo|\/9j\/|R0lGOD|SUkqA|TU0AK|UklGR|JVBERi0|e1xydGY|UEsDB|H4sI|N3q8rycc|0M8R4KGxG)/;

/** True if a text is the Base64 of a file: an address of data, or a picture, document or archive. */
export function isPackedData(text: string): boolean {
  const data = text.replace(DATA_ADDRESS, '');
  const isFile = data !== text || KNOWN_FILE.test(text);
  return isFile && text.length >= FILE_UNITS_MIN && /^[A-Za-z0-9+/\s=]*$/.test(data);
}

/** Returns JSON of a value of a nested type: whole numbers with all digits, times as texts, bytes as `bytesText`. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, member) => {
    if (typeof member === 'bigint') return Number.isSafeInteger(Number(member)) ? Number(member) : String(member);
    return member instanceof Uint8Array ? bytesText(member) : member;
  });
}

/** Truncates long cells and counts them. */
export class CellLimit {
  private truncated = 0;

  of(text: string): string {
    if (text.length <= CELL_UNITS_MAX) return text;
    this.truncated += 1;
    return text.slice(0, CELL_UNITS_MAX).toWellFormed();
  }

  warnings(): string[] {
    const cells = this.truncated === 1 ? '1 cell was' : `${this.truncated} cells were`;
    return this.truncated === 0 ? [] : [`${cells} truncated after ${CELL_UNITS_MAX} characters.`];
  }
}
