/** The state of a key, and a request that tries it. */
import type { ApiKey } from '../../../src/client/api.ts';

type Scope = ApiKey['scopes'][number];

/** A key that was not used for so long is probably not needed. */
export const UNUSED_DAYS = 90;
const DAY_SECONDS = 86_400;

export type KeyState = 'active' | 'unused' | 'expired';

/** Returns the state of a key. A key that nobody has used for long counts as unused. */
export function stateOf({ expires_time, last_used_time, creation_time }: ApiKey, now = Date.now() / 1000): KeyState {
  if (expires_time !== null && expires_time <= now) return 'expired';
  return now - (last_used_time ?? creation_time) > UNUSED_DAYS * DAY_SECONDS ? 'unused' : 'active';
}

/** A list that a key with the scope may read. */
const READABLE: Partial<Record<Scope, string>> = {
  'ingestion:manage': 'source-groups',
  'apikeys:issue': 'api-keys',
  'authz:grant': 'authz/policies',
  'audit:read': 'audit-events',
  'inference:run': 'conversations',
};

/** Returns a request that tries the key, for a shell; null if the key may read nothing. */
export function sampleRequest(key: string, scopes: readonly Scope[], origin: string): string | null {
  const head = `-H 'x-api-key: ${key}'`;
  if (scopes.includes('knowledge:read'))
    return `curl ${origin}/api/v1/search \\\n  ${head} \\\n  -H 'content-type: application/json' \\\n  -d '{"query": "opening hours"}'`;
  const path = scopes.map((scope) => READABLE[scope]).find((one) => one !== undefined);
  return path === undefined ? null : `curl ${origin}/api/v1/${path} \\\n  ${head}`;
}
