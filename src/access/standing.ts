/** Whether a request may go on: its key, and the rules for its principal, are compared with those with which it began. */
import type { Queryable, Tx } from '../db/database.ts';
import { keepPlan, type Sql, sql } from '../db/sql.ts';
import type { Principal } from './access.ts';
import type { Caller } from './caller.ts';

/** What a request may do and see since it began. */
export interface Standing {
  caller: Pick<Caller, 'tenantId' | 'apiKeyId' | 'sessionId' | 'scopes' | 'sourceGroupIds' | 'tagIds'>;
  /** Null while the request has not read any rules. */
  rules: Rules | null;
}

/** The policy and attributes of a principal, and the redaction policy of the tenant. */
export interface Rules {
  principal: Principal | null;
  /** Differs when one of them differs. */
  stamp: string;
}

/** Why a request must end: the key or session is no longer valid, the key may do something else, or other rules apply. */
export type Ended = 'key' | 'rights' | 'rules';

/** Returns the rules that a transaction sees, and the version of the redaction policy in force. */
export async function readRules(
  tx: Tx,
  principal: Principal | null,
): Promise<Rules & { redactionVersion: number | null }> {
  const [row] = await tx.query<{ stamp: string; redactionVersion: number | null }>(
    keepPlan(sql`
    select ${stampOf('w')} as stamp, ${redactionOf('w')} as redaction_version
    from (select ${tx.tenantId}::uuid as tenant_id, ${principal?.id ?? null}::text as principal_id,
      ${principal?.policy ?? null}::text as policy, ${principal?.at ?? null}::timestamptz as now) w`),
  );
  return { principal, ...row! };
}

/** Returns why each request must end, or null for those that may go on. */
export async function findEnded(db: Queryable, standings: readonly Standing[], now: Date): Promise<(Ended | null)[]> {
  const all = <T>(of: (standing: Standing) => T): T[] => standings.map(of);
  const rows = await db.query<{ ended: Ended | null }>(
    keepPlan(sql`
    select case
      when k.id is null or k.revoked_at is not null or k.expires_at <= w.now or w.session_id is not null and not exists (
        select from console_session c where c.tenant_id = w.tenant_id and c.id = w.session_id and c.expires_at > w.now) then 'key'
      when array[k.scopes::text, k.source_group_ids::text, k.tag_ids::text] is distinct from
        array[w.scopes::text[]::text, w.source_group_ids::uuid[]::text, w.tag_ids::uuid[]::text] then 'rights'
      when w.stamp is not null and w.stamp <> ${stampOf('w')} then 'rules' end as ended
    from (select u.*, ${now}::timestamptz as now from unnest(
      ${all(({ caller }) => caller.tenantId)}::uuid[], ${all(({ caller }) => caller.apiKeyId)}::uuid[],
      ${all(({ caller }) => caller.sessionId ?? null)}::uuid[],
      ${all(({ caller }) => arrayText(caller.scopes))}::text[], ${all(({ caller }) => arrayText(caller.sourceGroupIds))}::text[],
      ${all(({ caller }) => arrayText(caller.tagIds))}::text[], ${all(({ rules }) => rules?.principal?.id ?? null)}::text[],
      ${all(({ rules }) => rules?.principal?.policy ?? null)}::text[], ${all(({ rules }) => rules?.stamp ?? null)}::text[])
      with ordinality as u(tenant_id, api_key_id, session_id, scopes, source_group_ids, tag_ids, principal_id, policy, stamp, n)) w
    left join api_key k on k.tenant_id = w.tenant_id and k.id = w.api_key_id
    order by w.n`),
  );
  return rows.map(({ ended }) => ended);
}

/**
 * Holds the key and the source groups for the rest of the transaction: revoking the key, and deleting or replacing content of the
 * groups, wait for its end.
 */
export async function holdStanding(tx: Tx, { apiKeyId }: Standing['caller'], groupIds: readonly string[]) {
  const { tenantId } = tx;
  await tx.query(
    keepPlan(sql`
    with held as (select id from source_group where tenant_id = ${tenantId} and id = any(${[...new Set(groupIds)]}::uuid[])
        order by id for key share),
      key as (select id from api_key where tenant_id = ${tenantId} and id = ${apiKeyId} for key share)
    select (select count(*) from held) + (select count(*) from key) as held`),
  );
}

/** Scopes and ids need no quotes in an array of SQL. */
function arrayText(values: readonly string[] | null): string | null {
  return values && `{${values.join(',')}}`;
}

/** Returns a text that differs when the rules of row `w` differ. A principal that is unknown or expired has no attributes. */
function stampOf(w: 'w'): Sql {
  return sql`encode(sha256(convert_to(concat_ws('|',
    coalesce((select p.definition::text from authz_policy p where p.tenant_id = w.tenant_id and p.name = w.policy), 'none'),
    coalesce((select s.attributes::text from subject s where s.tenant_id = w.tenant_id and s.principal_id = w.principal_id
      and coalesce(s.expires_at > w.now, true)), 'none'),
    ${redactionOf(w)}::text), 'UTF8')), 'hex')`;
}

function redactionOf(_w: 'w'): Sql {
  return sql`(select r.version from redaction_policy r where r.tenant_id = w.tenant_id and r.enabled and r.rules is not null)`;
}
