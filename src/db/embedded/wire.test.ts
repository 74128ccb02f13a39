import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundStatement, readReply } from './wire.ts';

const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const PARSED = Buffer.from([0x31, 0, 0, 0, 4]);

test('an answer that ends early is an error, and not an answer with fewer rows', () => {
  assert.equal(readReply(Buffer.concat([PARSED, READY])).isParsed, true);
  for (const cut of [PARSED, Buffer.concat([PARSED, READY.subarray(0, 5)]), Buffer.alloc(0)])
    assert.throws(() => readReply(cut), /ends early/);
});

test('more values than a message can count are refused', () => {
  assert.ok(boundStatement('', Array(65_535).fill('1')).length > 65_535);
  assert.throws(() => boundStatement('', Array(65_536).fill('1')), RangeError);
});
