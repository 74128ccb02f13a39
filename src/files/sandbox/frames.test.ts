import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
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
