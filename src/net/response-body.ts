/** Bodies of answers: decompressed, and cut off when they grow too large. */
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ServiceError } from '../errors.ts';

/** Encodings one after the other that are undone; nobody needs more, and each multiplies a bomb. */
const ENCODINGS_MAX = 2;

/** `bytesMax` counts decoded bytes: a small body that unpacks without end stops there. */
export async function* limitedBody(
  body: Readable,
  encoding: string | null,
  bytesMax: number,
  explain: (error: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  try {
    let bytes = 0;
    for await (const piece of decoded(body, encoding)) {
      bytes += (piece as Uint8Array).length;
      if (bytes > bytesMax) throw new ServiceError('upstream_failed', `The answer is larger than ${bytesMax} bytes.`);
      yield piece as Uint8Array;
    }
  } catch (error) {
    throw explain(error);
  } finally {
    body.on('error', () => {}).destroy();
  }
}

function decoded(body: Readable, encoding: string | null): Readable {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > ENCODINGS_MAX) throw new ServiceError('upstream_failed', 'The answer is encoded too often.');
  return names.reverse().reduce((source: Readable, name) => {
    const decoder = decoderFor(name);
    // Errors reach the reader through the decoder, which pipeline destroys with them.
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
    `The answer has an encoding that is not supported: ${JSON.stringify(name.slice(0, 40))}.`,
  );
}
