/** Decodes the names of entries in zip archives, which often do not declare the encoding of names. Pure. */
import { Buffer } from 'node:buffer';

/** Characters 128 to 255 of code page 437, the encoding of old archives. */
const CODE_PAGE_437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';
const UNICODE_PATH = 0x7075;
/** Length of the version byte and the checksum before the name. */
const UNICODE_PATH_HEAD_BYTES = 5;
const JAPANESE = /[\u3040-\u30ff\u3400-\u9fff]{2}/;

/** Returns the name decoded as UTF-8 if the bytes are valid, else as Shift_JIS if the result is Japanese, else as code page 437. */
export function zipEntryName(bytes: Uint8Array, extra: Uint8Array): string {
  const unicode = zipExtraField(extra, UNICODE_PATH)?.subarray(UNICODE_PATH_HEAD_BYTES);
  const name = decoded('utf-8', unicode && unicode.length > 0 ? unicode : bytes);
  if (name !== undefined) return name;
  const japanese = decoded('shift_jis', bytes);
  if (japanese !== undefined && JAPANESE.test(japanese)) return japanese;
  return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : CODE_PAGE_437[byte - 0x80])).join('');
}

/** Returns the data of one extra field of an entry. */
export function zipExtraField(extra: Uint8Array, id: number): Uint8Array | undefined {
  const fields = Buffer.from(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= fields.length; at += 4 + fields.readUInt16LE(at + 2)) {
    if (fields.readUInt16LE(at) === id) return extra.subarray(at + 4, at + 4 + fields.readUInt16LE(at + 2));
  }
  return undefined;
}

function decoded(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
