/** Rules for the attributes of principals. Every change is written to the audit log in its transaction. */

import type { Caller } from '../../access/caller.ts';
import type { Attributes } from '../../access/policy.ts';
import {
  countSubjects,
  deleteSubject,
  findSubject,
  lockSubject,
  type Subject,
  saveSubject,
} from '../../access/subject-store.ts';
import { appendAudit, type NewAuditEvent } from '../../corpus/audit-store.ts';
import type { Tx } from '../../db/database.ts';
import { invalidRequest, notFound, ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { newId } from '../../util/ids.ts';
import { ATTRIBUTES_MAX, type AttributesPatch } from './attributes.ts';

/** Of one tenant. */
export const SUBJECTS_MAX = 100_000;

type Uses = Pick<Deps, 'db' | 'clock'>;

export interface SubjectFields {
  attributes: Attributes;
  expiresAt: Date | null;
}

export interface SubjectPatch {
  attributes: AttributesPatch;
  /** Absent: as before. */
  expiresAt?: Date | null;
}

/** @throws ServiceError invalid_request for an expiry that is past, conflict when the tenant has SUBJECTS_MAX subjects. */
export function setSubject(uses: Uses, caller: Caller, principalId: string, fields: SubjectFields): Promise<Subject> {
  return uses.db.transaction(caller.tenantId, async (tx) => {
    const before = await lockSubject(tx, caller.tenantId, principalId);
    if (!before && (await countSubjects(tx, caller.tenantId)) >= SUBJECTS_MAX)
      throw new ServiceError('conflict', `There are ${SUBJECTS_MAX} subjects already: delete one first.`);
    return save(uses, tx, caller, before ? 'change' : 'create', { principalId, ...fields });
  });
}

/** Attributes are merged by name; null removes one. @throws ServiceError not_found, invalid_request */
export function changeSubject(uses: Uses, caller: Caller, principalId: string, patch: SubjectPatch): Promise<Subject> {
  return uses.db.transaction(caller.tenantId, async (tx) => {
    const before = await lockSubject(tx, caller.tenantId, principalId);
    if (!before) throw notFound();
    const merged = new Map(Object.entries(before.attributes));
    for (const [name, value] of Object.entries(patch.attributes)) {
      if (value === null) merged.delete(name);
      else merged.set(name, value);
    }
    if (merged.size > ATTRIBUTES_MAX)
      throw invalidRequest(`At most ${ATTRIBUTES_MAX} attributes may remain after a patch.`);
    const attributes = Object.fromEntries(merged);
    const expiresAt = patch.expiresAt === undefined ? before.expiresAt : patch.expiresAt;
    const isNew = patch.expiresAt !== undefined;
    return save(uses, tx, caller, 'change', { principalId, attributes, expiresAt }, isNew);
  });
}

/** Without attributes from the commit on. @returns what it was. @throws ServiceError not_found */
export function removeSubject(uses: Uses, caller: Caller, principalId: string): Promise<Subject> {
  return uses.db.transaction(caller.tenantId, async (tx) => {
    const subject = await deleteSubject(tx, caller.tenantId, principalId);
    if (!subject) throw notFound();
    await appendAudit(tx, auditEvent(caller, 'delete', subject));
    return subject;
  });
}

/** @throws ServiceError not_found */
export function readSubject({ db }: Uses, { tenantId }: Caller, principalId: string): Promise<Subject> {
  return db.transaction(tenantId, async (tx) => {
    const subject = await findSubject(tx, tenantId, principalId);
    if (!subject) throw notFound();
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
    throw invalidRequest('/expires_time: must be in the future.');
  const saved = await saveSubject(tx, caller.tenantId, { id: newId(now.getTime()), ...fields }, now);
  await appendAudit(tx, auditEvent(caller, action, saved));
  return saved;
}

/** With the names of the attributes: their values may be personal. */
function auditEvent(caller: Caller, action: 'create' | 'change' | 'delete', subject: Subject): NewAuditEvent {
  return {
    tenantId: caller.tenantId,
    actor: caller.apiKeyId,
    action,
    objectKind: 'subject',
    objectId: subject.principalId,
    details: {
      attributes: Object.keys(subject.attributes).sort(),
      expires_time: subject.expiresAt?.toISOString() ?? null,
    },
  };
}
