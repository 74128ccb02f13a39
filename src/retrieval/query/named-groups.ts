/** Finds the source groups that a query for a definition names, and prefers their chunks: "Session in requests", in the group requests. */
import type { Access } from '../../access/access.ts';
import { withinLimits } from '../../access/limits.ts';
import type { Tx } from '../../db/database.ts';
import { keepPlan, sql } from '../../db/sql.ts';
import { askedNames, mayAskForName } from '../../text/analysis/names.ts';
import { isStopWord } from '../../text/analysis/stop-words.ts';
import { UNDETERMINED } from '../../text/analyzer.ts';
import { bestFirst, type SearchedCorpus } from '../engine.ts';
import { visibleSource } from './filter-sql.ts';

/** Names of so many groups, the oldest, are looked at: 1,000 take 1 ms. */
const LOOKED_AT_MAX = 2_000;
/** A query names no more groups: several groups may have one name. */
const GROUPS_MAX = 20;
/**
 * The BM25 scores of chunks of a named group are multiplied by this. In 11 packages of code, the definition of a name that several
 * packages have is first for 28 of 120 queries "package name" with 1, for 70 with 1.4, for 76 with 2 and for 77 with 3.
 */
const PREFERENCE = 2;

export interface NamedGroup {
  id: string;
  name: string;
}

/**
 * Returns the groups whose names are words of a query that asks for a definition. In other queries the name of a group is often an
 * ordinary word, and a preference for the group puts fewer right passages first (`npm run bench:manuals`). Only groups with something
 * visible count: a name must not change the order of results for a caller who may not see the group.
 */
export async function findNamedGroups(
  tx: Tx,
  access: Access,
  query: string,
  languages: readonly string[],
): Promise<NamedGroup[]> {
  if (!mayAskForName(query)) return [];
  const [written, lower] = [wordsOf(query), wordsOf(query.toLowerCase())];
  const oldest = sql`
    select * from source_group g where g.tenant_id = ${tx.tenantId} and g.deleted_at is null and ${withinLimits(access)}
    order by g.id limit ${LOOKED_AT_MAX}`;
  const found = sql`
    select g.id, g.name from (
      select * from (${oldest}) g where length(name) <= ${query.length}::int
        and (strpos(${written}, ' ' || name || ' ') > 0 or strpos(${lower}, ' ' || lower(name) || ' ') > 0) offset 0) g
    where exists (select from source s where s.tenant_id = g.tenant_id and s.source_group_id = g.id
      and ${visibleSource(access)})
    order by g.id limit ${GROUPS_MAX}`;
  const named = await tx.query<NamedGroup>(access.policy === null ? keepPlan(found) : found);
  const groups = named.filter(
    ({ name }) => !languages.some((one) => isStopWord(name.toLowerCase(), one === UNDETERMINED ? 'en' : one)),
  );
  const asked = askedNames(
    query,
    groups.map(({ name }) => name),
  );
  return asked.length > 0 ? groups : [];
}

/** Returns the corpus `all`, whose chunks in `named`, a part of it, have higher lexical scores. */
export function preferring(all: SearchedCorpus, named: SearchedCorpus): SearchedCorpus {
  return {
    ...all,
    async candidates(query) {
      const found = await all.candidates(query);
      const { lexical } = await named.candidates({ ...query, vector: undefined });
      const ids = new Set(lexical.map(({ id }) => id));
      const raised = lexical.map((one) => ({ ...one, score: one.score * PREFERENCE }));
      const both = bestFirst([...raised, ...found.lexical.filter(({ id }) => !ids.has(id))]);
      return { ...found, lexical: both.slice(0, query.depth) };
    },
  };
}

/** Returns the words between blanks, with and without the marks that join them: `chi.Context` names `chi`, and `my-notes` itself. */
function wordsOf(query: string): string {
  const joined = query.replace(/[^\p{L}\p{M}\p{N}._/@-]+|[._/-]+(?=\s|$)/gu, ' ');
  return ` ${joined}  ${query.replace(/[^\p{L}\p{M}\p{N}_]+/gu, ' ')} `;
}
