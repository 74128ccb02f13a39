/** `GET /sources/{id}/raw` for every kind of crawled source. */
import assert from 'node:assert/strict';
import type { Buffer } from 'node:buffer';
import type { TestApp } from './app.ts';

/** Asserts equal bytes, correct ranges and validators, and 404 for another tenant. `bytes` has at least 10 bytes. */
export async function assertRawDownload(t: TestApp, sourceId: string, bytes: Buffer): Promise<void> {
  const raw = (headers: Record<string, string> = {}, key = t.key) =>
    t.app.inject({ url: `/api/v1/sources/${sourceId}/raw`, headers: { 'x-api-key': key, ...headers } });
  const whole = await raw();
  assert.deepEqual([whole.statusCode, whole.rawPayload], [200, bytes]);
  const part = await raw({ range: 'bytes=3-9', 'if-range': String(whole.headers.etag) });
  assert.deepEqual([part.statusCode, part.rawPayload], [206, bytes.subarray(3, 10)]);
  assert.equal(part.headers['content-range'], `bytes 3-9/${bytes.length}`);
  assert.equal((await raw({ 'if-none-match': String(whole.headers.etag) })).statusCode, 304);
  const other = await t.secondTenant();
  assert.equal((await raw({}, other.key)).statusCode, 404);
}
