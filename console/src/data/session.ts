/** Signing in and out. The key goes to the service once; after that a cookie that no script can read says who calls. */
import { PinakesError, sessionFetch } from './api.ts';

const ADDRESS = '/console/session';

export interface Session {
  api_key_id: string;
  api_key_name: string;
  scopes: string[];
  /** The groups to which the key is limited; null: all. */
  source_group_ids: string[] | null;
  tag_ids: string[] | null;
  tenant_name: string;
  expires_time: number;
  authorization: boolean;
}

/** Returns the session of the cookie; null if nobody is signed in. */
export async function readSession(): Promise<Session | null> {
  const response = await sessionFetch(ADDRESS);
  if (response.status === 401) return null;
  if (!response.ok) throw await toError(response);
  return (await response.json()) as Session;
}

/** Signs in with an API key, or with the token of a one-time link. @throws PinakesError */
export async function signIn(given: { api_key: string } | { token: string }): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await sessionFetch(ADDRESS, { method: 'POST', headers, body: JSON.stringify(given) });
  if (!response.ok) throw await toError(response);
}

export async function signOut(): Promise<void> {
  await sessionFetch(ADDRESS, { method: 'DELETE' });
}

/** Returns the token of a one-time link, and removes it from the address. */
export function takeLinkToken(): string | null {
  const token = /^#t=(.+)$/.exec(location.hash)?.[1];
  if (token === undefined) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

async function toError(response: Response): Promise<PinakesError> {
  const body = (await response.json().catch(() => null)) as { error?: { message: string; type: string } } | null;
  const retryAfter = response.headers.get('retry-after');
  return new PinakesError(
    response.status,
    body?.error?.type ?? '',
    body?.error?.message ?? response.statusText,
    retryAfter,
  );
}
