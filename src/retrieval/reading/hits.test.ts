import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPlace } from './hits.ts';

test('where a policy may hide chunks of a source, the place of a chunk and its lines are hidden', () => {
  const chunk = { chunkIndex: 3, startOffset: 10, endOffset: 20, startLine: 2, endLine: 4 };
  assert.deepEqual(withPlace(chunk, { policy: null }), chunk);
  const hidden = withPlace(chunk, { policy: { chunk: {} } as never });
  assert.deepEqual(new Set(Object.values(hidden)), new Set([null]));
});
