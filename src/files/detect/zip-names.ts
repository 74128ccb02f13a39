/** Decodes the names of entries in zip archives, which often do not declare the encoding of names. Pure. */
import { Buffer } from 'node:buffer';
import { decodeStrictly } from './decode.ts';
import { nameDecoder } from './legacy-encodings.ts';

const LINE_BREAK = Buffer.from('\n');
const UNICODE_PATH = 0x7075;
/** Length of the version byte and the checksum before the name. */
const UNICODE_PATH_HEAD_BYTES = 5;

/** The name of an entry as the archive has it. */
export interface RawName {
  bytes: Uint8Array;
  extra: Uint8Array;
}

/**
 * Returns the names of the entries of an archive. A name that is no UTF-8 is in the encoding of the archive, which all these names
 * together tell.
 */
export function zipEntryNames(names: readonly RawName[]): string[] {
  const decoded = names.map(({ bytes, extra }) => {
    const unicode = zipExtraField(extra, UNICODE_PATH)?.subarray(UNICODE_PATH_HEAD_BYTES);
    return decodeStrictly(unicode && unicode.length > 0 ? unicode : bytes, 'utf-8');
  });
  const legacy = names.filter((_, i) => decoded[i] === undefined);
  if (legacy.length === 0) return decoded as string[];
  const decode = nameDecoder(Buffer.concat(legacy.flatMap(({ bytes }) => [bytes, LINE_BREAK])));
  return decoded.map((name, i) => name ?? decode(names[i]!.bytes));
}

/** Returns the data of one extra field of an entry. */
export function zipExtraField(extra: Uint8Array, id: number): Uint8Array | undefined {
  const fields = Buffer.from(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= fields.length; at += 4 + fields.readUInt16LE(at + 2)) {
    if (fields.readUInt16LE(at) === id) return extra.subarray(at + 4, at + 4 + fields.readUInt16LE(at + 2));
  }
  return undefined;
}
