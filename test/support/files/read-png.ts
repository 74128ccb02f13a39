/** Reads the PNGs that the service makes, for tests: 8 bits, grey or RGB, rows without filters. */
import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';

export interface Picture {
  width: number;
  height: number;
  /** Returns the brightest channel of a pixel: 0 is black. */
  at(x: number, y: number): number;
}

export function readPng(png: Uint8Array): Picture {
  const view = Buffer.from(png);
  assert.equal(view.subarray(1, 4).toString(), 'PNG');
  const [width, height, color] = [view.readUInt32BE(16), view.readUInt32BE(20), view[25]!];
  const data: Buffer[] = [];
  for (let at = 8; at < view.length; ) {
    const length = view.readUInt32BE(at);
    if (view.subarray(at + 4, at + 8).toString() === 'IDAT') data.push(view.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const rows = inflateSync(Buffer.concat(data));
  const channels = color === 0 ? 1 : 3;
  return {
    width,
    height,
    at(x, y) {
      const start = y * (width * channels + 1) + 1 + x * channels;
      return Math.max(...rows.subarray(start, start + channels));
    },
  };
}
