/** What a search reads of its tenant before it is planned, in one statement. */

import { type Access, mayShowSource, showsSomething } from '../../access/access.ts';
import type { Tx } from '../../db/database.ts';
import { keepPlan, type Sql, sql } from '../../db/sql.ts';
import { redactionVersion } from '../../redaction/redaction-store.ts';
import { UNDETERMINED } from '../../text/analyzer.ts';
import { ANALYZED_LANGUAGES } from '../../text/stems/stems.ts';
import { ALIVE } from './filter-sql.ts';

/** Minimum share of the sources for a language to count: fewer sources may be classified wrongly. */
const SOURCES_SHARE_MIN = 0.1;
/** A larger corpus counts as one of so many sources: three sources are enough. */
const SOURCES_COUNTED_MAX = 30;

export interface TenantFacts {
  /**
   * The languages of the corpus that have their own analysis, as ISO 639-1 codes, and `und` for all others. A source in a language that
   * does not count is found by its words as they are written. With a policy, only visible sources count: hidden sources must not change
   * the analysis of a query.
   */
  languages: string[];
  /** The version of the redaction policy in force; null without one. */
  redactionVersion: number | null;
  /** Whether a file of the tenant was not read yet. */
  hasUnread: boolean;
}

/**
 * Returns the facts. The statement looks into an index once per language, so its time does not depend on the number of sources. (Under
 * row-level security PostgreSQL uses an index for equality of text only.)
 */
export async function readTenantFacts(tx: Tx, access: Pick<Access, 'policy'>): Promise<TenantFacts> {
  const all = sql`(${sourcesWith(sql`true`, tx.tenantId, access)} limit ${SOURCES_COUNTED_MAX}) a`;
  const facts = sql`
    select ${redactionVersion(tx.tenantId)} as redaction_version,
      exists (select from source where tenant_id = ${tx.tenantId} and status = 'pending' and deleted_at is null) as has_unread, array(
      select l.language from unnest(${ANALYZED_LANGUAGES}::text[]) as l(language) where exists (
        ${sourcesWith(sql`s.language = l.language`, tx.tenantId, access)}
        offset (select greatest(ceil(count(*) * ${SOURCES_SHARE_MIN}::numeric) - 1, 0) from ${all}))) as languages`;
  const [row] = await tx.query<TenantFacts>(access.policy === null ? keepPlan(facts) : facts);
  return { ...row!, languages: [...row!.languages, UNDETERMINED] };
}

/** Selects sources that satisfy the condition. The offsets prevent plans that begin with the groups or with all sources. */
function sourcesWith(condition: Sql, tenantId: string, access: Pick<Access, 'policy'>): Sql {
  const some = sql`source s where s.tenant_id = ${tenantId} and ${condition}`;
  if (access.policy === null) return sql`select 1 from ${some}`;
  return sql`select 1 from (select * from ${some} offset 0) s cross join lateral (
      select * from source_group where tenant_id = ${tenantId} and id = s.source_group_id offset 0) g
    where ${ALIVE} and ${mayShowSource(access)} and ${showsSomething(access)}`;
}
