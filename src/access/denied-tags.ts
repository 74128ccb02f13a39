/** The tags by which policies deny: without such a tag, or under another name, everything that it hid is open. */
import { lockAdditions } from '../db/additions.ts';
import type { Tx } from '../db/database.ts';
import { conflict, invalidAt } from '../errors.ts';
import { isSubjectRef, type Policy, type PolicyCondition } from './policy.ts';
import { listDefinitions } from './policy-store.ts';

interface DeniedTag {
  /** Name or id. */
  tag: string;
  path: readonly (string | number)[];
}

/** @throws ServiceError invalid_request when no tag has a name or an id by which the policy denies. */
export function checkDeniedTags(policy: Policy, tags: readonly { id: string; name: string }[]): void {
  for (const { tag, path } of deniedTags(policy))
    if (!tags.some(({ id, name }) => id === tag || name === tag))
      throw invalidAt(path, `no tag has the name or id ${JSON.stringify(tag)}, so the condition would hide nothing.`);
}

/** Blocks other transactions that change tags or policies of the tenant, so that no policy denies by a tag that is just being deleted. */
export async function lockDeniedTags(tx: Tx): Promise<void> {
  await lockAdditions(tx, 'tag');
}

/** @throws ServiceError conflict when a policy denies by one of these names or ids. */
export async function refuseIfDenied(tx: Tx, tags: readonly string[]): Promise<void> {
  await lockDeniedTags(tx);
  for (const { name, definition } of await listDefinitions(tx))
    if (deniedTags(definition).some(({ tag }) => tags.includes(tag)))
      throw conflict(`The policy "${name}" hides content by this tag: change the policy first.`);
}

function deniedTags(policy: Policy, path: readonly (string | number)[] = []): DeniedTag[] {
  return policy.filters.flatMap((member, i) => {
    const at = [...path, 'filters', i];
    return 'filters' in member ? deniedTags(member, at) : deniedBy(member, at);
  });
}

function deniedBy({ target, key, operator, value }: PolicyCondition, path: DeniedTag['path']): DeniedTag[] {
  if (target !== 'tag') return [];
  if (operator === 'not_exists') return key === 'name' || key === 'id' ? [] : [{ tag: key, path: [...path, 'key'] }];
  if ((operator !== 'ne' && operator !== 'nin') || value === undefined || isSubjectRef(value)) return [];
  return [value].flat().map((tag) => ({ tag: String(tag), path: [...path, 'value'] }));
}
