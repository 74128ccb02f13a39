import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { receiveUpload } from './receive.ts';

const BOUNDARY = 'b';
const part = (disposition: string, content: string): string =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const FILE = part('name="files"; filename="a.txt"', 'text '.repeat(100));

/** Receives an upload whose bytes arrive in pieces of 50. Counts the files that write a piece at the same time. */
function openUploads() {
  let writing = 0;
  let most = 0;
  const blobs = {
    async stage(tenantId: string, body: AsyncIterable<Uint8Array>) {
      let size = 0;
      for await (const piece of body) {
        writing += 1;
        most = Math.max(most, writing);
        for (let i = 0; i < 5; i++) await turn();
        writing -= 1;
        size += piece.length;
      }
      return { tenantId, hash: '', size, handle: '' };
    },
    discard: async () => {},
  } as unknown as BlobStore;
  const receive = (content: string) => {
    const bytes = Buffer.from(`${content}--${BOUNDARY}--\r\n`);
    async function* body(): AsyncGenerator<Buffer> {
      for (let at = 0; at < bytes.length; at += 50) yield Buffer.from(bytes.subarray(at, at + 50));
    }
    return receiveUpload({
      blobs,
      tenantId: 't',
      body: body(),
      boundary: BOUNDARY,
      signal: AbortSignal.timeout(10_000),
    });
  };
  return { receive, most: () => most };
}

test('a limited number of uploads is taken apart at the same time', async () => {
  const { receive, most } = openUploads();
  const received = await Promise.all(Array.from({ length: 12 }, () => receive(FILE + FILE)));
  for (const { files } of received)
    assert.deepEqual(
      files.map(({ staged }) => staged.size),
      [500, 500],
    );
  assert.equal(most(), 4);
});

test('an upload that fails leaves its place to others', async () => {
  const { receive } = openUploads();
  for (let i = 0; i < 10; i++)
    await assert.rejects(receive(FILE + part('name="unknown"', 'x') + FILE), /Unknown field/);
  assert.equal((await receive(FILE)).files.length, 1);
});
