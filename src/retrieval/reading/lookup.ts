/** Reads content by id: one chunk, the chunks of a source, or its text. The access rules are the same as in search. */

import { type Access, mayShowChunk, showsEverything } from '../../access/access.ts';
import { SOURCE_PATH } from '../../corpus/sources/paths.ts';
import type { Tx } from '../../db/database.ts';
import { raw, type Sql, sql } from '../../db/sql.ts';
import { isSourceBlocked, offsetsAfter, readerSteps } from '../../redaction/apply-redaction.ts';
import { headerOf } from '../../redaction/column-headers.ts';
import type { ApplyAt, Redactor } from '../../redaction/redact.ts';
import { collect } from '../../util/collect.ts';
import { SOURCE_TABLES, visibleSource } from '../query/filter-sql.ts';
import type { Hit } from '../types.ts';
import { type HitRow, hitColumns, toHit, UNRANKED, visibleChunks, withPlace } from './hits.ts';

/** Number of code points read on both sides of a range: twice the length of the longest match, a block of a private key. */
const REDACTION_MARGIN = 16_384;

/** A range of stored text, with a margin around it if rules must be applied. */
export interface ReadRange {
  /** The name and the path of the source. */
  name: string;
  path: string | null;
  text: string;
  /** The requested range within `text`, in code points. */
  from: number;
  to: number;
  steps: readonly ApplyAt[];
  /** The header of the table whose rows `text` continues, if rules must be applied. */
  header: string | undefined;
  /** Length of the whole extracted text, in code points. */
  textLength: number;
}

/** Returns the chunk; undefined if it does not exist, is deleted, or the caller may not see it. */
export async function findChunk(tx: Tx, id: string, access: Access): Promise<HitRow | undefined> {
  return (await findChunks(tx, [id], access))[0];
}

/** Returns the chunks in the order of the ids. Chunks are left out as in `findChunk`. */
export async function findChunks(tx: Tx, ids: readonly string[], access: Access): Promise<HitRow[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<HitRow>(sql`
    select ${hitColumns(access)} ${visibleChunks(tx.tenantId, access)} and c.id = any(${[...ids]}::uuid[])`);
  const found = new Map(rows.map((row) => [row.id, withPlace(row, access)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Returns the first `max` chunks of a source that lie in a range of its text, in reading order. */
export async function findChunkIds(
  tx: Tx,
  sourceId: string,
  { start, end, max }: { start: number; end: number; max: number },
  access: Access,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select c.id ${visibleChunks(tx.tenantId, access)}
      and c.source_id = ${sourceId} and c.start_offset < ${end}::int and c.end_offset > ${start}::int
    order by c.ordinal limit ${max}`);
  return rows.map(({ id }) => id);
}

/** Returns the headers of the tables whose rows these chunks continue, by id. */
export async function findHeaders(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ id: string; context: string }>(sql`
    select c.id, c.context from chunk c
    where c.tenant_id = ${tx.tenantId} and c.id = any(${ids}::uuid[]) and c.context is not null`);
  return new Map(rows.map(({ id, context }) => [id, headerOf(context) ?? '']));
}

/** Returns where the last visible chunk begins that begins at the line or before it, else the first; undefined if no lines are known. */
export async function findPassageAt(
  tx: Tx,
  sourceId: string,
  line: number,
  access: Access,
): Promise<{ startOffset: number; startLine: number } | undefined> {
  const [found] = await tx.query<{ startOffset: number; startLine: number }>(sql`
    select c.start_offset, c.start_line ${visibleChunks(tx.tenantId, access)}
      and c.source_id = ${sourceId} and c.start_line is not null
    order by c.start_line <= ${line}::int desc, abs(c.start_line - ${line}::int), c.ordinal limit 1`);
  return found;
}

/** Returns the redacted chunks; blocked chunks are left out. Do not call this function within a transaction: it may be slow. */
export function readerViewOfChunks(redactor: Redactor | null, rows: readonly HitRow[]): Promise<Hit[]> {
  return collect(rows, (row) => toHit(row, UNRANKED, redactor));
}

/**
 * Returns one page of a source's chunks in reading order; undefined if the source does not exist or nothing of it is visible. The page
 * after a deleted chunk is empty: the source has been read again, so its list of chunks is another one.
 */
export async function listChunks(
  tx: Tx,
  sourceId: string,
  access: Access,
  page: { limit: number; afterId?: string | undefined },
): Promise<{ rows: HitRow[]; nextId: string | null; total: number } | undefined> {
  const source = await findSource(tx, sourceId, access);
  if (!source) return undefined;
  const after =
    page.afterId === undefined
      ? raw('true')
      : sql`c.ordinal > (select c.ordinal from chunk c
            where c.tenant_id = ${tx.tenantId} and c.source_id = ${sourceId} and c.generation = ${source.generation}
              and c.id = ${page.afterId} and ${mayShowChunk(access)})`;
  const rows = await tx.query<HitRow>(sql`
    select ${hitColumns(access)} from chunk c join source s on s.tenant_id = c.tenant_id and s.id = c.source_id
    where c.tenant_id = ${tx.tenantId} and c.source_id = ${sourceId} and c.generation = ${source.generation}
      and ${mayShowChunk(access)} and ${after}
    order by c.ordinal limit ${page.limit + 1}`);
  const onPage = rows.slice(0, page.limit);
  return {
    rows: onPage.map((row) => withPlace(row, access)),
    nextId: rows.length > page.limit ? onPage.at(-1)!.id : null,
    total: await countVisible(tx, sourceId, source, access),
  };
}

/**
 * Reads the code points `start` to `end` of the extracted text, or fewer at its end. Returns undefined if the source does not exist
 * or a part of it is not visible.
 */
export async function readText(
  tx: Tx,
  sourceId: string,
  access: Access,
  range: { start: number; end: number },
  redactor: Redactor | null,
): Promise<ReadRange | undefined> {
  const source = await findSource(tx, sourceId, access, showsEverything(access));
  if (!source) return undefined;
  const steps = readerSteps(redactor, source.redactedBy).filter((step) => redactor?.appliesAt(step));
  // A match may begin before the range or end after it, and a rule does not recognise half of a match.
  const margin = steps.length === 0 ? 0 : REDACTION_MARGIN;
  const from = Math.max(0, range.start - margin);
  // A range that begins within a table lacks the header, which the chunk has.
  const chunk = steps.length === 0 ? undefined : await chunkAt(tx, sourceId, source.generation, from);
  const start = steps.length === 0 ? from : (chunk?.startOffset ?? 0);
  const end = range.end + margin;
  const text = await readTextRange(tx, { id: sourceId, generation: source.generation }, { start, end });
  return {
    name: source.name,
    path: source.path,
    text,
    steps,
    header: headerOf(chunk?.context),
    from: range.start - start,
    to: range.end - start,
    textLength: source.textLength,
  };
}

/** Returns the last chunk that begins at or before a code point of the text. */
async function chunkAt(tx: Tx, sourceId: string, generation: number, at: number) {
  const [chunk] = await tx.query<{ startOffset: number; context: string | null }>(sql`
    select c.start_offset, c.context from chunk c
    where c.tenant_id = ${tx.tenantId} and c.source_id = ${sourceId} and c.generation = ${generation} and c.start_offset <= ${at}
    order by c.ordinal desc limit 1`);
  return chunk;
}

/** Returns the code points `start` to `end` of the extracted text, or fewer at its end, whoever may see them. */
export async function readTextRange(
  tx: Tx,
  { id, generation }: { id: string; generation: number },
  { start, end }: { start: number; end: number },
): Promise<string> {
  const segments = await tx.query<{ part: string }>(sql`
    select substr(t.content, greatest(${start}::int - t.start_offset, 0) + 1,
                  least(${end}::int, t.end_offset) - greatest(${start}::int, t.start_offset)) as part
    from source_text t
    where t.tenant_id = ${tx.tenantId} and t.source_id = ${id} and t.generation = ${generation}
      and t.start_offset < ${end}::int and t.end_offset > ${start}::int
    order by t.start_offset`);
  return segments.map(({ part }) => part).join('');
}

/**
 * Returns parts of the read range, in code points of its text, half-open. Every match that overlaps a part is replaced, and then the part
 * is changed. Returns undefined if a rule blocks the text. Do not call this function within a transaction: it may be slow.
 */
export async function readerViewOfParts(
  redactor: Redactor | null,
  read: ReadRange,
  parts: readonly Pick<ReadRange, 'from' | 'to'>[],
  signal: AbortSignal,
): Promise<{ text: string; isChanged: boolean }[] | undefined> {
  if (await isSourceBlocked(redactor, read)) return undefined;
  let { text } = read;
  let views = parts.map(({ from, to }) => ({ from, to, isChanged: false }));
  for (const step of read.steps) {
    const { text: redacted, matches, blocked } = await redactor!.redact(text, step, signal, read.header);
    if (blocked) return undefined;
    const offsetOf = offsetsAfter(matches);
    views = views.map(({ from, to, isChanged }) => {
      const cut = matches.find((match) => match.end > from && match.start < from);
      const start = offsetOf(cut ? cut.start : from);
      return {
        from: start,
        to: Math.max(start, offsetOf(to)),
        isChanged: isChanged || matches.some((match) => match.end > from && match.start < to),
      };
    });
    text = redacted;
  }
  const points = [...text];
  return views.map(({ from, to, isChanged }) => ({ text: points.slice(from, to).join(''), isChanged }));
}

interface VisibleSource {
  name: string;
  path: string | null;
  redactedBy: string;
  generation: number;
  chunkCount: number;
  textLength: number;
}

/** Returns the source if the caller may see it. @param condition a further condition on source `s`. */
async function findSource(
  tx: Tx,
  id: string,
  access: Access,
  condition: Sql = raw('true'),
): Promise<VisibleSource | undefined> {
  const [source] = await tx.query<VisibleSource>(sql`
    select s.name, ${SOURCE_PATH} as path, s.redacted_by, s.generation, s.chunk_count, s.text_length from ${SOURCE_TABLES}
    where s.tenant_id = ${tx.tenantId} and s.id = ${id} and ${visibleSource(access)} and ${condition}`);
  return source;
}

/** Returns the number of visible chunks: a larger number would reveal that hidden chunks exist. */
async function countVisible(
  tx: Tx,
  sourceId: string,
  { generation, chunkCount }: VisibleSource,
  access: Access,
): Promise<number> {
  if (!access.policy?.chunk) return chunkCount;
  const [count] = await tx.query<{ total: number }>(sql`
    select count(*) as total from chunk c
    where c.tenant_id = ${tx.tenantId} and c.source_id = ${sourceId} and c.generation = ${generation} and ${mayShowChunk(access)}`);
  return count!.total;
}
