import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serialize } from 'node:v8';
import { checkValues } from './frame-values.ts';
import { encodeFrame, FrameReader } from './frames.ts';

test('values of every kind that messages have are counted, whatever bytes their texts have', () => {
  const shared = { x: 1 };
  const value = {
    numbers: [0, -1, 2 ** 31, 2 ** 40, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 10n ** 30n, -5n],
    texts: ['', 'ascii "oA{', 'é', 'ö\u0000😀', 'x'.repeat(70_000), '漢'.repeat(70_000)],
    others: [null, undefined, true, false, new Date(0), [shared, shared], new Map([[1, 'a']]), new Set(['b'])],
    bytes: [Buffer.from('"o{'), new Uint8Array(200), new Float32Array([1.5]), new Uint8Array(4).buffer],
    // biome-ignore lint/suspicious/noSparseArray: the format has a tag for holes.
    holes: [[1, , 3], Object.assign([], { 100000: 1 }), Object.assign([1], { name: 'x' })],
  };
  checkValues(serialize(value), 100);
  assert.throws(() => checkValues(serialize(value), 20), /more than 20 values/);
});

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

test('a message of many small values is refused before it is read', () => {
  const reader = new FrameReader(() => assert.fail('the message was read'), 1 << 27, 200_000);
  for (const small of [{}, [], 1, '', null, { a: 1 }]) {
    const message = Array.from({ length: 201_000 }, () =>
      Array.isArray(small) ? [] : isObject(small) ? { ...small } : small,
    );
    assert.throws(() => reader.push(encodeFrame(message)), /more than 200000 values/);
  }
});

test('a message with another kind of value, or cut off, is refused or ends', () => {
  assert.throws(() => checkValues(serialize(new Error('x')), 100), /unexpected kind/);
  assert.throws(() => checkValues(Buffer.from('no message'), 100), /no version/);
  const whole = serialize({ a: 'text', b: [1, 2.5] });
  for (let length = 2; length < whole.length; length += 1) checkValues(whole.subarray(0, length), 100);
});
