/** Encodes pictures as PNG. Pure. */
import { Buffer } from 'node:buffer';
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const [GREY, RGB] = [0, 2];
/** Channels that differ by less look grey. */
const GREY_TOLERANCE = 6;

/** Returns the PNG of RGBA pixels, without transparency; grey where the whole picture is grey. */
export function encodePng(width: number, height: number, rgba: Uint8Array): Uint8Array {
  const isGrey = looksGrey(rgba);
  const channels = isGrey ? 1 : 3;
  // Each row begins with the number of its filter; 0: none.
  const rows = Buffer.alloc((width * channels + 1) * height);
  let to = 0;
  let from = 0;
  for (let y = 0; y < height; y += 1) {
    to += 1;
    for (let x = 0; x < width; x += 1, from += 4) {
      rows[to++] = rgba[from]!;
      if (isGrey) continue;
      rows[to++] = rgba[from + 1]!;
      rows[to++] = rgba[from + 2]!;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  header[9] = isGrey ? GREY : RGB;
  const parts = [part('IHDR', header), part('IDAT', deflateSync(rows)), part('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...parts]);
}

function looksGrey(rgba: Uint8Array): boolean {
  for (let i = 0; i < rgba.length; i += 4) {
    const [red, green, blue] = [rgba[i]!, rgba[i + 1]!, rgba[i + 2]!];
    if (Math.abs(red - green) > GREY_TOLERANCE || Math.abs(red - blue) > GREY_TOLERANCE) return false;
  }
  return true;
}

function part(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(data.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}
