/** Translates the errors of PostgreSQL and of the driver for callers. */
import { ServiceError } from '../errors.ts';

const RETRY_SECONDS = 5;

/** SQLSTATE codes after which the same request may succeed later. */
const TRANSIENT_CODES: Readonly<Record<string, string>> = {
  '53000': 'The database is out of resources. Try again later.',
  '53100': 'The disk is full. Try again later.',
  '53200': 'The database is out of memory. Try again later.',
  '53300': 'The database has no free connection. Try again later.',
  '57014': 'The database took too long. Try again later.',
  '57P01': 'The database is restarting. Try again shortly.',
  '57P02': 'The database is restarting. Try again shortly.',
  '57P03': 'The database is starting. Try again shortly.',
  // A standby, after the server failed over or before it takes over.
  '25006': 'The database takes no changes now. Try again later.',
  // The server ended the connection because of a limit that its administrator has set.
  '25P03': 'The database ended the connection. Try again.',
  '25P04': 'The database ended the connection. Try again.',
  '57P05': 'The database ended the connection. Try again.',
  '40001': 'The request met a concurrent change. Try again.',
  '40P01': 'The request met a concurrent change. Try again.',
  '55P03': 'The request met a concurrent change. Try again.',
};

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const CONNECTION_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Returns a `ServiceError` `overloaded` for failures that end by themselves, and every other error unchanged. */
export function mapDatabaseError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ServiceError) return error;
  const code = codeOf(error);
  const message =
    TRANSIENT_CODES[code ?? ''] ??
    (isConnectionLoss(error, code) ? 'The database cannot be reached. Try again later.' : undefined);
  if (message === undefined) return error;
  return new ServiceError('overloaded', message, { cause: error, retryAfterSeconds: RETRY_SECONDS });
}

/** Returns true for what `mapDatabaseError` returns when the server or a read-only transaction refused a change. */
export function isRefusedChange(error: unknown): error is ServiceError {
  return error instanceof ServiceError && codeOf(error.cause) === '25006';
}

/** Returns true for a duplicate key. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505';
}

/** Returns true when the database refused the values (not text, out of range, too large), so that a retry fails too. */
export function isDataError(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return code.startsWith('22') || code.startsWith('54') || code === '23514';
}

function isConnectionLoss(error: Error, code: string | undefined): boolean {
  if (code === undefined) return CONNECTION_MESSAGE.test(error.message);
  return CONNECTION_CODES.has(code) || /^08[0-9A-Z]{3}$/.test(code);
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
