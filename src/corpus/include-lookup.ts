/**
 * SQL about files that other files of the same source group include. A file is found by its path: uploaded files have one, the
 * files of a repository are named by it, and files inside an archive have one within the archive.
 */
import type { Tx } from '../db/database.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import type { NewVersion } from './origin-store.ts';
import { WITH_UPDATE } from './source-store.ts';

/** Selects the newest bytes of the file at a path: in the same archive if there is a parent, else in the group. */
const fileAt = (tenantId: string, groupId: Sql, parentId: Sql, path: Sql): Sql => sql`
  select coalesce(u.blob_hash, s.blob_hash) as hash, coalesce(u.file_size, s.file_size) as size
  from ${WITH_UPDATE} where s.tenant_id = ${tenantId} and s.deleted_at is null and s.id = (
    select f.id from (
      select m.id from source m
      where m.tenant_id = ${tenantId} and m.parent_source_id = ${parentId} and m.name = ${path} and m.deleted_at is null
      union all
      select m.id from source m
      where m.tenant_id = ${tenantId} and m.source_group_id = ${groupId} and m.path = ${path} and m.deleted_at is null
        and ${parentId} is null
      union all
      select o.source_id from source_origin o
      where o.tenant_id = ${tenantId} and o.source_group_id = ${groupId} and o.origin_id = ${path} and ${parentId} is null
    ) f order by f.id limit 1)`;

/** Returns hash and size of the newest bytes at a path. @param parentId the archive around the including file. */
export async function findIncluded(
  tx: Tx,
  groupId: string,
  parentId: string | null,
  path: string,
): Promise<{ hash: string; size: number } | undefined> {
  const [found] = await tx.query<{ hash: string; size: number }>(
    fileAt(tx.tenantId, sql`${groupId}::uuid`, sql`${parentId}::uuid`, sql`${path}::text`),
  );
  return found;
}

/**
 * Returns the group's sources whose included files have changed since they were read, as new versions with the bytes that are
 * served. A source that waits to be read is left out.
 */
export async function listOutdatedIncluders(tx: Tx, groupId: string): Promise<(NewVersion & { contentAt: null })[]> {
  return tx.query(sql`
    select r.id as source_id, r.blob_hash, r.file_size, null as content_at from source r
    where r.tenant_id = ${tx.tenantId} and r.source_group_id = ${groupId} and r.includes is not null
      and r.status = 'ready' and r.deleted_at is null
      and not exists (select from source_update n where n.tenant_id = r.tenant_id and n.source_id = r.id)
      and exists (select from jsonb_each_text(r.includes) i where i.value is distinct from (
        select a.hash from (${fileAt(tx.tenantId, raw('r.source_group_id'), raw('r.parent_source_id'), raw('i.key'))}) a))`);
}
