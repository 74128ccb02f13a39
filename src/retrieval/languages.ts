/** The languages of a corpus. */
import type { Tx } from '../db/database.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import { type Access, mayShowSource, showsSomething } from '../policy/access.ts';
import { ANALYZED_LANGUAGES } from './analysis/stems.ts';
import { UNDETERMINED } from './analyzer.ts';
import { type Knowledge, remember } from './corpus-memory.ts';
import { ALIVE, SOURCE_TABLES } from './filter-sql.ts';

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
    where coalesce((select true from ${sourcesFor(access)} s.tenant_id = ${tenantId} and s.language = l.language limit 1), false)`;
  const rows = await remember(knowledge, tenantId, present, () => tx.query<{ language: string }>(present));
  return [...rows.map((row) => row.language), UNDETERMINED];
}

/** Up to the condition on the tenant. */
function sourcesFor(access: Pick<Access, 'policy'>): Sql {
  if (access.policy === null) return raw('source s where');
  return sql`${SOURCE_TABLES} where ${ALIVE} and ${mayShowSource(access)} and ${showsSomething(access)} and`;
}
