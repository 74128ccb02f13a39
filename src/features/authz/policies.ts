/** Rules for policies. Each change writes its audit event in the same transaction. */

import type { Caller } from '../../access/caller.ts';
import type { Policy } from '../../access/policy.ts';
import { countPolicies, deletePolicy, findPolicy, type NamedPolicy, savePolicy } from '../../access/policy-store.ts';
import { appendAudit } from '../../corpus/audit-store.ts';
import type { Tx } from '../../db/database.ts';
import { notFound, ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { newId } from '../../util/ids.ts';

/** Maximum number of policies of one tenant. */
export const POLICIES_MAX = 1_000;

type Uses = Pick<Deps, 'db' | 'clock'>;

/** Creates the policy or its next version. @throws ServiceError conflict when the tenant has POLICIES_MAX policies. */
export function setPolicy({ db, clock }: Uses, caller: Caller, name: string, definition: Policy): Promise<NamedPolicy> {
  const { tenantId } = caller;
  return db.transaction(tenantId, async (tx) => {
    const isNew = (await findPolicy(tx, tenantId, name)) === undefined;
    if (isNew && (await countPolicies(tx, tenantId)) >= POLICIES_MAX)
      throw new ServiceError('conflict', `There are ${POLICIES_MAX} policies already: delete one first.`);
    const now = clock.now();
    const saved = await savePolicy(tx, tenantId, { id: newId(now.getTime()), name, definition }, now);
    await record(tx, caller, saved.version === 1 ? 'create' : 'change', saved);
    return saved;
  });
}

/** Deletes a policy and returns it. Requests that name it see nothing from the commit on. @throws ServiceError not_found */
export function removePolicy({ db }: Uses, caller: Caller, name: string): Promise<NamedPolicy> {
  return db.transaction(caller.tenantId, async (tx) => {
    const policy = await deletePolicy(tx, caller.tenantId, name);
    if (!policy) throw notFound();
    await record(tx, caller, 'delete', policy);
    return policy;
  });
}

/** Returns a policy. @throws ServiceError not_found */
export function readPolicy({ db }: Uses, { tenantId }: Caller, name: string): Promise<NamedPolicy> {
  return db.transaction(tenantId, async (tx) => {
    const policy = await findPolicy(tx, tenantId, name);
    if (!policy) throw notFound();
    return policy;
  });
}

function record(tx: Tx, caller: Caller, action: 'create' | 'change' | 'delete', policy: NamedPolicy): Promise<void> {
  const { name, version, definition } = policy;
  return appendAudit(tx, {
    tenantId: caller.tenantId,
    actor: caller.apiKeyId,
    action,
    objectKind: 'authz_policy',
    objectId: name,
    details: { version, definition },
  });
}
