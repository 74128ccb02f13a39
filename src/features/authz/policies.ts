/** Rules for policies. Each change writes its audit event in the same transaction. */

import type { AttributeTypes } from '../../access/attribute-types.ts';
import type { Caller } from '../../access/caller.ts';
import { checkDeniedTags, lockDeniedTags } from '../../access/denied-tags.ts';
import {
  countPolicies,
  deletePolicy,
  findPolicy,
  listAttributeTypes,
  type NamedPolicy,
  savePolicy,
} from '../../access/policy-store.ts';
import { failedTest, type PolicyDocument } from '../../access/policy-tests.ts';
import { findLastEvent, recordChange } from '../../corpus/audit-store.ts';
import { listTags } from '../../corpus/tag-store.ts';
import type { Tx } from '../../db/database.ts';
import { conflict, invalidAt, orNotFound, ServiceError } from '../../errors.ts';
import type { Precondition } from '../../http/body/precondition.ts';
import type { Deps } from '../../http/deps.ts';
import { newId } from '../../util/ids.ts';

/** Maximum number of policies of one tenant. */
export const POLICIES_MAX = 1_000;

type Uses = Pick<Deps, 'db' | 'clock'>;

/**
 * Creates the policy or its next version.
 *
 * @param precondition what the caller believes to be stored.
 * @throws ServiceError invalid_request when a test of the policy fails, when another policy declares another type of an attribute, or
 *   when the policy denies by a tag that does not exist; conflict when the tenant has POLICIES_MAX policies;
 *   precondition_failed.
 */
export async function setPolicy(
  { db, clock }: Uses,
  caller: Caller,
  name: string,
  definition: PolicyDocument,
  precondition: Precondition,
): Promise<NamedPolicy> {
  const failure = failedTest(definition);
  if (failure) throw new ServiceError('invalid_request', failure.problem, { pointer: failure.pointer });
  return db.transaction(caller.tenantId, async (tx) => {
    await lockDeniedTags(tx);
    const before = await findPolicy(tx, name);
    precondition.check(before?.version);
    const isNew = before === undefined;
    if (isNew && (await countPolicies(tx)) >= POLICIES_MAX)
      throw conflict(`There are ${POLICIES_MAX} policies already: delete one first.`);
    if (definition.attribute_types) await checkTypes(tx, name, definition.attribute_types);
    checkDeniedTags(definition, await listTags(tx, { tagIds: null }));
    const now = clock.now();
    const firstVersion = isNew ? (await lastVersion(tx, name)) + 1 : 1;
    const saved = await savePolicy(tx, { id: newId(now.getTime()), name, definition }, now, firstVersion);
    await record(tx, caller, saved.version === firstVersion ? 'create' : 'change', saved);
    return saved;
  });
}

/** Returns the version of a policy when it was deleted, or 0: a version never stands for two definitions. */
async function lastVersion(tx: Tx, name: string): Promise<number> {
  const event = await findLastEvent(tx, 'authz_policy', name);
  const version = event?.details['version'];
  return typeof version === 'number' ? version : 0;
}

/**
 * Deletes a policy and returns it. Requests that name it see nothing from the commit on.
 * @throws ServiceError not_found, precondition_failed
 */
export function removePolicy(
  { db }: Uses,
  caller: Caller,
  name: string,
  precondition: Precondition,
): Promise<NamedPolicy> {
  return db.transaction(caller.tenantId, async (tx) => {
    // A change that has read the policy is stored first: after a deletion it would store a version that its caller did not name.
    await lockDeniedTags(tx);
    const policy = orNotFound(await deletePolicy(tx, name));
    precondition.check(policy.version);
    await record(tx, caller, 'delete', policy);
    return policy;
  });
}

/** @throws ServiceError invalid_request when another policy declares another type: no value of the attribute would suit both. */
async function checkTypes(tx: Tx, name: string, types: AttributeTypes): Promise<void> {
  for (const { policy, types: others } of await listAttributeTypes(tx)) {
    if (policy === name) continue;
    for (const [attribute, type] of Object.entries(types)) {
      const other = Object.hasOwn(others, attribute) ? others[attribute] : undefined;
      if (other !== undefined && other !== type)
        throw invalidAt(['attribute_types', attribute], `is ${type}, but ${other} in the policy "${policy}".`);
    }
  }
}

function record(tx: Tx, caller: Caller, action: 'create' | 'change' | 'delete', policy: NamedPolicy): Promise<void> {
  const { name, version, definition } = policy;
  return recordChange(tx, caller, action, 'authz_policy', name, { version, definition });
}
