import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { boundaryOf, readParts } from './multipart.ts';

const BOUNDARY = 'xYz';

/** Yields `body` in pieces of `size`, and destroys each piece when the next is requested, as the real source does. */
async function* inPieces(body: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += size) {
    const piece = Buffer.from(new Uint8Array(body.subarray(at, at + size)).buffer);
    yield piece;
    piece.fill(0x23);
  }
}

async function read(
  body: string | Buffer,
  size = 1_000_000,
): Promise<{ name: string; fileName: string | null; content: string }[]> {
  const parts = [];
  for await (const part of readParts(inPieces(Buffer.from(body as string), size), BOUNDARY)) {
    const pieces: Buffer[] = [];
    for await (const piece of part.body) pieces.push(Buffer.from(piece));
    parts.push({ name: part.name, fileName: part.fileName, content: Buffer.concat(pieces).toString('latin1') });
  }
  return parts;
}

function part(disposition: string, content = 'x'): string {
  return `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n\r\n${content}\r\n--${BOUNDARY}--\r\n`;
}

async function refused(body: string | Buffer): Promise<void> {
  await assert.rejects(read(body), (error) => error instanceof ServiceError && error.code === 'invalid_request');
}

// Content that is as similar to the boundary as possible.
const contents = [
  '',
  'a',
  '\r\n',
  '\r\n--xY',
  '--xYz',
  '\r\n--xYy',
  '\r\r\n--x',
  `${'\r\n--xY'.repeat(50)}\r`,
  '\r\n-\r\n--xYa--\r\n',
];
const body = `${contents
  .map(
    (content, i) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="${i}"\r\n\r\n${content}\r\n`,
  )
  .join('')}--${BOUNDARY}--\r\n`;

test('the parts of a multipart body are read byte for byte, however the body is cut into pieces', async () => {
  for (let size = 1; size <= 200; size++) {
    const parts = await read(body, size);
    assert.deepEqual(
      parts.map((found) => found.content),
      contents,
      `pieces of ${size}`,
    );
  }
  assert.deepEqual(
    (await read(body)).map((found) => found.fileName),
    contents.map((_, i) => String(i)),
  );
});

test('a multipart body that ends early is refused, at whatever byte it ends', async () => {
  const whole = Buffer.from(part('form-data; name="a"'));
  // The line end after the closing boundary may be missing.
  for (let length = 0; length < whole.length - 2; length++) await refused(whole.subarray(0, length));
  assert.equal((await read(whole.subarray(0, -2))).length, 1);
});

test('malformed multipart bodies are refused', async () => {
  await refused(`preamble\r\n${part('form-data; name="a"')}`);
  await refused(`${part('form-data; name="a"')}more`);
  await refused(`--${BOUNDARY}X\r\n\r\n`);
  await refused(part('attachment; name="a"'));
  await refused(part('form-data'));
  await refused(part('form-data; name="a"; name="b"'));
  await refused(part('form-data; name="a'));
  await refused(`--${BOUNDARY}\r\n\r\nx\r\n--${BOUNDARY}--\r\n`);
  await refused(`--${BOUNDARY}\r\nno header\r\n\r\nx\r\n--${BOUNDARY}--\r\n`);
  await refused(part('form-data; name="a"\r\nContent-Transfer-Encoding: base64'));
  await refused(part(`form-data; name="${'a'.repeat(20_000)}"`));
  await refused(part(`form-data; name="${'\\'.repeat(16_000)}`));
});

test('file names are read in the forms of browsers, curl and RFC 8187', async () => {
  const names = async (disposition: string) => (await read(part(`form-data; name="f"; ${disposition}`)))[0]?.fileName;
  assert.equal(await names('filename="a%22b.txt"'), 'a"b.txt');
  assert.equal(await names('filename="a\\"b\\\\c.txt"'), 'a"b\\c.txt');
  assert.equal(await names('filename="a\\b\\"'), 'a\\b\\');
  assert.equal(await names('filename="a\\"b\\"'), 'a"b\\');
  assert.equal(await names('filename=plain.txt'), 'plain.txt');
  assert.equal(await names('filename="100%.txt"'), '100%.txt');
  assert.equal(await names(`filename="x"; filename*=UTF-8''%E6%97%A5.txt`), '日.txt');
  assert.equal(await names('FileName=""'), '');
  const utf8 = await read(part('form-data; name="f"; filename="日本.txt"'));
  assert.equal(utf8[0]?.fileName, '日本.txt');
});

test('the boundary comes from the content type', () => {
  assert.equal(boundaryOf('multipart/form-data; boundary=abc'), 'abc');
  assert.equal(boundaryOf('multipart/form-data; boundary="a b"; charset=utf-8'), 'a b');
  assert.throws(() => boundaryOf('multipart/form-data'), ServiceError);
});

test('the source is closed however the reading ends, so that the rest of the request can be dropped', async () => {
  for (const body of [part('form-data; name="a"'), 'no boundary', part('nonsense')]) {
    let closed = false;
    async function* source(): AsyncGenerator<Buffer> {
      try {
        yield* inPieces(Buffer.from(body), 5);
      } finally {
        closed = true;
      }
    }
    try {
      for await (const { body: content } of readParts(source(), BOUNDARY)) for await (const _ of content) break;
    } catch {
      // The source is closed if the reader stops early, and if the body is malformed.
    }
    assert.ok(closed, body);
  }
});
