/** Reads the bytes of a page. */
import type { HttpResponse } from '../../net/http-client.ts';
import type { OriginProblem } from '../connector.ts';
import { NOT_WHOLE, PAGE_BYTES_MAX, TOO_LARGE } from './problems.ts';

/** Returns all bytes of a page, or the problem that prevented it. */
export async function readBytes(response: HttpResponse): Promise<Buffer | OriginProblem> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    if (Number(response.headers.get('content-length') ?? 0) > PAGE_BYTES_MAX) return TOO_LARGE;
    for await (const piece of response.body) {
      pieces.push(piece);
      length += piece.length;
      if (length > PAGE_BYTES_MAX) return TOO_LARGE;
    }
  } catch {
    return NOT_WHOLE;
  } finally {
    await response.discard();
  }
  return Buffer.concat(pieces);
}

export async function* chunkOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
