/** Explains failures of a model's provider: for the caller, and for the log. */
import { ServiceError } from '../../errors.ts';
import { retryAfterMs } from '../../net/retry-wait.ts';
import { ChatRefused } from './chat-wire.ts';

const LOGGED_UNITS_MAX = 2_000;
const RETRY_SECONDS_DEFAULT = 10;

/**
 * Returns the error for the caller. The message of the provider stays in the cause, because it may contain accounts and addresses.
 *
 * @param what the subject of the message: "The chat model".
 */
export function toServiceError(what: string, error: unknown, cause: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const status = statusOf(error);
  if (status === 429 || status === 529) {
    return new ServiceError('overloaded', `${what} is overloaded; try again later.`, {
      cause,
      retryAfterSeconds: retryAfterOf(error) ?? RETRY_SECONDS_DEFAULT,
    });
  }
  if (status === 408 || status === 504)
    return new ServiceError('upstream_timeout', `${what} did not answer in time.`, { cause });
  const how =
    status !== undefined
      ? `answered with status ${status}.`
      : error instanceof ChatRefused
        ? 'reported an error.'
        : 'could not be reached or answered with something unreadable.';
  return new ServiceError('upstream_failed', `${what} ${how}`, { cause });
}

/**
 * Returns the part of a failure that may be logged. Errors of the SDK contain the whole request, with texts of tenants. Providers repeat
 * keys that they refuse.
 */
export function forLog(error: unknown, apiKey: string | null): unknown {
  if (!(error instanceof Error) || error instanceof ServiceError) return error;
  const clean = (text: string): string => {
    const cut = text.slice(0, LOGGED_UNITS_MAX);
    return apiKey ? cut.replaceAll(apiKey, '[key]') : cut;
  };
  const logged = Object.assign(new Error(clean(error.message)), {
    name: error.name,
    statusCode: statusOf(error),
    retryAfterSeconds: retryAfterOf(error),
    systemCode: systemCodeOf(error),
  });
  logged.stack = clean(error.stack ?? '');
  return logged;
}

/** Returns the HTTP status of the provider's answer; undefined without an answer. */
export function statusOf(error: unknown): number | undefined {
  const { statusCode, code, cause, lastError } = (error ?? {}) as Record<string, unknown>;
  if (typeof statusCode === 'number') return statusCode;
  if (typeof code === 'number') return code; // an error object inside a stream
  return cause || lastError ? statusOf(cause ?? lastError) : undefined;
}

/** Returns the code of the operating system or the TLS library for a failed connection, such as `ECONNREFUSED`. */
export function systemCodeOf(error: unknown): string | undefined {
  const { systemCode, code, cause, lastError } = (error ?? {}) as Record<string, unknown>;
  if (typeof systemCode === 'string') return systemCode;
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return code;
  return cause || lastError ? systemCodeOf(cause ?? lastError) : undefined;
}

/** Returns true when the endpoint refuses the request member that asks for the number of tokens. */
export function refusesUsage(error: unknown): boolean {
  const { responseBody, message } = (error ?? {}) as Record<string, unknown>;
  return [400, 422].includes(statusOf(error) ?? 0) && /stream_options/.test(`${responseBody} ${message}`);
}

/** Returns the seconds that the provider asks to wait. `error` is an error of the SDK, or a result of forLog(). */
export function retryAfterOf(error: unknown, now = Date.now()): number | undefined {
  const { responseHeaders, retryAfterSeconds } = (error ?? {}) as {
    responseHeaders?: Record<string, string>;
    retryAfterSeconds?: number;
  };
  const header = responseHeaders?.['retry-after'];
  if (header === undefined) return retryAfterSeconds;
  const seconds = (retryAfterMs(header, now) ?? 0) / 1000;
  return seconds > 0 ? seconds : undefined;
}
