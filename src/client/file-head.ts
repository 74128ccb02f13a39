/**
 * Tells by the first bytes of a file how the service would begin to read it. Detection in the service uses this function, and so does a
 * client that wants to know before an upload. Pure, and without anything that only Node has.
 */

/** `text`: characters, in any encoding and of any type. `binary`: no parser reads it. */
export type HeadKind =
  | 'pdf'
  | 'zip'
  | 'rtf'
  | 'compound'
  | 'gzip'
  | 'parquet'
  | 'sqlite'
  | 'picture'
  | 'tar'
  | 'signed'
  | 'binary'
  | 'text';

/** Bytes from the beginning of a file that decide. */
export const HEAD_BYTES = 16_384;
/** Bytes that have the marks of formats. */
const MARK_BYTES = 4_096;

/** Matches PNG, JPEG, GIF, TIFF, WebP and BMP. */
const PICTURE =
  /^(?:\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|RIFF[\s\S]{4}WEBP|BM[\s\S]{4}\0{4}[\s\S]{4}[\x0c-\x7f]\0{3})/;
/** Match formats whose bytes look like text, because their words stand among codes. */
const UNREAD_TEXT = [
  // PostScript, DVI and Write
  /^(?:\x04?%!PS|\xf7\x02\x01\x83\x92\xc0|[12]\xbe\0\0)/,
  // binary property lists, such as web archives; JPEG 2000, EMF, icons
  /^(?:bplist0|\0\0\0\x0cjP {2}|\x01\0\0\0[\s\S]{36} EMF|icns\0)/,
  // encrypted files and signatures (PKCS #7)
  /^0[\x80-\x84][\s\S]{0,4}\x06\x09\*\x86H\x86\xf7\r\x01\x07/,
];
/** Match signed files (PKCS #7), also in Base64. */
const SIGNED = /^0[\x80-\x84][\s\S]{0,4}\x06\x09\*\x86H\x86\xf7\r\x01\x07\x02/;
const SIGNED_TEXT = /^(?:-----BEGIN [^\n]{1,40}\n)?MI[A-Za-z0-9+/\s]{60}/;
/** The mark of files with streams inside: old Office files, Outlook messages. */
const COMPOUND = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

export interface HeadFacts {
  /** The ending of the name, in small letters and without its dot. */
  extension: string;
  /** Whether files with this ending are text. Control characters then count as text where they may be half of a letter. */
  isTextName: boolean;
  /** The last four bytes of the file as Latin-1; undefined where they are not known. */
  tail?: string | undefined;
}

/** Returns what the file is by the marks at its beginning. */
export function kindOfHead(bytes: Uint8Array, { extension, isTextName, tail }: HeadFacts): HeadKind {
  const latin = latin1(bytes.subarray(0, MARK_BYTES));
  if (/^(?:\xef\xbb\xbf)?[\s\0]{0,1024}%PDF-/.test(latin)) return 'pdf';
  if (latin.startsWith('PK\x03\x04') || latin.startsWith('PK\x05\x06')) return 'zip';
  // RTF that programs put on the clipboard has no header.
  if (/^\s{0,16}\{\\rtf/.test(latin) || (extension === 'rtf' && /^\s{0,16}\{\\/.test(latin))) return 'rtf';
  if (latin.startsWith(COMPOUND)) return 'compound';
  if (latin.startsWith('\x1f\x8b\x08')) return 'gzip';
  if (/^PAR[1E]/.test(latin) && (tail === undefined || tail === latin.slice(0, 4))) return 'parquet';
  if (latin.startsWith('SQLite format 3\0')) return 'sqlite';
  if (PICTURE.test(latin)) return 'picture';
  if (latin.slice(257, 262) === 'ustar') return 'tar';
  // Files with these endings have signatures or certificates alone.
  if (!/^(?:p7[sbc]|spc)$/.test(extension) && SIGNED.test(latin)) return 'signed';
  if (extension === 'p7m' && SIGNED_TEXT.test(latin)) return 'signed';
  if (UNREAD_TEXT.some((mark) => mark.test(latin))) return 'binary';
  return isBinary(bytes, isTextName) ? 'binary' : 'text';
}

/** Escape, and the signs ¶ and § of texts of DOS. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([0x14, 0x15, 0x1b]);

/** True if the file has NUL bytes outside UTF-16/32, or many control characters. */
export function isBinary(bytes: Uint8Array, isTextName: boolean): boolean {
  const sample = bytes.subarray(0, HEAD_BYTES);
  const marked = (sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff);
  if (marked || (sample[0] === 0 && sample[1] === 0 && sample[2] === 0xfe && sample[3] === 0xff)) return false;
  const zeros = [0, 0, 0, 0];
  const controls = [0, 0];
  for (let i = 0; i < sample.length; i += 1) {
    const byte = sample[i]!;
    if (byte === 0) zeros[i % 4]! += 1;
    else if (byte < 0x20 && (byte < 0x07 || byte > 0x0d) && !TEXT_CONTROLS.has(byte)) controls[i % 2]! += 1;
  }
  const nuls = zeros[0]! + zeros[1]! + zeros[2]! + zeros[3]!;
  // The low bytes of UTF-16 may be control characters, the high bytes hardly.
  const isOneByte = Math.min(controls[0]!, controls[1]!) >= Math.max(controls[0]!, controls[1]!) * 0.1;
  // Text in an old encoding has hardly a control character. UTF-8 may have more, which separate records, and so may files named as text.
  const share = isOneByte && !isTextName && !isUtf8(sample) ? 0.005 : 0.05;
  const many = controls[0]! + controls[1]! > sample.length * share || nuls > Math.max(2, sample.length * 0.02);
  if (!many) return false;
  const width = widthOf(zeros, nuls, sample.length);
  if (width !== 1) return hasControlUnits(sample, width, zeros);
  // A file named as text may be UTF-16.
  return isOneByte || !isTextName || nuls > 0;
}

/** True if the sample is UTF-8. Its last letter may be cut. */
function isUtf8(sample: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Returns how many bytes a letter has: 2 if every second byte is NUL, 4 if three of four bytes are NUL, otherwise 1. */
function widthOf(zeros: readonly number[], nuls: number, length: number): 1 | 2 | 4 {
  if (nuls < length * 0.02) return 1;
  const even = zeros[0]! + zeros[2]!;
  const odd = zeros[1]! + zeros[3]!;
  if (nuls > length * 0.6 && Math.min(zeros[0]!, zeros[3]!) < length * 0.1) return 4;
  return Math.max(even, odd) > Math.min(even, odd) * 3 ? 2 : 1;
}

/** True if many letters of this width are control characters: fonts and programs have small numbers in this form, texts have not. */
function hasControlUnits(sample: Uint8Array, width: 2 | 4, zeros: readonly number[]): boolean {
  const isBigEndian = width === 2 ? zeros[0]! + zeros[2]! > zeros[1]! + zeros[3]! : zeros[0]! > zeros[3]!;
  const low = isBigEndian ? width - 1 : 0;
  let controls = 0;
  for (let at = 0; at + width <= sample.length; at += width) {
    const unit = sample.subarray(at, at + width);
    const isSmall = unit.every((byte, i) => byte === 0 || i === low);
    const value = unit[low]!;
    if (isSmall && (value < 0x07 || (value > 0x0d && value < 0x20 && value !== 0x1b))) controls += 1;
  }
  return controls > (sample.length / width) * 0.05;
}

/**
 * `TextDecoder` has no Latin-1: it would read the bytes from 80 to 9F otherwise. Spread arguments (`...bytes`) take eight times as long.
 */
function latin1(bytes: Uint8Array): string {
  return Reflect.apply(String.fromCharCode, undefined, bytes);
}
