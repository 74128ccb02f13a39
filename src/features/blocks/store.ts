/** Queries about stored files that are read again, under the access rules of content lookup. */
import { type Access, mayShowSource, showsEverything, showsSomething } from '../../access/access.ts';
import { withinLimits } from '../../access/limits.ts';
import type { ChunkMetadataKey } from '../../corpus/values.ts';
import type { Queryable } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { ALIVE, SOURCE_TABLES } from '../../retrieval/query/filter-sql.ts';

/** A stored file, with all that its parser was told when the file was ingested. */
export interface StoredFile {
  id: string;
  sourceGroupId: string;
  parentSourceId: string | null;
  name: string;
  blobHash: string;
  size: number;
  generation: number;
  redactedBy: string;
  memberDepth: number;
  chunkMetadataKeys: ChunkMetadataKey[];
  groupPath: string | null;
  url: string | null;
  charset: string | null;
}

/** Returns the file of a source of which the caller may see everything. */
export async function findStoredFile(
  tx: Queryable,
  tenantId: string,
  id: string,
  access: Access,
): Promise<StoredFile | undefined> {
  const [file] = await tx.query<StoredFile>(sql`
    select s.id, s.source_group_id, s.parent_source_id, s.name, s.blob_hash, b.size, s.generation, s.redacted_by, s.member_depth,
      g.chunk_metadata_keys, s.url, o.metadata -> 'charset' ->> 'val' as charset,
      case when s.parent_source_id is not null then s.name when s.source_type = 'repo' then o.origin_id else s.path end as group_path
    from ${SOURCE_TABLES} join blob b on b.tenant_id = s.tenant_id and b.hash = s.blob_hash
    left join source_origin o on o.tenant_id = s.tenant_id and o.source_id = s.id
    where s.tenant_id = ${tenantId} and s.id = ${id} and ${ALIVE} and ${withinLimits(access)}
      and ${mayShowSource(access)} and ${showsSomething(access)} and ${showsEverything(access)}`);
  return file;
}
