/**
 * The nearest of some thousands of vectors that fit a filter, without comparing each in the database, at 2 µs in the embedded engine:
 * of a filter that is asked for again and again they are kept in memory, a byte for each number. That tells which may be the nearest;
 * how near these are, the database tells, as ever.
 */
import { vectorColumn } from '../../corpus/vector-store.ts';
import type { Tx } from '../../db/database.ts';
import { identifier, keepPlan, sql } from '../../db/sql.ts';
import type { Candidate } from '../lexical/lexical.ts';
import type { Knowledge } from '../query/corpus-memory.ts';
import { chunkConditions } from '../query/filter-sql.ts';
import { type NearestRequest, type NearestRow, queryVector, toSimilar } from './nearest.ts';
import { openVectorScan, packVectors, type VectorBlock, type VectorScan } from './vector-scan.ts';

/** Fewer are compared in the database within the time that the rest of a search takes. */
const KNOWN_CHUNKS_MIN = 2_000;
/** Half of what is kept of a corpus. */
const KNOWN_BYTES_MAX = 16 * 1024 ** 2;
/** To read them takes as long as to compare them so often. */
const ASKED_MIN = 6;
/** Read at once. */
const READ_CHUNKS = 1_000;
/** When more than so many may be the nearest, each vector that fits is compared. */
const CHECKED_MAX = 1_000;
/** Of a chunk's id as a string, its scale and error. */
const ROW_BYTES = 100;
/** What stands before the numbers of a vector in the binary form. */
const HEAD_BYTES = 4;
/** The same of an array of ids, and each with its length. */
const ARRAY_HEAD_BYTES = 20;
const ARRAY_ID_BYTES = 20;

/** Undefined where they are compared in the database. */
export type FindKnown = (nearest: NearestRequest) => Promise<NearestKnown | undefined>;
/** As `nearestCandidates` of the exact plan. Undefined when too many may be the nearest. */
export type NearestKnown = () => Promise<Candidate[] | undefined>;

interface KnownVectors {
  ids: readonly string[];
  scan: VectorScan;
  bytes: number;
}

/** For one transaction. `version`: another one after every change of vectors. */
export function openKnownVectors(tx: Tx, knowledge: Knowledge, version: string): FindKnown {
  return async (nearest) => {
    const key = keyOf(nearest, version);
    if (key === undefined) return undefined;
    const asked = await knowledge.recall(`asked ${key}`, async () => ({ times: 0 }));
    asked.times += 1;
    if (asked.times < ASKED_MIN) return undefined;
    const known = await knowledge.recall(
      key,
      () => read(tx, nearest),
      ({ bytes }) => bytes,
    );
    return () => find(tx, nearest, known);
  };
}

/** What they are kept under; undefined where they are not. */
function keyOf({ request, semantic, filters, fitting }: NearestRequest, version: string): string | undefined {
  const { vectors } = semantic;
  if (!fitting || fitting.ids === null || fitting.mixed || fitting.chunks < KNOWN_CHUNKS_MIN) return undefined;
  if (vectors.element !== 'single' || fitting.chunks * (vectors.dimension + ROW_BYTES) > KNOWN_BYTES_MAX)
    return undefined;
  // What conditions on chunks ask for changes without a change of the version.
  if (chunkConditions(request, filters).length > 0) return undefined;
  return fitting.key && `vectors ${version} ${vectors.table} ${fitting.key}`;
}

async function read(tx: Tx, { request, semantic, fitting }: NearestRequest): Promise<KnownVectors> {
  const { vectors } = semantic;
  const named = fitting!.ids!;
  const sources = Buffer.isBuffer(named) ? (named.length - ARRAY_HEAD_BYTES) / ARRAY_ID_BYTES : named.length;
  const step = Math.max(1, Math.floor((sources * READ_CHUNKS) / fitting!.chunks));
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

async function find(tx: Tx, nearest: NearestRequest, { ids, scan }: KnownVectors): Promise<Candidate[] | undefined> {
  const { request, semantic, limit } = nearest;
  // What was sent before runs meanwhile.
  await new Promise(setImmediate);
  const places = scan(numbersOf(semantic.vector), limit);
  if (places.length > CHECKED_MAX) return undefined;
  const { table } = semantic.vectors;
  const read = sql`
    select v.chunk_id as id, v.source_id, ${vectorColumn(semantic.vectors)} <=> ${queryVector(semantic)} as distance
    from ${identifier(table)} v where v.tenant_id = ${request.tenantId} and v.chunk_id = any(${places.map((place) => ids[place]!)}::uuid[])`;
  const rows = await tx.query<NearestRow>(keepPlan(read));
  return toSimilar(rows).slice(0, limit);
}

/** Of a vector in the binary form. */
function numbersOf(bytes: Buffer): Float32Array {
  const swapped = Buffer.from(bytes.subarray(HEAD_BYTES)).swap32();
  return new Float32Array(swapped.buffer, swapped.byteOffset, swapped.length / 4);
}
