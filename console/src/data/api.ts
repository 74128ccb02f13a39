/** The connection to the service: the typed client of the package, with the session cookie instead of an API key. */
import { openPinakes, PinakesError } from '../../../src/client/client.ts';
import { say, sayOfService } from '../words/words.ts';

export { PinakesError };

/** The header proves that a script of this origin sent the request: the service answers no preflight of another origin. */
export const CONSOLE_HEADER = { 'x-pinakes-console': '1' } as const;

type Listener = () => void;
const endedListeners = new Set<Listener>();

/** Calls the listener when the service no longer knows the session. */
export function onSessionEnd(listener: Listener): () => void {
  endedListeners.add(listener);
  return () => endedListeners.delete(listener);
}

/** `fetch` with the session. The key of the client is dropped: the cookie says who calls. */
export async function sessionFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete('x-api-key');
  headers.set('x-pinakes-console', '1');
  const response = await fetch(input, { ...init, headers, credentials: 'same-origin' });
  if (response.status === 401) noteSessionEnd();
  return response;
}

/** Tells the listeners that the service no longer knows the session. */
export function noteSessionEnd(): void {
  for (const listener of endedListeners) listener();
}

export const pinakes = openPinakes({ url: location.origin, apiKey: '', fetch: sessionFetch });

/**
 * Whether a query that failed has nothing to show: it was never read, or the service refuses now what it gave before. Otherwise a failure
 * of the connection or of the service leaves on the screen what was read.
 */
export function hasNothing({ error, data }: { error: Error | null; data: unknown }): boolean {
  return error !== null && (data === undefined || !isTransient(error));
}

/** Whether another attempt may end otherwise: the connection or the service failed, and nothing was refused. */
export function isTransient(error: Error): boolean {
  return !(error instanceof PinakesError) || error.status >= 500 || error.status === 429;
}

/**
 * Sends a change of what is stored in this version; 0: nothing is stored. Returns false if another version is stored; nothing has changed
 * then.
 */
export async function savedOver(
  version: number,
  send: (condition: { 'If-Match'?: string; 'If-None-Match'?: string }) => Promise<unknown>,
): Promise<boolean> {
  try {
    await send(version === 0 ? { 'If-None-Match': '*' } : { 'If-Match': `"${version}"` });
    return true;
  } catch (error) {
    if (error instanceof PinakesError && error.status === 412) return false;
    throw error;
  }
}

/** Kinds of errors that have words of their own in every language. The words of the service, in English, follow as details. */
const ERROR_TYPES = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'conflict_error',
  'request_too_large_error',
  'unsupported_media_type_error',
  'rate_limit_error',
  'api_error',
  'upstream_error',
  'overloaded_error',
] as const;

/** Returns an error in words for the reader: those of the service, or that there is no connection. */
export function inWords(error: unknown): string {
  if (error instanceof TypeError) return say('error.connection');
  if (!(error instanceof PinakesError)) return error instanceof Error ? error.message : String(error);
  const { status, type, message } = error;
  if (message === '') return say('error.status', { status });
  const known = ERROR_TYPES.find((one) => one === type);
  const said = sayOfService(message);
  return said !== message || known === undefined ? said : say(`error.type.${known}`, { message });
}
