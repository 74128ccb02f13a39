/**
 * Expected failures. A `ServiceError` has a code. The table below maps codes to HTTP status and wire type. http/error-handler.ts writes
 * the body `{"error":{"message","type","pointer"?}}`.
 */

/** HTTP status and wire `type` of each code. A new code is added only if code that catches the error must tell it from the others. */
export const ERROR_CODES = {
  invalid_request: [400, 'invalid_request_error'],
  metadata_full: [400, 'invalid_request_error'],
  unauthenticated: [401, 'authentication_error'],
  forbidden: [403, 'permission_error'],
  not_found: [404, 'not_found_error'],
  method_not_allowed: [405, 'invalid_request_error'],
  request_timeout: [408, 'invalid_request_error'],
  conflict: [409, 'conflict_error'],
  precondition_failed: [412, 'conflict_error'],
  too_large: [413, 'request_too_large_error'],
  uri_too_long: [414, 'invalid_request_error'],
  unsupported_media_type: [415, 'unsupported_media_type_error'],
  range_not_satisfiable: [416, 'invalid_request_error'],
  expectation_failed: [417, 'invalid_request_error'],
  rate_limited: [429, 'rate_limit_error'],
  headers_too_large: [431, 'invalid_request_error'],
  internal: [500, 'api_error'],
  upstream_failed: [502, 'upstream_error'],
  overloaded: [503, 'overloaded_error'],
  upstream_timeout: [504, 'upstream_error'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof ERROR_CODES;
export type ErrorType = (typeof ERROR_CODES)[ErrorCode][1];

export interface ServiceErrorOptions {
  cause?: unknown;
  /** Seconds; sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** JSON pointer to the value of the request body that is refused. */
  pointer?: string | undefined;
}

/** A failure that is reported to the caller. The caller sees `message`, so it must not contain internals or secrets. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;
  readonly pointer: string | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.pointer = options.pointer;
  }

  get status(): number {
    return ERROR_CODES[this.code][0];
  }

  get type(): ErrorType {
    return ERROR_CODES[this.code][1];
  }
}

/** Returns the message of an expected failure and of its cause, on one line: for the log, not for callers. */
export function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let one = error; one !== undefined && one !== null; one = one instanceof Error ? one.cause : undefined)
    messages.push(one instanceof Error ? one.message : String(one));
  return messages.join(' ');
}

/** Returns the error for ids and names that are unknown, deleted, malformed, of another tenant or hidden. All get the same body. */
export function notFound(): ServiceError {
  return new ServiceError(
    'not_found',
    'Nothing of this kind has this id or name, or it may not be seen with this key and principal.',
  );
}

/** Returns the error for an address of no route, so that a program with a wrong path does not look for a wrong id. */
export function unknownAddress(): ServiceError {
  return new ServiceError('not_found', 'There is no such address: /openapi.json describes all that there are.');
}

/** Returns what was found. @throws ServiceError not_found if there is nothing */
export function orNotFound<T>(found: T | undefined | null): T {
  if (found === undefined || found === null) throw notFound();
  return found;
}

/** Returns the error for a wrong request: status 400. */
export function invalidRequest(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}

/** Returns the error for a request that what is stored now does not allow: status 409. */
export function conflict(message: string): ServiceError {
  return new ServiceError('conflict', message);
}

/** Returns the error for a wrong value of the request body, which the path names. The message begins with its JSON pointer. */
export function invalidAt(path: readonly PropertyKey[], problem: string): ServiceError {
  const pointer = pointerOf(path);
  return new ServiceError('invalid_request', `${pointer}: ${problem}`, { pointer });
}

/** Returns the JSON pointer of a path (RFC 6901). */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Returns the message of an expected failure of one item of a batch. @throws other failures, which end the batch. */
export function faultOfItem(error: unknown): string {
  if (error instanceof ServiceError && error.status < 500) return error.message;
  throw error;
}
