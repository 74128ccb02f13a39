/** Encodes and decodes messages on a byte stream: a 4-byte length, then a value in V8's structured-clone format. */
import { Buffer } from 'node:buffer';
import { deserialize, serialize } from 'node:v8';

const LENGTH_BYTES = 4;

/** Returns one value as length and bytes. @throws DataCloneError for functions and other values that cannot be cloned. */
export function encodeFrame(value: unknown): Buffer {
  const body = serialize(value);
  const head = Buffer.allocUnsafe(LENGTH_BYTES);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/**
 * Collects bytes and calls `onFrame` with each complete value.
 *
 * @throws RangeError from `push` if a frame announces more than `frameBytesMax`: the sender is broken or hostile.
 */
export class FrameReader {
  private readonly onFrame: (value: unknown) => void;
  private readonly frameBytesMax: number;
  private parts: Buffer[] = [];
  private buffered = 0;
  private wanted = -1;

  constructor(onFrame: (value: unknown) => void, frameBytesMax: number) {
    this.onFrame = onFrame;
    this.frameBytesMax = frameBytesMax;
  }

  push(part: Buffer): void {
    this.parts.push(part);
    this.buffered += part.length;
    while (this.next()) {
      // `next` calls `onFrame`.
    }
  }

  private next(): boolean {
    if (this.wanted < 0) {
      if (this.buffered < LENGTH_BYTES) return false;
      this.wanted = this.take(LENGTH_BYTES).readUInt32BE();
      if (this.wanted > this.frameBytesMax)
        throw new RangeError(`A message of ${this.wanted} bytes is over the limit.`);
    }
    if (this.buffered < this.wanted) return false;
    const body = this.take(this.wanted);
    this.wanted = -1;
    this.onFrame(deserialize(body));
    return true;
  }

  private take(length: number): Buffer {
    const all = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts);
    this.buffered -= length;
    this.parts = this.buffered > 0 ? [all.subarray(length)] : [];
    return all.subarray(0, length);
  }
}
