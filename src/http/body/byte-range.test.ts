import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DownloadRequest, planDownload } from './byte-range.ts';

const ETAG = '"abc"';
const plan = (request: DownloadRequest, size = 10) => planDownload(request, ETAG, size);
const part = (start: number, end: number) => ({ status: 206, range: { start, end } });

test('a request for one range of bytes gets this range', () => {
  assert.deepEqual(plan({ range: 'bytes=0-0' }), part(0, 0));
  assert.deepEqual(plan({ range: 'bytes=2-4' }), part(2, 4));
  assert.deepEqual(plan({ range: 'Bytes=2-' }), part(2, 9));
  assert.deepEqual(plan({ range: 'bytes=5-100' }), part(5, 9));
  assert.deepEqual(plan({ range: 'bytes=-3' }), part(7, 9));
  assert.deepEqual(plan({ range: 'bytes=-100' }), part(0, 9));
  assert.deepEqual(plan({ range: 'bytes=9-9' }), part(9, 9));
});

test('a range without a byte cannot be satisfied', () => {
  for (const range of ['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999-'])
    assert.deepEqual(plan({ range }), { status: 416 }, range);
  assert.deepEqual(plan({ range: 'bytes=0-' }, 0), { status: 416 });
  assert.deepEqual(plan({ range: 'bytes=-1' }, 0), { status: 416 });
});

test('a Range header that does not have exactly one range is ignored', () => {
  for (const range of ['bytes=-', 'bytes=4-2', 'bytes=0-1,3-4', 'lines=0-1', 'bytes', 'bytes=a-b', 'bytes=0x1-2', ''])
    assert.deepEqual(plan({ range }), { status: 200 }, range);
  assert.deepEqual(plan({}), { status: 200 });
});

test('a request with the current entity tag is answered with 304', () => {
  for (const ifNoneMatch of [ETAG, `W/${ETAG}`, `"x", ${ETAG}`, '*'])
    assert.deepEqual(plan({ ifNoneMatch, range: 'bytes=0-1' }), { status: 304 }, ifNoneMatch);
  for (const ifNoneMatch of ['"x"', 'abc', '"abc', '']) assert.deepEqual(plan({ ifNoneMatch }), { status: 200 });
});

test('a request for a range of another version gets the whole file', () => {
  assert.deepEqual(plan({ range: 'bytes=0-1', ifRange: ETAG }), part(0, 1));
  for (const ifRange of ['"old"', `W/${ETAG}`, 'Wed, 21 Oct 2015 07:28:00 GMT'])
    assert.deepEqual(plan({ range: 'bytes=0-1', ifRange }), { status: 200 });
});
