/** Encodes and decodes messages on a byte stream: a 4-byte length, then a value in V8's structured-clone format. */
import { Buffer } from 'node:buffer';
import { deserialize, serialize } from 'node:v8';
import { checkValues } from './frame-values.ts';

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
 * @throws RangeError from `push` if a frame announces more than `frameBytesMax`, or has more than `valuesMax` values: the sender is broken
 * or hostile.
 */
export class FrameReader {
  private readonly onFrame: (value: unknown) => void;
  private readonly frameBytesMax: number;
  private readonly valuesMax: number | undefined;
  private readonly head = Buffer.alloc(LENGTH_BYTES);
  /** The message that arrives; undefined while its length arrives. Parts are copied as they come, so that none waits for all others. */
  private body: Buffer | undefined;
  private filled = 0;

  constructor(onFrame: (value: unknown) => void, frameBytesMax: number, valuesMax?: number) {
    this.onFrame = onFrame;
    this.frameBytesMax = frameBytesMax;
    this.valuesMax = valuesMax;
  }

  push(part: Buffer): void {
    for (let rest = part; rest.length > 0; ) {
      const target = this.body ?? this.head;
      const copied = rest.copy(target, this.filled);
      rest = rest.subarray(copied);
      this.filled += copied;
      if (this.filled < target.length) return;
      this.filled = 0;
      if (this.body) {
        const { body } = this;
        this.body = undefined;
        if (this.valuesMax !== undefined) checkValues(body, this.valuesMax);
        this.onFrame(deserialize(body));
      } else this.body = this.newBody(this.head.readUInt32BE());
    }
  }

  private newBody(length: number): Buffer {
    if (length > this.frameBytesMax) throw new RangeError(`A message of ${length} bytes is over the limit.`);
    return Buffer.allocUnsafe(length);
  }
}
