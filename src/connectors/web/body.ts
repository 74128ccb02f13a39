/** Reads the bytes of a page. */
import type { HttpResponse } from '../../net/http-client.ts';
import { readStart } from '../../net/response-body.ts';
import type { OriginProblem } from '../connector.ts';
import { NOT_WHOLE, PAGE_BYTES_MAX, TOO_LARGE } from './problems.ts';

/** Returns all bytes of a page, or the problem that prevented it. */
export async function readBytes(response: HttpResponse): Promise<Buffer | OriginProblem> {
  try {
    if (Number(response.headers.get('content-length') ?? 0) > PAGE_BYTES_MAX) return TOO_LARGE;
    const bytes = await readStart(response.body, PAGE_BYTES_MAX);
    return bytes.length > PAGE_BYTES_MAX ? TOO_LARGE : bytes;
  } catch {
    return NOT_WHOLE;
  } finally {
    await response.discard();
  }
}
