/**
 * Finds the nearest of some thousands of vectors that match a filter. The embedded engine takes 2 µs to compare a vector. The vectors
 * of a repeated filter are therefore cached, with one byte per number. The cache tells which vectors may be the nearest; the database
 * computes their distances.
 */
import { vectorColumn } from '../../corpus/vector-store.ts';
import type { Tx } from '../../db/database.ts';
import { identifier, keepPlan, sql } from '../../db/sql.ts';
import type { Candidate } from '../lexical/lexical.ts';
import type { CacheView } from '../query/corpus-cache.ts';
import { chunkConditions } from '../query/filter-sql.ts';
import { type NearestRequest, type NearestRow, queryVector, toSimilar } from './nearest.ts';
import { openVectorScan, packVectors, type VectorBlock, type VectorScan } from './vector-scan.ts';

/** Minimum number of chunks: the database compares fewer vectors while the rest of the search runs. */
const CACHED_CHUNKS_MIN = 2_000;
/** Maximum bytes: half of the corpus cache. */
const CACHED_BYTES_MAX = 16 * 1024 ** 2;
/** Number of searches before the vectors are read: reading takes as long as so many comparisons in the database. */
const ASKED_MIN = 6;
/** Number of chunks that one statement reads. */
const READ_CHUNKS = 1_000;
/** If more vectors may be among the nearest, the database compares every matching vector instead. */
const CHECKED_MAX = 1_000;
/** Bytes of a chunk's id as a string, its scale and its error. */
const ROW_BYTES = 100;
/** Bytes before the numbers of a vector in binary form. */
const HEAD_BYTES = 4;
/** Bytes before the ids of an array in binary form, and bytes of each id with its length. */
const ARRAY_HEAD_BYTES = 20;
const ARRAY_ID_BYTES = 20;

/** Returns a search in cached vectors; undefined if the database must compare them. */
export type FindCachedVectors = (nearest: NearestRequest) => Promise<NearestFromCache | undefined>;
/** Returns the same candidates as `nearestCandidates` with the exact plan; undefined if too many vectors may be the nearest. */
export type NearestFromCache = () => Promise<Candidate[] | undefined>;

interface CachedVectors {
  ids: readonly string[];
  scan: VectorScan;
  bytes: number;
}

/** Opens the cached vectors for one transaction. `version` changes with every change of vectors. */
export function openCachedVectors(tx: Tx, cache: CacheView, version: string): FindCachedVectors {
  return async (nearest) => {
    const key = keyOf(nearest, version);
    if (key === undefined) return undefined;
    const asked = await cache.getOrAdd(`asked ${key}`, async () => ({ times: 0 }));
    asked.times += 1;
    if (asked.times < ASKED_MIN) return undefined;
    const known = await cache.getOrAdd(
      key,
      () => read(tx, nearest),
      ({ bytes }) => bytes,
    );
    return () => find(tx, nearest, known);
  };
}

/** Returns the cache key; undefined if the vectors are not cached. */
function keyOf({ request, semantic, filters, filterMatches }: NearestRequest, version: string): string | undefined {
  const { vectors } = semantic;
  if (!filterMatches || filterMatches.ids === null || filterMatches.mixed || filterMatches.chunks < CACHED_CHUNKS_MIN)
    return undefined;
  if (vectors.element !== 'single' || filterMatches.chunks * (vectors.dimension + ROW_BYTES) > CACHED_BYTES_MAX)
    return undefined;
  // Conditions on chunks depend on data that can change without a change of the version.
  if (chunkConditions(request, filters).length > 0) return undefined;
  return filterMatches.key && `vectors ${version} ${vectors.table} ${filterMatches.key}`;
}

async function read(tx: Tx, { request, semantic, filterMatches }: NearestRequest): Promise<CachedVectors> {
  const { vectors } = semantic;
  const named = filterMatches!.ids!;
  const sources = Buffer.isBuffer(named) ? (named.length - ARRAY_HEAD_BYTES) / ARRAY_ID_BYTES : named.length;
  const step = Math.max(1, Math.floor((sources * READ_CHUNKS) / filterMatches!.chunks));
  const ids: string[] = [];
  const blocks: VectorBlock[] = [];
  for (let from = 1; from <= sources; from += step) {
    const rows = await tx.query<{ id: string; vector: Buffer }>(sql`
      select v.chunk_id as id, vector_send(${vectorColumn(vectors)}) as vector from ${identifier(vectors.table)} v
      where v.tenant_id = ${request.tenantId} and v.source_id = any((${named}::uuid[])[${from}::int:${from + step - 1}::int])`);
    blocks.push(
      packVectors(
        rows.map(({ vector }) => numbersOf(vector)),
        vectors.dimension,
      ),
    );
    for (const { id } of rows) ids.push(id);
  }
  const scan = openVectorScan(blocks, vectors.dimension);
  return { ids, scan, bytes: scan.bytes + ROW_BYTES * ids.length };
}

async function find(tx: Tx, nearest: NearestRequest, { ids, scan }: CachedVectors): Promise<Candidate[] | undefined> {
  const { request, semantic, limit } = nearest;
  // Lets the database run statements that were sent before.
  await new Promise(setImmediate);
  const places = scan(numbersOf(semantic.vector), limit);
  if (places.length > CHECKED_MAX) return undefined;
  const { table } = semantic.vectors;
  const read = sql`
    select v.chunk_id as id, v.source_id, ${vectorColumn(semantic.vectors)} <=> ${queryVector(semantic)} as distance
    from ${identifier(table)} v
    where v.tenant_id = ${request.tenantId} and v.chunk_id = any(${places.map((place) => ids[place]!)}::uuid[])`;
  const rows = await tx.query<NearestRow>(keepPlan(read));
  return toSimilar(rows).slice(0, limit);
}

/** Returns the numbers of a vector in binary form. */
function numbersOf(bytes: Buffer): Float32Array {
  const swapped = Buffer.from(bytes.subarray(HEAD_BYTES)).swap32();
  return new Float32Array(swapped.buffer, swapped.byteOffset, swapped.length / 4);
}
