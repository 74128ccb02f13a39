/** SQL of the table run_file: what a run did with each file. */
import type { Tx } from '../../db/database.ts';
import { type Listed, type PageRequest, readPage } from '../../db/page-sql.ts';
import { recordset } from '../../db/recordset.ts';
import { keepPlan, raw, sql } from '../../db/sql.ts';
import { newId } from '../../util/ids.ts';
import { SOURCE_PATH_SQL } from '../sources/paths.ts';
import type { FilePlace } from '../values.ts';

/** A run of more files keeps only its first ones by name; its counts have all. */
export const RUN_FILES_MAX = 10_000;
/** Files that a run skipped are kept up to this number. A crawl may skip the same ones every hour. */
export const RUN_SKIPPED_MAX = 500;
export const FILE_CHANGES = ['added', 'updated', 'deleted', 'failed', 'skipped'] as const;
export type FileChange = (typeof FILE_CHANGES)[number];

export interface NewRunFile {
  sourceId: string;
  /** Failed files are in the table run_error. */
  change: Exclude<FileChange, 'failed' | 'skipped'>;
  /** Of a file that is deleted already; absent for others. */
  path?: string | null;
  /** Milliseconds in the parser process; absent for files that were not read. */
  readMs?: number | undefined;
}

/** A file that the origin lists and a rule excludes. */
export interface SkippedFile extends FilePlace {
  name: string;
  reason: string;
}

export interface RunFile {
  /** Position in the list: of the source, of the error, or of the skipped file. */
  id: string;
  sourceId: string | null;
  name: string;
  path: string | null;
  url: string | null;
  change: FileChange;
  readMs: number | null;
  stage: string | null;
  title: string | null;
  message: string | null;
  retryable: boolean | null;
}

/** Returns the records of deleted sources. */
export function deletedFiles(sources: readonly { id: string; path: string | null }[]): NewRunFile[] {
  return sources.map(({ id, path }) => ({ sourceId: id, path, change: 'deleted' }));
}

/**
 * Saves what the run did with files whose rows still exist. A later change of the same file replaces the earlier one. The run counts at
 * least every saved file, so the rows are only counted when its own counts have reached the limit.
 */
export async function insertRunFiles(tx: Tx, runId: string, files: readonly NewRunFile[]): Promise<void> {
  if (files.length === 0) return;
  const given = recordset(
    {
      source_id: 'uuid',
      change: 'text',
      path: { type: 'text', insert: `coalesce(r.path, ${SOURCE_PATH_SQL})` },
      read_ms: 'int',
    },
    files,
  );
  await tx.query(
    keepPlan(sql`
    insert into run_file (tenant_id, run_id, name, url, ${given.columns})
    select ${tx.tenantId}::uuid, ${runId}::uuid, s.name, s.url, ${given.values}
    from ${given.table} join source s on s.tenant_id = ${tx.tenantId} and s.id = r.source_id
    where (select r.added + r.updated + r.deleted from run r where r.tenant_id = ${tx.tenantId} and r.id = ${runId}) < ${RUN_FILES_MAX}
      or (select count(*) from run_file f where f.tenant_id = ${tx.tenantId} and f.run_id = ${runId} and f.change <> 'skipped')
        < ${RUN_FILES_MAX}
    on conflict (tenant_id, run_id, source_id) do update set change = excluded.change, name = excluded.name,
      path = excluded.path, url = excluded.url, read_ms = coalesce(excluded.read_ms, run_file.read_ms)`),
  );
}

/** Saves files that the run skipped, up to RUN_SKIPPED_MAX in a run. */
export async function insertSkippedFiles(tx: Tx, runId: string, files: readonly SkippedFile[]): Promise<void> {
  if (files.length === 0) return;
  const rows = files.map((file) => ({ sourceId: newId(), ...file }));
  const given = recordset({ source_id: 'uuid', name: 'text', path: 'text', url: 'text', reason: 'text' }, rows);
  await tx.query(sql`
    insert into run_file (tenant_id, run_id, change, ${given.columns})
    select ${tx.tenantId}::uuid, ${runId}::uuid, 'skipped', ${given.values} from ${given.table}
    limit (select greatest(0, ${RUN_SKIPPED_MAX} - count(*)) from run_file f
      where f.tenant_id = ${tx.tenantId} and f.run_id = ${runId} and f.change = 'skipped')`);
}

/** Returns one page of the files that the run changed, skipped or could not read, with one extra row if a next page exists. */
export function listRunFiles(
  tx: Tx,
  runId: string,
  change: FileChange | undefined,
  page: PageRequest,
): Promise<Listed<RunFile>> {
  const all = sql`(
    select f.source_id as id, case when f.change <> 'skipped' then f.source_id end as source_id, f.name, f.path, f.url,
      f.change, f.read_ms, null::text as stage, null::text as title, f.reason as message, null::boolean as retryable
    from run_file f where f.tenant_id = ${tx.tenantId} and f.run_id = ${runId} and not exists (
      select from run_error e where e.tenant_id = f.tenant_id and e.run_id = f.run_id and e.source_id = f.source_id)
    union all
    select e.id, e.source_id, e.name, e.path, e.url, 'failed', null::int, e.stage, e.title, e.message, e.retryable
    from run_error e where e.tenant_id = ${tx.tenantId} and e.run_id = ${runId}) x`;
  const wanted = change === undefined ? raw('true') : sql`x.change = ${change}`;
  return readPage<RunFile>(tx, raw('x.*'), sql`${all} where ${wanted}`, raw('x.id'), page);
}
