/** Stored files that are read again for readers, under the access rules of content lookup. */
import { type Access, showsEverything } from '../../access/access.ts';
import { SOURCE_PATH } from '../../corpus/sources/paths.ts';
import type { ChunkMetadataKey } from '../../corpus/values.ts';
import type { Tx } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { conflict, notFound } from '../../errors.ts';
import { FACT_STEPS, isSourceBlocked } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { SOURCE_TABLES, visibleSource } from '../query/filter-sql.ts';

/** A stored file, with all that its parser was told when the file was ingested. */
export interface WholeFile {
  id: string;
  sourceGroupId: string;
  parentSourceId: string | null;
  name: string;
  path: string | null;
  fileType: string | null;
  blobHash: string;
  /** Bytes of the stored file. */
  size: number;
  generation: number;
  textLength: number;
  redactedBy: string;
  memberDepth: number;
  chunkMetadataKeys: ChunkMetadataKey[];
  groupPath: string | null;
  url: string | null;
  charset: string | null;
}

/** Returns the file of a source of which the caller may see everything. */
export async function findWholeFile(tx: Tx, id: string, access: Access): Promise<WholeFile | undefined> {
  const [file] = await tx.query<WholeFile>(sql`
    select s.id, s.source_group_id, s.parent_source_id, s.name, ${SOURCE_PATH} as path, s.file_type, s.blob_hash, b.size,
      s.generation, s.text_length, s.redacted_by,
      s.member_depth, g.chunk_metadata_keys, s.url, o.metadata -> 'charset' ->> 'val' as charset,
      case when s.parent_source_id is not null then s.name when s.source_type = 'repo' then o.origin_id else s.path end as group_path
    from ${SOURCE_TABLES} join blob b on b.tenant_id = s.tenant_id and b.hash = s.blob_hash
    left join source_origin o on o.tenant_id = s.tenant_id and o.source_id = s.id
    where s.tenant_id = ${tx.tenantId} and s.id = ${id} and ${visibleSource(access)} and ${showsEverything(access)}`);
  return file;
}

/**
 * Checks that the rules of the stored text are the present ones. Returns whether a rule may hide something of the content.
 *
 * @param message of the conflict.
 * @throws ServiceError not_found if a rule blocks the name or the path; conflict while the stored text follows other rules.
 */
export async function checkRules(file: WholeFile, redactor: Redactor | null, message: string): Promise<boolean> {
  if (await isSourceBlocked(redactor, file)) throw notFound();
  if (file.redactedBy !== (redactor?.ingestMark ?? '')) throw conflict(message);
  return FACT_STEPS.some((step) => redactor?.appliesAt(step));
}
