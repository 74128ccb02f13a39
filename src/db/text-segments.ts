/**
 * BM25 indexes write what they buffer as small segments, and merge eight of a level into one of the next. By themselves they do so
 * within the insert that fills the buffer; here it is done between other statements, and the large merges in quiet moments.
 */
import type { Database } from './database.ts';
import { raw, sql } from './sql.ts';

/** As many of one level are merged: the index's own default. */
const SEGMENTS_PER_LEVEL = 8;
/** Every search looks into all segments: with so many of a level they are merged at once, however long it takes. */
const SEGMENTS_URGENT = 24;

interface TextIndex {
  id: number;
  /** Quoted, as SQL has it. */
  name: string;
  /** It does not merge by itself. */
  isManual: boolean;
}

/** What is due of all BM25 indexes, step by step. */
export async function mergeSegments(db: Database, quiet: boolean): Promise<void> {
  if (!db.hasTextSearch) return;
  const indexes = await db.system.query<TextIndex>(sql`
    select i.oid::int8 as id, i.oid::regclass::text as name, coalesce('compaction=manual' = any(i.reloptions), false) as "isManual"
    from pg_class i join pg_am a on a.oid = i.relam where a.amname = 'bm25' and i.relkind = 'i'`);
  for (const { id, name, isManual } of indexes) {
    if (!isManual) await db.system.query(raw(`alter index ${name} set (compaction = 'manual')`));
    while (isMergeDue(await countSegments(db, id), quiet)) {
      const [step] = await db.system.query<{ merged: boolean }>(
        sql`select bm25_compact_step(${id}::oid::regclass) as merged`,
      );
      if (!step?.merged) break;
    }
  }
}

/** How many segments there are of each level. */
async function countSegments(db: Database, id: number): Promise<number[]> {
  const [row] = await db.system.query<{ levels: number[] }>(
    sql`select bm25_level_counts(${id}::oid::regclass) as levels`,
  );
  return row?.levels ?? [];
}

/** A step merges the lowest level that is full. The first level is merged while files come in as well; pure. */
export function isMergeDue(levels: readonly number[], quiet: boolean): boolean {
  const level = levels.findIndex((count) => count >= SEGMENTS_PER_LEVEL);
  return level === 0 || (level > 0 && (quiet || levels[level]! >= SEGMENTS_URGENT));
}
