/** SQL of the table authz_policy. */

import { json, type Queryable, type Tx } from '../db/database.ts';
import { countRows, type Listed, type PageRequest, readPage } from '../db/page-sql.ts';
import { keepPlan, raw, sql } from '../db/sql.ts';
import { type AttributeTypes, attributesOfType } from './attribute-types.ts';
import type { Attributes, Policy } from './policy.ts';
import type { PolicyDocument } from './policy-tests.ts';

export interface NamedPolicy {
  id: string;
  name: string;
  version: number;
  definition: PolicyDocument;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = raw('p.id, p.name, p.version, p.definition, p.created_at, p.updated_at');

/**
 * Returns the policy, null if it does not exist, and the attributes of the principal. A principal that is null, unknown or expired
 * has no attributes. Attributes without their declared type are left out.
 */
export async function findRules(
  tx: Tx,
  { id, policy, at }: { id: string | null; policy: string; at: Date },
): Promise<{ policy: Policy | null; attributes: Attributes }> {
  const [rules] = await tx.query<{ policy: PolicyDocument | null; attributes: Attributes | null }>(
    keepPlan(sql`
    select (select p.definition - 'tests' from authz_policy p where p.tenant_id = ${tx.tenantId} and p.name = ${policy}) as policy,
      (select s.attributes from subject s
       where s.tenant_id = ${tx.tenantId} and s.principal_id = ${id} and coalesce(s.expires_at > ${at}, true)) as attributes`),
  );
  const { policy: found, attributes } = rules!;
  return { policy: found, attributes: attributesOfType(attributes ?? {}, found?.attribute_types) };
}

export async function findPolicy(tx: Tx, name: string): Promise<NamedPolicy | undefined> {
  const [policy] = await tx.query<NamedPolicy>(
    sql`select ${COLUMNS} from authz_policy p where p.tenant_id = ${tx.tenantId} and p.name = ${name}`,
  );
  return policy;
}

export function listPolicies(tx: Tx, page: PageRequest): Promise<Listed<NamedPolicy>> {
  return readPage<NamedPolicy>(tx, COLUMNS, sql`authz_policy p where p.tenant_id = ${tx.tenantId}`, raw('p.id'), page);
}

/** Returns how many tenants there are, and how many of them have no policy. */
export async function countUnruled(system: Queryable): Promise<{ tenants: number; unruled: number }> {
  const [count] = await system.query<{ tenants: number; unruled: number }>(sql`
    select count(*) as tenants,
      count(*) filter (where not exists (select from authz_policy p where p.tenant_id = t.id)) as unruled from tenant t`);
  return count!;
}

export function countPolicies(tx: Tx): Promise<number> {
  return countRows(tx, sql`authz_policy where tenant_id = ${tx.tenantId}`);
}

/** Returns the policies that declare types of attributes, by name. */
export async function listAttributeTypes(tx: Tx): Promise<{ policy: string; types: AttributeTypes }[]> {
  return tx.query<{ policy: string; types: AttributeTypes }>(sql`
    select p.name as policy, p.definition -> 'attribute_types' as types from authz_policy p
    where p.tenant_id = ${tx.tenantId} and p.definition -> 'attribute_types' is not null order by p.name`);
}

export function listDefinitions(tx: Tx): Promise<{ name: string; definition: PolicyDocument }[]> {
  return tx.query(sql`
    select p.name, p.definition from authz_policy p where p.tenant_id = ${tx.tenantId} order by p.name`);
}

/** Creates the policy with the version `firstVersion`, or its next version, and returns it. */
export async function savePolicy(
  tx: Tx,
  policy: Pick<NamedPolicy, 'id' | 'name' | 'definition'>,
  now: Date,
  firstVersion = 1,
): Promise<NamedPolicy> {
  const [saved] = await tx.query<NamedPolicy>(sql`
    insert into authz_policy as p (tenant_id, id, name, version, definition, created_at, updated_at)
    values (${tx.tenantId}, ${policy.id}, ${policy.name}, ${firstVersion}, ${json(policy.definition)}, ${now}, ${now})
    on conflict (tenant_id, name) do update
      set version = p.version + 1, definition = excluded.definition, updated_at = excluded.updated_at
    returning ${COLUMNS}`);
  return saved!;
}

export async function deletePolicy(tx: Tx, name: string): Promise<NamedPolicy | undefined> {
  const [policy] = await tx.query<NamedPolicy>(
    sql`delete from authz_policy p where p.tenant_id = ${tx.tenantId} and p.name = ${name} returning ${COLUMNS}`,
  );
  return policy;
}
