/**
 * A tenant with secrets: keys with limits, principals and policies, and a canary in every text and name. Doors to the same content are
 * compared with the API on it.
 */
import assert from 'node:assert/strict';
import { newId } from '../../../src/util/ids.ts';
import { seed, type TagIds } from '../../retrieval/corpus.ts';
import type { TestApp } from '../app.ts';

const level = (val: string) => ({ metadata: { level: { val, type: 'string' as const } } });
/** `undefined` names nobody. */
const PRINCIPALS = [undefined, 'seller', 'lawyer', 'guard', 'jürgen', 'nobody'];
export const CANARIES = /canary-[a-z-]+/g;
const POLICIES = [undefined, 'department'];

export interface CanaryWorld {
  /** API keys by what limits them. */
  keys: Record<string, string>;
  /** A chunk that only the cleared see, and its source, of which all see a part. */
  hidden: { chunk: string; source: string };
}

/** Fills the tenant of an application with `PINAKES_AUTHORIZATION=on`. */
export async function openCanaryWorld(t: TestApp): Promise<CanaryWorld> {
  const tags: TagIds = new Map();
  const high = newId();
  const mixed = newId();
  const [first = '', second = ''] = await seed(
    t.deps.db,
    t.tenantId,
    [
      {
        tags: ['birds'],
        sources: [
          {
            name: 'canary-name-open',
            metadata: { shown: 'all' },
            chunks: ['The heron of canary-open nests in the oak.'],
          },
          {
            name: 'canary-name-sales',
            metadata: { department: 'sales' },
            chunks: ['A heron and canary-sales were sold in spring.'],
          },
          {
            name: 'canary-name-gone',
            deleted: true,
            metadata: { shown: 'all' },
            chunks: ['Nobody sees the heron canary-gone again.'],
          },
        ],
      },
      {
        sources: [
          {
            name: 'canary-name-legal',
            metadata: { department: 'legal' },
            chunks: ['Lawyers call the heron canary-legal protected.'],
          },
          {
            id: mixed,
            name: 'canary-name-mixed',
            chunks: [
              { content: 'At low water the heron canary-low fishes.', ...level('low') },
              { id: high, content: 'From high cliffs the heron canary-high dives.', ...level('high') },
              { content: 'The last heron, canary-last, left in autumn.', ...level('low') },
            ],
          },
        ],
      },
    ],
    tags,
  );
  const policy = {
    operator: 'or',
    filters: [
      { key: 'shown', operator: 'eq', value: 'all' },
      { key: 'department', operator: 'eq', value: { subject: 'department' } },
      { target: 'chunk_metadata', key: 'level', operator: 'eq', value: 'low', trust_content: true },
      { target: 'chunk_metadata', key: 'level', operator: 'eq', value: { subject: 'clearance' }, trust_content: true },
    ],
  };
  const put = async (path: string, body: object) => assert.equal((await t.put(path, body)).status, 200, path);
  await put('/authz/policies/default', policy);
  await put('/authz/policies/department', { filters: [policy.filters[1]!] });
  const subjects = { seller: { department: 'sales' }, lawyer: { department: 'legal' }, guard: { clearance: 'high' } };
  for (const [name, attributes] of Object.entries({ ...subjects, jürgen: { department: 'legal' } }))
    await put(`/authz/subjects/${encodeURIComponent(name)}/attributes`, { attributes });
  const scopes = ['knowledge:read', 'inference:run'] as const;
  return {
    hidden: { chunk: high, source: mixed },
    keys: {
      all: t.key,
      group: await t.issueKey(scopes, { sourceGroupIds: [first] }),
      'other group': await t.issueKey(scopes, { sourceGroupIds: [second] }),
      tag: await t.issueKey(scopes, { tagIds: [tags.get('birds')!] }),
      'no reader': await t.issueKey(['inference:run']),
      'no asker': await t.issueKey(['knowledge:read']),
      'other tenant': (await t.secondTenant()).key,
    },
  };
}

export interface Asker {
  /** Name of the key in `CanaryWorld`. */
  name: string;
  key: string;
  principal: string | undefined;
  policy: string | undefined;
  /** Names the combination in a failure. */
  what: string;
}

/**
 * Returns combinations of keys, principals and policies: every pair of two of them, which is half of all, and callers who see each
 * canary; or few, with every key, principal and policy. With PINAKES_TEST_RIGHTS=all (`npm run check:rights`) either is all.
 */
export function askers(world: CanaryWorld, choice: 'pairs' | 'few' = 'pairs'): Asker[] {
  const combinations = Object.entries(world.keys).flatMap(([name, key], i) =>
    PRINCIPALS.flatMap((principal, j) =>
      POLICIES.map((policy, k) => ({
        asker: { name, key, principal, policy, what: `${name}, ${principal}, ${policy}` },
        isChosen: choice === 'pairs' ? (i + j + k) % 2 === 1 : (i + j) % 3 === 0 && (i + j + k) % 2 === 0,
      })),
    ),
  );
  const isComplete = process.env['PINAKES_TEST_RIGHTS'] === 'all';
  return combinations.filter((one) => isComplete || one.isChosen).map(({ asker }) => asker);
}

/** Headers are bytes: each is a character here. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');
/** Returns the headers that name a principal and a policy. */
export const headersOf = (principal?: string, policy?: string): Record<string, string> => ({
  ...(principal !== undefined && { 'x-principal-id': bytes(principal) }),
  ...(policy !== undefined && { 'x-authz-policy': policy }),
});

/** Returns the members of a body that name them. */
export const membersOf = (principal?: string, policy?: string): Record<string, string> => ({
  ...(principal !== undefined && { principal_id: principal }),
  ...(policy !== undefined && { authz_policy: policy }),
});
