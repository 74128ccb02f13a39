import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buffersMb } from './buffers.ts';

const MB = 1024 ** 2;
const GB = 1024 * MB;

test('the page cache is half as large as the tables, from 64 MB to 512 MB and a sixteenth of the memory', () => {
  assert.equal(buffersMb(0, 16 * GB), 64);
  assert.equal(buffersMb(401.4 * MB, 16 * GB), 200);
  assert.equal(buffersMb(9 * GB, 16 * GB), 512);
  assert.equal(buffersMb(9 * GB, 4 * GB), 256);
  assert.equal(buffersMb(9 * GB, GB / 2), 64, 'the engine needs as much on a small machine');
});
