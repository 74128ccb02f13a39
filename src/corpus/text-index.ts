/** Which form the index over terms has: a BM25 index of pg_textsearch, or the tables `text_index…` in its place. */
import type { Database, Queryable } from '../db/database.ts';
import { canUseTextSearch } from '../db/extensions.ts';
import { identifier, sql } from '../db/sql.ts';
import { type Tenant, termsIndex, termsIndexStatement } from './tenant-store.ts';

/** Whether pg_textsearch can be used, and the tenants whose index has the other form or that have none. */
export async function findTextSearchForm(
  db: Queryable,
): Promise<{ isUsable: boolean; misplaced: Pick<Tenant, 'id' | 'name' | 'partitionNo'>[] }> {
  const isUsable = await canUseTextSearch(db);
  const misplaced = await db.query<Pick<Tenant, 'id' | 'name' | 'partitionNo'>>(sql`
    select id, name, partition_no from tenant
    where (to_regclass('text_index_' || partition_no) is not null) = ${isUsable}::boolean
      or (to_regclass('chunk_' || partition_no || '_terms') is null) = ${isUsable}::boolean
    order by partition_no`);
  return { isUsable, misplaced };
}

/** For the operator: what searches use, and what would be better. */
export async function textSearchFacts(db: Database): Promise<{ ok: boolean; detail: string }> {
  const { isUsable, misplaced } = await findTextSearchForm(db.system);
  const used = db.hasTextSearch ? 'BM25 index of pg_textsearch' : 'BM25 over tsvector';
  if (misplaced.length > 0) {
    const names = misplaced.map(({ name }) => name).join(', ');
    return isUsable && !db.hasTextSearch
      ? { ok: true, detail: `${used}; pg_textsearch can be used: \`pinakes migrate\` changes over` }
      : { ok: false, detail: `tenants without an index: ${names}; \`pinakes migrate\` makes it` };
  }
  if (isUsable === db.hasTextSearch)
    return {
      ok: true,
      detail: isUsable ? used : `${used}: pg_textsearch is not installed, or pg_textsearch.allow_rls is off`,
    };
  return { ok: false, detail: 'the indexes have been changed over: restart all processes' };
}

/**
 * Gives every tenant the form that the database can do now: BM25 indexes once pg_textsearch can be used, tables where it
 * cannot. Each tenant in a transaction of its own; its chunks cannot be changed meanwhile. Returns the names of the tenants whose
 * form changed. Running processes learn of it when they start again.
 */
export async function rearrangeTextSearch(db: Database): Promise<string[]> {
  const { isUsable, misplaced } = await findTextSearchForm(db.system);
  for (const tenant of misplaced) {
    const { id, partitionNo } = tenant;
    // One message is one transaction. The index of a large corpus takes longer than a statement of a request may.
    await db.system.executeOutsideTransaction(`
      select drop_text_index('${id}', ${partitionNo});
      drop index if exists ${identifier(termsIndex(partitionNo)).text};
      ${termsIndexStatement(tenant, isUsable).text}`);
  }
  return misplaced.map(({ name }) => name);
}
