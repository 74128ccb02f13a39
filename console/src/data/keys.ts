/** API keys: who may do what, and where. */
import type { ApiKey, Operations } from '../../../src/client/api.ts';
import type { Named } from '../parts/pick.tsx';
import { pinakes } from './api.ts';
import { ROWS_PER_REQUEST } from './pages.ts';

export type { ApiKey };
export type IssuedKey = Operations['issueApiKey']['response'];
export type Scope = ApiKey['scopes'][number];

export const KEYS = 'api-keys';
const DAY_SECONDS = 86_400;
const PICKED_MAX = 50;
/** As many keys as a tenant may have. */
const KEYS_MAX = 10_000;

export function listKeys(q: string | undefined, afterId: string | undefined, signal: AbortSignal) {
  return pinakes.listApiKeys({ query: { limit: ROWS_PER_REQUEST, order: 'desc', q, after_id: afterId } }, { signal });
}

/** Returns all keys that are shown, newest first. */
export async function readAllKeys(signal: AbortSignal): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  for (let after: string | undefined | null; after !== null && keys.length < KEYS_MAX; ) {
    const page: Awaited<ReturnType<typeof listKeys>> = await listKeys(undefined, after, signal);
    keys.push(...page.api_keys);
    after = page.pagination.next_id;
  }
  return keys;
}

export interface NewKey {
  name: string;
  scopes: readonly Scope[];
  days: number | null;
  groups: ReadonlyMap<string, string>;
  tags: ReadonlyMap<string, string>;
}

export function issueKey({ name, scopes, days, groups, tags }: NewKey): Promise<IssuedKey> {
  return pinakes.issueApiKey({
    body: {
      name,
      scopes: [...scopes],
      ...(days !== null && { expires_time: Math.floor(Date.now() / 1000) + days * DAY_SECONDS }),
      ...(groups.size > 0 && { source_group_ids: [...groups.keys()] }),
      ...(tags.size > 0 && { tag_ids: [...tags.keys()] }),
    },
  });
}

export async function findGroups(q: string): Promise<Named[]> {
  const query = { limit: PICKED_MAX, order: 'desc' as const, ...(q !== '' && { q }) };
  return (await pinakes.listSourceGroups({ query })).source_groups;
}

export async function findTags(q: string): Promise<Named[]> {
  const { tags } = await pinakes.listTags();
  const wanted = q.toLowerCase();
  return tags.filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, PICKED_MAX);
}
