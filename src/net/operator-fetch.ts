/**
 * As much of `fetch` as libraries need that call a model. undici's own keeps 20 kB more for as long as an answer streams; this
 * one also limits the body, and never follows a redirect.
 */
import { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { limitedBody } from './response-body.ts';

/** Statuses with which a Response takes no body. */
const WITHOUT_BODY = [204, 205];

/** An answer whose body is read piece by piece, no faster than it is taken. */
export interface StreamedAnswer {
  status: number;
  headers: Headers;
  pieces: AsyncGenerator<Uint8Array>;
  /** Ends the connection, also while a piece is waited for. */
  leave(): void;
}

export type OperatorRequest = (url: string | URL, init?: RequestInit) => Promise<StreamedAnswer>;

/**
 * Without the `Response` and the streams in it that libraries expect, for who reads many answers at once.
 *
 * @param bytesMax of a decoded body: reading fails beyond.
 */
export function openOperatorRequest(dispatcher: Dispatcher, bytesMax: number): OperatorRequest {
  return async (url, init = {}) => {
    const { signal, body: sent } = init;
    const answer = await request(url, {
      dispatcher,
      method: (init.method ?? 'GET') as Dispatcher.HttpMethod,
      headers: Object.fromEntries(headersOf(init.headers, sent)),
      ...(signal ? { signal } : {}),
      ...(typeof sent === 'string' ? { body: once(sent) } : {}),
    });
    const { statusCode: status, body } = answer;
    const leave = (): void => void body.on('error', () => {}).destroy();
    if (!(status >= 200 && status < 300) && status < 400) {
      leave();
      throw new TypeError(`the address answers with status ${status}, which is not followed`);
    }
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers))
      for (const one of [value ?? []].flat()) headers.append(name, one);
    const encoding = headers.get('content-encoding');
    return { status, headers, pieces: limitedBody(body, encoding, bytesMax, (error) => error as Error), leave };
  };
}

/** As much of `fetch` as the AI SDK needs. */
export function openOperatorFetch(ask: OperatorRequest): typeof fetch {
  return (async (input: string | URL, init?: RequestInit) => {
    const answer = await ask(input, init);
    const { status, headers } = answer;
    const isEmpty = WITHOUT_BODY.includes(status);
    if (isEmpty) answer.leave();
    return new Response(isEmpty ? null : streamOf(answer), { status, headers });
  }) as typeof fetch;
}

function headersOf(given: RequestInit['headers'], sent: unknown): Headers {
  const headers = new Headers(given);
  if (typeof sent === 'string') headers.set('content-length', String(Buffer.byteLength(sent)));
  return headers;
}

/** undici keeps a body that is given as a whole, with its pool of buffers, until the answer ends; this is forgotten once it is sent. */
function once(text: string): Readable {
  return new Readable({
    read() {
      this.push(text);
      this.push(null);
      text = '';
    },
  });
}

/** Reads only as fast as the stream is read. */
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
