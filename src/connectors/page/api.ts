/** Requests to the page API: its headers, its pace, its errors, its lists. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { HttpClient, HttpResponse } from '../../net/http-client.ts';
import { retryAfterMs, retryWait } from '../../net/retry-wait.ts';
import { abortReason } from '../../util/abort.ts';
import type { Clock } from '../../util/time.ts';
import { OriginError, type OriginProblem } from '../connector.ts';
import type { Pace, Sleep } from './pace.ts';
import type { WireList } from './wire.ts';

/** The first version with data sources. */
const API_VERSION = '2025-09-03';
const LIST_SIZE = 100;
export const REQUEST_TIMEOUT_MS = 60_000;
const RESPONSE_BYTES_MAX = 32 * 1024 * 1024;
const RETRIES_MAX = 3;
/** A server that asks for more ends the run: it begins again later. */
const RETRY_AFTER_MS_MAX = 120_000;
const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 500, 502, 503, 504]);
/** Too many requests: of this credential, of everybody. */
const SLOW_DOWN_STATUSES: ReadonlySet<number> = new Set([429, 529]);

/** The API answered with an error about one object. */
export class PageApiError extends Error {
  override readonly name = 'PageApiError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(`the page API answered ${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

export interface PageApi {
  /** @throws PageApiError, OriginError; ServiceError upstream_failed, upstream_timeout; the signal's reason. */
  get(path: string): Promise<unknown>;
  /** The pages of a list, of a query where `body` is given. @throws as `get`; OriginError for a list without end. */
  pages(path: string, body?: Record<string, unknown>, start?: string): AsyncGenerator<WireList>;
  /** By the server's clock, of its last answer. */
  now(): Date;
}

export interface PageApiOptions {
  http: HttpClient;
  baseUrl: string;
  pace: Pace;
  clock: Clock;
  sleep: Sleep;
  timeoutMs: number;
}

export function openPageApi(options: PageApiOptions, credential: string, signal: AbortSignal): PageApi {
  const token = credential.trim();
  const key = createHash('sha256').update(token).digest('hex');
  /** Milliseconds that the server's clock is ahead of ours. */
  let ahead = 0;

  async function attempt(method: string, path: string, body: unknown): Promise<HttpResponse> {
    await options.pace.turn(key, signal);
    const response = await options.http.request(`${options.baseUrl}/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'notion-version': API_VERSION,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      trust: 'operator',
      signal,
      timeoutMs: options.timeoutMs,
      responseBytesMax: RESPONSE_BYTES_MAX,
    });
    const date = Date.parse(response.headers.get('date') ?? '');
    if (Number.isFinite(date)) ahead = date - options.clock.now().getTime();
    return response;
  }

  async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
    for (let retries = 0; ; retries++) {
      try {
        const response = await attempt(method, path, body);
        if (response.status === 200) return await response.json();
        const error = await errorOf(response);
        if (SLOW_DOWN_STATUSES.has(response.status)) {
          const askedMs = retryAfterMs(response.headers.get('retry-after'));
          if (retries >= RETRIES_MAX || (askedMs ?? 0) > RETRY_AFTER_MS_MAX) throw tooManyRequests();
          options.pace.hold(key, retryWait(retries, askedMs, { maxMs: RETRY_AFTER_MS_MAX }));
          continue;
        }
        if (retries >= RETRIES_MAX || !RETRIED_STATUSES.has(response.status)) throw error;
      } catch (error) {
        if (signal.aborted) throw abortReason(signal);
        if (retries >= RETRIES_MAX || !(error instanceof ServiceError)) throw error;
      }
      await options.sleep(retryWait(retries, undefined), signal);
    }
  }

  async function* pages(path: string, body?: Record<string, unknown>, start?: string): AsyncGenerator<WireList> {
    const seen = new Set<string>();
    for (let cursor = start; ; ) {
      const query = new URLSearchParams({ page_size: String(LIST_SIZE) });
      if (cursor !== undefined) query.set('start_cursor', cursor);
      const from = cursor === undefined ? {} : { start_cursor: cursor };
      const answer = (
        body === undefined
          ? await ask('GET', `${path}?${query}`)
          : await ask('POST', path, { ...body, ...from, page_size: LIST_SIZE })
      ) as Partial<WireList> | null;
      if (!Array.isArray(answer?.results)) throw senseless();
      const next = answer.has_more === true ? answer.next_cursor : null;
      if (next === undefined || (answer.has_more === true && next === null)) throw senseless();
      if (next !== null && seen.has(next)) throw endless();
      yield { results: answer.results, has_more: next !== null, next_cursor: next, ...statusOf(answer) };
      if (next === null) return;
      seen.add(next);
      cursor = next;
    }
  }

  return {
    get: (path) => ask('GET', path),
    pages,
    now: () => new Date(options.clock.now().getTime() + ahead),
  };
}

function statusOf({ request_status }: Partial<WireList>): Pick<WireList, 'request_status'> {
  return request_status === undefined ? {} : { request_status };
}

/** Its body is an error object of the API; anything else comes from somewhere else, and says nothing about the object. */
async function errorOf(response: HttpResponse): Promise<Error> {
  const text = await response.text();
  const { status } = response;
  if (status === 401) return refused();
  const body = parsed(text) as { object?: unknown; code?: unknown } | null;
  if (body?.object === 'error' && typeof body.code === 'string') return new PageApiError(status, body.code);
  if (RETRIED_STATUSES.has(status) || SLOW_DOWN_STATUSES.has(status)) return new PageApiError(status, 'unknown');
  return new OriginError({
    title: 'The page workspace gave an unexpected answer',
    message: `Its API answered with status ${status} and no explanation. Check the address of the page API in the settings.`,
    retryable: true,
  });
}

/** Null for what is no JSON, such as a gateway's page. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What a failure means for the whole run; undefined for what is no failure of the origin. */
export function explainOriginFailure(error: unknown): OriginProblem | undefined {
  if (error instanceof OriginError) return error.problem;
  if (error instanceof ServiceError && error.code.startsWith('upstream_')) return unreachable(error);
  if (!(error instanceof PageApiError)) return undefined;
  if (error.status === 403)
    return {
      title: 'The integration may not read content',
      message: 'Give the integration of this token the capability "Read content" in the workspace, then run again.',
      retryable: false,
    };
  if (error.status === 404)
    return {
      title: 'Not found, or not shared with the integration',
      message: 'Open it in the workspace and add the integration under "Connections", then run again.',
      retryable: false,
    };
  if (error.status === 413)
    return {
      title: 'The page is too large',
      message: 'It has more blocks than are read of one page. Divide it into several pages.',
      retryable: false,
    };
  if (error.status < 500 && !RETRIED_STATUSES.has(error.status))
    return {
      title: 'The page workspace refused to show this',
      message: `Its API answered ${error.status} (${error.code}); it may hold blocks that the API does not support.`,
      retryable: false,
    };
  return {
    title: 'The page workspace has a fault',
    message: `Its API answered ${error.status} (${error.code}) each time it was asked. The next run tries again.`,
    retryable: true,
  };
}

/** Not in the words of the error: they name the address, which may be one of the inside. */
function unreachable({ code }: ServiceError): OriginProblem {
  return {
    title: 'The page workspace could not be reached',
    message:
      code === 'upstream_timeout'
        ? 'It did not answer in time, each time it was asked. The next run tries again.'
        : 'No connection, or an answer that broke off, each time it was asked. The next run tries again.',
    retryable: true,
  };
}

function refused(): OriginError {
  return new OriginError({
    title: 'The page workspace refused the token',
    message: 'The integration token is wrong, expired or revoked. Store a valid token and run again.',
    retryable: false,
  });
}

function tooManyRequests(): OriginError {
  return new OriginError({
    title: 'The page workspace limits requests',
    message: 'It kept asking to slow down. Nothing was removed; run again later.',
    retryable: true,
  });
}

/** For lists that lead back to where they were. */
export function endless(): OriginError {
  return new OriginError({
    title: 'The page workspace gave an endless list',
    message: 'A list led back to where it had been. Nothing was removed; run again later.',
    retryable: true,
  });
}

/** Reads an answer. @throws OriginError when it is not what the API promises. */
export function parseAs<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw senseless();
  return parsed.data;
}

/** For answers that are not what the API promises. */
export function senseless(): OriginError {
  return new OriginError({
    title: 'The page workspace gave an unexpected answer',
    message: 'An answer was not as its API describes it. Check the address of the page API in the settings.',
    retryable: true,
  });
}
