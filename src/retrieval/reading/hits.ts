/** Reads the returned candidates and makes hits of them: the columns of the wire's Content record. */

import { hash } from 'node:crypto';
import { type Access, mayShowChunk, mayShowSource } from '../../access/access.ts';
import { withinLimits } from '../../access/limits.ts';
import { visiblePath } from '../../corpus/sources/paths.ts';
import { chunkPartition } from '../../corpus/tenant-store.ts';
import type { TypedMetadata } from '../../corpus/values.ts';
import type { Tx } from '../../db/database.ts';
import { identifier, keepPlan, raw, type Sql, sql } from '../../db/sql.ts';
import { readerSteps, redactChunk, redactFacts } from '../../redaction/apply-redaction.ts';
import type { Redactor } from '../../redaction/redact.ts';
import { collect } from '../../util/collect.ts';
import { ALIVE, SERVED, SOURCE_TABLES } from '../query/filter-sql.ts';
import type { Hit, Neighbour, Place, RetrieveRequest } from '../types.ts';

export type HitRow = Omit<Hit, 'score' | 'scores' | 'metadata'> & {
  originMetadata: TypedMetadata;
  apiMetadata: Record<string, string>;
  /** The ingest rules under which the source was read. */
  redactedBy: string;
};

const HIT_COLUMNS = sql`c.id, c.source_id, c.source_group_id, c.generation,
  s.source_type, s.file_type, s.name, s.url, c.content, c.context, c.ordinal as chunk_index,
  (select g.name from source_group g where g.tenant_id = c.tenant_id and g.id = c.source_group_id) as source_group_name,
  c.start_offset, c.end_offset, c.start_line, c.end_line, c.pages, c.heading_path,
  s.origin_metadata, s.metadata as api_metadata, c.metadata as chunk_metadata,
  s.content_at, s.language, s.redacted_by`;

/** Returns the columns of chunk `c` and its source `s`. A key that is limited to tags sees no other tags. */
export function hitColumns({ tagIds, policy }: Pick<Access, 'tagIds' | 'policy'>): Sql {
  const shown = tagIds ? sql`and t.id = any(${tagIds}::uuid[])` : raw('');
  return sql`${HIT_COLUMNS}, ${visiblePath({ policy })} as path,
    array(select t.name from tag_source_group l join tag t on t.tenant_id = l.tenant_id and t.id = l.tag_id
          where l.tenant_id = c.tenant_id and l.source_group_id = c.source_group_id ${shown} order by t.name) as tags`;
}

/** Returns `from … where …` of the chunks `c` that are served and within the access, with their sources `s`. */
export function visibleChunks(tenantId: string, access: Access): Sql {
  return sql`from chunk c join ${SOURCE_TABLES} on s.tenant_id = c.tenant_id and s.id = c.source_id
    where c.tenant_id = ${tenantId} and ${ALIVE} and ${SERVED} and ${withinLimits(access)}
      and ${mayShowSource(access)} and ${mayShowChunk(access)}`;
}

type HitRequest = Pick<RetrieveRequest, 'tenantId' | 'partitionNo' | 'tagIds'>;

/** A row with the terms that a search needs. */
export type ReadRow = HitRow & { terms: string };

/** Returns the rows of chunks by id; deleted chunks are left out. A path may name a file that the policy hides. */
export async function readRows(tx: Tx, request: HitRequest, ids: readonly string[]): Promise<Map<string, ReadRow>> {
  if (ids.length === 0) return new Map();
  // Lateral, with an offset: a join may be planned as a scan of all sources. The statement names the partition, because its plan is kept.
  const columns = hitColumns({ tagIds: request.tagIds, policy: null });
  const read = sql`
    select ${columns}, c.terms from ${identifier(chunkPartition(request.partitionNo))} c cross join lateral (
      select * from source where tenant_id = c.tenant_id and source_group_id = c.source_group_id and id = c.source_id offset 0) s
    where c.tenant_id = ${request.tenantId} and c.id = any(${ids}::uuid[])`;
  const rows = await tx.query<ReadRow>(keepPlan(read));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Adds the rows of the candidates that have not been read. */
export async function loadRows(
  tx: Tx,
  request: HitRequest,
  candidates: readonly { id: string }[],
  rows: Map<string, ReadRow>,
): Promise<void> {
  const missing = candidates.map(({ id }) => id).filter((id) => !rows.has(id));
  for (const [id, row] of await readRows(tx, request, missing)) rows.set(id, row);
}

/** Returns the ids of those chunks whose path names a file that the policy hides. */
export async function listHiddenPaths(
  tx: Tx,
  candidates: readonly { id: string }[],
  access: Pick<Access, 'policy'>,
): Promise<ReadonlySet<string>> {
  if (access.policy === null || candidates.length === 0) return new Set();
  const rows = await tx.query<{ id: string }>(sql`
    select c.id from chunk c join source s on s.tenant_id = c.tenant_id and s.id = c.source_id
    where c.tenant_id = ${tx.tenantId} and c.id = any(${candidates.map(({ id }) => id)}::uuid[]) and s.parent_source_id is not null
      and ${visiblePath(access)} is null`);
  return new Set(rows.map(({ id }) => id));
}

/** Returns hashes of the contents of chunks, by id: those that `contentHash` returns. */
export async function readHashes(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.query<{ id: string; hash: string }>(sql`
    select c.id, encode(sha256(convert_to(c.content, 'UTF8')), 'hex') as hash from chunk c
    where c.tenant_id = ${tx.tenantId} and c.id = any(${ids}::uuid[])`);
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}

export function contentHash(content: string): string {
  return hash('sha256', content);
}

/** The rank of a chunk; a chunk that no search found has no scores. */
export type Rank = Pick<Hit, 'score' | 'scores'>;
export const UNRANKED: Rank = { score: 0, scores: { lexical: null, semantic: null, rerank: null } };

/** Redacts a `hitColumns` row for a reader; returns undefined if a rule blocks it. */
export async function toHit(row: HitRow, { score, scores }: Rank, redactor: Redactor | null): Promise<Hit | undefined> {
  const { name, path, sourceGroupName, url, content, context, headingPath, chunkMetadata } = row;
  const metadata = mergedMetadata(row.originMetadata, row.apiMetadata);
  const facts = await redactFacts(redactor, { name, path, sourceGroupName, url, metadata });
  const steps = readerSteps(redactor, row.redactedBy);
  const text = await redactChunk(redactor, { content, context, headingPath, chunkMetadata }, steps);
  if (!facts || !text) return undefined;
  return {
    id: row.id,
    sourceId: row.sourceId,
    sourceGroupId: row.sourceGroupId,
    sourceGroupName: facts.sourceGroupName,
    generation: row.generation,
    sourceType: row.sourceType,
    fileType: row.fileType,
    name: facts.name,
    path: facts.path,
    url: facts.url,
    content: text.content,
    context: text.context,
    chunkIndex: row.chunkIndex,
    startOffset: row.startOffset,
    endOffset: row.endOffset,
    startLine: row.startLine,
    endLine: row.endLine,
    pages: row.pages,
    headingPath: text.headingPath,
    score,
    scores,
    metadata: facts.metadata,
    chunkMetadata: text.chunkMetadata,
    tags: row.tags,
    contentAt: row.contentAt,
    language: row.language,
  };
}

/** Returns the metadata sorted by key; API records win over origin records of the same key. */
function mergedMetadata(origin: TypedMetadata, api: Record<string, string>): TypedMetadata {
  const merged = new Map(Object.entries(origin));
  for (const [key, val] of Object.entries(api)) merged.set(key, { val, type: 'string' });
  return Object.fromEntries([...merged].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A neighbour, with the texts that can also block it. */
export type NeighbourRow = Neighbour &
  Pick<HitRow, 'context' | 'headingPath' | 'redactedBy'> & { hitId: string; isBefore: boolean };

/** Returns the nearest visible chunks around each of the given chunks in its source; null if no neighbours were asked for. */
export async function readNeighbours(
  tx: Tx,
  { policy }: Pick<Access, 'policy'>,
  around: readonly { id: string }[],
  { before, after }: { before: number; after: number },
): Promise<NeighbourRow[] | null> {
  if (before + after === 0) return null;
  const ofSource = sql`from chunk c where c.tenant_id = h.tenant_id and c.source_id = h.source_id and c.generation = h.generation
    and ${mayShowChunk({ policy })}`;
  const rows = await tx.query<NeighbourRow>(sql`
    select h.id as hit_id, c.ordinal < h.ordinal as is_before, c.id, c.ordinal as chunk_index, c.content, c.context, c.heading_path,
      c.start_offset, c.end_offset, c.start_line, c.end_line,
      (select s.redacted_by from source s where s.tenant_id = c.tenant_id and s.id = c.source_id) as redacted_by
    from chunk h cross join lateral (
      (select c.* ${ofSource} and c.ordinal < h.ordinal order by c.ordinal desc limit ${before})
      union all (select c.* ${ofSource} and c.ordinal > h.ordinal order by c.ordinal limit ${after})) c
    where h.tenant_id = ${tx.tenantId} and h.id = any(${around.map(({ id }) => id)}::uuid[])
    order by c.ordinal`);
  return rows.map((row) => withPlace(row, { policy }));
}

export async function addNeighbours(
  hits: readonly Hit[],
  rows: readonly NeighbourRow[] | null,
  redactor: Redactor | null,
): Promise<void> {
  if (!rows) return;
  const byHit = Map.groupBy(rows, (row) => row.hitId);
  for (const hit of hits) {
    const around = await collect(byHit.get(hit.id) ?? [], async ({ hitId: _, redactedBy, ...row }) => {
      const redacted = await redactChunk(redactor, row, readerSteps(redactor, redactedBy));
      if (!redacted) return undefined;
      const { context: _context, headingPath: _headingPath, ...neighbour } = redacted;
      return neighbour;
    });
    const [before, after] = [around.filter(({ isBefore }) => isBefore), around.filter(({ isBefore }) => !isBefore)];
    const withoutSide = ({ isBefore: _, ...neighbour }: (typeof around)[number]): Neighbour => neighbour;
    hit.neighbours = { before: before.map(withoutSide), after: after.map(withoutSide) };
  }
}

/** Returns the chunk without its place if the policy may hide chunks of a source: gaps would show that and where they are. */
export function withPlace<T extends Place>(chunk: T, { policy }: Pick<Access, 'policy'>): T {
  const hidden = { chunkIndex: null, startOffset: null, endOffset: null, startLine: null, endLine: null };
  return policy?.chunk ? { ...chunk, ...hidden } : chunk;
}
