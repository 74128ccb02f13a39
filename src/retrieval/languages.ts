/** The languages of a corpus. */
import type { Tx } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { type Access, mayShowSource, showsSomething } from '../policy/access.ts';
import { ANALYZED_LANGUAGES } from './analysis/stems.ts';
import { UNDETERMINED } from './analyzer.ts';
import { type Knowledge, remember } from './corpus-memory.ts';
import { ALIVE } from './filter-sql.ts';

/**
 * Those that are analyzed in a way of their own, by ISO 639-1 code; and `und`, which stands for all others. With a policy, those
 * of the sources that it shows: a query must not be read differently because of what is hidden.
 *
 * One look into an index for each language: the time does not depend on the number of sources. (Under row-level security
 * PostgreSQL does not use an index for text comparisons other than equality.)
 */
export async function readLanguages(
  tx: Tx,
  tenantId: string,
  access: Pick<Access, 'policy'>,
  knowledge?: Knowledge,
): Promise<string[]> {
  const present = sql`
    select l.language from unnest(${ANALYZED_LANGUAGES}::text[]) as l(language)
    where coalesce((select true from ${sourcesFor(tenantId, access)} limit 1), false)`;
  const rows = await remember(knowledge, tenantId, present, () => tx.query<{ language: string }>(present));
  return [...rows.map((row) => row.language), UNDETERMINED];
}

/** Of language `l.language`. The offsets keep the planner from beginning with the groups, or with all sources. */
function sourcesFor(tenantId: string, access: Pick<Access, 'policy'>): Sql {
  const inLanguage = sql`source s where s.tenant_id = ${tenantId} and s.language = l.language`;
  if (access.policy === null) return inLanguage;
  return sql`(select * from ${inLanguage} offset 0) s cross join lateral (
      select * from source_group where tenant_id = ${tenantId} and id = s.source_group_id offset 0) g
    where ${ALIVE} and ${mayShowSource(access)} and ${showsSomething(access)}`;
}
