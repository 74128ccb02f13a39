import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RETRY_WAIT_MS_MAX, retryWait } from './retry-wait.ts';

test('the wait before a retry grows exponentially, with jitter', () => {
  for (let attempt = 0; attempt < 6; attempt++)
    for (let i = 0; i < 50; i++) {
      const wait = retryWait(attempt, null, 100);
      assert.ok(wait >= 50 * 2 ** attempt && wait <= 100 * 2 ** attempt, `${attempt}: ${wait}`);
    }
});
test('a Retry-After header sets the wait, in seconds or as a date', () => {
  assert.equal(retryWait(0, '7', 1), 7000);
  const wait = retryWait(0, new Date(Date.now() + 20_000).toUTCString(), 1);
  assert.ok(wait > 15_000 && wait <= 20_000, `${wait}`);
});
test('a Retry-After header never makes the wait longer than the limit or shorter than the backoff', () => {
  const far = new Date(Date.now() + 1e10).toUTCString();
  for (const asked of ['61', '99999999999999999999999999', far]) assert.equal(retryWait(0, asked), RETRY_WAIT_MS_MAX);
  assert.equal(retryWait(60, null), RETRY_WAIT_MS_MAX);
  for (const asked of ['0', '-5', '', 'soon', 'NaN', 'Infinity', '1e9', 'Thu, 01 Jan 1970 00:00:00 GMT']) {
    const wait = retryWait(0, asked, 100);
    assert.ok(wait >= 50 && wait <= 100, `${asked}: ${wait}`);
  }
});
