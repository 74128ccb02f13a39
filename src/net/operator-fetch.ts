/**
 * A part of `fetch` for libraries that call models. The `fetch` of undici keeps 20 kB more memory while a response streams.
 * This one also limits the body and never follows a redirect.
 */
import { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { limitedBody } from './response-body.ts';

/** Statuses for which a Response must have no body. */
const WITHOUT_BODY = [204, 205];

/** A response whose body is read piece by piece, no faster than the caller reads. */
export interface StreamedAnswer {
  status: number;
  headers: Headers;
  pieces: AsyncGenerator<Uint8Array>;
  /** Closes the connection, also while the caller waits for a piece. */
  leave(): void;
}

export type OperatorRequest = (url: string | URL, init?: RequestInit) => Promise<StreamedAnswer>;

/**
 * Returns a request function without the overhead of `Response` and its streams, for callers that read many responses at once.
 *
 * @param bytesMax maximum bytes of a decoded body; reading fails beyond it.
 */
export function openOperatorRequest(dispatcher: Dispatcher, bytesMax: number): OperatorRequest {
  return async (url, init = {}) => {
    const { signal, body: requestBody } = init;
    const response = await request(url, {
      dispatcher,
      method: (init.method ?? 'GET') as Dispatcher.HttpMethod,
      headers: Object.fromEntries(headersOf(init.headers, requestBody)),
      ...(signal ? { signal } : {}),
      ...(typeof requestBody === 'string' ? { body: once(requestBody) } : {}),
    });
    const { statusCode: status, body } = response;
    const leave = (): void => void body.on('error', () => {}).destroy();
    if (!(status >= 200 && status < 300) && status < 400) {
      leave();
      throw new TypeError(`the address answers with status ${status}, which is not followed`);
    }
    const headers = new Headers();
    for (const [name, value] of Object.entries(response.headers))
      for (const one of [value ?? []].flat()) headers.append(name, one);
    const encoding = headers.get('content-encoding');
    return { status, headers, pieces: limitedBody(body, encoding, bytesMax, (error) => error as Error), leave };
  };
}

/** Returns the part of `fetch` that the AI SDK needs. */
export function openOperatorFetch(request: OperatorRequest): typeof fetch {
  return (async (input: string | URL, init?: RequestInit) => {
    const response = await request(input, init);
    const { status, headers } = response;
    const isEmpty = WITHOUT_BODY.includes(status);
    if (isEmpty) response.leave();
    return new Response(isEmpty ? null : streamOf(response), { status, headers });
  }) as typeof fetch;
}

function headersOf(initHeaders: RequestInit['headers'], requestBody: unknown): Headers {
  const headers = new Headers(initHeaders);
  if (typeof requestBody === 'string') headers.set('content-length', String(Buffer.byteLength(requestBody)));
  return headers;
}

/**
 * Returns the text as a stream that drops it after sending. undici would keep a complete body, with its pool of buffers, until
 * the response ends.
 */
function once(text: string): Readable {
  return new Readable({
    read() {
      this.push(text);
      this.push(null);
      text = '';
    },
  });
}

/** Returns a stream that reads the response only as fast as it is read itself. */
function streamOf({ pieces, leave }: StreamedAnswer): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}
