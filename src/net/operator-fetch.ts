/**
 * As much of `fetch` as libraries need that call a model. undici's own keeps 20 kB more for as long as an answer streams; this
 * one also limits the body, and never follows a redirect.
 */
import { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { limitedBody } from './response-body.ts';

/** Statuses with which a Response takes no body. */
const WITHOUT_BODY = [204, 205];

/** @param bytesMax of a decoded body: reading fails beyond. */
export function openOperatorFetch(dispatcher: Dispatcher, bytesMax: number): typeof fetch {
  return (async (input: string | URL, init: RequestInit = {}) => {
    const { signal, body: sent } = init;
    const answer = await request(input, {
      dispatcher,
      method: (init.method ?? 'GET') as Dispatcher.HttpMethod,
      headers: Object.fromEntries(headersOf(init.headers, sent)),
      ...(signal ? { signal } : {}),
      ...(typeof sent === 'string' ? { body: once(sent) } : {}),
    });
    const { statusCode: status, body } = answer;
    if (!(status >= 200 && status < 300) && status < 400) {
      body.on('error', () => {}).destroy();
      throw new TypeError(`the address answers with status ${status}, which is not followed`);
    }
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers))
      for (const one of [value ?? []].flat()) headers.append(name, one);
    const isEmpty = WITHOUT_BODY.includes(status);
    if (isEmpty) body.on('error', () => {}).destroy();
    return new Response(isEmpty ? null : streamOf(body, headers.get('content-encoding'), bytesMax), {
      status,
      headers,
    });
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
function streamOf(body: Readable, encoding: string | null, bytesMax: number): ReadableStream<Uint8Array> {
  const pieces = limitedBody(body, encoding, bytesMax, (error) => error as Error);
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void body.on('error', () => {}).destroy(),
    },
    { highWaterMark: 0 },
  );
}
