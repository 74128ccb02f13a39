/** Streams a stored file, with ranges and revalidation. Its headers keep a browser from running the content of the file. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound, ServiceError } from '../../errors.ts';
import type { RequestRights } from '../live-rights.ts';
import { type ByteRange, planDownload } from './byte-range.ts';
import { attachment } from './content-disposition.ts';

/** A download looks after this time whether its file may still be read, */
const RECHECK_MS = 500;
/** or after so many times the time that this took, so that it costs little. */
const RECHECK_TIMES = 10;
/** A look that fails for a reason of the service, for example a busy database, is repeated. This is the number of looks in all. */
const LOOKS_MAX = 5;

export interface StoredFile {
  name: string;
  /** Bytes. */
  size: number;
  /** Hash of the content, used as entity tag. */
  hash: string;
  open(range?: ByteRange): Promise<Readable>;
}

/**
 * Sends the file as an attachment of the type `application/octet-stream`, so that a browser saves it and never shows it as a page of
 * this service. A failure after the first byte resets the connection, as does the end of the rights of the request.
 *
 * @param find finds the file that the caller may read now. While the file is sent, it is called again: the download ends when it throws
 *   an error of the caller or an error of the service repeatedly, or when it finds other bytes.
 * @throws ServiceError range_not_satisfiable, or what `find` or `open` throws.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  find: () => Promise<StoredFile>,
  { signal, rights }: { signal: AbortSignal; rights: RequestRights },
): Promise<FastifyReply> {
  const begin = performance.now();
  const file = await find();
  const tookMs = performance.now() - begin;
  const etag = `"${file.hash}"`;
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
  const plan = planDownload({ range, ifRange: ifRange?.toString(), ifNoneMatch }, etag, file.size);
  if (plan.status === 416) {
    reply.header('content-range', `bytes */${file.size}`);
    throw new ServiceError('range_not_satisfiable', 'The range lies outside the file.');
  }
  const isHead = request.method === 'HEAD';
  const part = plan.status === 206 ? plan.range : undefined;
  const body = plan.status === 304 || isHead ? undefined : await file.open(part);
  reply.headers({
    etag,
    'accept-ranges': 'bytes',
    // Only the caller may cache the file, and must revalidate it each time: the answer may become 404.
    'cache-control': 'private, no-cache',
  });
  if (plan.status !== 304) {
    reply.headers({
      'content-type': 'application/octet-stream',
      'content-length': part ? part.end - part.start + 1 : file.size,
      'content-disposition': attachment(file.name),
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
    });
  }
  if (part) reply.header('content-range', `bytes ${part.start}-${part.end}/${file.size}`);
  reply.hijack();
  reply.raw.writeHead(plan.status, reply.getHeaders() as Record<string, string>);
  if (!body) {
    reply.raw.end();
    return reply;
  }
  const ends = new AbortController();
  let checked: Promise<void> = Promise.resolve();
  // While a look is repeated, no part is sent.
  const check = async (): Promise<void> => {
    for (let looks = 1; ; looks += 1) {
      try {
        const { hash } = await find();
        if (hash !== file.hash) throw notFound();
        return;
      } catch (error) {
        if (isGone(error) || looks === LOOKS_MAX) throw error;
      }
      await pause(RECHECK_MS, undefined, { signal: ends.signal });
    }
  };
  // Beside the parts: a reader who has stopped takes none.
  const watch = async (): Promise<void> => {
    for (let ms = tookMs; ; ) {
      await pause(recheckAfterMs(ms), undefined, { signal: ends.signal });
      const from = performance.now();
      checked = check();
      await checked;
      ms = performance.now() - from;
    }
  };
  const confirmed = async function* (parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const bytes of parts) {
      await checked;
      // After the look, which may take seconds.
      await rights.confirm();
      yield bytes;
    }
  };
  watch().catch((error) => ends.abort(error));
  try {
    await pipeline(body, confirmed, reply.raw, { signal: AbortSignal.any([signal, ends.signal]) });
  } catch (thrown) {
    const error = ends.signal.aborted ? ends.signal.reason : thrown;
    if (!signal.aborted && !isGone(error)) request.log.error({ err: error }, 'a download failed');
    reply.raw.destroy();
  } finally {
    ends.abort();
  }
  return reply;
}

/** Returns true if the caller may not read the file any more. Another error is of the service, for example a busy database. */
function isGone(error: unknown): boolean {
  return error instanceof ServiceError && error.status < 500;
}

/** Returns when a download looks again whether its file may be read, after a look that took `tookMs`. */
export function recheckAfterMs(tookMs: number): number {
  return Math.max(RECHECK_MS, RECHECK_TIMES * tookMs);
}
