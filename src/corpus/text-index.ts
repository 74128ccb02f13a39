/** The two forms of the index over terms: a BM25 index of pg_textsearch, or tables that replace it. */
import type { Database, Queryable } from '../db/database.ts';
import { canUseTextSearch } from '../db/extensions.ts';
import { identifier, sql } from '../db/sql.ts';
import { type Tenant, termsIndex, termsIndexStatement } from './tenant-store.ts';

/** Returns whether pg_textsearch can be used, and the tenants whose index is missing or has the other form. */
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

/** Returns for the operator which form searches use, and whether the database could use a better form. */
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
 * Gives every tenant the form that the database supports now: BM25 indexes if pg_textsearch can be used, tables otherwise. Each
 * tenant has its own transaction, which blocks changes of its chunks. Returns the names of the tenants whose form changed.
 * Running processes use the new form after their next start.
 */
export async function rearrangeTextSearch(db: Database): Promise<string[]> {
  const { isUsable, misplaced } = await findTextSearchForm(db.system);
  for (const tenant of misplaced) {
    const { id, partitionNo } = tenant;
    // One message is one transaction. Indexing a large corpus takes longer than the statement timeout of requests.
    await db.system.executeOutsideTransaction(`
      select drop_text_index('${id}', ${partitionNo});
      drop index if exists ${identifier(termsIndex(partitionNo)).text};
      ${termsIndexStatement(tenant, isUsable).text}`);
  }
  return misplaced.map(({ name }) => name);
}
