/**
 * Merges the segments of BM25 indexes, for the embedded engine. About every hundred chunks an index writes its buffer out as a
 * segment. By default it also merges segments in the insert that fills the buffer, which blocks everybody for up to seconds. So
 * maintenance turns this off and merges in single passes, as background work that lets searches go first: small merges always,
 * larger ones when nothing was written for a while, or when there are very many segments. Merging stays necessary because every search
 * reads every segment.
 */
import type { Database } from './database.ts';
import { identifier, sql } from './sql.ts';

interface Tier {
  /** A pass merges up to this many segments of one level. While only the first tier is due, it waits for as many. */
  segmentsAtOnce: number;
  /** The largest segment that a pass makes, by the estimate of the index (about twice the real size). */
  segmentMb: number;
  /** The tier is due when nothing was written for so long … */
  quietMs: number;
  /** … or the index has more segments than this, without those that no pass could merge. */
  segmentsMax: number;
}

/**
 * The tiers' passes take up to 0.08 s and 2 s of work. A pass keeps all words of its segments in memory, and the engine never gives
 * memory back. With 100,000 chunks the engine has 244 MB after the merges, and a lexical search takes 3.6 ms. With segments of 128 MB
 * these were 608 MB and 2.8 ms, and a pass took 4.5 s.
 */
const TIERS: readonly Tier[] = [
  { segmentsAtOnce: 4, segmentMb: 3, quietMs: 0, segmentsMax: 0 },
  { segmentsAtOnce: 8, segmentMb: 16, quietMs: 5_000, segmentsMax: 40 },
];

/** Most passes of one call. The next call goes on. */
const PASSES_MAX = 32;

/** Returns the last tier that is due. Pure. */
export function dueTier(segments: number, quietMs: number): number {
  return TIERS.findLastIndex((tier) => quietMs >= tier.quietMs || segments > tier.segmentsMax);
}

interface TextIndex {
  name: string;
  /** The number of segments of each level. */
  levels: number[];
  mergesOnInsert: boolean;
}

/**
 * By index: its levels, the last tier that found nothing to merge at these levels, and the number of segments when the last of all tiers
 * found nothing: most of them are as large as a pass makes them. The caller keeps the map between calls.
 */
export type MergedSegments = Map<string, { levels: string; tier: number; settled: number }>;

/** Merges what is due `quietMs` after the last write. @throws the first error, after all other indexes were merged. */
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
        if (index.mergesOnInsert) await turnOffOwnMerging(db, index);
        if (await mergeOnce(db, merged, index, quietMs)) isOver = false;
      } catch (error) {
        failures.push(error);
        // The other indexes go on. This index is retried after the next write to it.
        merged.set(index.name, {
          levels: index.levels.join(),
          tier: TIERS.length,
          settled: merged.get(index.name)?.settled ?? 0,
        });
      }
    }
    if (isOver) break;
  }
  if (failures.length > 0) throw failures[0];
}

async function listTextIndexes(db: Database): Promise<TextIndex[]> {
  return db.system.query<TextIndex>(sql`
    select c.relname as name, bm25_level_counts(c.oid) as levels,
       not coalesce('compaction=manual' = any (c.reloptions), false) as merges_on_insert
    from pg_class c join pg_am a on a.oid = c.relam where a.amname = 'bm25' and c.relkind = 'i'`);
}

async function turnOffOwnMerging(db: Database, { name }: TextIndex): Promise<void> {
  await db.system.executeOutsideTransaction(
    `alter index if exists ${identifier(name).text} set (compaction = 'manual')`,
  );
}

/** Runs one pass over the index. Returns whether the pass merged anything. */
async function mergeOnce(db: Database, merged: MergedSegments, index: TextIndex, quietMs: number): Promise<boolean> {
  const levels = index.levels.join();
  const segments = index.levels.reduce((sum, count) => sum + count, 0);
  const before = merged.get(index.name);
  let tier = before?.levels === levels ? before.tier + 1 : 0;
  const settled = Math.min(before?.settled ?? 0, segments);
  const due = dueTier(segments - settled, quietMs);
  // A pass would merge two segments as well, and so write most chunks again after every hundred new ones.
  if (due === 0 && index.levels.every((count) => count < TIERS[0]!.segmentsAtOnce)) return false;
  for (; tier <= due; tier += 1) {
    if (await runPass(db, index, TIERS[tier]!)) return true;
    merged.set(index.name, { levels, tier, settled: tier === TIERS.length - 1 ? segments : settled });
  }
  return false;
}

/** Runs one pass of a tier. Merged segments stay merged even if the transaction is rolled back. */
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
