/** Queries about the pages of sources that the caller may see. */
import type { Tx } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { headersOf } from '../../redaction/column-headers.ts';
import type { WholeFile } from '../../retrieval/reading/whole-file.ts';

type PagedSource = Pick<WholeFile, 'id' | 'generation'>;

/** Code points of the extracted text, half-open. */
export interface PageRange {
  page: number;
  startOffset: number;
  endOffset: number;
}

/** Returns for each page with chunks the range of these chunks. */
export function listPageRanges(tx: Tx, source: PagedSource): Promise<PageRange[]> {
  return tx.query(sql`
    select p.page, min(c.start_offset) as start_offset, max(c.end_offset) as end_offset
    from chunk c cross join lateral unnest(c.pages) p(page)
    where c.tenant_id = ${tx.tenantId} and c.source_id = ${source.id} and c.generation = ${source.generation}
    group by p.page order by p.page`);
}

export interface PageChunk {
  id: string;
  startOffset: number;
  endOffset: number;
}

/** Returns the chunks that stand on a page, in reading order, at most `limit`. */
export function listPageChunks(tx: Tx, source: PagedSource, page: number, limit: number): Promise<PageChunk[]> {
  return tx.query(sql`
    select c.id, c.start_offset, c.end_offset from chunk c
    where c.tenant_id = ${tx.tenantId} and c.source_id = ${source.id} and c.generation = ${source.generation} and ${page} = any(c.pages)
    order by c.ordinal limit ${limit}`);
}

export async function listPageHeaders(tx: Tx, source: PagedSource, page: number): Promise<string[]> {
  const rows = await tx.query<{ content: string; context: string | null }>(sql`
    select c.content, c.context from chunk c
    where c.tenant_id = ${tx.tenantId} and c.source_id = ${source.id} and c.generation = ${source.generation} and ${page} = any(c.pages)
      and (c.content like '%|%' or c.context like '%|%')`);
  return [...new Set(rows.flatMap(({ content, context }) => headersOf(content, context)))];
}
