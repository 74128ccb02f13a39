/**
 * Reads a `multipart/form-data` body (RFC 7578) part by part. The consumer pulls each part and each piece of it.
 *
 * Event-driven parsers announce every part as soon as its bytes arrive, so thousands of small files pile up in memory before the
 * first file is written. This parser reads nothing before the consumer asks for it. It refuses malformed bodies.
 */
import type { IncomingMessage } from 'node:http';
import { invalidRequest } from '../../errors.ts';
import { tooLarge } from './body.ts';

/** Maximum size of all headers of one part together. */
const PART_HEADER_BYTES_MAX = 16 * 1024;
const CRLF = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');

export interface Part {
  /** Name of the form field. */
  name: string;
  /** File name as the client sent it, unescaped; null for a field that is not a file. It must never be used as a path on a disk. */
  fileName: string | null;
  /** The consumer must read it to its end before it asks for the next part. */
  body: AsyncIterable<Buffer>;
}

/** Returns the boundary that a Content-Type header names. @throws ServiceError invalid_request. */
export function boundaryOf(contentType: string | undefined): string {
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(contentType ?? '');
  const boundary = match?.[1] ?? match?.[2];
  if (!boundary) throw malformed('the content type names no boundary');
  return boundary;
}

/**
 * Yields the body of a request, piece by piece. A piece is valid until the consumer asks for the next one: then its memory is freed at
 * once. If the garbage collector had to free it, an upload at full speed would grow the process by 60 MiB.
 *
 * A consumer that stops early keeps the connection open, so that an answer can be sent.
 *
 * @throws ServiceError too_large as soon as more than `bytesMax` bytes arrived; invalid_request when the client leaves; the signal's
 *   reason.
 */
export async function* readPieces(
  request: IncomingMessage,
  bytesMax: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const waiting: Buffer[] = [];
  let isOver: 'no' | 'complete' | 'broken' = 'no';
  let wake = (): void => undefined;
  // The stream's own iterator joins small pieces into new buffers, and leaves the original ones to the garbage collector.
  const onData = (piece: Buffer): void => {
    request.pause();
    waiting.push(piece);
    wake();
  };
  const onEnd = (): void => {
    isOver = 'complete';
    wake();
  };
  const onClose = (): void => {
    if (isOver === 'no') isOver = 'broken';
    wake();
  };
  const onAbort = (): void => wake();
  request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  signal.addEventListener('abort', onAbort);
  let bytes = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const piece = waiting.shift();
      if (piece) {
        bytes += piece.length;
        if (bytes > bytesMax) throw tooLarge(bytesMax);
        yield piece;
        release(piece);
      } else if (isOver !== 'no') {
        break;
      } else {
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
        });
        request.resume();
        await changed;
      }
    }
    if (request.destroyed && !request.complete)
      throw invalidRequest('The connection closed before the request body was complete.');
  } finally {
    request.pause();
    request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    signal.removeEventListener('abort', onAbort);
  }
}

function release(piece: Buffer): void {
  if (piece.length === piece.buffer.byteLength && piece.buffer instanceof ArrayBuffer) piece.buffer.transfer(0);
}

/**
 * Yields the parts of a body. The bytes of a part, too, are valid only until the consumer asks for the next piece.
 *
 * @throws ServiceError invalid_request at the first malformed byte.
 */
export async function* readParts(source: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<Part> {
  const input = openInput(source);
  try {
    const delimiter = Buffer.from(`\r\n--${boundary}`);
    // The first boundary may stand at the very beginning of the body, without the line end that comes before the other boundaries.
    await input.expectStart(delimiter.subarray(CRLF.length));
    while (!(await input.isLast())) {
      const headers = parseHeaders(await input.readUntil(HEADERS_END, PART_HEADER_BYTES_MAX));
      let complete = false;
      async function* body(): AsyncGenerator<Buffer> {
        yield* input.readPart(delimiter);
        complete = true;
      }
      yield { ...headers, body: body() };
      if (!complete) throw new Error('a part was not read to its end');
    }
    await input.expectEnd();
  } finally {
    await input.close();
  }
}

interface Input {
  expectStart(bytes: Buffer): Promise<void>;
  /** Reads the two bytes after a boundary: `--` after the last boundary, a line end before another part. */
  isLast(): Promise<boolean>;
  readUntil(end: Buffer, bytesMax: number): Promise<Buffer>;
  readPart(delimiter: Buffer): AsyncGenerator<Buffer>;
  expectEnd(): Promise<void>;
  /** Stops the source. The server drops the rest of the request, so that the connection stays open. */
  close(): Promise<void>;
}

function openInput(source: AsyncIterable<Buffer>): Input {
  const iterator = source[Symbol.asyncIterator]();
  let buffered: Buffer = Buffer.alloc(0);

  async function more(): Promise<boolean> {
    buffered = Buffer.from(buffered); // a copy, because the piece that holds these bytes is freed now
    const next = await iterator.next();
    if (next.done) return false;
    buffered = buffered.length === 0 ? next.value : Buffer.concat([buffered, next.value]);
    return true;
  }

  async function need(bytes: number): Promise<void> {
    while (buffered.length < bytes) if (!(await more())) throw malformed('it ends too early');
  }

  function take(bytes: number): Buffer {
    const result = buffered.subarray(0, bytes);
    buffered = buffered.subarray(bytes);
    return result;
  }

  return {
    async close() {
      await iterator.return?.();
    },
    async expectStart(bytes) {
      await need(bytes.length);
      if (!take(bytes.length).equals(bytes)) throw malformed('it does not begin with the boundary');
    },
    async isLast() {
      await need(2);
      const two = take(2);
      if (two.equals(CRLF)) return false;
      if (two.toString('latin1') !== '--')
        throw malformed('a boundary is followed by neither a line end nor two hyphens');
      return true;
    },
    async readUntil(end, bytesMax) {
      for (;;) {
        const at = buffered.indexOf(end);
        if (at > bytesMax || (at < 0 && buffered.length > bytesMax))
          throw malformed('the headers of a part are too long');
        if (at >= 0) {
          const found = take(at);
          take(end.length);
          return found;
        }
        await need(buffered.length + 1);
      }
    },
    async *readPart(delimiter) {
      for (;;) {
        const at = buffered.indexOf(delimiter);
        if (at >= 0) {
          if (at > 0) yield take(at);
          take(delimiter.length);
          return;
        }
        const keep = possibleStart(buffered, delimiter);
        if (buffered.length > keep) yield take(buffered.length - keep);
        await need(buffered.length + 1);
      }
    },
    async expectEnd() {
      while (await more()) if (buffered.length > CRLF.length) break;
      if (buffered.length > 0 && !buffered.equals(CRLF)) throw malformed('bytes follow the closing boundary');
    },
  };
}

/** Returns the length of the longest end of `bytes` that is a beginning of `delimiter`. It is nearly always 0, so little is copied. */
function possibleStart(bytes: Buffer, delimiter: Buffer): number {
  const from = Math.max(0, bytes.length - delimiter.length + 1);
  for (let at = bytes.indexOf(0x0d, from); at >= 0; at = bytes.indexOf(0x0d, at + 1)) {
    const length = bytes.length - at;
    if (bytes.compare(delimiter, 0, length, at) === 0) return length;
  }
  return 0;
}

/** Some clients write a backslash as it is, also before the closing quote. Inside the quotes no character can be read in two ways. */
const PARAMETER = /\s*;\s*([\w!#$&+.^`|~*-]+)=("(?:\\["\\]|\\(?!["\\])|[^"\\])*\\?"|[^\s;"]*)/gy;

function parseHeaders(bytes: Buffer): { name: string; fileName: string | null } {
  // Names are UTF-8. Invalid bytes become U+FFFD, which no accepted field name contains.
  const headers = new Map<string, string>();
  for (const line of bytes.toString('utf8').split('\r\n')) {
    const match = /^([\w!#$%&'*+.^`|~-]+):(.*)$/s.exec(line);
    if (!match) throw malformed('a part has a bad header line');
    headers.set(match[1]!.toLowerCase(), match[2]!.trim());
  }
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (!['binary', '8bit', '7bit'].includes(encoding)) throw malformed('a part has a transfer encoding');
  return parseDisposition(headers.get('content-disposition') ?? '');
}

function parseDisposition(disposition: string): { name: string; fileName: string | null } {
  const type = /^form-data\b/i.exec(disposition)?.[0];
  if (!type) throw malformed('a part has no Content-Disposition: form-data');
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = type.length;
  let end = type.length;
  for (let match = PARAMETER.exec(disposition); match; match = PARAMETER.exec(disposition)) {
    const key = match[1]!.toLowerCase();
    if (parameters.has(key)) throw malformed('a part has a Content-Disposition parameter twice');
    parameters.set(key, unquote(match[2]!));
    end = PARAMETER.lastIndex;
  }
  const name = parameters.get('name');
  if (disposition.slice(end).trim() !== '' || name === undefined)
    throw malformed('a part has a bad Content-Disposition');
  return { name, fileName: extendedValue(parameters.get('filename*')) ?? parameters.get('filename') ?? null };
}

/** Removes quotes and escapes. Some clients escape with a backslash; browsers write `%22`, `%0D` and `%0A` instead. */
function unquote(value: string): string {
  if (!value.startsWith('"')) return value;
  return value
    .slice(1, -1)
    .replace(/\\(["\\])/g, '$1')
    .replace(/%(22|0D|0A)/gi, (encoded) => decodeURIComponent(encoded));
}

/** Decodes an extended parameter value (RFC 8187, UTF-8 only). */
function extendedValue(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw malformed('a part has a bad file name');
  }
}

function malformed(reason: string) {
  return invalidRequest(`The multipart body is malformed: ${reason}.`);
}
