import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { deserialize } from 'node:v8';
import { encodeFrame, FrameReader } from './frames.ts';

test('messages between processes are read correctly, however the stream is cut into parts', () => {
  const values = [{ a: 1 }, 'x'.repeat(1000), [new Map([[1, 'é😀']])], null];
  const bytes = Buffer.concat(values.map(encodeFrame));
  for (const step of [1, 3, 7, 100, bytes.length]) {
    const received: unknown[] = [];
    const reader = new FrameReader((value) => received.push(value), 1 << 20);
    for (let at = 0; at < bytes.length; at += step) reader.push(bytes.subarray(at, at + step));
    assert.deepEqual(received, values);
  }
});

test('a message over the size limit is refused before its body arrives', () => {
  const reader = new FrameReader(() => assert.fail('no frame is complete'), 100);
  assert.throws(() => reader.push(encodeFrame('x'.repeat(1000)).subarray(0, 4)), RangeError);
});

test('the last part of a message of 32 MB costs little more than the decoding of the message', () => {
  const frame = encodeFrame({ text: 'word '.repeat(6_400_000) });
  const decoding = leastMs(() => longestMs([() => deserialize(frame.subarray(4))]));
  const received = leastMs(() => {
    const reader = new FrameReader(() => undefined, frame.length);
    const parts = Array.from({ length: Math.ceil(frame.length / PART_BYTES) }, (_, i) =>
      frame.subarray(i * PART_BYTES, (i + 1) * PART_BYTES),
    );
    return longestMs(parts.map((part) => () => reader.push(part)));
  });
  assert.ok(received < 2 * decoding, `${received} ms, where decoding takes ${decoding} ms`);
});

const PART_BYTES = 65_536;

/** Returns the least of some tries: a garbage collection is no work of the reader. */
function leastMs(run: () => number): number {
  return Math.min(...Array.from({ length: 3 }, run));
}

/** Returns the processor time of the longest step. */
function longestMs(steps: (() => unknown)[]): number {
  return Math.max(
    ...steps.map((step) => {
      const before = process.cpuUsage();
      step();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }),
  );
}
