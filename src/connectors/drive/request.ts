/** Sends a request to Google with retries, and explains refusals to people. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { HttpClient, HttpRequestOptions, HttpResponse } from '../../net/http-client.ts';
import { readStart } from '../../net/response-body.ts';
import { retryAfterMs, retryWait } from '../../net/retry-wait.ts';
import { abortReason } from '../../util/abort.ts';
import { OriginError, type OriginProblem } from '../connector.ts';

const ATTEMPTS_MAX = 5;
const ERROR_BODY_BYTES_MAX = 64 * 1024;
/** Reasons of a status 403 that are temporary. */
const RATE_REASONS = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'sharingRateLimitExceeded']);
const QUOTA_REASONS = new Set(['dailyLimitExceeded', 'quotaExceeded', 'downloadQuotaExceeded']);
const DISABLED_REASONS = new Set(['accessNotConfigured', 'SERVICE_DISABLED']);

/** Google's refusal of one request. */
export class DriveError extends OriginError {
  readonly status: number;
  /** Google's name for the reason; empty if Google gave none. */
  readonly reason: string;
  /** The invalid parameter. */
  readonly location: string;

  constructor(status: number, reason: string, location: string) {
    super(problemOf(status, reason));
    this.status = status;
    this.reason = reason;
    this.location = location;
  }
}

export interface GoogleClient {
  http: HttpClient;
  /** First wait before a retry. */
  retryBaseMs: number;
}

/**
 * Sends a request until its response could be read, at most `ATTEMPTS_MAX` times.
 *
 * @param read reads the response; if it fails, the request is retried too.
 * @throws DriveError; ServiceError upstream_failed, upstream_timeout; the signal's reason.
 */
export async function requestGoogle<T>(
  client: GoogleClient,
  url: string,
  options: Omit<HttpRequestOptions, 'trust' | 'retriesMax'>,
  read: (response: HttpResponse) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    let askedMs: number | undefined;
    try {
      const response = await client.http.request(url, { ...options, trust: 'operator' });
      if (response.status >= 200 && response.status < 300) return await read(response);
      askedMs = retryAfterMs(response.headers.get('retry-after'));
      throw await readError(response);
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX - 1 || !isTemporary(error)) throw error;
    }
    const { signal } = options;
    const wait = retryWait(attempt, askedMs, { baseMs: client.retryBaseMs });
    await sleep(wait, undefined, { signal }).catch(() => {
      throw abortReason(signal);
    });
  }
}

export async function readJson<T>(response: HttpResponse, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(await response.json());
  if (parsed.success) return parsed.data;
  throw unusableResponse();
}

/** Returns the error for a response that has another form, or no content. */
export function unusableResponse(): ServiceError {
  return new ServiceError('upstream_failed', 'Google answered with something that makes no sense.');
}

function isTemporary(error: unknown): boolean {
  if (error instanceof DriveError)
    return error.status === 429 || error.status === 408 || error.status >= 500 || RATE_REASONS.has(error.reason);
  return error instanceof ServiceError && ['upstream_failed', 'upstream_timeout'].includes(error.code);
}

const ErrorBody = z.object({
  error: z.union([
    z.string(),
    z.object({
      status: z.string().optional(),
      errors: z.array(z.object({ reason: z.string().optional(), location: z.string().optional() })).optional(),
      details: z.array(z.object({ reason: z.string().optional() })).optional(),
    }),
  ]),
});

/** Parses an error. The API and the token endpoint have different bodies; bodies of proxies cannot be parsed. */
async function readError(response: HttpResponse): Promise<DriveError> {
  const { error } = ErrorBody.safeParse(await readErrorBody(response)).data ?? { error: '' };
  if (typeof error === 'string') return new DriveError(response.status, error, '');
  const first = error.errors?.[0];
  const detail = error.details?.find((one) => one.reason !== undefined && DISABLED_REASONS.has(one.reason));
  const reason = detail?.reason ?? first?.reason ?? error.status ?? '';
  return new DriveError(response.status, reason, first?.location ?? '');
}

async function readErrorBody(response: HttpResponse): Promise<unknown> {
  try {
    return JSON.parse((await readStart(response.body, ERROR_BODY_BYTES_MAX)).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Returns an explanation. It never contains Google's own text, which may repeat parts of our request. */
function problemOf(status: number, reason: string): OriginProblem {
  if (status === 401 || reason === 'invalid_grant' || reason === 'invalid_client')
    return {
      title: 'Google does not accept the service account key',
      message: 'The key was deleted, has expired or belongs to a disabled account. Create a new key and store it.',
      retryable: false,
    };
  if (status === 429 || RATE_REASONS.has(reason))
    return {
      title: 'Google limits the requests',
      message: 'Too many requests were made with this service account. Try again later.',
      retryable: true,
    };
  if (QUOTA_REASONS.has(reason))
    return {
      title: 'A quota at Google is used up',
      message: 'Try again when the quota is renewed, or raise it in the Google Cloud project.',
      retryable: true,
    };
  if (DISABLED_REASONS.has(reason))
    return {
      title: 'The Drive API is not enabled',
      message: 'Enable the Google Drive API in the Google Cloud project of the service account.',
      retryable: false,
    };
  if (status === 403)
    return {
      title: 'No permission',
      message: 'The service account may not read the folder or file. Share it with the address of the service account.',
      retryable: false,
    };
  if (status === 404)
    return {
      title: 'Not found',
      message: 'The folder or file does not exist, or it is not shared with the address of the service account.',
      retryable: false,
    };
  if (status >= 500 || status === 408)
    return {
      title: 'Google Drive failed',
      message: `Google Drive answered with status ${status}. Try again later.`,
      retryable: true,
    };
  const word = /^[\w.]{1,60}$/.test(reason) ? ` (${reason})` : '';
  return {
    title: 'Google Drive refused the request',
    message: `Google Drive answered with status ${status}${word}.`,
    retryable: false,
  };
}
