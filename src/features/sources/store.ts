/** Queries of the routes for sources. Writes are in corpus/source-store.ts. */
import { type Access, mayShowSource, showsEverything, showsSomething } from '../../access/access.ts';
import { type GroupLimits, withinLimits } from '../../access/limits.ts';
import { SOURCE_COLUMNS } from '../../corpus/source-lookup.ts';
import type { Source } from '../../corpus/source-store.ts';
import type { Tx } from '../../db/database.ts';
import { type Listed, type PageRequest, readPage } from '../../db/page-sql.ts';
import { raw, type Sql, sql } from '../../db/sql.ts';
import { BLOCKED_TITLE } from '../../files/sandbox/redact-parsed.ts';
import { SOURCE_TABLES } from '../../retrieval/query/filter-sql.ts';

const visible = (tenantId: string, limits: GroupLimits): Sql =>
  sql`s.tenant_id = ${tenantId} and s.deleted_at is null and g.deleted_at is null and ${withinLimits(limits)}`;

/** Returns a source, whatever its ingestion status. */
export async function findSource(tx: Tx, id: string, limits: GroupLimits): Promise<Source | undefined> {
  const [source] = await tx.query<Source>(sql`
    select ${SOURCE_COLUMNS} from ${SOURCE_TABLES} where ${visible(tx.tenantId, limits)} and s.id = ${id}`);
  return source;
}

/** Returns sources of this type that have API records, oldest first. There is one extra row if there is a next page. */
export function listSourcesWithMetadata(
  tx: Tx,
  limits: GroupLimits,
  sourceType: string,
  page: PageRequest,
): Promise<Listed<Source>> {
  const matching = sql`${SOURCE_TABLES} where ${visible(tx.tenantId, limits)} and s.source_type = ${sourceType} and s.metadata <> '{}'`;
  return readPage<Source>(tx, SOURCE_COLUMNS, matching, raw('s.id'), page);
}

export interface RawFile {
  name: string;
  hash: string;
  /** Bytes of the stored file. The size of the source may differ, because some origins convert files when they are downloaded. */
  size: number;
}

/** Returns the stored file of a source, unless the source has the type `exceptType`. */
export async function findRawFile(
  tx: Tx,
  id: string,
  limits: GroupLimits,
  exceptType: string,
): Promise<RawFile | undefined> {
  const [file] = await tx.query<RawFile>(sql`
    select s.name, b.hash, b.size from ${SOURCE_TABLES} join blob b on b.tenant_id = s.tenant_id and b.hash = s.blob_hash
    where ${visible(tx.tenantId, limits)} and s.id = ${id} and s.source_type <> ${exceptType}`);
  return file;
}

export interface OriginalFile extends RawFile {
  /** The ingest rules under which the text of the source was stored, or that blocked it. Null if another error left no text to store. */
  redactedBy: string | null;
}

/**
 * Returns the stored file of a source that the caller may read as a whole. A source that could not be read has one, too, but not for a
 * policy, which decides by what was read. An archive or a mail holds its members as well: the caller
 * must be allowed to read each of them, and none may have been deleted.
 */
export async function findOriginal(tx: Tx, id: string, access: Access): Promise<OriginalFile | undefined> {
  const isRead = access.policy === null ? raw("s.status in ('ready', 'failed')") : raw("s.status = 'ready'");
  // A file that a rule blocked is read again when the rules change, and a file with another error is not.
  const hasOtherError = sql`s.status = 'failed' and (select e.title from run_error e
    where e.tenant_id = s.tenant_id and e.source_id = s.id order by e.run_id desc limit 1) <> ${BLOCKED_TITLE}`;
  const mayRead = sql`${mayShowSource(access)} and ${showsSomething(access)} and ${showsEverything(access)}`;
  const [file] = await tx.query<OriginalFile & { memberDeleted: boolean }>(sql`
    select s.name, b.hash, b.size, case when ${hasOtherError} then null else s.redacted_by end as redacted_by, s.member_deleted
    from ${SOURCE_TABLES} join blob b on b.tenant_id = s.tenant_id and b.hash = s.blob_hash
    where ${visible(tx.tenantId, access)} and s.id = ${id} and ${isRead} and ${mayRead}`);
  if (!file || access.policy === null) return file;
  // What policies say of a member is known only while the member is there and was read in the version that the file holds.
  if (file.memberDeleted) return undefined;
  const [hidden] = await tx.query(sql`
    with recursive member as (
      select m.id from source m where m.tenant_id = ${tx.tenantId} and m.parent_source_id = ${id} and m.deleted_at is null
      union all
      select m.id from source m join member on m.parent_source_id = member.id
      where m.tenant_id = ${tx.tenantId} and m.deleted_at is null)
    select s.id from ${SOURCE_TABLES} join member on member.id = s.id
    left join source_update u on u.tenant_id = s.tenant_id and u.source_id = s.id
    where s.tenant_id = ${tx.tenantId} and not coalesce(
      s.status = 'ready' and u.source_id is null and not s.member_deleted and ${mayRead}, false) limit 1`);
  return hidden ? undefined : file;
}
