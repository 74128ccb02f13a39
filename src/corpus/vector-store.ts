/**
 * SQL of the tables embedding_generation, chunk_vector and embedding_cache. Which chunks wait for a vector is in
 * embedding-queue-store.ts.
 *
 * The vectors of a generation are a table of their own, so that they have an index of their dimension and go with one DROP.
 */
import type { Database, Queryable, Tx } from '../db/database.ts';
import { identifier, raw, type Sql, sql } from '../db/sql.ts';

/** What a search needs to know of the vectors that serve. */
export interface ServingVectors {
  generation: number;
  /** As the provider knows it; queries are embedded with it. */
  model: string;
  dimension: number;
  element: Element;
  /** Table with chunk_id and source_id, the vectors in `vectorColumn`, and an HNSW index on `vectorOrder`. */
  table: string;
}

/**
 * A number of a vector: `half` takes two bytes, `single` four. Without hardware for half precision, as in the embedded engine,
 * comparing such vectors takes twice as long and building their index five times.
 */
export type Element = 'half' | 'single';

/** What is needed to read vectors. */
export type VectorKind = Pick<ServingVectors, 'dimension' | 'element'>;

const ELEMENTS = {
  half: { column: 'embedding', type: 'halfvec', bytes: 2 },
  single: { column: 'embedding_single', type: 'vector', bytes: 4 },
} as const;
/** More cannot be indexed. */
const SINGLE_DIMENSION_MAX = 2000;

/** How a new generation keeps its numbers. */
export function elementFor({ kind }: Pick<Database, 'kind'>, dimension: number): Element {
  return kind === 'embedded' && dimension <= SINGLE_DIMENSION_MAX ? 'single' : 'half';
}

/** The tenant's part of chunk_vector; each generation is a part of it. */
export function vectorPartition(partitionNo: number): string {
  return `chunk_vector_${partitionNo}`;
}

/** The table of one generation's vectors. */
export function vectorTable(partitionNo: number, generation: number): string {
  return `${vectorPartition(partitionNo)}_${generation}`;
}

/** Of table chunk_vector. */
export function vectorColumn({ element }: Pick<VectorKind, 'element'>): Sql {
  return raw(ELEMENTS[element].column);
}

/** The indexed expression: `order by <this> <=> $1::<vectorType>` finds the nearest by cosine distance. */
export function vectorOrder(kind: VectorKind): Sql {
  return sql`(${vectorColumn(kind)}::${vectorType(kind)})`;
}

export function vectorType({ element, dimension }: VectorKind): Sql {
  return raw(`${ELEMENTS[element].type}(${Math.trunc(dimension)})`);
}

/** How many vectors fit a page of a table. */
export function vectorsPerPage({ element, dimension }: VectorKind): number {
  return Math.max(1, Math.floor(PAGE_BYTES / (ELEMENTS[element].bytes * dimension + ROW_BYTES)));
}

/** Without what PostgreSQL needs of it. */
const PAGE_BYTES = 8_168;
/** What a row has besides its vector. */
const ROW_BYTES = 136;

/** A vector as PostgreSQL reads it. Half precision keeps three digits; five are written. */
export function vectorText(vector: Float32Array): string {
  let text = '[';
  for (let i = 0; i < vector.length; i += 1) {
    if (i > 0) text += ',';
    text += Number(vector[i]!.toPrecision(5));
  }
  return `${text}]`;
}

/** The same in the binary form, to be bound as `vector`: a search does not spend its time on digits. */
export function vectorBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(VECTOR_HEAD_BYTES + 4 * vector.length);
  bytes.writeUInt16BE(vector.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset + VECTOR_HEAD_BYTES);
  for (let i = 0; i < vector.length; i += 1) view.setFloat32(4 * i, vector[i]!);
  return bytes;
}

/** The dimension, and two that are 0. */
const VECTOR_HEAD_BYTES = 4;

/** Called with the creation of a tenant. */
export async function createVectorPartition(tx: Tx, tenant: { id: string; partitionNo: number }): Promise<void> {
  const name = vectorPartition(tenant.partitionNo);
  await tx.query(sql`create table ${identifier(name)} partition of chunk_vector for values in (${raw(`'${tenant.id}'`)})
    partition by list (generation)`);
  await tx.query(sql`select protect_tenant_rows(${name})`);
}

/** The vectors that searches use now; undefined when the tenant has none (yet). */
export async function findServingVectors(tx: Queryable, tenantId: string): Promise<ServingVectors | undefined> {
  const [found] = await tx.query<Omit<ServingVectors, 'table'> & { partitionNo: number }>(sql`
    select g.generation, g.model, g.dimension, g.element, t.partition_no
    from embedding_generation g join tenant t on t.id = g.tenant_id
    where g.tenant_id = ${tenantId} and g.status = 'serving'`);
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
  /** All chunks that were there before it have been made to wait for its vectors. */
  filled: boolean;
  indexed: boolean;
}

const GENERATION_COLUMNS = raw('generation, model, dimension, element, status, filled, indexed');

/** In order of creation. */
export async function listGenerations(tx: Queryable, tenantId: string): Promise<Generation[]> {
  return tx.query<Generation>(sql`
    select ${GENERATION_COLUMNS} from embedding_generation where tenant_id = ${tenantId} order by generation`);
}

/**
 * Begins the next generation, with its table. The caller holds `lockEmbedding`, so that no chunk is stored meanwhile.
 * `indexed`: with its index from the start, which is slower to fill and never holds up a search.
 *
 * @param tx a system transaction: it makes a table.
 */
export async function createGeneration(
  tx: Tx,
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
  await tx.query(sql`create table ${table} partition of ${identifier(vectorPartition(partitionNo))}
    for values in (${raw(String(generation.generation))})`);
  const kind = { dimension, element };
  const column = vectorColumn(kind);
  await tx.query(sql`alter table ${table} alter column ${column} set not null,
    add check (vector_dims(${column}) = ${raw(String(dimension))}), alter column ${column} set statistics 0`);
  // A scan of vectors within their rows is many times faster than of vectors beside them.
  if (ELEMENTS[element].bytes * dimension <= INLINE_BYTES_MAX) {
    await tx.query(sql`alter table ${table} alter column ${column} set storage plain`);
  }
  await tx.query(sql`select protect_tenant_rows(${name})`);
  if (indexed) await tx.query(indexStatement(name, kind));
  return generation;
}

/** Longer rows would not fit a page. */
const INLINE_BYTES_MAX = 7_600;

function indexStatement(table: string, kind: VectorKind): Sql {
  return sql`create index if not exists ${identifier(`${table}_hnsw`)}
    on ${identifier(table)} using hnsw (${vectorOrder(kind)} ${raw(`${ELEMENTS[kind.element].type}_cosine_ops`)})`;
}

/** What building the index may use at least: with less it is built on disk, many times slower. The operator may allow more. */
const INDEX_MEMORY_KIB_MIN = 256 * 1024;

/**
 * Makes the index of a generation that has none. On the embedded database everything waits until it is made. That of a large corpus
 * takes longer than a statement of a request may: it is made without the limit, one message being one transaction.
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

/** From now on searches use it; the one before is retired. */
export async function serveGeneration(tx: Tx, tenantId: string, generation: number, now: Date): Promise<void> {
  await tx.query(sql`update embedding_generation set status = 'retired', retired_at = ${now}
    where tenant_id = ${tenantId} and status = 'serving' and generation <> ${generation}`);
  await tx.query(sql`update embedding_generation set status = 'serving', served_at = ${now}
    where tenant_id = ${tenantId} and generation = ${generation} and status = 'building'`);
}

export interface NewVector {
  chunkId: string;
  /** SHA-256 of the text that was embedded. */
  hash: Buffer;
  /** As `vectorText` writes it. */
  embedding: string;
}

/**
 * Stores vectors of chunks that are still there; returns the ids of those. Chunks that are being deleted at this moment are
 * left out, and none of the others can be deleted before the transaction ends.
 */
export async function insertVectors(
  tx: Tx,
  tenantId: string,
  generation: number,
  vectors: readonly NewVector[],
): Promise<string[]> {
  const ids = vectors.map((vector) => vector.chunkId);
  const rows = await tx.query<{ id: string }>(sql`
    with there as (
      select c.id, c.source_id from chunk c where c.tenant_id = ${tenantId} and c.id = any(${ids}::uuid[])
      order by c.id for key share skip locked
    ), stored as (
      insert into chunk_vector (tenant_id, generation, chunk_id, source_id, content_hash, embedding, embedding_single)
      select g.tenant_id, g.generation, t.id, t.source_id, r.hash,
        case g.element when 'half' then r.embedding::halfvec end, case g.element when 'single' then r.embedding::vector end
      from (select * from embedding_generation where tenant_id = ${tenantId} and generation = ${generation}) g
      cross join there t join unnest(${ids}::uuid[], ${vectors.map((vector) => vector.hash)}::bytea[],
        ${vectors.map((vector) => vector.embedding)}::text[]) as r(id, hash, embedding) on r.id = t.id
      on conflict do nothing
    )
    select id from there`);
  return rows.map((row) => row.id);
}

/** How far the chunks that were there before the generation have been made to wait; `filled`: to the end. */
export async function findFilledTo(tx: Queryable, tenantId: string, generation: number): Promise<string | null> {
  const [row] = await tx.query<{ filledTo: string | null }>(sql`
    select filled_to from embedding_generation where tenant_id = ${tenantId} and generation = ${generation}`);
  return row?.filledTo ?? null;
}

/** @param filledTo null: there are no more. */
export async function saveFilledTo(
  tx: Tx,
  tenantId: string,
  generation: number,
  filledTo: string | null,
): Promise<void> {
  await tx.query(sql`
    update embedding_generation set filled_to = coalesce(${filledTo}::uuid, filled_to), filled = ${filledTo}::uuid is null
    where tenant_id = ${tenantId} and generation = ${generation}`);
}

/** Given up: another model was configured meanwhile. */
export async function retireBuilding(tx: Tx, tenantId: string, now: Date): Promise<void> {
  await tx.query(sql`update embedding_generation set status = 'retired', retired_at = ${now}
    where tenant_id = ${tenantId} and status = 'building'`);
}

/** Generations that were retired before this time: no search reads them any more. */
export async function listRetired(tx: Queryable, tenantId: string, before: Date): Promise<number[]> {
  const rows = await tx.query<{ generation: number }>(sql`
    select generation from embedding_generation
    where tenant_id = ${tenantId} and status = 'retired' and retired_at < ${before} order by generation`);
  return rows.map((row) => row.generation);
}

/** Drops the vectors of a retired generation, with their index. */
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

/** Vectors of texts that were embedded before, by the hex of the text's hash: of other chunks, or of replaced ones. */
export async function findVectors(
  tx: Queryable,
  tenantId: string,
  { generation, model }: Pick<Generation, 'generation' | 'model'>,
  hashes: readonly Buffer[],
): Promise<Map<string, string>> {
  const rows = await tx.query<{ hash: string; embedding: string }>(sql`
    select encode(v.content_hash, 'hex') as hash, coalesce(v.embedding_single::text, v.embedding::text) as embedding from chunk_vector v
    where v.tenant_id = ${tenantId} and v.generation = ${generation} and v.content_hash = any(${hashes}::bytea[])
    union all
    select encode(e.content_hash, 'hex'), e.embedding::text from embedding_cache e
    where e.tenant_id = ${tenantId} and e.model = ${model} and e.content_hash = any(${hashes}::bytea[])`);
  return new Map(rows.map((row) => [row.hash, row.embedding]));
}

/** Before chunks of sources are replaced: what comes back unchanged finds its vector again. */
export async function keepVectorsOfSources(
  tx: Tx,
  tenantId: string,
  sourceIds: readonly string[],
  now: Date,
): Promise<void> {
  await keepVectors(tx, tenantId, sql`c.source_id = any(${[...sourceIds]}::uuid[])`, now);
}

/** Before chunks are removed that others have taken the place of: as above. */
export async function keepVectorsOfChunks(
  tx: Tx,
  tenantId: string,
  chunkIds: readonly string[],
  now: Date,
): Promise<void> {
  if (chunkIds.length > 0) await keepVectors(tx, tenantId, sql`c.id = any(${[...chunkIds]}::uuid[])`, now);
}

async function keepVectors(tx: Tx, tenantId: string, chunks: Sql, now: Date): Promise<void> {
  await tx.query(sql`
    insert into embedding_cache (tenant_id, model, content_hash, embedding, created_at)
    select distinct on (g.model, v.content_hash) v.tenant_id, g.model, v.content_hash,
      coalesce(v.embedding_single, v.embedding::vector), ${now}::timestamptz
    from chunk c join chunk_vector v on v.tenant_id = ${tenantId} and v.chunk_id = c.id
    join embedding_generation g on g.tenant_id = v.tenant_id and g.generation = v.generation and g.status <> 'retired'
    where c.tenant_id = ${tenantId} and ${chunks}
    on conflict (tenant_id, model, content_hash) do update set created_at = excluded.created_at`);
}

export async function dropCachedVectors(tx: Tx, tenantId: string, before: Date): Promise<void> {
  await tx.query(sql`delete from embedding_cache where tenant_id = ${tenantId} and created_at < ${before}`);
}

/** Generations of all tenants that are being built or serve, by model. */
export async function countGenerations(
  system: Queryable,
): Promise<{ model: string; dimension: number; status: 'building' | 'serving'; tenants: number }[]> {
  return system.query(sql`
    select model, dimension, status, count(*) as tenants from embedding_generation
    where status <> 'retired' group by model, dimension, status order by status desc, model`);
}
