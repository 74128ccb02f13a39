/** Rules for subjects: the attributes of principals. Each change writes its audit event in the same transaction. */

import { hasType } from '../../access/attribute-types.ts';
import type { Caller } from '../../access/caller.ts';
import type { Attributes } from '../../access/policy.ts';
import { listAttributeTypes } from '../../access/policy-store.ts';
import { countSubjects, deleteSubject, lockSubject, type Subject, saveSubject } from '../../access/subject-store.ts';
import { recordChange } from '../../corpus/audit-store.ts';
import type { Tx } from '../../db/database.ts';
import { conflict, invalidAt, invalidRequest, orNotFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { newId } from '../../util/ids.ts';
import { ATTRIBUTES_MAX, type AttributesPatch } from './attributes.ts';

/** Maximum number of subjects of one tenant. */
const SUBJECTS_MAX = 100_000;

type Uses = Pick<Deps, 'db' | 'clock'>;

export interface SubjectFields {
  attributes: Attributes;
  expiresAt: Date | null;
}

export interface SubjectPatch {
  attributes: AttributesPatch;
  /** Absent: the expiry stays as it is. */
  expiresAt?: Date | null;
}

/**
 * Creates or replaces a subject.
 *
 * @throws ServiceError invalid_request for a past expiry or an attribute of another type than a policy declares; conflict when there are
 *   SUBJECTS_MAX subjects.
 */
export function setSubject(uses: Uses, caller: Caller, principalId: string, fields: SubjectFields): Promise<Subject> {
  return uses.db.transaction(caller.tenantId, async (tx) => {
    const before = await lockSubject(tx, principalId);
    if (!before && (await countSubjects(tx)) >= SUBJECTS_MAX)
      throw conflict(`There are ${SUBJECTS_MAX} subjects already: delete one first.`);
    await checkTypes(tx, fields.attributes);
    return save(uses, tx, caller, before ? 'change' : 'create', { principalId, ...fields });
  });
}

/** Merges the attributes of the patch into those of the subject. @throws ServiceError not_found, invalid_request */
export function changeSubject(uses: Uses, caller: Caller, principalId: string, patch: SubjectPatch): Promise<Subject> {
  return uses.db.transaction(caller.tenantId, async (tx) => {
    const before = orNotFound(await lockSubject(tx, principalId));
    await checkTypes(tx, patch.attributes);
    const merged = new Map(Object.entries(before.attributes));
    for (const [name, value] of Object.entries(patch.attributes)) {
      if (value === null) merged.delete(name);
      else merged.set(name, value);
    }
    if (merged.size > ATTRIBUTES_MAX)
      throw invalidRequest(`At most ${ATTRIBUTES_MAX} attributes may remain after a patch.`);
    const attributes = Object.fromEntries(merged);
    const expiresAt = patch.expiresAt === undefined ? before.expiresAt : patch.expiresAt;
    const changesExpiry = patch.expiresAt !== undefined;
    return save(uses, tx, caller, 'change', { principalId, attributes, expiresAt }, changesExpiry);
  });
}

/** @throws ServiceError invalid_request for an attribute without the type that a policy declares. */
async function checkTypes(tx: Tx, attributes: AttributesPatch): Promise<void> {
  for (const { policy, types } of await listAttributeTypes(tx)) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || !Object.hasOwn(types, name) || hasType(value, types[name]!))
        continue;
      throw invalidAt(['attributes', name], `must be of the type ${types[name]}, as the policy "${policy}" declares.`);
    }
  }
}

/** Deletes a subject and returns it. @throws ServiceError not_found */
export function removeSubject(uses: Uses, caller: Caller, principalId: string): Promise<Subject> {
  return uses.db.transaction(caller.tenantId, async (tx) => {
    const subject = orNotFound(await deleteSubject(tx, principalId));
    await record(tx, caller, 'delete', subject);
    return subject;
  });
}

async function save(
  { clock }: Uses,
  tx: Tx,
  caller: Caller,
  action: 'create' | 'change',
  fields: SubjectFields & { principalId: string },
  checksExpiry = true,
): Promise<Subject> {
  const now = clock.now();
  if (checksExpiry && fields.expiresAt !== null && fields.expiresAt <= now)
    throw invalidAt(['expires_time'], 'must be in the future.');
  const saved = await saveSubject(tx, { id: newId(now.getTime()), ...fields }, now);
  await record(tx, caller, action, saved);
  return saved;
}

/** Writes the audit event. It holds the names of the attributes but not their values, which may be personal data. */
function record(tx: Tx, caller: Caller, action: 'create' | 'change' | 'delete', subject: Subject): Promise<void> {
  const details = {
    attributes: Object.keys(subject.attributes).sort(),
    expires_time: subject.expiresAt?.toISOString() ?? null,
  };
  return recordChange(tx, caller, action, 'subject', subject.principalId, details);
}
