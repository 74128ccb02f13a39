/** Queries about the pages of sources, under the access rules of content lookup. */
import { type Access, mayShowSource, showsEverything, showsSomething } from '../../access/access.ts';
import { withinLimits } from '../../access/limits.ts';
import type { Queryable } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { ALIVE, SOURCE_TABLES } from '../../retrieval/query/filter-sql.ts';

export interface PagedSource {
  id: string;
  name: string;
  blobHash: string;
  /** Bytes of the stored file. */
  size: number;
  generation: number;
  redactedBy: string;
  textLength: number;
}

/** Returns a PDF of which the caller may see everything. */
export async function findPdf(
  tx: Queryable,
  tenantId: string,
  id: string,
  access: Access,
): Promise<PagedSource | undefined> {
  const [source] = await tx.query<PagedSource>(sql`
    select s.id, s.name, s.blob_hash, b.size, s.generation, s.redacted_by, s.text_length
    from ${SOURCE_TABLES} join blob b on b.tenant_id = s.tenant_id and b.hash = s.blob_hash
    where s.tenant_id = ${tenantId} and s.id = ${id} and s.file_type = 'pdf' and ${ALIVE} and ${withinLimits(access)}
      and ${mayShowSource(access)} and ${showsSomething(access)} and ${showsEverything(access)}`);
  return source;
}

/** Code points of the extracted text, half-open. */
export interface PageRange {
  page: number;
  startOffset: number;
  endOffset: number;
}

/** Returns for each page with chunks the range of these chunks. */
export function listPageRanges(tx: Queryable, tenantId: string, source: PagedSource): Promise<PageRange[]> {
  return tx.query(sql`
    select p.page, min(c.start_offset) as start_offset, max(c.end_offset) as end_offset
    from chunk c cross join lateral unnest(c.pages) p(page)
    where c.tenant_id = ${tenantId} and c.source_id = ${source.id} and c.generation = ${source.generation}
    group by p.page order by p.page`);
}

export interface PageChunk {
  id: string;
  startOffset: number;
  endOffset: number;
}

/** Returns the chunks that stand on a page, in reading order, at most `limit`. */
export function listPageChunks(
  tx: Queryable,
  tenantId: string,
  source: PagedSource,
  page: number,
  limit: number,
): Promise<PageChunk[]> {
  return tx.query(sql`
    select c.id, c.start_offset, c.end_offset from chunk c
    where c.tenant_id = ${tenantId} and c.source_id = ${source.id} and c.generation = ${source.generation} and ${page} = any(c.pages)
    order by c.ordinal limit ${limit}`);
}

/** Returns the code points from `start` to `end` of the extracted text, or fewer at its end. */
export async function readRange(
  tx: Queryable,
  tenantId: string,
  source: PagedSource,
  start: number,
  end: number,
): Promise<string> {
  const segments = await tx.query<{ part: string }>(sql`
    select substr(t.content, greatest(${start}::int - t.start_offset, 0) + 1,
                  least(${end}::int, t.end_offset) - greatest(${start}::int, t.start_offset)) as part
    from source_text t
    where t.tenant_id = ${tenantId} and t.source_id = ${source.id} and t.generation = ${source.generation}
      and t.start_offset < ${end}::int and t.end_offset > ${start}::int
    order by t.start_offset`);
  return segments.map(({ part }) => part).join('');
}
