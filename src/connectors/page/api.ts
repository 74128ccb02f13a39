/** Sends requests to the page API: adds headers, keeps the rate limit, explains errors, reads lists. */
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
/** If the server asks for a longer wait, the run ends and starts again later. */
const RETRY_AFTER_MS_MAX = 120_000;
const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 500, 502, 503, 504]);
/** Statuses for too many requests of this credential, or of all clients. */
const SLOW_DOWN_STATUSES: ReadonlySet<number> = new Set([429, 529]);

/** The API returned an error about one object. */
export class PageApiError extends Error {
  override readonly name = 'PageApiError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(`the page API answered with status ${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

/** An answer about one object does not match the description of the API. */
export class UnusableAnswer extends OriginError {}

export interface PageApi {
  /** @throws PageApiError, OriginError; ServiceError upstream_failed, upstream_timeout; the signal's reason. */
  get(path: string): Promise<unknown>;
  /**
   * Returns the pages of a list, or of a query if `body` is given. @throws the same errors as `get`; OriginError for an endless
   * list.
   */
  pages(path: string, body?: Record<string, unknown>, start?: string): AsyncGenerator<WireList>;
  /** Returns the time by the server's clock, as its last response showed it. */
  now(): Date;
}

interface PageApiOptions {
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
  /** Milliseconds by which the server's clock is ahead of ours. */
  let serverAheadMs = 0;

  async function attempt(method: string, path: string, body: unknown): Promise<HttpResponse> {
    await options.pace.waitForTurn(key, signal);
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
    if (Number.isFinite(date)) serverAheadMs = date - options.clock.now().getTime();
    return response;
  }

  async function request(method: string, path: string, body?: unknown): Promise<unknown> {
    for (let retries = 0; ; retries++) {
      try {
        const response = await attempt(method, path, body);
        if (response.status === 200) return await response.json();
        const error = await errorOf(response);
        if (SLOW_DOWN_STATUSES.has(response.status)) {
          const askedMs = retryAfterMs(response.headers.get('retry-after'));
          if (retries >= RETRIES_MAX || (askedMs ?? 0) > RETRY_AFTER_MS_MAX) throw tooManyRequests();
          options.pace.pause(key, retryWait(retries, askedMs, { maxMs: RETRY_AFTER_MS_MAX }));
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
      const answer =
        body === undefined
          ? request('GET', `${path}?${query}`)
          : request('POST', path, { ...body, ...from, page_size: LIST_SIZE });
      const response = (await answer.catch((error: unknown) => {
        throw seen.size > 0 ? ofLaterPage(error) : error;
      })) as Partial<WireList> | null;
      if (!Array.isArray(response?.results)) throw unexpectedResponse();
      const next = response.has_more === true ? response.next_cursor : null;
      if (next === undefined || (response.has_more === true && next === null)) throw unexpectedResponse();
      if (next !== null && seen.has(next)) throw endlessList();
      yield { results: response.results, has_more: next !== null, next_cursor: next, ...statusOf(response) };
      if (next === null) return;
      seen.add(next);
      cursor = next;
    }
  }

  return {
    get: (path) => request('GET', path),
    pages,
    now: () => new Date(options.clock.now().getTime() + serverAheadMs),
  };
}

/**
 * Returns the error for a list that cannot be continued. Status 400 then means a cursor that is no longer valid, not an object that the API
 * does not support: the beginning of the list must not be taken for all of it.
 */
function ofLaterPage(error: unknown): unknown {
  return error instanceof PageApiError && error.status === 400 ? new PageApiError(409, 'cursor_expired') : error;
}

function statusOf({ request_status }: Partial<WireList>): Pick<WireList, 'request_status'> {
  return request_status === undefined ? {} : { request_status };
}

/**
 * Returns the error of a response. A body that is no error object of the API comes from another server and says nothing about
 * the object.
 */
async function errorOf(response: HttpResponse): Promise<Error> {
  const text = await response.text();
  const { status } = response;
  if (status === 401) return refused();
  const body = parsedJson(text) as { object?: unknown; code?: unknown } | null;
  if (body?.object === 'error' && typeof body.code === 'string') return new PageApiError(status, body.code);
  if (RETRIED_STATUSES.has(status) || SLOW_DOWN_STATUSES.has(status)) return new PageApiError(status, 'unknown');
  return new OriginError({
    title: 'The page workspace gave an unexpected response',
    message: `Its API answered with status ${status} and no explanation. Check the address of the page API in the settings.`,
    retryable: true,
  });
}

/** Returns null if the text is not JSON, such as a gateway's page. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Explains a failure of the origin. Returns undefined for other errors. */
export function explainOriginFailure(error: unknown): OriginProblem | undefined {
  if (error instanceof OriginError) return error.problem;
  if (error instanceof ServiceError && error.code.startsWith('upstream_')) return unreachable(error);
  if (!(error instanceof PageApiError)) return undefined;
  if (error.status === 403)
    return {
      title: 'The integration may not read content',
      message:
        'Give the integration of this token the capability "Read content", or access to this page, then run again.',
      retryable: false,
    };
  if (error.status === 404)
    return {
      title: 'Not found, or not shared with the integration',
      message: 'Open the page in the workspace and add the integration under "Connections", then run again.',
      retryable: false,
    };
  if (error.status === 413)
    return {
      title: 'The page is too large',
      message: 'The page has more blocks than the service reads from one page. Divide it into several pages.',
      retryable: false,
    };
  if (error.status < 500 && !RETRIED_STATUSES.has(error.status))
    return {
      title: 'The page workspace refused to show this',
      message: `Its API answered with status ${error.status} (${error.code}). The page may have blocks that the API does not support.`,
      retryable: false,
    };
  return {
    title: 'The page workspace failed',
    message: `Its API answered every request with status ${error.status} (${error.code}). The next run tries again.`,
    retryable: true,
  };
}

/** Returns whether an object is gone, not shared, or not supported by the API. */
export function isMissing(error: unknown): boolean {
  return error instanceof PageApiError && (error.status === 404 || error.status === 400);
}

/** Returns whether an error concerns everything that a run asks for, not one object. */
export function isOfTheWholeRun(error: unknown): boolean {
  return !(error instanceof PageApiError || error instanceof UnusableAnswer || error instanceof ServiceError);
}

/** Explains a failed connection. The error's own message is not used, because it may name an internal address. */
function unreachable({ code }: ServiceError): OriginProblem {
  return {
    title: 'The page workspace could not be reached',
    message:
      code === 'upstream_timeout'
        ? 'The workspace did not answer in time, in several attempts. The next run tries again.'
        : 'The connection failed or was interrupted, in several attempts. The next run tries again.',
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
    message: 'The workspace repeatedly asked for fewer requests. Nothing was removed; run again later.',
    retryable: true,
  });
}

/** The error for a list that returns to an earlier page. */
export function endlessList(): OriginError {
  return new UnusableAnswer({
    title: 'The page workspace returned an endless list',
    message: 'A list returned to an earlier page. Nothing was removed; run again later.',
    retryable: true,
  });
}

/** Parses a response. @throws OriginError when the response does not match the API's description. */
export function parseAs<Schema extends z.ZodType>(schema: Schema, response: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(response);
  if (!parsed.success) throw unexpectedResponse();
  return parsed.data;
}

/** The error for a response that does not match the API's description. */
export function unexpectedResponse(): OriginError {
  return new UnusableAnswer({
    title: 'The page workspace gave an unexpected response',
    message: 'A response did not match the description of its API. Check the address of the page API in the settings.',
    retryable: true,
  });
}
