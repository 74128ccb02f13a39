/** The languages of a corpus. */

import { type Access, mayShowSource, showsSomething } from '../../access/access.ts';
import type { Tx } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { UNDETERMINED } from '../../text/analyzer.ts';
import { ANALYZED_LANGUAGES } from '../../text/stems/stems.ts';
import { type Knowledge, remember } from './corpus-memory.ts';
import { ALIVE } from './filter-sql.ts';

/** A language counts from so many sources on: fewer may be in it by mistake … */
const SOURCES_MIN = 3;
/** … or from this share of a corpus of few sources. */
const SOURCES_SHARE_MIN = 0.1;
/** More need not be counted. */
const SOURCES_COUNTED_MAX = Math.ceil(SOURCES_MIN / SOURCES_SHARE_MIN);

/**
 * The languages of the corpus that are analyzed in a way of their own, by ISO 639-1 code; and `und`, which stands for all others.
 * A source in a language that does not count is found by its words as they are written. With a policy, only sources that it shows
 * count: a query must not be read differently because of what is hidden.
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
  const counts = sql`
    select l.language,
      (select count(*)::int from (${sourcesWith(sql`s.language = l.language`, tenantId, access)} limit ${SOURCES_MIN}) c) as sources,
      (select count(*)::int from (${sourcesWith(sql`true`, tenantId, access)} limit ${SOURCES_COUNTED_MAX}) a) as "of"
    from unnest(${ANALYZED_LANGUAGES}::text[]) as l(language)`;
  const rows = await remember(knowledge, tenantId, counts, () =>
    tx.query<{ language: string; sources: number; of: number }>(counts),
  );
  const counting = rows.filter(
    ({ sources, of }) => sources >= SOURCES_MIN || (sources > 0 && sources >= of * SOURCES_SHARE_MIN),
  );
  return [...counting.map((row) => row.language), UNDETERMINED];
}

/** Sources `s` that fulfil the condition. The offsets keep the planner from beginning with the groups, or with all sources. */
function sourcesWith(condition: Sql, tenantId: string, access: Pick<Access, 'policy'>): Sql {
  const some = sql`source s where s.tenant_id = ${tenantId} and ${condition}`;
  if (access.policy === null) return sql`select 1 from ${some}`;
  return sql`select 1 from (select * from ${some} offset 0) s cross join lateral (
      select * from source_group where tenant_id = ${tenantId} and id = s.source_group_id offset 0) g
    where ${ALIVE} and ${mayShowSource(access)} and ${showsSomething(access)}`;
}
