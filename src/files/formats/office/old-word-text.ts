/**
 * Reads the characters of Word files up to 2003, and the properties that say which of them are text. Source: [MS-DOC]. Word 6 and 95 write
 * the same structures at other places, with properties whose numbers have one byte.
 */
import { Buffer } from 'node:buffer';
import { openCompoundFile } from '../../detect/compound-file.ts';
import { dosDecoder } from '../../detect/dos-encodings.ts';
import { guessLegacyEncoding } from '../../detect/legacy-encodings.ts';
import { badFile } from '../../failure.ts';

/** Properties of the paragraph that a character belongs to. The last four bits are the level of its heading. */
export const IN_TABLE = 0x10;
export const ROW_END = 0x20;
const HIDDEN = 0x40;
const LEVEL = 0x0f;

const PAGE_BYTES = 512;
const WORD_97 = { counts: 0x4c, pieces: 0x1a2, characters: 0xfa, paragraphs: 0x102, numberBytes: 4, entryBytes: 13 };
const WORD_95 = { counts: 0x34, pieces: 0x160, characters: 0xb8, paragraphs: 0xc0, numberBytes: 2, entryBytes: 7 };
const SIGN_97 = 0xa5ec;
/** Place of the start and the length of the styles of Word 97. */
const STYLES = 0xa2;
/** Matches hidden text (sprmCFVanish) in a style, which decides for characters elsewhere. */
const HIDDEN_STYLE = /\x3c\x08\x01/;
/** Bytes of the values of properties, by the last three bits of their numbers. Value 6 begins with its length. */
const VALUE_BYTES = [1, 1, 2, 4, 2, 2, Number.NaN, 3];
/** Maximum length of what is kept of the code of a field: its kind stands at the beginning. */
const CODE_UNITS_MAX = 64;
/** Parts of a document in the order of their characters. */
const PARTS = ['body', 'footnotes', 'headers', 'macros', 'comments', 'endnotes', 'boxes', 'headerBoxes'] as const;

export interface OldParagraph {
  text: string;
  /** 0 for a paragraph that is no heading. */
  level: number;
  inTable: boolean;
  /** The paragraph ends a cell, or a row, whose text is empty. */
  end: 'cell' | 'row' | 'paragraph';
}

/**
 * Returns the paragraphs of each part, with `pageMark` for numbers of pages.
 *
 * @throws FileError for a damaged document, and for one with hidden text in a style.
 */
export function readOldWord(bytes: Uint8Array, pageMark: string): Record<(typeof PARTS)[number], OldParagraph[]> {
  const file = openCompoundFile(bytes);
  const main = Buffer.from(file.read('WordDocument') ?? []);
  try {
    const isOld = main.readUInt16LE(0) !== SIGN_97;
    const layout = isOld ? WORD_95 : WORD_97;
    const named = file.read(main.readUInt16LE(0x0a) & 0x200 ? '1Table' : '0Table');
    const table = isOld ? main : Buffer.from(named ?? []);
    const styles = main.readUInt32LE(STYLES);
    const isHiding = HIDDEN_STYLE.test(table.toString('latin1', styles, styles + main.readUInt32LE(STYLES + 4)));
    if (!isOld && isHiding) throw needsLibreOffice();
    const marks = new Uint8Array(main.length);
    markCharacters(main, table, layout, marks);
    markParagraphs(main, table, layout, marks);
    const { text, textMarks } = readPieces(main, table, layout, marks);
    let at = 0;
    const parts = PARTS.map((part, i) => {
      const start = at;
      // Word 97 does not count macros.
      if (isOld || part !== 'macros') at += main.readUInt32LE(layout.counts + i * 4);
      return [part, paragraphsOf(text.slice(start, at), textMarks.subarray(start, at), pageMark)] as const;
    });
    return Object.fromEntries(parts) as Record<(typeof PARTS)[number], OldParagraph[]>;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw Object.assign(badFile('parse', 'Damaged document', 'The file is not a complete Word document.'), { cause });
  }
}

type Layout = typeof WORD_97;

function needsLibreOffice(): Error {
  const message = 'Its hidden text needs LibreOffice, which is not installed; or save the file as docx.';
  return badFile('parse', 'Document needs LibreOffice', message);
}

/** Calls `read` for each run of equal properties: its places in the stream and the page that has the properties. */
function eachRun(
  main: Buffer,
  table: Buffer,
  at: number,
  { numberBytes, entryBytes }: { numberBytes: number; entryBytes: number },
  read: (start: number, end: number, page: Buffer, offset: number) => void,
): void {
  const start = main.readUInt32LE(at);
  const count = Math.floor((main.readUInt32LE(at + 4) - 4) / (4 + numberBytes));
  let length = 0;
  for (let i = 0; i < count; i += 1) {
    const number = table.readUIntLE(start + (count + 1) * 4 + i * numberBytes, numberBytes === 4 ? 3 : 2) & 0x3fffff;
    const page = main.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES);
    const runs = page.readUInt8(PAGE_BYTES - 1);
    for (let run = 0; run < runs; run += 1) {
      const offset = page.readUInt8((runs + 1) * 4 + run * entryBytes) * 2;
      const [from, to] = [page.readUInt32LE(run * 4), page.readUInt32LE(run * 4 + 4)];
      length += Math.max(0, to - from);
      if (length > main.length) throw new RangeError('Runs overlap');
      if (offset > 0) read(from, to, page, offset);
    }
  }
}

/** Marks characters that are hidden or deleted. */
function markCharacters(main: Buffer, table: Buffer, layout: Layout, marks: Uint8Array): void {
  eachRun(main, table, layout.characters, { ...layout, entryBytes: 1 }, (start, end, page, offset) => {
    const list = page.subarray(offset + 1, offset + 1 + page.readUInt8(offset));
    if (isHidden(list, layout === WORD_95)) or(marks, start, end, HIDDEN);
  });
}

function markParagraphs(main: Buffer, table: Buffer, layout: Layout, marks: Uint8Array): void {
  eachRun(main, table, layout.paragraphs, layout, (start, end, page, offset) => {
    const words = page.readUInt8(offset);
    const from = offset + (words === 0 ? 2 : 1);
    const length = words === 0 ? page.readUInt8(offset + 1) * 2 : words * 2 - 1;
    const list = page.subarray(from, from + length);
    // In Word 6 and 95 the number of the style has one byte, and a property has a number of one byte.
    const isOld = layout === WORD_95;
    const style = isOld ? list.readUInt8(0) : list.readUInt16LE(0);
    const codes = list.toString('latin1', isOld ? 1 : 2);
    const inTable = (isOld ? /\x18\x01/ : /\x16\x24\x01/).test(codes) ? IN_TABLE : 0;
    const isRow = (isOld ? /\x19\x01/ : /\x17\x24\x01/).test(codes) ? ROW_END : 0;
    // The first nine styles after the usual one are the headings.
    or(marks, start, end, inTable | isRow | (style <= 9 ? style : 0));
  });
}

function or(marks: Uint8Array, start: number, end: number, value: number): void {
  if (value !== 0) for (let at = start; at < Math.min(end, marks.length); at += 1) marks[at]! |= value;
}

/** True if the properties delete a run (sprmCFRMarkDel) or hide it (sprmCFVanish). */
function isHidden(list: Buffer, isOld: boolean): boolean {
  if (isOld) return /(?:^|[\x42-\x5d][\0\x01])[\x41\x5c]\x01/.test(list.toString('latin1'));
  for (let at = 0; at + 2 < list.length; ) {
    const property = list.readUInt16LE(at);
    if ((property === 0x0800 || property === 0x083c) && (list[at + 2]! & 1) === 1) return true;
    at += 2 + (property >> 13 === 6 ? list[at + 2]! + 1 : VALUE_BYTES[property >> 13]!);
  }
  return false;
}

/** Returns the characters in the order of the document, with their marks. Saving quickly leaves pieces in another order. */
function readPieces(
  main: Buffer,
  table: Buffer,
  layout: Layout,
  marks: Uint8Array,
): { text: string; textMarks: Uint8Array } {
  const isOld = layout === WORD_95;
  const pieces: (string | Buffer)[] = [];
  const textMarks: number[] = [];
  const add = (start: number, length: number, width: 1 | 2) => {
    const piece = main.subarray(start, start + length * width);
    if (piece.length < length * width || textMarks.length + length > main.length)
      throw new RangeError('A piece is too long');
    pieces.push(width === 2 ? piece.toString('utf16le') : piece);
    for (let i = 0; i < length; i += 1) textMarks.push(marks[start + i * width]!);
  };
  let at = main.readUInt32LE(layout.pieces);
  const end = at + main.readUInt32LE(layout.pieces + 4);
  while (at < end && table.readUInt8(at) === 1) at += 3 + table.readUInt16LE(at + 1);
  if (at < end) {
    const count = Math.floor((table.readUInt32LE(at + 1) - 4) / 12);
    const first = at + 5;
    for (let i = 0; i < count; i += 1) {
      const length = table.readUInt32LE(first + i * 4 + 4) - table.readUInt32LE(first + i * 4);
      const place = table.readUInt32LE(first + (count + 1) * 4 + i * 8 + 2);
      const isWide = !isOld && (place & 0x40000000) === 0;
      if (length > 0) add(isOld || isWide ? place : (place & 0x3fffffff) / 2, length, isWide ? 2 : 1);
    }
  } else add(main.readUInt32LE(0x18), main.readUInt32LE(0x1c) - main.readUInt32LE(0x18), 1);
  // Word 6 and 95 do not say in which encoding they write.
  const bytes = Buffer.concat(pieces.filter((one) => typeof one !== 'string'));
  const encoding = isOld ? guessLegacyEncoding(bytes) : 'windows-1252';
  const decoder = new TextDecoder(encoding);
  const decode = dosDecoder(encoding) ?? ((piece: Uint8Array) => decoder.decode(piece));
  let text = '';
  for (const piece of pieces)
    text += typeof piece === 'string' ? piece : placedText(piece, textMarks, text.length, decode);
  return { text, textMarks: Uint8Array.from(textMarks) };
}

/**
 * Returns the text of a piece with a unit for each byte: NUL follows letters of two bytes, where their marks or their line end. Places and
 * marks of parts and runs are those of bytes.
 */
function placedText(
  piece: Buffer,
  marks: readonly number[],
  at: number,
  decode: (bytes: Uint8Array) => string,
): string {
  let text = '';
  let start = 0;
  for (let i = 0; i < piece.length; i += 1) {
    const isEnd = i + 1 === piece.length || piece[i]! < 0x20 || marks[at + i] !== marks[at + i + 1];
    if (!isEnd) continue;
    text += decode(piece.subarray(start, i + 1))
      .slice(0, i + 1 - start)
      .padEnd(i + 1 - start, '\0');
    start = i + 1;
  }
  return text;
}

/** Cuts a part into paragraphs. Of fields, their results are kept. */
function paragraphsOf(part: string, marks: Uint8Array, pageMark: string): OldParagraph[] {
  const paragraphs: OldParagraph[] = [];
  /** The beginnings of the codes of open fields; null where the result of the field has begun. */
  const fields: (string | null)[] = [];
  /** The number of open fields whose code is not at its end. */
  let codes = 0;
  let text = '';
  for (let at = 0; at < part.length; at += 1) {
    const sign = part[at]!;
    const mark = marks[at]!;
    if (sign === '\x13') {
      fields.push('');
      codes += 1;
    } else if (sign === '\x15') codes -= typeof fields.pop() === 'string' ? 1 : 0;
    else if (sign === '\x14' && fields.length > 0) {
      // The result of a page number stands for all pages.
      const code = fields.at(-1);
      if (/^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i.test(code ?? '')) text += pageMark;
      else {
        if (code !== null) codes -= 1;
        fields[fields.length - 1] = null;
      }
    } else if (/[\r\f\x07]/.test(sign)) {
      const end = sign !== '\x07' ? 'paragraph' : mark & ROW_END ? 'row' : 'cell';
      // A mark that is deleted or hidden joins the paragraphs.
      if (mark & HIDDEN && end === 'paragraph') text += ' ';
      else {
        paragraphs.push({ text: text.trim(), level: mark & LEVEL, inTable: (mark & IN_TABLE) !== 0, end });
        text = '';
      }
    } else if ((mark & HIDDEN) === 0) {
      const code = fields.at(-1);
      if (codes === 0) text += SIGNS[sign] ?? (sign < ' ' ? '' : sign);
      else if (typeof code === 'string' && code.length < CODE_UNITS_MAX) fields[fields.length - 1] = code + sign;
    }
  }
  if (text.trim() !== '') paragraphs.push({ text: text.trim(), level: 0, inTable: false, end: 'paragraph' });
  return paragraphs;
}

/** Tabs, line breaks, hyphens that do not break a line, breaks of columns. An optional hyphen is no sign of the word. */
const SIGNS: Readonly<Record<string, string>> = { '\t': '\t', '\v': '\n', '\x1e': '-', '\x0e': ' ' };
