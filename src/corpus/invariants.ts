/**
 * Checks of the promises that stored data keeps at any moment, over the database and the blob store. `pinakes doctor --check`
 * and every fault test run these checks. They only read.
 *
 * Leftovers of a crash, which the collector removes, are violations only after a grace time.
 */

import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database, Queryable, Tx } from '../db/database.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import { ACTIVE_STATUSES, TRANSITIONS } from '../jobs/status.ts';
import { idsOf } from '../util/ids.ts';
import { findBrokenEvent } from './audit-store.ts';
import { UNNEEDED } from './blob-row-store.ts';
import { UPLOADED } from './group-store.ts';
import { listTenants } from './tenant-store.ts';

export interface Violation {
  /** The number of the promise: I1 … I13. */
  invariant: string;
  message: string;
  /** True for files and rows of files that nothing needs: a backup that was made while files changed has them. They do no harm. */
  leftover?: boolean;
}

export interface InvariantOptions {
  now: Date;
  /** Leftovers and jobs without a heartbeat are violations only after this time. */
  graceSeconds: number;
}

const EXAMPLES_MAX = 5;

/** Runs one check. Checks read whole tables, which takes longer than the time limit of statements. */
type Check = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Returns the violations of all tenants; an empty list means that all promises hold. */
export async function findViolations(
  db: Database,
  blobs: Pick<BlobStore, 'list'>,
  options: InvariantOptions,
): Promise<Violation[]> {
  const found = await checkTransitions(db.system);
  const stored = await storedBlobs(blobs);
  const before = new Date(options.now.getTime() - options.graceSeconds * 1000);
  for (const { id } of await listTenants(db)) {
    // Each statement has a transaction of its own: on the embedded database, searches go on between them.
    const run: Check = (work) => db.transaction(id, work, { withoutTimeout: true, background: true });
    found.push(...(await checkRows(run, id, before)));
    found.push(...(await checkBlobs(run, id, stored.get(id) ?? new Map(), before)));
    found.push(...(await checkAuditLog(run, id)));
    stored.delete(id);
  }
  for (const [tenantId, files] of stored)
    if ([...files.values()].some((file) => file.modifiedAt < before))
      found.push({ invariant: 'I3', message: `blobs of an unknown tenant ${tenantId}`, leftover: true });
  return found;
}

/** Returns the statements that select the ids of rows which break a promise. */
function rowChecks(
  tenantId: string,
  before: Date,
): { invariant: string; what: string; rows: Sql; leftover?: boolean }[] {
  return [
    {
      invariant: 'I3',
      what: 'chunks without their source',
      rows: sql`select c.id from chunk c where c.tenant_id = ${tenantId} and not exists (
        select from source s where s.tenant_id = c.tenant_id and s.id = c.source_id and s.source_group_id = c.source_group_id)`,
    },
    {
      invariant: 'I3',
      what: 'sources without their blob row',
      rows: sql`select s.id from source s where s.tenant_id = ${tenantId} and not exists (
        select from blob b where b.tenant_id = s.tenant_id and b.hash = s.blob_hash)`,
    },
    {
      invariant: 'I3',
      what: 'blob rows that nothing needs',
      leftover: true,
      rows: sql`select b.hash as id from blob b where b.tenant_id = ${tenantId} and b.created_at < ${before}
        and ${UNNEEDED}`,
    },
    {
      invariant: 'I3',
      what: 'new versions of sources without their blob row, or of sources that are not ready',
      rows: sql`select n.source_id as id from source_update n join source s on s.tenant_id = n.tenant_id and s.id = n.source_id
        where n.tenant_id = ${tenantId} and (s.status <> 'ready' or s.deleted_at is not null
          or not exists (select from blob b where b.tenant_id = n.tenant_id and b.hash = n.blob_hash))`,
    },
    {
      invariant: 'I3',
      what: 'uploaded files without a path, or other sources that have one',
      rows: sql`select s.id from source s where s.tenant_id = ${tenantId}
        and (s.path is not null) <> (s.source_type = ${UPLOADED} and s.parent_source_id is null)`,
    },
    {
      invariant: 'I3',
      what: 'hidden sources that still have a name at their origin',
      rows: sql`select o.source_id as id from source_origin o join source s on s.tenant_id = o.tenant_id and s.id = o.source_id
        where o.tenant_id = ${tenantId} and s.deleted_at is not null`,
    },
    {
      invariant: 'I3',
      what: 'chunks of an old version of a source that is not marked for their removal',
      rows: sql`select c.id from chunk c join source s on s.tenant_id = c.tenant_id and s.id = c.source_id
        where c.tenant_id = ${tenantId} and c.generation <> s.generation and not s.mixed and s.deleted_at is null`,
    },
    {
      invariant: 'I3',
      what: 'vectors without their chunk',
      rows: sql`select v.chunk_id as id from chunk_vector v where v.tenant_id = ${tenantId} and not exists (
        select from chunk c where c.tenant_id = v.tenant_id and c.id = v.chunk_id and c.source_id = v.source_id)`,
    },
    {
      invariant: 'I3',
      what: 'queue entries for vectors of chunks that do not exist or have their vector',
      rows: sql`select w.chunk_id as id from embedding_waiting w where w.tenant_id = ${tenantId}
        and (not exists (select from chunk c where c.tenant_id = w.tenant_id and c.id = w.chunk_id)
          or exists (select from chunk_vector v
            where v.tenant_id = w.tenant_id and v.chunk_id = w.chunk_id and v.generation = w.generation))`,
    },
    {
      invariant: 'I6',
      what: 'chunks that neither have a vector nor wait for it',
      rows: sql`select c.id from chunk c join embedding_generation g on g.tenant_id = c.tenant_id and g.status <> 'retired' and g.filled
        where c.tenant_id = ${tenantId}
          and not exists (select from chunk_vector v
            where v.tenant_id = c.tenant_id and v.chunk_id = c.id and v.generation = g.generation)
          and not exists (select from embedding_waiting w
            where w.tenant_id = c.tenant_id and w.chunk_id = c.id and w.generation = g.generation)`,
    },
    {
      invariant: 'I6',
      what: 'active runs without a heartbeat',
      rows: sql`select r.id from run r where r.tenant_id = ${tenantId} and r.status = any(${[...ACTIVE_STATUSES]}::text[])
        and coalesce(r.heartbeat_at, r.created_at) < ${before}`,
    },
    {
      invariant: 'I6',
      what: 'source groups that are active without an active run',
      rows: sql`select g.id from source_group g where g.tenant_id = ${tenantId} and g.status = any(${[...ACTIVE_STATUSES]}::text[])
        and not exists (select from run r where r.tenant_id = g.tenant_id and r.source_group_id = g.id
          and r.generation = g.generation and r.status = any(${[...ACTIVE_STATUSES]}::text[]))`,
    },
    {
      invariant: 'I6',
      what: 'deletions of source groups that do not end',
      rows: sql`select g.id from source_group g where g.tenant_id = ${tenantId} and g.status = 'deleting' and g.deleted_at < ${before}`,
    },
    {
      invariant: 'I6',
      what: 'deletions of sources that do not end',
      rows: sql`select s.id from source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
        where s.tenant_id = ${tenantId} and s.deleted_at < ${before} and g.deleted_at is null`,
    },
    {
      invariant: 'I6',
      what: 'sources left pending by a run that has ended',
      rows: sql`select s.id from source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
        where s.tenant_id = ${tenantId} and s.status = 'pending' and s.deleted_at is null
          and g.status in ('success', 'managed')`,
    },
    {
      invariant: 'I6',
      what: 'new versions left waiting by a run that has ended',
      rows: sql`select n.source_id as id from source_update n
        join source_group g on g.tenant_id = n.tenant_id and g.id = n.source_group_id
        where n.tenant_id = ${tenantId} and n.status = 'pending' and g.status in ('success', 'managed')`,
    },
    {
      invariant: 'I6',
      what: 'one-time credentials that outlived their first run',
      rows: sql`select o.id from secret o join source_group g on g.tenant_id = o.tenant_id and g.id = o.source_group_id
        where o.tenant_id = ${tenantId} and g.status <> all(${[...ACTIVE_STATUSES]}::text[])`,
    },
    {
      invariant: 'I7',
      what: 'settings of deleted groups',
      rows: sql`select c.id from connector_setting c join source_group g on g.tenant_id = c.tenant_id and g.id = c.source_group_id
        where c.tenant_id = ${tenantId} and c.deleted_at is null and g.deleted_at is not null`,
    },
    {
      invariant: 'I7',
      what: 'deleted groups with another status, or the reverse',
      rows: sql`select g.id from source_group g where g.tenant_id = ${tenantId}
        and (g.deleted_at is not null) <> (g.status in ('deleting', 'delete_job_failure'))`,
    },
    {
      invariant: 'I10',
      what: 'sources whose counters differ from their chunks',
      rows: sql`select s.id from source s
        left join (select source_id, generation, count(*) as chunks, count(*) filter (where metadata <> '{}') as metadatas
          from chunk where tenant_id = ${tenantId} group by source_id, generation) c on c.source_id = s.id and c.generation = s.generation
        join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
        where s.tenant_id = ${tenantId} and g.deleted_at is null and s.deleted_at is null and s.status = 'ready'
          and (s.chunk_count <> coalesce(c.chunks, 0) or s.chunk_metadatas_count <> coalesce(c.metadatas, 0))`,
    },
    {
      invariant: 'I10',
      what: 'sources whose text differs from its length',
      rows: sql`select s.id from source s
        left join (select source_id, generation, sum(end_offset - start_offset) as points, sum(char_length(content)) as characters
          from source_text where tenant_id = ${tenantId} group by source_id, generation) t
          on t.source_id = s.id and t.generation = s.generation
        join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
        where s.tenant_id = ${tenantId} and g.deleted_at is null and s.deleted_at is null and s.status = 'ready'
          and (s.text_length <> coalesce(t.points, 0) or s.text_length <> coalesce(t.characters, 0))`,
    },
    {
      invariant: 'I10',
      what: 'source groups whose counter differs from their sources',
      rows: sql`select g.id from source_group g where g.tenant_id = ${tenantId} and g.deleted_at is null
        and g.chunk_metadatas_count <> (select coalesce(sum(s.chunk_metadatas_count), 0) from source s
          where s.tenant_id = g.tenant_id and s.source_group_id = g.id and s.deleted_at is null)`,
    },
    {
      invariant: 'I10',
      what: 'runs whose figures do not add up',
      rows: sql`select r.id from run r where r.tenant_id = ${tenantId} and (r.files_done > r.files_total
        or r.files_done <> r.added + r.updated + r.unchanged + r.skipped + r.failed
        or r.failed <> (select count(*) from run_error e where e.tenant_id = r.tenant_id and e.run_id = r.id)
        or (r.status in ('success', 'failure') and r.error_title is null and r.files_done <> r.files_total))`,
    },
    {
      invariant: 'I10',
      what: 'sources whose values for filters differ from their metadata',
      rows: valueDifferences(tenantId),
    },
    {
      invariant: 'I12',
      what: 'runs that end before they start or start before they are made',
      rows: sql`select r.id from run r where r.tenant_id = ${tenantId}
        and (r.started_at < r.created_at or r.ended_at < r.started_at or r.ended_at < r.created_at)`,
    },
  ];
}

/** Selects sources whose rows in metadata_value differ from those that their metadata gives, and rows of sources that do not exist. */
function valueDifferences(tenantId: string): Sql {
  const stored = raw('v.source_id, v.key, v.text_value, v.text_start, v.number_value, v.number_double, v.time_value');
  const right = sql`select s.id, m.* from source s cross join lateral metadata_values(s.metadata, s.origin_metadata) m
    where s.tenant_id = ${tenantId}`;
  const rows = sql`select ${stored} from metadata_value v where v.tenant_id = ${tenantId}`;
  return sql`select distinct d.source_id as id from (((${rows}) except (${right})) union all ((${right}) except (${rows}))) d(source_id)`;
}

async function checkRows(run: Check, tenantId: string, before: Date): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const { invariant, what, rows, leftover = false } of rowChecks(tenantId, before)) {
    const broken = await run((tx) => tx.query<{ id: string }>(rows));
    if (broken.length === 0) continue;
    found.push({
      ...violation(invariant, what, idsOf(broken)),
      ...(leftover && { leftover }),
    });
  }
  return found;
}

function violation(invariant: string, what: string, ids: readonly string[]): Violation {
  return { invariant, message: `${ids.length} ${what}: ${ids.slice(0, EXAMPLES_MAX).join(', ')}` };
}

type StoredBlobs = Map<string, { size: number; modifiedAt: Date }>;

async function storedBlobs(blobs: Pick<BlobStore, 'list'>): Promise<Map<string, StoredBlobs>> {
  const tenants = new Map<string, StoredBlobs>();
  for await (const blob of blobs.list()) {
    const ofTenant = tenants.get(blob.tenantId) ?? new Map();
    tenants.set(blob.tenantId, ofTenant.set(blob.hash, { size: blob.size, modifiedAt: blob.modifiedAt }));
  }
  return tenants;
}

/** I1: every blob that a source needs is stored in full. I3: every stored blob has a row. */
async function checkBlobs(run: Check, tenantId: string, stored: StoredBlobs, before: Date): Promise<Violation[]> {
  const found: Violation[] = [];
  // Two conditions, because each one alone looks the hash up in an index.
  const rows = await run((tx) =>
    tx.query<{ hash: string; size: number; needed: boolean }>(sql`
      select b.hash, b.size,
        exists (select from source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
          where s.tenant_id = b.tenant_id and s.blob_hash = b.hash and s.deleted_at is null and g.deleted_at is null)
        or exists (select from source_update n join source s on s.tenant_id = n.tenant_id and s.id = n.source_id
          join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
          where n.tenant_id = b.tenant_id and n.blob_hash = b.hash and s.deleted_at is null and g.deleted_at is null) as needed
      from blob b where b.tenant_id = ${tenantId}`),
  );
  const withRow = new Set(rows.map((row) => row.hash));
  for (const { hash, size, needed } of rows) {
    const file = stored.get(hash);
    if (needed && file?.size !== size)
      found.push({ invariant: 'I1', message: `blob ${hash} is ${file ? 'cut short' : 'missing'}` });
  }
  const rowless = [...stored].filter(([hash, file]) => !withRow.has(hash) && file.modifiedAt < before);
  const hashes = rowless.map(([hash]) => hash);
  if (hashes.length > 0) found.push({ ...violation('I3', 'stored blobs without a row', hashes), leftover: true });
  return found;
}

/** I13: nobody has altered the audit log. */
async function checkAuditLog(run: Check, tenantId: string): Promise<Violation[]> {
  const broken = await run((tx) => findBrokenEvent(tx));
  return broken === undefined ? [] : [{ invariant: 'I13', message: `${broken} (tenant ${tenantId})` }];
}

/** I7: the table of status transitions that PostgreSQL enforces equals the table in the code. */
async function checkTransitions(system: Queryable): Promise<Violation[]> {
  const rows = await system.query<{ step: string }>(
    sql`select from_status || ' -> ' || to_status as step from source_group_transition order by step`,
  );
  const inCode = Object.entries(TRANSITIONS)
    .flatMap(([from, to]) => to.map((status) => `${from} -> ${status}`))
    .sort();
  const inDatabase = rows.map((row) => row.step).sort();
  if (JSON.stringify(inCode) === JSON.stringify(inDatabase)) return [];
  return [
    { invariant: 'I7', message: 'the table of status transitions in the database differs from the one in the code' },
  ];
}
