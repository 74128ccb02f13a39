/**
 * The published client: a typed method for every operation of the API. It uses only `fetch`, so it runs in Node and in browsers.
 *
 *     const pinakes = openPinakes({ url: 'http://127.0.0.1:7700', apiKey });
 *     const { results } = await pinakes.search({ body: { query: 'How long are records kept?' } });
 */
import { OPERATIONS, type OperationId, type Operations, type StreamBody } from './api.ts';

export interface PinakesOptions {
  /** Address of the service, for example http://127.0.0.1:7700. A path `/api/v1` at its end is left out. */
  url: string;
  apiKey: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Additional headers of the request. */
  headers?: Readonly<Record<string, string>> | undefined;
}

type RequestOf<Id extends OperationId> = Operations[Id]['request'];
/** The arguments of a method. The request may be left out if it has no required members. */
type Arguments<Id extends OperationId> =
  Record<never, never> extends RequestOf<Id>
    ? [request?: RequestOf<Id>, options?: CallOptions]
    : [request: RequestOf<Id>, options?: CallOptions];

type Methods = { [Id in OperationId]: (...given: Arguments<Id>) => Promise<Operations[Id]['response']> };

export interface Pinakes extends Methods {
  /** Returns the response itself, for example to read a stream. @throws PinakesError for an error answer. */
  send<Id extends OperationId>(operation: Id, ...given: Arguments<Id>): Promise<Response>;
}

/** An error answer of the service. */
export class PinakesError extends Error {
  readonly status: number;
  /** The `type` of the error answer, for example `not_found_error`; empty if the answer had none. */
  readonly type: string;
  /** Id of the request in the log of the service. */
  readonly requestId: string | null;
  /** JSON pointer to the value of the request body that is refused; null if the error is not about one value. */
  readonly pointer: string | null;
  /** The header `Retry-After`: seconds, or a date if a proxy wrote it. */
  readonly retryAfter: string | null;

  constructor(
    status: number,
    type: string,
    message: string,
    requestId: string | null,
    pointer: string | null = null,
    retryAfter: string | null = null,
  ) {
    super(message);
    this.name = 'PinakesError';
    this.status = status;
    this.type = type;
    this.requestId = requestId;
    this.pointer = pointer;
    this.retryAfter = retryAfter;
  }
}

interface AnyRequest {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
}

/** Returns a client. Its methods throw PinakesError for an error answer, and the error of `fetch` if no service answers. */
export function openPinakes({ url, apiKey, fetch: send = fetch }: PinakesOptions): Pinakes {
  // The base address of other clients of the API ends in /api/v1.
  const origin = url.replace(/(?:\/api\/v1)?\/*$/, '');

  async function call(id: OperationId, request: AnyRequest = {}, options: CallOptions = {}): Promise<Response> {
    const [method, path] = OPERATIONS[id];
    const { body, ...init } = encodeBody(request.body);
    const headers = new Headers({ accept: 'application/json', ...init.headers, ...options.headers });
    for (const [name, value] of Object.entries(request.headers ?? {}))
      if (value !== undefined) headers.set(name, value);
    headers.set('x-api-key', apiKey);
    const response = await send(origin + fill(path, request.params) + queryText(request.query), {
      ...init,
      method,
      headers,
      ...(body !== undefined && { body }),
      ...(options.signal && { signal: options.signal }),
    });
    if (!response.ok) throw await toError(response);
    return response;
  }

  const methods = Object.fromEntries(
    Object.keys(OPERATIONS).map((id) => [
      id,
      async (request?: AnyRequest, options?: CallOptions) =>
        readAnswer(id, await call(id as OperationId, request, options)),
    ]),
  );
  return { ...methods, send: call } as unknown as Pinakes;
}

/** Returns the JSON of an answer, or the bytes of a downloaded file. */
async function readAnswer(operation: string, response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/')) {
    // A stream may have no end, and it is not what the method promises.
    await response.body?.cancel();
    throw new TypeError(`The answer of ${operation} is a stream: read it with send('${operation}', …).`);
  }
  return type.startsWith('application/json') ? response.json() : response.blob();
}

function fill(path: string, params: AnyRequest['params'] = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    // With an empty id, the path would be the path of another operation.
    if (value === undefined || value === '') throw new TypeError(`The parameter ${name} of ${path} is missing.`);
    return encodeURIComponent(value);
  });
}

function queryText(query: AnyRequest['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one));
  return search.size === 0 ? '' : `?${search}`;
}

function encodeBody(body: unknown): RequestInit & { headers?: Record<string, string> } {
  if (body === undefined) return {};
  if (body instanceof FormData) return { body };
  if (isStream(body)) {
    const headers = { 'content-type': body.contentType, 'content-length': String(body.length) };
    return { body: body.stream, headers, duplex: 'half' } as RequestInit & { headers: Record<string, string> };
  }
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

function isStream(body: unknown): body is StreamBody {
  return typeof body === 'object' && body !== null && 'stream' in body && body.stream instanceof ReadableStream;
}

async function toError(response: Response): Promise<PinakesError> {
  const text = await response.text();
  const requestId = response.headers.get('x-request-id');
  const retryAfter = response.headers.get('retry-after');
  try {
    const { error } = JSON.parse(text) as { error: { message: string; type: string; pointer?: string } };
    return new PinakesError(response.status, error.type, error.message, requestId, error.pointer, retryAfter);
  } catch {
    // The answer is not from the service, but from a proxy or from Node.
    return new PinakesError(response.status, '', response.statusText, requestId, null, retryAfter);
  }
}
