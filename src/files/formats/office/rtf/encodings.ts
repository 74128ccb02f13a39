/** Maps the numbers of encodings in RTF to labels of TextDecoder. */

const BY_CHARSET: Record<number, string> = {
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};

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
