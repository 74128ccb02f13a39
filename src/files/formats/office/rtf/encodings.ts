/** Maps the numbers of encodings in RTF to labels of TextDecoder. */
import { readWordPairs } from '../../../../util/package-files.ts';

const BY_CHARSET = readWordPairs('encodings/font-charsets.txt');

/** Label of symbol fonts, whose characters are pictures except for bullets. */
const SYMBOLS = 'symbols';

/** Returns the encoding of a font's character set, or undefined if the encoding of the file applies. */
export function charsetEncoding(charset: number): string | undefined {
  return charset === 2 ? SYMBOLS : BY_CHARSET[charset];
}

export function decodeBytes(bytes: readonly number[], encoding: string): string {
  if (encoding === SYMBOLS) return bytes.map((byte) => (byte === 0xb7 || byte === 0xa7 ? '•' : '')).join('');
  return decoder(encoding).decode(Uint8Array.from(bytes));
}

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

function decoder(encoding: string): InstanceType<typeof TextDecoder> {
  const known = decoders.get(encoding) ?? new TextDecoder(encoding);
  decoders.set(encoding, known);
  return known;
}
