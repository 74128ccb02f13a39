/** SQL of the table subject: attributes of principals. */

import { json, type Tx } from '../db/database.ts';
import { containsText, countRows, type Listed, type PageRequest, readPage } from '../db/page-sql.ts';
import { raw, sql } from '../db/sql.ts';
import type { Attributes } from './policy.ts';

export interface Subject {
  id: string;
  principalId: string;
  attributes: Attributes;
  /** From this time on, the subject counts as one without attributes. */
  expiresAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = raw('s.id, s.principal_id, s.attributes, s.expires_at, s.created_at, s.updated_at');

export async function findSubject(tx: Tx, principalId: string): Promise<Subject | undefined> {
  const [subject] = await tx.query<Subject>(
    sql`select ${COLUMNS} from subject s where s.tenant_id = ${tx.tenantId} and s.principal_id = ${principalId}`,
  );
  return subject;
}

/** Locks and returns the subject; nobody else can change it until the transaction ends. */
export async function lockSubject(tx: Tx, principalId: string): Promise<Subject | undefined> {
  const [subject] = await tx.query<Subject>(
    sql`select ${COLUMNS} from subject s where s.tenant_id = ${tx.tenantId} and s.principal_id = ${principalId} for update`,
  );
  return subject;
}

export function listSubjects(tx: Tx, q: string | undefined, page: PageRequest): Promise<Listed<Subject>> {
  const named = q === undefined ? raw('true') : containsText(raw('s.principal_id'), q);
  const matching = sql`subject s where s.tenant_id = ${tx.tenantId} and ${named}`;
  return readPage<Subject>(tx, COLUMNS, matching, raw('s.id'), page);
}

export function countSubjects(tx: Tx): Promise<number> {
  return countRows(tx, sql`subject where tenant_id = ${tx.tenantId}`);
}

/** Creates the subject, or replaces its attributes and expiry, and returns it. */
export async function saveSubject(
  tx: Tx,
  subject: Pick<Subject, 'id' | 'principalId' | 'attributes' | 'expiresAt'>,
  now: Date,
): Promise<Subject> {
  const [saved] = await tx.query<Subject>(sql`
    insert into subject as s (tenant_id, id, principal_id, attributes, expires_at, created_at, updated_at)
    values (${tx.tenantId}, ${subject.id}, ${subject.principalId}, ${json(subject.attributes)}, ${subject.expiresAt}, ${now}, ${now})
    on conflict (tenant_id, principal_id) do update
      set attributes = excluded.attributes, expires_at = excluded.expires_at, updated_at = excluded.updated_at
    returning ${COLUMNS}`);
  return saved!;
}

export async function deleteSubject(tx: Tx, principalId: string): Promise<Subject | undefined> {
  const [subject] = await tx.query<Subject>(
    sql`delete from subject s where s.tenant_id = ${tx.tenantId} and s.principal_id = ${principalId} returning ${COLUMNS}`,
  );
  return subject;
}
