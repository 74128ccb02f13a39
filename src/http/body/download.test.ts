import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recheckAfterMs } from './download.ts';

test('a download looks for its file twice a second, and less often if that takes long', () => {
  assert.deepEqual([0, 20, 50, 63, 2_000].map(recheckAfterMs), [500, 500, 500, 630, 20_000]);
});
