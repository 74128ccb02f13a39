/** Writes sources and chunks directly into the tables, with the same result as ingestion. */
import { insertChunks } from '../../src/corpus/chunk-writer.ts';
import type { TypedMetadata } from '../../src/corpus/values.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import { json } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { analyzeForIndex } from '../../src/text/analyzer.ts';
import { newId } from '../../src/util/ids.ts';

export interface SeedGroup {
  id?: string;
  name?: string;
  sourceType?: string;
  metadata?: Record<string, string>;
  tags?: readonly string[];
  deleted?: boolean;
  sources: readonly SeedSource[];
}

export interface SeedSource {
  id?: string;
  name?: string;
  path?: string;
  url?: string | null;
  fileType?: string;
  status?: 'pending' | 'ready' | 'failed';
  deleted?: boolean;
  language?: string | null;
  contentAt?: Date;
  metadata?: Record<string, string>;
  originMetadata?: TypedMetadata;
  chunks: readonly (string | SeedChunk)[];
}

export interface SeedChunk {
  id?: string;
  content: string;
  context?: string;
  /** The terms; if absent, the terms of the content alone. */
  terms?: string;
  metadata?: TypedMetadata;
  /** The first line of the chunk in its file. */
  line?: number;
}

/** Returns tag ids by name; a tag is created at its first use. */
export type TagIds = Map<string, string>;

/** Returns the ids of the groups, in order. */
export async function seed(db: Database, tenantId: string, groups: readonly SeedGroup[], tags: TagIds = new Map()) {
  return db.transaction(tenantId, async (tx) => {
    const ids: string[] = [];
    for (const group of groups) ids.push(await seedGroup(tx, group, tags));
    return ids;
  });
}

async function seedGroup(tx: Tx, group: SeedGroup, tags: TagIds): Promise<string> {
  const id = group.id ?? newId();
  await tx.query(sql`
    insert into source_group (tenant_id, id, source_type, name, status, metadata, created_at, deleted_at)
    values (${tx.tenantId}, ${id}, ${group.sourceType ?? 'local_file'}, ${group.name ?? 'a group'}, 'success', ${json(group.metadata ?? {})}, now(),
            ${group.deleted ? new Date() : null})`);
  for (const name of group.tags ?? []) {
    if (!tags.has(name)) {
      tags.set(name, newId());
      await tx.query(sql`insert into tag (tenant_id, id, name) values (${tx.tenantId}, ${tags.get(name)}, ${name})`);
    }
    await tx.query(sql`
      insert into tag_source_group (tenant_id, id, tag_id, source_group_id)
      values (${tx.tenantId}, ${newId()}, ${tags.get(name)}, ${id})`);
  }
  for (const source of group.sources) await seedSource(tx, id, group.sourceType ?? 'local_file', source);
  return id;
}

async function seedSource(tx: Tx, groupId: string, sourceType: string, source: SeedSource) {
  const id = source.id ?? newId();
  const chunks = source.chunks.map((chunk) => (typeof chunk === 'string' ? { content: chunk } : chunk));
  const text = chunks.map((chunk) => chunk.content).join('\n');
  const language = source.language === undefined ? 'en' : source.language;
  await tx.query(sql`
    insert into source (tenant_id, id, source_group_id, source_type, name, path, url, file_type, file_size, blob_hash, status,
                        language, origin_metadata, metadata, content_at, text_length, chunk_count, created_at, deleted_at)
    values (${tx.tenantId}, ${id}, ${groupId}, ${sourceType}, ${source.name ?? 'a.txt'}, ${source.path ?? null},
            ${source.url ?? null}, ${source.fileType ?? 'txt'}, 1, 'hash', ${source.status ?? 'ready'}, ${language}, ${json(source.originMetadata ?? {})},
            ${json(source.metadata ?? {})}, ${source.contentAt ?? new Date('2026-01-01T00:00:00Z')}, ${[...text].length},
            ${chunks.length}, now(), ${source.deleted ? new Date() : null})`);
  await tx.query(sql`
    insert into source_text (tenant_id, source_id, start_offset, end_offset, content)
    values (${tx.tenantId}, ${id}, 0, ${[...text].length}, ${text})`);
  let offset = 0;
  const drafts = chunks.map((chunk, ordinal) => {
    const start = offset;
    const end = start + [...chunk.content].length;
    offset = end + 1;
    const line = ('line' in chunk && chunk.line) || null;
    return {
      id: ('id' in chunk && chunk.id) || newId(),
      sourceId: id,
      generation: 1,
      ordinal,
      startOffset: start,
      endOffset: end,
      startLine: line,
      endLine: line === null ? null : line + chunk.content.split('\n').length - 1,
      content: chunk.content,
      context: ('context' in chunk && chunk.context) || null,
      headingPath: [],
      pages: null,
      metadata: ('metadata' in chunk && chunk.metadata) || {},
      terms: ('terms' in chunk && chunk.terms) || analyzeForIndex(chunk.content, language),
    };
  });
  await insertChunks(tx, groupId, drafts);
}
