/** The languages of a tenant's corpus. */
import type { Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** A query's words are stemmed once for each language, so there is a limit; a corpus rarely has more. */
const LANGUAGES_MAX = 24;

/** ISO 639-1 codes, `und` for sources without one. Jumps through an index: the time does not depend on the number of sources. */
export async function readLanguages(tx: Tx, tenantId: string): Promise<string[]> {
  const rows = await tx.query<{ language: string }>(sql`
    with recursive l(language) as (
      (select coalesce(s.language, 'und') from source s where s.tenant_id = ${tenantId} order by coalesce(s.language, 'und') limit 1)
      union all
      select (select coalesce(s.language, 'und') from source s
              where s.tenant_id = ${tenantId} and coalesce(s.language, 'und') > l.language
              order by coalesce(s.language, 'und') limit 1)
      from l where l.language is not null)
    select language from l where language is not null limit ${LANGUAGES_MAX}`);
  return rows.map((row) => row.language);
}
