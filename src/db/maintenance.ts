/**
 * Maintenance of the embedded engine, which has no background processes: statistics, vacuum, checkpoints, and merging of the
 * segments of BM25 indexes.
 *
 * The engine runs one statement at a time. So every step is short or waits for a quiet moment: statistics skip the long texts,
 * each partition is vacuumed alone, and checkpoints follow the growth of the log, so that no checkpoint is large.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from './database.ts';
import { identifier, sql } from './sql.ts';
import { type MergedSegments, mergeSegments } from './text-segments.ts';

/** How often maintenance reads the counters. */
const INTERVAL_MS = 1_000;
/** A checkpoint is due after this much log. The limit bounds the checkpoint (0.02 s of work) and the recovery after a kill. */
const CHECKPOINT_LOG_BYTES = 16 * 1024 * 1024;
/** With less log, a checkpoint waits until the log has not grown for this long. */
const CHECKPOINT_IDLE_MS = 15_000;
/**
 * A table is analyzed again after this many changed rows plus a tenth of its rows. While a table is written to, it is analyzed
 * only when it has doubled: ANALYZE makes a BM25 index write out its buffer, and the planner knows the table's size without ANALYZE.
 */
const ANALYZE_ROWS_MIN = 200;
const ANALYZE_SHARE = 0.1;
const ANALYZE_SHARE_BUSY = 1;
/**
 * The counters begin at zero whenever the engine starts. A table that is larger than this is therefore analyzed once after each start:
 * ANALYZE counts live and dead rows. Otherwise a database that starts every day would not be vacuumed.
 */
const ANALYZE_BYTES_MIN = 128 * 1024;
/** A table is vacuumed after this many dead rows plus a fifth of its rows. */
const VACUUM_ROWS_MIN = 500;
const VACUUM_SHARE = 0.2;
/** A vacuum waits for a quiet moment, but not with more dead rows than this, because dead rows slow every search down. */
const VACUUM_ROWS_URGENT = 20_000;

export interface Maintenance {
  /** Stops after the step in progress. */
  stop(): Promise<void>;
}

interface TableCounters {
  schema: string;
  name: string;
  rows: number;
  dead: number;
  changed: number;
  /** The table is large, and its rows have not been counted since the start. */
  uncounted: boolean;
}

/** Returns the tables that are due, in the order given. Pure. */
export function dueSteps(
  tables: readonly TableCounters[],
  quiet: boolean,
): { analyze: TableCounters[]; vacuum: TableCounters[] } {
  const analyzeShare = quiet ? ANALYZE_SHARE : ANALYZE_SHARE_BUSY;
  return {
    analyze: tables.filter(
      (table) => (quiet && table.uncounted) || table.changed > ANALYZE_ROWS_MIN + table.rows * analyzeShare,
    ),
    vacuum: tables.filter(
      (table) => table.dead > VACUUM_ROWS_URGENT || (quiet && table.dead > VACUUM_ROWS_MIN + table.rows * VACUUM_SHARE),
    ),
  };
}

/** Starts the maintenance. Does nothing on a server, which has autovacuum. */
export function startMaintenance(db: Database, log: Pick<FastifyBaseLogger, 'warn'>): Maintenance {
  if (db.kind === 'server') return { stop: async () => {} };
  const stopping = new AbortController();
  const state: MaintenanceState = { position: 0, grownAt: Date.now(), merged: new Map() };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await pause(INTERVAL_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      await maintain(db, state, stopping.signal).catch((error: unknown) =>
        log.warn({ err: error }, 'database maintenance failed'),
      );
    }
  };
  const running = loop();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

interface MaintenanceState {
  /** Bytes of log written since the last checkpoint, as the last round read them. */
  position: number;
  grownAt: number;
  merged: MergedSegments;
}

async function maintain(db: Database, state: MaintenanceState, signal: AbortSignal): Promise<void> {
  const written = await logBytes(db);
  if (written !== state.position) {
    state.position = written;
    state.grownAt = Date.now();
  }
  const quietMs = Date.now() - state.grownAt;
  if (quietMs <= TABLES_CHANGE_MS) await maintainTables(db, quietMs > 0);
  if (written > CHECKPOINT_LOG_BYTES || (written > CHECKPOINT_RECORD_BYTES && quietMs > CHECKPOINT_IDLE_MS)) {
    await db.system.executeOutsideTransaction('checkpoint');
  }
  await mergeSegments(db, state.merged, quietMs, signal);
  state.position = await logBytes(db);
}

/** After a longer quiet time, the tables have not changed since the last round. */
const TABLES_CHANGE_MS = 4_000;

/** A checkpoint writes less log than this itself, which is no reason for another checkpoint. */
const CHECKPOINT_RECORD_BYTES = 16 * 1024;

async function logBytes(db: Database): Promise<number> {
  const [row] = await db.system.query<{ bytes: string }>(
    sql`select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) as bytes from pg_control_checkpoint()`,
  );
  return Number(row?.bytes ?? 0);
}

async function maintainTables(db: Database, quiet: boolean): Promise<void> {
  const { analyze, vacuum } = dueSteps(await countChanges(db), quiet);
  for (const table of analyze) await db.system.executeOutsideTransaction(`analyze ${qualified(table)}`);
  for (const table of vacuum) await db.system.executeOutsideTransaction(`vacuum (truncate off) ${qualified(table)}`);
}

/**
 * Includes the system catalogs, which every ANALYZE makes larger, and long values, which have tables of their own. A table with an HNSW
 * index is not vacuumed: the vacuum of such an index takes 10 to 38 s with 20,000 vectors. The table is copied instead (renewWornVectors).
 */
async function countChanges(db: Database): Promise<TableCounters[]> {
  return db.system.query<TableCounters>(sql`
    select * from (
      select schemaname as schema, relname as name, n_live_tup as rows,
        case when exists (select from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
          where i.indrelid = relid and a.amname = 'hnsw') then 0 else n_dead_tup end as dead,
        case when s.is_own then n_mod_since_analyze else 0 end as changed,
        s.is_own and last_analyze is null and last_vacuum is null and pg_relation_size(relid) > ${ANALYZE_BYTES_MIN} as uncounted
      from pg_stat_all_tables, lateral (select schemaname not in ('pg_catalog', 'pg_toast') as is_own) s) t
    where dead > 0 or changed > 0 or uncounted
    order by dead desc`);
}

function qualified(table: TableCounters): string {
  return `${identifier(table.schema).text}.${identifier(table.name).text}`;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
