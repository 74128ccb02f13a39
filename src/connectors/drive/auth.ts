/**
 * Gets access tokens of Google service accounts: a signed assertion is exchanged for a token (RFC 7523).
 *
 * The operator sets the address of the exchange. The address in a key (`token_uri`) is never used.
 */
import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { z } from 'zod';
import { invalidRequest } from '../../errors.ts';
import { setRecent } from '../../util/recent.ts';
import type { Clock } from '../../util/time.ts';
import { parseStored } from '../connector.ts';
import { DriveError, type GoogleClient, readJson, requestGoogle } from './request.ts';

const SCOPE = 'https://www.googleapis.com/auth/drive.readonly';
/** Google's name in assertions, also when requests go through a proxy of the operator. */
const AUDIENCE = 'https://oauth2.googleapis.com/token';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_SECONDS = 3600;
/** Allowed difference between clocks. */
const CLOCK_SKEW_SECONDS = 30;
const REFRESH_BEFORE_END_MS = 5 * 60_000;
const TOKEN_TIMEOUT_MS = 30_000;
const TOKEN_BYTES_MAX = 64 * 1024;
const TOKENS_CACHED_MAX = 256;
const RSA_BITS_MIN = 1024;

interface ServiceAccount {
  clientEmail: string;
  privateKeyId: string | null;
  privateKey: KeyObject;
}

const KeyFile = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(3).max(500),
  private_key: z.string().min(1),
  private_key_id: z.string().max(500).optional(),
});

/** Parses a key file. @throws ServiceError invalid_request; its message contains no part of the key. */
export function parseServiceAccount(credential: string): ServiceAccount {
  let json: unknown;
  try {
    json = JSON.parse(credential);
  } catch {
    throw invalidRequest('The service account key is not JSON.');
  }
  const parsed = KeyFile.safeParse(json);
  if (!parsed.success) {
    const member = String(parsed.error.issues[0]?.path[0] ?? '');
    const problem = member === 'type' ? 'its type is not "service_account"' : `it has no valid member "${member}"`;
    throw invalidRequest(`The service account key is not a key file of a service account${member && `: ${problem}`}.`);
  }
  const { client_email: clientEmail, private_key: pem, private_key_id: privateKeyId = null } = parsed.data;
  return { clientEmail, privateKeyId, privateKey: parsePrivateKey(pem) };
}

function parsePrivateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey({ key: pem, format: 'pem' });
    if (key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_BITS_MIN) return key;
  } catch {
    // The error's text could reveal parts of the key, so it is dropped.
  }
  throw invalidRequest('The service account key has a private_key that is not an RSA key in PEM form.');
}

/** Returns a JSON Web Token in Google's format, signed with RS256. */
function signAssertion(account: ServiceAccount, now: Date): string {
  const issued = Math.floor(now.getTime() / 1000) - CLOCK_SKEW_SECONDS;
  const header = { alg: 'RS256', typ: 'JWT', ...(account.privateKeyId === null ? {} : { kid: account.privateKeyId }) };
  const claims = {
    iss: account.clientEmail,
    scope: SCOPE,
    aud: AUDIENCE,
    iat: issued,
    exp: issued + ASSERTION_SECONDS,
  };
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), account.privateKey).toString('base64url')}`;
}

export interface TokenSource {
  /** Returns a valid token, cached if possible. @throws OriginError; ServiceError upstream_failed, upstream_timeout. */
  token(credential: string, signal: AbortSignal): Promise<string>;
  /** Drops a refused token from the cache. */
  discard(credential: string, token: string): void;
}

interface Entry {
  token: string;
  refreshAt: number;
}

/** Opens a cache of tokens, keyed by the hash of their credential. Concurrent callers share one exchange. */
export function openTokenSource(client: GoogleClient, tokenUrl: string, clock: Clock): TokenSource {
  const cached = new Map<string, Entry>();
  const inFlight = new Map<string, Promise<Entry>>();

  async function exchange(credential: string, signal: AbortSignal): Promise<Entry> {
    const now = clock.now();
    const account = parseStored('The service account key cannot be used', () => parseServiceAccount(credential));
    const body = new URLSearchParams({ grant_type: GRANT_TYPE, assertion: signAssertion(account, now) });
    const options = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: body.toString(),
      signal,
      timeoutMs: TOKEN_TIMEOUT_MS,
      responseBytesMax: TOKEN_BYTES_MAX,
    };
    const response = await requestGoogle(client, tokenUrl, options, (raw) => readJson(raw, TokenResponse));
    const lifetimeMs = response.expires_in * 1000;
    return {
      token: response.access_token,
      refreshAt: now.getTime() + Math.max(lifetimeMs - REFRESH_BEFORE_END_MS, lifetimeMs / 2),
    };
  }

  const remember = (key: string, entry: Entry): void => setRecent(cached, key, entry, TOKENS_CACHED_MAX);

  return {
    async token(credential, signal) {
      const key = hashOf(credential);
      for (;;) {
        const entry = cached.get(key);
        if (entry && entry.refreshAt > clock.now().getTime()) return entry.token;
        const other = inFlight.get(key);
        if (other) {
          // The first caller may have given up; then this caller sends its own request.
          await other.catch(() => {});
          signal.throwIfAborted();
          continue;
        }
        const exchanged = exchange(credential, signal);
        inFlight.set(key, exchanged);
        try {
          remember(key, await exchanged);
          return (await exchanged).token;
        } finally {
          inFlight.delete(key);
        }
      }
    },
    discard(credential, token) {
      const key = hashOf(credential);
      if (cached.get(key)?.token === token) cached.delete(key);
    },
  };
}

const TokenResponse = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });

function hashOf(credential: string): string {
  return createHash('sha256').update(credential).digest('base64');
}

/** Returns whether a fresh token may fix the refusal. */
export function isStaleToken(error: unknown): boolean {
  return error instanceof DriveError && error.status === 401;
}
