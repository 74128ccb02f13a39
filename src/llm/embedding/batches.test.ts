import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BATCH_BYTES_MAX, BATCH_TEXTS_MAX, splitBatches } from './batches.ts';

test('batches keep the order of the texts and both limits', () => {
  const texts = Array.from({ length: 200 }, (_, i) => 'ä'.repeat((i * 997) % 9_000) + i);
  const batches = splitBatches(texts);
  assert.deepEqual(batches.flat(), texts);
  for (const batch of batches) {
    assert.ok(batch.length <= BATCH_TEXTS_MAX);
    assert.ok(Buffer.byteLength(batch.join('')) <= BATCH_BYTES_MAX);
  }
});

test('short texts fill a batch by their number, and a text that is too large has its own batch', () => {
  const short = Array.from({ length: BATCH_TEXTS_MAX + 1 }, () => 'a');
  assert.deepEqual(
    splitBatches(short).map((batch) => batch.length),
    [BATCH_TEXTS_MAX, 1],
  );
  const large = 'x'.repeat(BATCH_BYTES_MAX + 1);
  assert.deepEqual(splitBatches(['a', large, 'b']), [['a'], [large], ['b']]);
  assert.deepEqual(splitBatches([]), []);
});
