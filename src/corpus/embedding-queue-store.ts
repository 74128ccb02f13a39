/** SQL of the tables embedding_waiting (chunks without a vector) and embedding_state (which job embeds for a tenant). */
import type { AnyTx, Queryable, Tx } from '../db/database.ts';
import { keepPlan, raw, sql } from '../db/sql.ts';
import { IS_COPY } from './vector-store.ts';

/** A chunk that waits for a vector. */
export interface WaitingChunk {
  id: string;
  /** Null if the source was deleted: the content must not be sent to a model any more. */
  content: string | null;
  context: string | null;
  headingPath: string[] | null;
}

/** The condition that the source or the group of chunk `c` is marked as deleted but not removed yet. */
const IS_DELETED =
  raw(`exists (select from source s join source_group g on g.tenant_id = s.tenant_id and g.id = s.source_group_id
  where s.tenant_id = c.tenant_id and s.id = c.source_id and (s.deleted_at is not null or g.deleted_at is not null))`);

/**
 * Locks the tenant's embedding state until the transaction ends: nobody else stores chunks or begins a generation. A generation
 * that begins at the same moment therefore misses no chunk.
 */
export async function lockEmbedding(tx: AnyTx, tenantId: string): Promise<void> {
  await tx.query(
    keepPlan(sql`
    insert into embedding_state (tenant_id) values (${tenantId})
    on conflict (tenant_id) do update set tenant_id = excluded.tenant_id where false`),
  );
}

/** Queues chunks of this transaction for a vector of every live generation. The caller holds `lockEmbedding`. */
export async function addWaiting(tx: Tx, chunkIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    insert into embedding_waiting (tenant_id, generation, chunk_id)
    select g.tenant_id, g.generation, i.id from embedding_generation g, unnest(${chunkIds}::uuid[]) as i(id)
    where g.tenant_id = ${tx.tenantId} and g.status <> 'retired'
      and not exists (select from chunk_vector v where v.tenant_id = ${tx.tenantId} and v.chunk_id = i.id and v.generation = g.generation)
    on conflict do nothing`);
}

/**
 * Queues the next `limit` chunks after `afterId`, in order of id; chunks that have a vector already are skipped. Returns the last
 * id that was looked at; null if no chunk was left.
 */
export async function fillWaiting(
  tx: Tx,
  generation: number,
  afterId: string | null,
  limit: number,
): Promise<string | null> {
  const after = afterId === null ? raw('true') : sql`c.id > ${afterId}::uuid`;
  const [row] = await tx.query<{ last: string | null }>(sql`
    with next as (
      select c.id from chunk c where c.tenant_id = ${tx.tenantId} and ${after} order by c.id limit ${limit}
    ), filled as (
      insert into embedding_waiting (tenant_id, generation, chunk_id)
      select ${tx.tenantId}::uuid, ${generation}::int, n.id from next n
      where not exists (select from chunk_vector v
        where v.tenant_id = ${tx.tenantId} and v.chunk_id = n.id and v.generation = ${generation})
      on conflict do nothing
    )
    select (select id from next order by id desc limit 1) as last`);
  return row?.last ?? null;
}

/**
 * Returns the next `limit` waiting chunks after `afterId`, in order of id. Of a copy of the vectors in use, only chunks that have a vector
 * there: the others get theirs, from the model, when the copy is in use.
 */
export async function listWaiting(
  tx: Tx,
  generation: number,
  afterId: string | null,
  limit: number,
): Promise<WaitingChunk[]> {
  const after = afterId === null ? raw('true') : sql`w.chunk_id > ${afterId}::uuid`;
  return tx.query<WaitingChunk>(sql`
    select n.chunk_id as id, c.content, c.context, c.heading_path from (
      select w.chunk_id from embedding_waiting w
      where w.tenant_id = ${tx.tenantId} and w.generation = ${generation} and w.refused is null and ${after}
        and not exists (
          select from embedding_waiting o where o.tenant_id = ${tx.tenantId} and o.chunk_id = w.chunk_id and o.generation = (
            select s.generation from embedding_generation g
            join embedding_generation s on s.tenant_id = g.tenant_id and s.status = 'serving'
            where g.tenant_id = ${tx.tenantId} and g.generation = ${generation} and ${IS_COPY}))
      order by w.chunk_id limit ${limit}) n
    left join chunk c on c.tenant_id = ${tx.tenantId} and c.id = n.chunk_id and not ${IS_DELETED}
    order by n.chunk_id`);
}

/** Returns whether the tenant has no chunks, at most `limit` (`few`), or more (`many`). */
export async function hasManyChunks(tx: Tx, limit: number): Promise<'none' | 'few' | 'many'> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from (select from chunk where tenant_id = ${tx.tenantId} limit ${limit + 1}) c`);
  if (!row?.count) return 'none';
  return row.count > limit ? 'many' : 'few';
}

/** Removes chunks from the queue; they have their vectors. */
export async function removeWaiting(tx: Tx, generation: number, chunkIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    delete from embedding_waiting
    where tenant_id = ${tx.tenantId} and generation = ${generation} and chunk_id = any(${chunkIds}::uuid[])`);
}

/** Marks chunks that the model refuses. They are not retried with this generation. */
export async function refuseWaiting(
  tx: Tx,
  generation: number,
  chunkIds: readonly string[],
  reason: string,
): Promise<void> {
  await tx.query(sql`
    update embedding_waiting set refused = ${reason}
    where tenant_id = ${tx.tenantId} and generation = ${generation} and chunk_id = any(${chunkIds}::uuid[])`);
}

/** Removes up to `limit` queue rows of a generation that is not built any more; returns the number of removed rows. */
export async function dropWaiting(tx: Tx, generation: number, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from embedding_waiting where tenant_id = ${tx.tenantId} and generation = ${generation} and chunk_id in (
      select chunk_id from embedding_waiting where tenant_id = ${tx.tenantId} and generation = ${generation} limit ${limit})
    returning 1 as one`);
  return rows.length;
}

/** Returns true if something is to be embedded with `model`: waiting chunks, a generation to build, or chunks without a generation. */
export async function hasWork(tx: Tx, model: string): Promise<boolean> {
  const [row] = await tx.query<{ work: boolean }>(sql`
    select exists (select from embedding_waiting w
        join embedding_generation g on g.tenant_id = w.tenant_id and g.generation = w.generation and g.status <> 'retired'
        where w.tenant_id = ${tx.tenantId} and w.refused is null)
      or exists (select from embedding_generation g where g.tenant_id = ${tx.tenantId} and g.status = 'building')
      or (exists (select from chunk c where c.tenant_id = ${tx.tenantId})
        and not exists (select from embedding_generation g
          where g.tenant_id = ${tx.tenantId} and g.status = 'serving' and g.model = ${model})) as work`);
  return row?.work ?? false;
}

/** Records that a job is queued. Returns false if a job is queued already, so the caller adds none. The caller holds `lockEmbedding`. */
export async function markQueued(tx: Tx, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into embedding_state (tenant_id, queued_at) values (${tx.tenantId}, ${now})
    on conflict (tenant_id) do update set queued_at = excluded.queued_at where embedding_state.queued_at is null
    returning 1 as one`);
  return rows.length > 0;
}

/**
 * Claims the tenant for one job and returns the attempt number, which fences out every earlier job. Returns undefined if another
 * job sent a heartbeat since `aliveSince`: that job will find all waiting work.
 */
export async function claimEmbedding(tx: Tx, now: Date, aliveSince: Date): Promise<number | undefined> {
  await lockEmbedding(tx, tx.tenantId);
  const [row] = await tx.query<{ attempt: number }>(sql`
    update embedding_state set attempt = attempt + 1, beat_at = ${now}, queued_at = null
    where tenant_id = ${tx.tenantId} and (beat_at is null or beat_at < ${aliveSince}) returning attempt`);
  return row?.attempt;
}

/** Sends the job's heartbeat. Returns false if another job has claimed the tenant. */
export async function beatEmbedding(tx: Tx, attempt: number, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update embedding_state set beat_at = ${now}
    where tenant_id = ${tx.tenantId} and attempt = ${attempt} and beat_at is not null returning 1 as one`);
  return rows.length > 0;
}

/** Returns true if this job holds the tenant. Nobody else can claim the tenant until the transaction ends. */
export async function holdsEmbedding(tx: AnyTx, tenantId: string, attempt: number): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as one from embedding_state
    where tenant_id = ${tenantId} and attempt = ${attempt} and beat_at is not null for share`);
  return rows.length > 0;
}

/** Releases the tenant when the job ends. `queuedAt`: when the job's automatic retry was queued; null without a retry. */
export async function releaseEmbedding(tx: Tx, attempt: number, queuedAt: Date | null): Promise<void> {
  await tx.query(sql`
    update embedding_state set beat_at = null, queued_at = ${queuedAt}::timestamptz
    where tenant_id = ${tx.tenantId} and attempt = ${attempt}`);
}

/** Releases all tenants. For the start of the embedded database: no other process can hold one, so a kill left the claims behind. */
export async function releaseAllEmbedding(system: Queryable): Promise<void> {
  await system.query(sql`update embedding_state set beat_at = null where beat_at is not null`);
}

/**
 * Forgets a job that was queued before `queuedBefore` and never started. Returns true if no job is queued and none sent a
 * heartbeat since `aliveSince`.
 */
export async function forgetLostJobs(tx: Tx, aliveSince: Date, queuedBefore: Date): Promise<boolean> {
  await lockEmbedding(tx, tx.tenantId);
  const [row] = await tx.query<{ idle: boolean }>(sql`
    update embedding_state set queued_at = case when queued_at < ${queuedBefore} then null else queued_at end
    where tenant_id = ${tx.tenantId}
    returning (beat_at is null or beat_at < ${aliveSince}) and queued_at is null as idle`);
  return row?.idle ?? false;
}

export interface EmbeddingBacklog {
  /**
   * Chunks that wait for a vector, counted once per generation. Before a tenant's first generation, all its chunks count. A copy of the
   * vectors in use does not count, because searches lack nothing.
   */
  waiting: number;
  /** Chunks that the model refused. */
  refused: number;
}

/** Returns the backlog of a tenant; without one, of all tenants together. */
export async function countWaiting(tx: Queryable, tenantId?: string): Promise<EmbeddingBacklog> {
  const own = (column: string) => (tenantId === undefined ? raw('true') : sql`${raw(column)} = ${tenantId}`);
  const [row] = await tx.query<EmbeddingBacklog>(sql`
    with beginning as (
      select e.tenant_id from embedding_state e where ${own('e.tenant_id')} and (e.queued_at is not null or e.beat_at is not null)
        and not exists (select from embedding_generation g where g.tenant_id = e.tenant_id and g.status <> 'retired' and g.filled)
    ), listed as (
      select w.tenant_id, w.refused from embedding_waiting w
      join embedding_generation g on g.tenant_id = w.tenant_id and g.generation = w.generation and g.status <> 'retired'
      where ${own('w.tenant_id')} and not ${IS_COPY}
    )
    select (select count(*) from listed where refused is null and tenant_id not in (select tenant_id from beginning))
        + (select coalesce(sum(s.chunk_count), 0) from source s where s.tenant_id in (select tenant_id from beginning)) as waiting,
      (select count(refused) from listed) as refused`);
  return row!;
}
