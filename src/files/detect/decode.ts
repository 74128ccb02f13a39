/** Decodes bytes to text: byte order marks, UTF-8, UTF-16/32 without marks, declared and legacy encodings. Pure. */
import { isUtf8 } from 'node:buffer';
import { dosDecoder } from './dos-encodings.ts';
import { guessLegacyEncoding, hasIso2022Escape } from './legacy-encodings.ts';

/** The encoding is detected from this many bytes at the start. */
const SAMPLE_BYTES = 64 * 1024;

/** Bytes before the first sign beyond ASCII that help to detect the encoding. */
const CONTEXT_BYTES = 2 * 1024;

/** Bytes in which the line stands that names the encoding. */
const CODING_BYTES_MAX = 400;

/** A large file is decoded in pieces of this size, a multiple of four. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** Valid UTF-8 of at least this many bytes, with at most this share of NUL bytes, counts as UTF-8 and not as UTF-16. */
const UTF8_BYTES_MIN = 64;
const NUL_SHARE_MAX = 0.02;

export interface Decoded {
  /** Well-formed text without U+0000 and byte order mark, with line feeds only. */
  text: string;
  /** The encoding that was used: a WHATWG label, `utf-32le`/`utf-32be`, or one of DOS. */
  encoding: string;
  /** True if some bytes were malformed and became U+FFFD. */
  replaced: boolean;
}

const MARKS: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * Decodes a text file. `declared` is the encoding that the format itself names (`<meta charset>`). It is used only if the bytes
 * are not Unicode and every byte is valid in it.
 */
export function decodeText(bytes: Uint8Array, declared?: string): Decoded {
  const { encoding, skipped } = encodingOf(bytes, declared, bytes);
  const body = bytes.subarray(skipped);
  const text = wholeDecoder(encoding)?.(body) ?? new TextDecoder(encoding).decode(body);
  const replaced = text.includes('\ufffd') && decodeStrictly(body, encoding) === undefined;
  return { text: cleanText(text), encoding, replaced };
}

/** Returns a decoder for an encoding that TextDecoder does not know; undefined for others. */
function wholeDecoder(encoding: string): ((bytes: Uint8Array) => string) | undefined {
  if (!encoding.startsWith('utf-32')) return dosDecoder(encoding);
  return (bytes) => decodeUtf32(bytes, encoding === 'utf-32le');
}

/** Yields the text of a large file in pieces, as `decodeText` would decode the whole. Malformed bytes become U+FFFD. */
export function* decodePieces(bytes: Uint8Array, declared?: string): Generator<string> {
  const { encoding, skipped } = encodingOf(bytes, declared, bytes.subarray(0, SAMPLE_BYTES));
  // UTF-32 has four bytes for a character and DOS one, so a piece never ends within one.
  const whole = wholeDecoder(encoding);
  const decode = whole ? undefined : new TextDecoder(encoding);
  let held = '';
  for (let from = skipped; from < bytes.length; from += PIECE_BYTES) {
    const part = bytes.subarray(from, from + PIECE_BYTES);
    const text = held + (whole?.(part) ?? decode!.decode(part, { stream: true }));
    // The second half of a line end may be in the next piece.
    held = text.endsWith('\r') ? '\r' : '';
    const piece = cleanText(held === '' ? text : text.slice(0, -1));
    if (piece !== '') yield piece;
  }
  const end = cleanText(held + (decode?.decode() ?? ''));
  if (end !== '') yield end;
}

/** Returns the encoding and the bytes of the byte order mark. Every byte of `checked` is valid in an encoding that the format names. */
function encodingOf(
  bytes: Uint8Array,
  declared: string | undefined,
  checked: Uint8Array,
): { encoding: string; skipped: number } {
  const mark = MARKS.find(([, prefix]) => prefix.every((byte, index) => bytes[index] === byte));
  if (mark) return { encoding: mark[0], skipped: mark[1].length };
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const wide = wideEncoding(sample);
  if (wide) return { encoding: wide, skipped: 0 };
  // ISO-2022-JP is written in ASCII bytes and is therefore valid UTF-8. Only its escape sequences identify it.
  const isCut = checked.length < bytes.length;
  const isEscaped = hasIso2022Escape(sample) && decodeStrictly(checked, 'iso-2022-jp', isCut) !== undefined;
  if (isEscaped || isUtf8(bytes)) return { encoding: isEscaped ? 'iso-2022-jp' : 'utf-8', skipped: 0 };
  const named = (declared ?? codingLine(sample))?.toLowerCase();
  if (named && decodeStrictly(checked, named, isCut) !== undefined) return { encoding: named, skipped: 0 };
  return { encoding: damagedOrLegacy(bytes), skipped: 0 };
}

/** Returns well-formed text without U+0000 and byte order mark, with line feeds only. */
export function cleanText(raw: string): string {
  let text = raw.charCodeAt(0) === 0xfeff ? raw.slice(1) : raw;
  if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
  if (text.includes('\0')) text = text.replaceAll('\0', '\ufffd');
  return text.isWellFormed() ? text : text.toWellFormed();
}

const SYMBOLS: Record<string, string> = {
  '\uf0b7': '•',
  '\uf0a7': '▪',
  '\uf076': '•',
  '\uf0d8': '•',
  '\uf0fc': '✔',
  '\uf0e0': '→',
};

/**
 * Returns the text with Unicode bullets, ticks and arrows instead of the private-use characters that Word writes for symbol
 * fonts, and with digits and letters instead of Adobe's for old-style figures and small capitals. The length stays the same.
 */
export function withSymbols(text: string): string {
  return text
    .replace(/[\uf000-\uf0ff]/g, (sign) => SYMBOLS[sign] ?? sign)
    .replace(/[\uf730-\uf739\uf761-\uf77a]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xf700));
}

/** Returns the encoding that the first two lines name, as in manual pages and programs: `-*- coding: iso-8859-2 -*-`. */
function codingLine(bytes: Uint8Array): string | undefined {
  const lines = new TextDecoder('latin1').decode(bytes.subarray(0, CODING_BYTES_MAX)).split(/\r?\n/, 2).join('\n');
  return /\bcoding[:=]\s{0,3}([\w.-]{2,30})/.exec(lines)?.[1]?.replace(/-(?:unix|dos|mac)$/, '');
}

/** Returns undefined for bytes that are invalid in the encoding, and for an unknown encoding. `stream`: the last character may be cut. */
export function decodeStrictly(bytes: Uint8Array, encoding: string, stream = false): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream });
  } catch {
    return undefined;
  }
}

/** A text with a smaller share of malformed sequences counts as UTF-8 with a few broken characters. */
const UTF8_DAMAGE_MAX = 0.2;

/** Returns the encoding of a text that is not valid UTF-8. Its first sign beyond ASCII may be far behind the beginning. */
function damagedOrLegacy(bytes: Uint8Array): string {
  let first = 0;
  while (first < bytes.length && bytes[first]! < 0x80) first += 1;
  const start = Math.max(0, first - CONTEXT_BYTES);
  const sample = bytes.subarray(start, start + SAMPLE_BYTES);
  const isCut = start + SAMPLE_BYTES < bytes.length;
  // The sample may have the only broken character of a large text.
  const isUtf8 = utf8Damage(sample, isCut) < UTF8_DAMAGE_MAX || (isCut && utf8Damage(bytes, false) < UTF8_DAMAGE_MAX);
  return isUtf8 ? 'utf-8' : guessLegacyEncoding(sample);
}

/** Returns the share of malformed sequences among all sequences beyond ASCII. The last one of a cut sample may be incomplete. */
function utf8Damage(bytes: Uint8Array, isCut: boolean): number {
  const decoder = new TextDecoder('utf-8');
  let wide = 0;
  let broken = 0;
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    const stream = isCut || from + PIECE_BYTES < bytes.length;
    const text = decoder.decode(bytes.subarray(from, from + PIECE_BYTES), { stream });
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80) continue;
      wide += 1;
      if (unit === 0xfffd) broken += 1;
    }
  }
  return wide === 0 ? 0 : broken / wide;
}

/** Detects UTF-16 and UTF-32 without a mark by NUL bytes at regular places, which ASCII characters leave there. */
function wideEncoding(sample: Uint8Array): string | undefined {
  const length = sample.length - (sample.length % 4);
  if (length < 8) return undefined;
  const zeros = [0, 0, 0, 0];
  for (let i = 0; i < length; i += 1) if (sample[i] === 0) zeros[i % 4]! += 1;
  const quarter = length / 4;
  if (zeros[3]! > quarter * 0.95 && zeros[2]! > quarter * 0.8 && zeros[0]! < quarter * 0.5) return 'utf-32le';
  if (zeros[0]! > quarter * 0.95 && zeros[1]! > quarter * 0.8 && zeros[3]! < quarter * 0.5) return 'utf-32be';
  const odd = zeros[1]! + zeros[3]!;
  const even = zeros[0]! + zeros[2]!;
  if (odd + even === 0 || isUtf8WithNuls(sample, odd + even)) return undefined;
  if (odd > even * 3 && isPlausibleUtf16(sample, 'utf-16le')) return 'utf-16le';
  if (even > odd * 3 && isPlausibleUtf16(sample, 'utf-16be')) return 'utf-16be';
  return undefined;
}

/**
 * True for long UTF-8 with few NUL bytes, such as the indexes of info files. Wide characters are hardly ever valid UTF-8 by
 * chance.
 */
function isUtf8WithNuls(sample: Uint8Array, nuls: number): boolean {
  if (sample.length < UTF8_BYTES_MIN || nuls > sample.length * NUL_SHARE_MAX) return false;
  let controls = 0;
  for (const byte of sample) if (byte > 0x0d && byte < 0x1b) controls += 1;
  return controls === 0 && decodeStrictly(sample, 'utf-8', true) !== undefined;
}

/** True if the sample has few control, unassigned and private characters, and blanks unless it is short. */
function isPlausibleUtf16(sample: Uint8Array, encoding: string): boolean {
  const text = new TextDecoder(encoding).decode(sample, { stream: true });
  const odd = text.match(/[\u0000-\u0008\u000e-\u001f\ufffd\p{Cn}\p{Co}]/gu)?.length ?? 0;
  const blanks = text.match(/[\s\u3000\u3001\u3002]/g)?.length ?? 0;
  return odd <= text.length * 0.02 && (blanks > 0 || text.length < 64);
}

const REPLACEMENT = 0xfffd;
const UTF32_PIECE = 8192;

function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let out = '';
  for (let at = 0; at + 4 <= bytes.length; ) {
    const points: number[] = [];
    for (; at + 4 <= bytes.length && points.length < UTF32_PIECE; at += 4) {
      const point = view.getUint32(at, littleEndian);
      points.push(point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? REPLACEMENT : point);
    }
    out += String.fromCodePoint(...points);
  }
  return out;
}
