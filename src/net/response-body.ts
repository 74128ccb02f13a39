/** Decodes the bodies of responses and limits their size. */
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ServiceError } from '../errors.ts';

/** Encodings of one body that are decoded. No server needs more, and each one multiplies a decompression bomb. */
const ENCODINGS_MAX = 2;

/** Yields the decoded body. `bytesMax` counts decoded bytes, so a small body that decodes to a huge one stops there. */
export async function* limitedBody(
  body: Readable,
  encoding: string | null,
  bytesMax: number,
  explain: (error: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  try {
    let bytes = 0;
    for await (const piece of decode(body, encoding)) {
      bytes += (piece as Uint8Array).length;
      if (bytes > bytesMax) throw new ServiceError('upstream_failed', `The response is larger than ${bytesMax} bytes.`);
      yield piece as Uint8Array;
    }
  } catch (error) {
    throw explain(error);
  } finally {
    body.on('error', () => {}).destroy();
  }
}

/** Returns a body, or its beginning with more than `bytesMax` bytes. */
export async function readStart(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.length;
    if (length > bytesMax) break;
  }
  return Buffer.concat(pieces);
}

function decode(body: Readable, encoding: string | null): Readable {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > ENCODINGS_MAX) throw new ServiceError('upstream_failed', 'The response has too many encodings.');
  return names.reverse().reduce((source: Readable, name) => {
    const decoder = decoderFor(name);
    // The reader receives errors from the decoder, which pipeline destroys with the error.
    pipeline(source, decoder, () => {});
    return decoder;
  }, body);
}

function decoderFor(name: string) {
  if (name === 'gzip' || name === 'x-gzip') return createGunzip();
  if (name === 'deflate') return createInflate();
  if (name === 'br') return createBrotliDecompress();
  throw new ServiceError(
    'upstream_failed',
    `The response has an encoding that is not supported: ${JSON.stringify(name.slice(0, 40))}.`,
  );
}
