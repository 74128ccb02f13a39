/**
 * The console's session cookie. A browser sends a cookie with every request, also with one that another site caused. So a request may
 * use the cookie only if the browser says that our own page sent it.
 */
import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Only a page of this origin can send this header without asking first, and the service never allows another origin. */
export const CONSOLE_HEADER = 'x-pinakes-console';
/** The browser accepts the name `__Host-…` only with `Secure`, for this host alone and for all paths. */
const COOKIE_SECURE = '__Host-pinakes';
const COOKIE_PLAIN = 'pinakes';
const SECRET_BYTES = 32;
const SECRET_PATTERN = /^[A-Za-z0-9_-]{43}$/;

export interface HttpRequest {
  method: string;
  headers: IncomingHttpHeaders;
}

/** Returns a new random secret of 256 bits, and the hash under which it is stored. */
export function newSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, hash: hashSecret(secret) };
}

export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Returns the value of the session cookie; undefined if the request has none or may not use it. */
export function sessionSecretOf(request: HttpRequest): string | undefined {
  const secret = cookieOf(request.headers.cookie);
  return secret !== undefined && mayUseCookie(request) ? secret : undefined;
}

/** Returns the value of the session cookie, whoever caused the request. */
export function cookieOf(header: string | undefined): string | undefined {
  const values = new Map<string, string>();
  for (const pair of (header ?? '').split(';')) {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    values.set(name.trim(), value.trim());
  }
  const secret = values.get(COOKIE_SECURE) ?? values.get(COOKIE_PLAIN);
  return secret !== undefined && SECRET_PATTERN.test(secret) ? secret : undefined;
}

/** Whether a script of our own page sent the request, as far as the browser says. */
export function mayUseCookie({ method, headers }: HttpRequest): boolean {
  return isSameOrigin({ method, headers }) && headers[CONSOLE_HEADER] === '1';
}

/**
 * Whether the request comes from a page of this origin. Browsers send `Sec-Fetch-Site` over https and to this machine. Elsewhere they send
 * `Origin` with every request that may change something.
 */
function isSameOrigin({ method, headers }: HttpRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (headers.origin === undefined) return method === 'GET';
  const { host } = URL.parse(headers.origin) ?? {};
  return host !== undefined && host !== '' && host === headers.host;
}

/** Returns the `Set-Cookie` header. The browser says by `Origin` whether it came over https, also through a proxy that ends TLS. */
export function cookieHeader(origin: string | undefined, secret: string, seconds: number): string {
  const isSecure = origin?.startsWith('https://') ?? false;
  const name = isSecure ? COOKIE_SECURE : COOKIE_PLAIN;
  return `${name}=${secret}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

/** Returns the `Set-Cookie` headers that remove the cookie. */
export function removalHeaders(): string[] {
  const attributes = 'Path=/; Max-Age=0; HttpOnly; SameSite=Strict';
  return [`${COOKIE_PLAIN}=; ${attributes}`, `${COOKIE_SECURE}=; ${attributes}; Secure`];
}

/** Returns the secret with which the request was authenticated. */
export function credentialOf(request: HttpRequest): string {
  return String(request.headers['x-api-key'] ?? sessionSecretOf(request));
}
