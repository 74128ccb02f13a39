/** The languages of a corpus. */

import { type Access, mayShowSource, showsSomething } from '../../access/access.ts';
import type { Tx } from '../../db/database.ts';
import { keepPlan, type Sql, sql } from '../../db/sql.ts';
import { UNDETERMINED } from '../../text/analyzer.ts';
import { ANALYZED_LANGUAGES } from '../../text/stems/stems.ts';
import { ALIVE } from './filter-sql.ts';

/** Minimum number of sources for a language to count: fewer sources may be classified wrongly … */
const SOURCES_MIN = 3;
/** … or minimum share of the sources, in a corpus of few sources. */
const SOURCES_SHARE_MIN = 0.1;
/** Counting stops here: with more sources the share does not matter. */
const SOURCES_COUNTED_MAX = Math.ceil(SOURCES_MIN / SOURCES_SHARE_MIN);

/**
 * Returns the languages of the corpus that have their own analysis, as ISO 639-1 codes, and `und` for all others. A source in a
 * language that does not count is found by its words as they are written. With a policy, only visible sources count: hidden sources
 * must not change the analysis of a query.
 *
 * The statement looks into an index once per language, so its time does not depend on the number of sources. (Under row-level
 * security PostgreSQL uses an index for equality of text only.)
 */
export async function readLanguages(tx: Tx, tenantId: string, access: Pick<Access, 'policy'>): Promise<string[]> {
  const counts = sql`
    select l.language,
      (select count(*)::int from (${sourcesWith(sql`s.language = l.language`, tenantId, access)} limit ${SOURCES_MIN}) c) as sources,
      (select count(*)::int from (${sourcesWith(sql`true`, tenantId, access)} limit ${SOURCES_COUNTED_MAX}) a) as "of"
    from unnest(${ANALYZED_LANGUAGES}::text[]) as l(language)`;
  const statement = access.policy === null ? keepPlan(counts) : counts;
  const rows = await tx.query<{ language: string; sources: number; of: number }>(statement);
  const counting = rows.filter(
    ({ sources, of }) => sources >= SOURCES_MIN || (sources > 0 && sources >= of * SOURCES_SHARE_MIN),
  );
  return [...counting.map((row) => row.language), UNDETERMINED];
}

/** Selects sources that satisfy the condition. The offsets prevent plans that begin with the groups or with all sources. */
function sourcesWith(condition: Sql, tenantId: string, access: Pick<Access, 'policy'>): Sql {
  const some = sql`source s where s.tenant_id = ${tenantId} and ${condition}`;
  if (access.policy === null) return sql`select 1 from ${some}`;
  return sql`select 1 from (select * from ${some} offset 0) s cross join lateral (
      select * from source_group where tenant_id = ${tenantId} and id = s.source_group_id offset 0) g
    where ${ALIVE} and ${mayShowSource(access)} and ${showsSomething(access)}`;
}
