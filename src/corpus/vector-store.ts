/**
 * SQL of the tables embedding_generation, chunk_vector and embedding_cache. embedding-queue-store.ts knows which chunks wait for a
 * vector.
 *
 * Each generation has its own table of vectors. The table has an index of the generation's dimension, and one DROP deletes it.
 */
import type { Database, Queryable, SystemTx, Tx } from '../db/database.ts';
import { identifier, keepPlan, raw, type Sql, sql } from '../db/sql.ts';

/** The facts that a search needs about the vectors in use. */
export interface ServingVectors {
  generation: number;
  /** The provider's name of the model, which also embeds the queries. */
  model: string;
  dimension: number;
  element: Element;
  /** The table with chunk_id, source_id, the vectors in `vectorColumn`, and an HNSW index on `vectorOrder`. */
  table: string;
}

/**
 * The precision of a vector's numbers: `half` takes two bytes, `single` four. The embedded engine has no hardware for half
 * precision: comparing half vectors takes twice as long there, and building their index takes five times as long.
 */
export type Element = 'half' | 'single';

/** The facts that are needed to read vectors. */
export type VectorKind = Pick<ServingVectors, 'dimension' | 'element'>;

const ELEMENTS = {
  half: { column: 'embedding', type: 'halfvec', bytes: 2 },
  single: { column: 'embedding_single', type: 'vector', bytes: 4 },
} as const;
/** pgvector cannot index more dimensions of single precision. */
const SINGLE_DIMENSION_MAX = 2000;

/** Returns the precision of a new generation. */
export function elementFor({ kind }: Pick<Database, 'kind'>, dimension: number): Element {
  return kind === 'embedded' && dimension <= SINGLE_DIMENSION_MAX ? 'single' : 'half';
}

/** Returns the name of the tenant's partition of chunk_vector; each generation is a partition of this partition. */
export function vectorPartition(partitionNo: number): string {
  return `chunk_vector_${partitionNo}`;
}

/** Returns the name of the table with one generation's vectors. */
function vectorTable(partitionNo: number, generation: number): string {
  return `${vectorPartition(partitionNo)}_${generation}`;
}

/** Returns the column of chunk_vector with vectors of this precision. */
export function vectorColumn({ element }: Pick<VectorKind, 'element'>): Sql {
  return raw(ELEMENTS[element].column);
}

/** Returns the indexed expression: `order by <expression> <=> $1::<vectorType>` finds the nearest vectors by cosine distance. */
export function vectorOrder(kind: VectorKind): Sql {
  return sql`(${vectorColumn(kind)}::${vectorType(kind)})`;
}

export function vectorType({ element, dimension }: VectorKind): Sql {
  return raw(`${ELEMENTS[element].type}(${Math.trunc(dimension)})`);
}

/** Returns the vector as PostgreSQL's text. Five digits are written; half precision keeps three of them. */
export function vectorText(vector: Float32Array): string {
  let text = '[';
  for (let i = 0; i < vector.length; i += 1) {
    if (i > 0) text += ',';
    text += Number(vector[i]!.toPrecision(5));
  }
  return `${text}]`;
}

/** Returns the vector in binary form, to be bound as `vector`: a search need not spend time on parsing digits. */
export function vectorBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(VECTOR_HEAD_BYTES + 4 * vector.length);
  bytes.writeUInt16BE(vector.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset + VECTOR_HEAD_BYTES);
  for (let i = 0; i < vector.length; i += 1) view.setFloat32(4 * i, vector[i]!);
  return bytes;
}

/** The header of the binary form: the dimension in two bytes, and two zero bytes. */
const VECTOR_HEAD_BYTES = 4;

/** Creates the tenant's partition of chunk_vector; called when the tenant is created. */
export async function createVectorPartition(tx: SystemTx, tenant: { id: string; partitionNo: number }): Promise<void> {
  const name = vectorPartition(tenant.partitionNo);
  await tx.query(sql`create table ${identifier(name)} partition of chunk_vector for values in (${raw(`'${tenant.id}'`)})
    partition by list (generation)`);
  await tx.query(sql`select protect_tenant_rows(${name})`);
}

/** Of the newest chunks without a vector, so many are looked at: the model may have refused them. */
const WAITING_LOOKED_AT_MAX = 50;

/** Returns the vectors that searches use now; undefined if the tenant has no vectors yet. */
export async function findServingVectors(
  tx: Queryable,
  tenantId: string,
): Promise<(ServingVectors & { isWaiting: boolean }) | undefined> {
  const [found] = await tx.query<Omit<ServingVectors, 'table'> & { partitionNo: number; isWaiting: boolean }>(
    keepPlan(sql`
    select g.generation, g.model, g.dimension, g.element, t.partition_no,
      exists (select from (select w.refused from embedding_waiting w
          where w.tenant_id = g.tenant_id and w.generation = g.generation
          order by w.chunk_id desc limit ${WAITING_LOOKED_AT_MAX}) n
        where n.refused is null) as is_waiting
    from embedding_generation g join tenant t on t.id = g.tenant_id
    where g.tenant_id = ${tenantId} and g.status = 'serving'`),
  );
  if (!found) return undefined;
  const { partitionNo, ...serving } = found;
  return { ...serving, table: vectorTable(partitionNo, serving.generation) };
}

export interface Generation {
  generation: number;
  model: string;
  dimension: number;
  element: Element;
  status: 'building' | 'serving' | 'retired';
  /** True if all chunks that existed before the generation have been queued for a vector. */
  filled: boolean;
  indexed: boolean;
}

const GENERATION_COLUMNS = raw('generation, model, dimension, element, status, filled, indexed');

/** Returns all generations of the tenant, in order of creation. */
export async function listGenerations(tx: Queryable, tenantId: string): Promise<Generation[]> {
  return tx.query<Generation>(sql`
    select ${GENERATION_COLUMNS} from embedding_generation where tenant_id = ${tenantId} order by generation`);
}

/**
 * Begins the next generation and creates its table. The caller holds `lockEmbedding`, so that no chunk is stored meanwhile.
 * `indexed` creates the index at once: filling the table is slower, but no search ever waits for the index.
 */
export async function createGeneration(
  tx: SystemTx,
  tenantId: string,
  { model, dimension, element, indexed }: Pick<Generation, 'model' | 'dimension' | 'element' | 'indexed'>,
  now: Date,
): Promise<Generation> {
  const [created] = await tx.query<Generation & { partitionNo: number }>(sql`
    insert into embedding_generation (tenant_id, generation, model, dimension, element, status, indexed, created_at)
    select ${tenantId}::uuid, coalesce(max(generation), 0) + 1, ${model}, ${dimension}::int, ${element}, 'building', ${indexed}::boolean,
           ${now}::timestamptz
    from embedding_generation where tenant_id = ${tenantId}
    returning ${GENERATION_COLUMNS}, (select partition_no from tenant where id = ${tenantId}) as partition_no`);
  const { partitionNo, ...generation } = created!;
  const name = vectorTable(partitionNo, generation.generation);
  const table = identifier(name);
  // Unlike `create table … partition of`, attaching does not wait for transactions that read vectors and then wait for `lockEmbedding`.
  const parent = identifier(vectorPartition(partitionNo));
  await tx.query(sql`create table ${table} (like ${parent} including all)`);
  await tx.query(
    sql`alter table ${parent} attach partition ${table} for values in (${raw(String(generation.generation))})`,
  );
  const kind = { dimension, element };
  const column = vectorColumn(kind);
  await tx.query(sql`alter table ${table} alter column ${column} set not null,
    add check (vector_dims(${column}) = ${raw(String(dimension))}), alter column ${column} set statistics 0`);
  // Scanning vectors that are stored inside their rows is many times faster than scanning vectors in TOAST.
  if (ELEMENTS[element].bytes * dimension <= INLINE_BYTES_MAX) {
    await tx.query(sql`alter table ${table} alter column ${column} set storage plain`);
  }
  await tx.query(sql`select protect_tenant_rows(${name})`);
  if (indexed) await tx.query(indexStatement(name, kind));
  return generation;
}

/** Longer vectors would not fit in a page. */
const INLINE_BYTES_MAX = 7_600;

function indexStatement(table: string, kind: VectorKind): Sql {
  return sql`create index if not exists ${identifier(`${table}_hnsw`)}
    on ${identifier(table)} using hnsw (${vectorOrder(kind)} ${raw(`${ELEMENTS[kind.element].type}_cosine_ops`)})`;
}

/** Minimum memory for building the index: with less, the build uses the disk and is many times slower. */
const INDEX_MEMORY_KIB_MIN = 256 * 1024;

/**
 * Creates the index of a generation. On the embedded database everything else waits for the build. Indexing a large corpus takes
 * longer than the statement timeout of requests, so the build runs without the limit; one message is one transaction.
 */
export async function indexGeneration(
  db: Database,
  tenantId: string,
  { generation, ...kind }: VectorKind & Pick<Generation, 'generation'>,
): Promise<void> {
  const [found] = await db.system.query<{ partitionNo: number; id: string }>(
    sql`select partition_no, id from tenant where id = ${tenantId}`,
  );
  if (!found) return;
  const { partitionNo, id } = found;
  await db.system.executeOutsideTransaction(`
    select set_config('maintenance_work_mem', greatest(setting::bigint, ${INDEX_MEMORY_KIB_MIN})::text, true)
      from pg_settings where name = 'maintenance_work_mem';
    ${indexStatement(vectorTable(partitionNo, generation), kind).text};
    update embedding_generation set indexed = true where tenant_id = '${id}' and generation = ${Math.trunc(generation)}`);
}

/** With fewer deleted vectors an index is not made anew, however few others it has. */
const WORN_ROWS_MIN = 500;

/**
 * Returns the generation in use if it is of the model and its index has more deleted vectors than others. Only for the embedded database:
 * its maintenance counts deleted vectors and keeps them. After a start they count only when maintenance has analyzed the table.
 */
export async function findWorn(tx: Queryable, tenantId: string, model: string): Promise<Generation | undefined> {
  const [found] = await tx.query<Generation>(sql`
    select ${GENERATION_COLUMNS} from embedding_generation g
    join tenant t on t.id = g.tenant_id
    join pg_class c on c.oid = to_regclass(format('chunk_vector_%s_%s', t.partition_no, g.generation))
    where g.tenant_id = ${tenantId} and g.status = 'serving' and g.model = ${model}
      and pg_stat_get_dead_tuples(c.oid) > greatest(${WORN_ROWS_MIN}, pg_stat_get_live_tuples(c.oid), c.reltuples)`);
  return found;
}

/** Makes searches use the generation, and retires the generation that they used before. */
export async function serveGeneration(tx: Tx, generation: number, now: Date): Promise<void> {
  await tx.query(sql`update embedding_generation set status = 'retired', retired_at = ${now}
    where tenant_id = ${tx.tenantId} and status = 'serving' and generation <> ${generation}`);
  await tx.query(sql`update embedding_generation set status = 'serving', served_at = ${now}
    where tenant_id = ${tx.tenantId} and generation = ${generation} and status = 'building'`);
}

export interface NewVector {
  chunkId: string;
  /** SHA-256 of the embedded text. */
  hash: Buffer;
  /** The vector, as `vectorText` writes it. */
  embedding: string;
}

/**
 * Stores vectors of chunks that still exist, and returns the ids of these chunks. Chunks that another transaction is deleting are
 * skipped. The other chunks cannot be deleted until the transaction ends.
 */
export async function insertVectors(tx: Tx, generation: number, vectors: readonly NewVector[]): Promise<string[]> {
  const ids = vectors.map((vector) => vector.chunkId);
  const rows = await tx.query<{ id: string }>(sql`
    with there as (
      select c.id, c.source_id from chunk c where c.tenant_id = ${tx.tenantId} and c.id = any(${ids}::uuid[])
      order by c.id for key share skip locked
    ), stored as (
      insert into chunk_vector (tenant_id, generation, chunk_id, source_id, content_hash, embedding, embedding_single)
      select g.tenant_id, g.generation, t.id, t.source_id, r.hash,
        case g.element when 'half' then r.embedding::halfvec end, case g.element when 'single' then r.embedding::vector end
      from (select * from embedding_generation where tenant_id = ${tx.tenantId} and generation = ${generation}) g
      cross join there t join unnest(${ids}::uuid[], ${vectors.map((vector) => vector.hash)}::bytea[],
        ${vectors.map((vector) => vector.embedding)}::text[]) as r(id, hash, embedding) on r.id = t.id
      on conflict do nothing
    )
    select id from there`);
  return rows.map((row) => row.id);
}

/** Returns the last chunk that `fillWaiting` has looked at for this generation; null before the first. */
export async function findFilledTo(tx: Tx, generation: number): Promise<string | null> {
  const [row] = await tx.query<{ filledTo: string | null }>(sql`
    select filled_to from embedding_generation where tenant_id = ${tx.tenantId} and generation = ${generation}`);
  return row?.filledTo ?? null;
}

/** Saves the last chunk that `fillWaiting` has looked at. @param filledTo null marks the generation as filled. */
export async function saveFilledTo(tx: Tx, generation: number, filledTo: string | null): Promise<void> {
  await tx.query(sql`
    update embedding_generation set filled_to = coalesce(${filledTo}::uuid, filled_to), filled = ${filledTo}::uuid is null
    where tenant_id = ${tx.tenantId} and generation = ${generation}`);
}

/** Retires the generation that is being built, because another model was configured meanwhile. */
export async function retireBuilding(tx: Tx, now: Date): Promise<void> {
  await tx.query(sql`update embedding_generation set status = 'retired', retired_at = ${now}
    where tenant_id = ${tx.tenantId} and status = 'building'`);
}

/** Returns the generations that were retired before this time; no search reads them any more. */
export async function listRetired(tx: Tx, before: Date): Promise<number[]> {
  const rows = await tx.query<{ generation: number }>(sql`
    select generation from embedding_generation
    where tenant_id = ${tx.tenantId} and status = 'retired' and retired_at < ${before} order by generation`);
  return rows.map((row) => row.generation);
}

/** Drops the vectors and the index of a retired generation. */
export async function dropGeneration(db: Database, tenantId: string, generation: number): Promise<void> {
  await db.system.transaction(async (tx) => {
    const [found] = await tx.query<{ partitionNo: number }>(sql`
      delete from embedding_generation g using tenant t
      where t.id = g.tenant_id and g.tenant_id = ${tenantId} and g.generation = ${generation} and g.status = 'retired'
      returning t.partition_no`);
    if (!found) return;
    await tx.query(sql`drop table if exists ${identifier(vectorTable(found.partitionNo, generation))}`);
  });
}

/** Returns vectors of texts that this model embedded before, for any generation or for replaced chunks, by the hex of the text's hash. */
export async function findVectors(tx: Tx, model: string, hashes: readonly Buffer[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ hash: string; embedding: string }>(sql`
    select encode(v.content_hash, 'hex') as hash, coalesce(v.embedding_single::text, v.embedding::text) as embedding from chunk_vector v
    where v.tenant_id = ${tx.tenantId} and v.content_hash = any(${hashes}::bytea[])
      and v.generation in (select g.generation from embedding_generation g
        where g.tenant_id = ${tx.tenantId} and g.model = ${model} and g.status <> 'retired')
    union all
    select encode(e.content_hash, 'hex'), e.embedding::text from embedding_cache e
    where e.tenant_id = ${tx.tenantId} and e.model = ${model} and e.content_hash = any(${hashes}::bytea[])`);
  return new Map(rows.map((row) => [row.hash, row.embedding]));
}

/** Caches the vectors of sources before their chunks are replaced: a chunk that comes back unchanged finds its vector again. */
export async function cacheVectorsOfSources(tx: Tx, sourceIds: readonly string[], now: Date): Promise<void> {
  await cacheVectors(tx, sql`c.source_id = any(${[...sourceIds]}::uuid[])`, now);
}

/** Caches the vectors of chunks before they are deleted because others replaced them. */
export async function cacheVectorsOfChunks(tx: Tx, chunkIds: readonly string[], now: Date): Promise<void> {
  if (chunkIds.length > 0) await cacheVectors(tx, sql`c.id = any(${[...chunkIds]}::uuid[])`, now);
}

async function cacheVectors(tx: Tx, chunks: Sql, now: Date): Promise<void> {
  await tx.query(sql`
    insert into embedding_cache (tenant_id, model, content_hash, embedding, created_at)
    ${vectorsToCache(
      now,
      sql`v.tenant_id = ${tx.tenantId} and v.chunk_id in (
      select c.id from chunk c where c.tenant_id = ${tx.tenantId} and ${chunks})`,
    )}
    on conflict (tenant_id, model, content_hash) do update set created_at = excluded.created_at`);
}

/** The table that `vectorsToCache` has rows for. */
export const VECTOR_CACHE = 'embedding_cache';

/** Selects the vectors in use as rows of VECTOR_CACHE, one for each text. @param condition on vector `v`. */
export function vectorsToCache(now: Date, condition = raw('true')): Sql {
  return sql`
    select distinct on (v.tenant_id, g.model, v.content_hash) v.tenant_id, g.model, v.content_hash,
      coalesce(v.embedding_single, v.embedding::vector) as embedding, ${now}::timestamptz as created_at
    from chunk_vector v
    join embedding_generation g on g.tenant_id = v.tenant_id and g.generation = v.generation and g.status <> 'retired'
    where ${condition}`;
}

export async function dropCachedVectors(tx: Tx, before: Date): Promise<void> {
  await tx.query(sql`delete from embedding_cache where tenant_id = ${tx.tenantId} and created_at < ${before}`);
}

/**
 * The condition that generation `g` is a copy of the vectors in use, which are of the same model: searches lack nothing while it is built.
 */
export const IS_COPY = raw(`(g.status = 'building' and exists (select from embedding_generation serving
  where serving.tenant_id = g.tenant_id and serving.status = 'serving' and serving.model = g.model))`);

/** Returns the generations of all tenants that are being built or in use, by model. Copies of vectors in use are left out. */
export async function countGenerations(
  system: Queryable,
): Promise<{ model: string; dimension: number; status: 'building' | 'serving'; tenants: number }[]> {
  return system.query(sql`
    select g.model, g.dimension, g.status, count(*) as tenants from embedding_generation g
    where g.status <> 'retired' and not ${IS_COPY} group by model, dimension, status order by status desc, model`);
}
