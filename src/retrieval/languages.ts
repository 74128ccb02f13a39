/** The languages of a tenant's corpus. */
import type { Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { ANALYZED_LANGUAGES } from './analysis/stems.ts';
import { UNDETERMINED } from './analyzer.ts';
import { type Knowledge, remember } from './corpus-memory.ts';

/**
 * Those that are analyzed in a way of their own, by ISO 639-1 code; and `und`, which stands for all others.
 *
 * One look into an index for each language: the time does not depend on the number of sources. (Under row-level security
 * PostgreSQL does not use an index for text comparisons other than equality.)
 */
export async function readLanguages(tx: Tx, tenantId: string, knowledge?: Knowledge): Promise<string[]> {
  const present = sql`
    select l.language from unnest(${ANALYZED_LANGUAGES}::text[]) as l(language)
    where coalesce((select true from source s where s.tenant_id = ${tenantId} and s.language = l.language limit 1), false)`;
  const rows = await remember(knowledge, tenantId, present, () => tx.query<{ language: string }>(present));
  return [...rows.map((row) => row.language), UNDETERMINED];
}
