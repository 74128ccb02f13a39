/**
 * Merging of the segments of BM25 indexes, for the embedded engine. An index writes its buffer out as a segment every hundred chunks
 * or so, and would merge segments in the very insert that fills the buffer: up to seconds in which everybody waits. Here the indexes
 * are told to leave that, and it is done a pass at a time, as work that lets searches go first: small merges always, larger ones when
 * nothing has been written for a while. Not never, for every search looks into every segment.
 */
import type { Database } from './database.ts';
import { identifier, sql } from './sql.ts';

interface Tier {
  /** A pass takes so many segments of a level that has as many. */
  segmentsAtOnce: number;
  /** Merges into segments of at most this, by the index's estimate: about twice their size. */
  segmentMb: number;
  /** When nothing has been written for so long … */
  quietMs: number;
  /** … or the index has more segments than this. */
  segmentsMax: number;
}

/** Passes of up to 0.08 s, 0.5 s and 2 s of work. */
const TIERS: readonly Tier[] = [
  { segmentsAtOnce: 4, segmentMb: 3, quietMs: 0, segmentsMax: 0 },
  { segmentsAtOnce: 8, segmentMb: 16, quietMs: 5_000, segmentsMax: 40 },
  { segmentsAtOnce: 8, segmentMb: 128, quietMs: 15_000, segmentsMax: 80 },
];

/** How often an index may be gone through in one call: what is left is left to the next. */
const PASSES_MAX = 32;

/** The last tier that is due; pure. */
export function dueTier(segments: number, quietMs: number): number {
  return TIERS.findLastIndex((tier) => quietMs >= tier.quietMs || segments > tier.segmentsMax);
}

interface TextIndex {
  name: string;
  /** Segments of each level. */
  levels: number[];
  mergesItself: boolean;
}

/** For each index its levels, and up to which tier nothing was left to merge then. The caller keeps it from call to call. */
export type MergedSegments = Map<string, { levels: string; tier: number }>;

/** Merges what is due `quietMs` after the last write. @throws the first error, once all other indexes were merged. */
export async function mergeSegments(
  db: Database,
  merged: MergedSegments,
  quietMs: number,
  signal: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  for (let pass = 0; pass < PASSES_MAX && !signal.aborted; pass += 1) {
    let isOver = true;
    for (const index of await listTextIndexes(db)) {
      try {
        if (index.mergesItself) await leaveMerging(db, index);
        if (await mergeOnce(db, merged, index, quietMs)) isOver = false;
      } catch (error) {
        failures.push(error);
        // The others go on; this one is tried again when something was written to it.
        merged.set(index.name, { levels: index.levels.join(), tier: TIERS.length });
      }
    }
    if (isOver) break;
  }
  if (failures.length > 0) throw failures[0];
}

async function listTextIndexes(db: Database): Promise<TextIndex[]> {
  return db.system.query<TextIndex>(sql`
    select c.relname as name, bm25_level_counts(c.oid) as levels,
      not coalesce('compaction=manual' = any (c.reloptions), false) as merges_itself
    from pg_class c join pg_am a on a.oid = c.relam where a.amname = 'bm25' and c.relkind = 'i'`);
}

async function leaveMerging(db: Database, { name }: TextIndex): Promise<void> {
  await db.system.executeOutsideTransaction(
    `alter index if exists ${identifier(name).text} set (compaction = 'manual')`,
  );
}

/** One pass over the index. Returns whether it merged anything. */
async function mergeOnce(db: Database, merged: MergedSegments, index: TextIndex, quietMs: number): Promise<boolean> {
  const levels = index.levels.join();
  const segments = index.levels.reduce((sum, count) => sum + count, 0);
  const before = merged.get(index.name);
  let tier = before?.levels === levels ? before.tier + 1 : 0;
  for (const due = dueTier(segments, quietMs); tier <= due; tier += 1) {
    if (await runPass(db, index, TIERS[tier]!)) return true;
    merged.set(index.name, { levels, tier });
  }
  return false;
}

/** What a pass has merged stays merged, even if its transaction ends badly. */
async function runPass(db: Database, { name }: TextIndex, { segmentsAtOnce, segmentMb }: Tier): Promise<boolean> {
  return db.system.transaction(
    async (tx) => {
      await tx.query(sql`
        select set_config('pg_textsearch.segments_per_level', ${String(segmentsAtOnce)}, true),
          set_config('pg_textsearch.max_segment_size', ${`${segmentMb}MB`}, true)`);
      const [row] = await tx.query<{ merged: boolean }>(sql`
        select bm25_compact_step(c.oid) as merged from pg_class c where c.oid = to_regclass(${name})`);
      return row?.merged ?? false;
    },
    { background: true },
  );
}
