/** Makes small ustar archives. Long names have the form of GNU tar. */
import { Buffer } from 'node:buffer';

const BLOCK_BYTES = 512;
const NAME_BYTES = 100;

export function makeTar(files: Record<string, string>): Buffer {
  const parts = Object.entries(files).flatMap(([name, text]) => {
    const long = name.length > NAME_BYTES ? [entry('././@LongLink', 'L', Buffer.from(`${name}\0`))] : [];
    return [...long, entry(name.slice(0, NAME_BYTES), '0', Buffer.from(text))];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function entry(name: string, type: string, data: Buffer): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((BLOCK_BYTES - (data.length % BLOCK_BYTES)) % BLOCK_BYTES);
  return Buffer.concat([header, data, padding]);
}
