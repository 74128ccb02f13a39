/**
 * The API client of the command line. It speaks to the address that the person who runs the command configured, so it
 * uses fetch directly: the guard of net/http-client.ts is for addresses that tenants name.
 */
import { CliError } from './io.ts';
import type { StreamEvent } from './wire.ts';

export interface ClientOptions {
  /** Origin of the service, for example http://127.0.0.1:7700. */
  url: string;
  apiKey: string;
}

export interface RequestOptions {
  body?: unknown;
  query?: Record<string, string | number | undefined>;
  signal?: AbortSignal;
}

/** A multipart body whose length is known beforehand. */
export interface UploadBody {
  contentType: string;
  length: number;
  stream: ReadableStream<Uint8Array>;
}

/** An error answer of the service. */
export class ApiError extends CliError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Client = ReturnType<typeof openClient>;

/** Paths are below /api/v1. Every function throws ApiError for an error answer and CliError when nothing answers. */
export function openClient({ url, apiKey }: ClientOptions) {
  const base = `${url.replace(/\/+$/, '')}/api/v1`;

  async function send(
    method: string,
    path: string,
    init: RequestInit,
    query: RequestOptions['query'] = {},
  ): Promise<Response> {
    const target = new URL(base + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) target.searchParams.set(name, String(value));
    const headers = new Headers(init.headers);
    headers.set('x-api-key', apiKey);
    const response = await fetch(target, { ...init, method, headers }).catch((error: unknown) => {
      throw connectionError(url, error);
    });
    if (!response.ok) throw await apiError(response);
    return response;
  }

  async function json<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const { body, query, signal } = options;
    const init: RequestInit = { ...(signal && { signal }), headers: { accept: 'application/json' } };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { ...init.headers, 'content-type': 'application/json' };
    }
    const response = await send(method, path, init, query);
    return (await response.json()) as T;
  }

  return {
    url,
    get: <T>(path: string, options?: RequestOptions) => json<T>('GET', path, options),
    post: <T>(path: string, body: unknown, options?: RequestOptions) => json<T>('POST', path, { ...options, body }),
    delete: <T>(path: string, options?: RequestOptions) => json<T>('DELETE', path, options),

    async upload<T>(path: string, body: UploadBody): Promise<T> {
      const headers = { 'content-type': body.contentType, 'content-length': String(body.length) };
      const response = await send('POST', path, { body: body.stream, headers, duplex: 'half' } as RequestInit);
      return (await response.json()) as T;
    },

    /** Events of an ag-ui stream. @throws ApiError when the run ends in RUN_ERROR. */
    async *stream(path: string, body: unknown, signal?: AbortSignal): AsyncGenerator<StreamEvent> {
      const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
      const response = await send('POST', path, { ...(signal && { signal }), headers, body: JSON.stringify(body) });
      if (response.body === null) throw new CliError('The service sent an empty answer.');
      for await (const event of parseEvents(response.body)) {
        if (event.type === 'RUN_ERROR') throw new ApiError(response.status, event.message ?? 'The answer failed.');
        yield event;
      }
    },
  };
}

/** Reads server-sent events: the JSON of each `data:` field. */
export async function* parseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  let buffered = '';
  for await (const text of body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)) {
    buffered += text;
    const events = buffered.split('\n\n');
    buffered = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split('\n').filter((line) => line.startsWith('data:'));
      const data = lines.map((line) => line.slice(line[5] === ' ' ? 6 : 5)).join('\n');
      if (data !== '') yield JSON.parse(data) as StreamEvent;
    }
  }
}

async function apiError(response: Response): Promise<ApiError> {
  const body = await response.text();
  return new ApiError(response.status, `${errorMessage(body) ?? response.statusText} (HTTP ${response.status})`);
}

function errorMessage(body: string): string | undefined {
  try {
    const parsed = JSON.parse(body) as { error?: { message?: unknown } };
    return typeof parsed.error?.message === 'string' ? parsed.error.message : undefined;
  } catch {
    return undefined;
  }
}

function connectionError(url: string, error: unknown): unknown {
  if (error instanceof Error && error.name === 'AbortError') return error;
  const cause = error instanceof Error ? error.cause : undefined;
  // The body's own problem, such as a file that changed.
  if (cause instanceof CliError) return cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  if (code === 'ECONNREFUSED') {
    return new CliError(
      `No service answers at ${url}. Start one with "pinakes serve", or set PINAKES_URL to a running one.`,
    );
  }
  const reason = cause instanceof Error ? cause.message : String(error);
  return new CliError(`The request to ${url} failed: ${reason}`);
}
