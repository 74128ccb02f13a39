/** Content by id instead of by question: one chunk, the chunks of a source, its text. The same walls as in search. */
import { withinLimits } from '../corpus/group-store.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import { type Access, mayShowChunk, mayShowSource, showsEverything, showsSomething } from '../policy/access.ts';
import { ALIVE, SERVED, SOURCE_TABLES } from './filter-sql.ts';
import { type HitRow, hitColumns, toHit, UNRANKED } from './hits.ts';
import type { Hit } from './types.ts';

export interface SourceText {
  text: string;
  /** Of the whole extracted text, in code points. */
  textLength: number;
}

/** Undefined for chunks that do not exist, are deleted, or may not be seen. */
export async function findChunk(tx: Queryable, tenantId: string, id: string, access: Access): Promise<Hit | undefined> {
  const [row] = await tx.query<HitRow>(sql`
    select ${hitColumns(access.tagIds)} from chunk c join ${SOURCE_TABLES} on s.tenant_id = c.tenant_id and s.id = c.source_id
    where c.tenant_id = ${tenantId} and c.id = ${id} and ${ALIVE} and ${SERVED} and ${withinLimits(access)}
      and ${mayShowSource(access)} and ${mayShowChunk(access)}`);
  return row && toHit(row, UNRANKED);
}

/**
 * Chunks of a source in reading order, with one more than `limit` when there is a next page; undefined when there is no such
 * source, or nothing of it may be seen. After the id of a chunk that is gone there is nothing: its source has been read anew, and the list with it.
 */
export async function listChunks(
  tx: Tx,
  tenantId: string,
  sourceId: string,
  access: Access,
  page: { limit: number; afterId?: string | undefined },
): Promise<{ rows: Hit[]; total: number } | undefined> {
  const source = await findSource(tx, tenantId, sourceId, access);
  if (!source) return undefined;
  const after =
    page.afterId === undefined
      ? raw('true')
      : sql`c.ordinal > (select c.ordinal from chunk c
            where c.tenant_id = ${tenantId} and c.source_id = ${sourceId} and c.generation = ${source.generation}
              and c.id = ${page.afterId} and ${mayShowChunk(access)})`;
  const rows = await tx.query<HitRow>(sql`
    select ${hitColumns(access.tagIds)} from chunk c join source s on s.tenant_id = c.tenant_id and s.id = c.source_id
    where c.tenant_id = ${tenantId} and c.source_id = ${sourceId} and c.generation = ${source.generation} and ${mayShowChunk(access)} and ${after}
    order by c.ordinal limit ${page.limit + 1}`);
  return {
    rows: rows.map((row) => toHit(row, UNRANKED)),
    total: await countShown(tx, tenantId, sourceId, source, access),
  };
}

/**
 * Code points `start` to `end` of the extracted text, less where it ends before; undefined when there is no such source, or a part
 * of it may not be seen.
 */
export async function readText(
  tx: Tx,
  tenantId: string,
  sourceId: string,
  access: Access,
  range: { start: number; end: number },
): Promise<SourceText | undefined> {
  const source = await findSource(tx, tenantId, sourceId, access, showsEverything(access));
  if (!source) return undefined;
  const { start, end } = range;
  const segments = await tx.query<{ part: string }>(sql`
    select substr(t.content, greatest(${start}::int - t.start_offset, 0) + 1,
                  least(${end}::int, t.end_offset) - greatest(${start}::int, t.start_offset)) as part
    from source_text t
    where t.tenant_id = ${tenantId} and t.source_id = ${sourceId} and t.generation = ${source.generation} and t.start_offset < ${end}::int and t.end_offset > ${start}::int
    order by t.start_offset`);
  return { text: segments.map((segment) => segment.part).join(''), textLength: source.textLength };
}

interface ShownSource {
  generation: number;
  chunkCount: number;
  textLength: number;
}

/** @param condition on source `s`. */
async function findSource(
  tx: Tx,
  tenantId: string,
  id: string,
  access: Access,
  condition: Sql = raw('true'),
): Promise<ShownSource | undefined> {
  const columns: Sql = raw('s.generation, s.chunk_count as "chunkCount", s.text_length as "textLength"');
  const [source] = await tx.query<ShownSource>(sql`
    select ${columns} from ${SOURCE_TABLES}
    where s.tenant_id = ${tenantId} and s.id = ${id} and ${ALIVE} and ${withinLimits(access)}
      and ${mayShowSource(access)} and ${showsSomething(access)} and ${condition}`);
  return source;
}

/** A number that counted more than is shown would tell that there is more. */
async function countShown(
  tx: Tx,
  tenantId: string,
  sourceId: string,
  { generation, chunkCount }: ShownSource,
  access: Access,
): Promise<number> {
  if (!access.policy?.chunk) return chunkCount;
  const [count] = await tx.query<{ total: number }>(sql`
    select count(*) as total from chunk c
    where c.tenant_id = ${tenantId} and c.source_id = ${sourceId} and c.generation = ${generation} and ${mayShowChunk(access)}`);
  return count!.total;
}
