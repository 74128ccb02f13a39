/** Semantic candidates: the SQL that finds the vectors nearest to the query's, exactly or through the HNSW index. */
import { vectorColumn, vectorOrder, vectorType } from '../../corpus/vector-store.ts';
import type { Queryable, Tx, VisibleState } from '../../db/database.ts';
import { empty, identifier, join, keepPlan, raw, type Sql, sql } from '../../db/sql.ts';
import { type Candidate, FORCE_INDEXES, inOrder } from '../lexical/lexical.ts';
import { ALIVE, chunkConditions, narrowingConditions } from '../query/filter-sql.ts';
import { type Fitting, sourcesOf } from '../query/fitting.ts';
import type { AdmittedRequest, Filters } from '../types.ts';
import type { SemanticQuery } from './semantic.ts';

/**
 * Up to so many rows that fit a filter every vector is compared. With four of five to pass over, the index misses three in a hundred of
 * the nearest.
 */
export const EXACT_ROWS_MAX = 20_000;
/** The same without a filter, where the index misses hardly any. */
const EXACT_UNFILTERED_ROWS_MAX = 10_000;
/** What the index looks at before it gives up on a filter; what is missing then is found by comparing every vector. */
const INDEX_ROWS_MAX = 20_000;
/** When less than this share fits a filter, the index is asked for more than are wanted: some of the nearest come late. */
const NARROW_SHARE = 0.4;
const NARROW_MARGIN = 1.5;
/** Candidates that the index keeps while it looks: more find more of the nearest, and cost more. */
const INDEX_BREADTH = 100;

/**
 * For the transaction: the index goes on until enough rows fit the filters. Not in strict order, which drops what it comes upon too
 * late and so misses some of the nearest under a filter; what was found is sorted anyway.
 */
export const NEAREST_SETTINGS = raw(`set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.ef_search', '${INDEX_BREADTH}', true), set_config('hnsw.max_scan_tuples', '${INDEX_ROWS_MAX}', true)`);

export interface NearestRequest {
  request: AdmittedRequest;
  semantic: SemanticQuery;
  /** Those of the request, or none where they are applied later. The key's limits and the policy always hold. */
  filters: Filters;
  /** What is known of them; else the sources are looked for within the statement. */
  fitting?: Fitting | undefined;
  /** Where no filter narrows the search: of all other sources every chunk fits. Absent: not known. */
  doubtful?: readonly string[] | undefined;
  limit: number;
  exactRowsMax: number;
}

/** Common table expressions, the last of which is `nearest (chunk_id, source_id, distance)`: at most `limit` rows. */
export interface NearestPlan {
  tables: Sql;
  /** `fittingTable` is among them. */
  hasFitting: boolean;
  /** Every vector that fits is compared, however many there are. */
  exact: boolean;
  /** About as many vectors fit. */
  rows: number;
  /** The statement is the same for all filters, and so is its best plan. */
  keepsPlan: boolean;
}

/** Compares every vector that fits. */
export function exactPlan(nearest: NearestRequest): NearestPlan {
  const { request, filters, fitting } = nearest;
  const keepsPlan = areNamed(fitting) && chunkConditions(request, filters).length === 0;
  return { exact: true, rows: rowsOf(nearest), keepsPlan, ...withFitting(nearest, exactScan(nearest)) };
}

/** By the number of chunks of the sources that fit: few are compared one by one, for many the index is asked. */
export function plannedBySize(nearest: NearestRequest): NearestPlan {
  const { fitting, exactRowsMax } = nearest;
  const rowsMax = fitting ? exactRowsMax : Math.min(exactRowsMax, EXACT_UNFILTERED_ROWS_MAX);
  const rows = rowsOf(nearest);
  if (rows <= rowsMax) return exactPlan(nearest);
  if (!fitting) {
    const tables = nearestTable(indexScan(nearest, isCertainlyAlive(nearest)));
    return { exact: false, rows, keepsPlan: false, hasFitting: false, tables };
  }
  const margin = fitting.share < NARROW_SHARE ? NARROW_MARGIN : 1;
  const found = indexScan({ ...nearest, limit: Math.ceil(nearest.limit * margin) }, sourceFits(nearest, fitting));
  const best = sql`select i.* from (${found}) i (chunk_id, source_id, distance) order by i.distance + 0 limit ${nearest.limit}`;
  return { exact: false, rows, keepsPlan: false, ...withFitting(nearest, best) };
}

function rowsOf({ semantic, fitting }: NearestRequest): number {
  return fitting?.chunks ?? semantic.rows;
}

/** Of the source of vector `v`. */
function sourceFits({ request, filters }: NearestRequest, fitting: Fitting): Sql {
  // More sources than can be named are many: most candidates of the index are of one of them.
  if (fitting.ids === null)
    return sourceIsAlive(request.tenantId, narrowingConditions(request.tenantId, request, filters));
  // The planner makes a hash of an array that it is given, sooner than the statement would of a table.
  if (!fitting.mixed) return sql`coalesce(v.source_id = any(${fitting.ids}::uuid[]), false)`;
  return sql`coalesce(v.source_id in (select f.id from fitting f), false)
    and (v.source_id not in (select f.id from fitting f where f.mixed)
      or ${isOfGeneration(request.tenantId, raw('(select f.generation from fitting f where f.id = v.source_id)'))})`;
}

/** Nearest first; of equal distance, the lower id first. */
export async function nearestCandidates(tx: Queryable, { tables, keepsPlan }: NearestPlan): Promise<Candidate[]> {
  const statement = sql`with ${tables} ${NEAREST_ROWS}`;
  return toSimilar(await tx.query<NearestRow>(keepsPlan ? keepPlan(statement) : statement));
}

/** The same, where that is worth the while beside what else the transaction has to do. */
export function nearestBeside(tx: Tx, plan: NearestPlan, state: VisibleState | undefined): Promise<Candidate[]> {
  const { queryInParallel } = tx;
  if (!queryInParallel || !state || (plan.exact && plan.rows <= QUICK_ROWS)) return nearestCandidates(tx, plan);
  return nearestCandidates({ query: (statement) => queryInParallel(statement, BESIDE_SETTINGS, state) }, plan);
}

/** To compare so many takes about as long as to begin another transaction. */
const QUICK_ROWS = 300;
const BESIDE_SETTINGS = sql`${FORCE_INDEXES}, ${NEAREST_SETTINGS}`;

export type NearestRow = Omit<Candidate, 'score'> & { distance: number };

/** The rows of `nearest`. A vector is there only as long as its chunk. */
export const NEAREST_ROWS = raw('select n.chunk_id as id, n.source_id as "sourceId", n.distance from nearest n');

/** With the cosine as score. A vector of zeros, for a text in which the model found nothing, is near to nothing. */
export function toSimilar(rows: readonly NearestRow[]): Candidate[] {
  const candidates: Candidate[] = [];
  for (const { id, sourceId, distance } of rows) {
    if (!Number.isNaN(distance)) candidates.push({ id, sourceId, score: 1 - distance });
  }
  return inOrder(candidates, Number.NEGATIVE_INFINITY);
}

/** Of the sources that fit: also for the lexical half of a statement. */
export function fittingTable({ request, filters, fitting }: NearestRequest): Sql {
  return sql`fitting as materialized (${fitting?.sources ?? sourcesOf(request, filters)})`;
}

/** Sources that are named, and of which every chunk fits, need no table. */
function withFitting(nearest: NearestRequest, select: Sql): Pick<NearestPlan, 'tables' | 'hasFitting'> {
  const table = nearestTable(select);
  return areNamed(nearest.fitting)
    ? { hasFitting: false, tables: table }
    : { hasFitting: true, tables: join([fittingTable(nearest), table]) };
}

function areNamed(fitting: Fitting | undefined): boolean {
  return fitting !== undefined && fitting.ids !== null && !fitting.mixed;
}

function nearestTable(select: Sql): Sql {
  return sql`nearest (chunk_id, source_id, distance) as materialized (${select})`;
}

/** Fenced off by its offset, each distance is computed once; the sum keeps the index out of it. */
function exactScan(nearest: NearestRequest): Sql {
  return sql`select d.* from (${compared(nearest)} offset 0) d (chunk_id, source_id, distance)
    order by d.distance + 0 limit ${nearest.limit}`;
}

/** Source by source, where they are not named: a join may be planned as a scan of all. */
function compared({ request, semantic, filters, fitting }: NearestRequest): Sql {
  const { tenantId } = request;
  const vectors = identifier(semantic.vectors.table);
  const column = vectorColumn(semantic.vectors);
  // Converted once: a plan that is kept would do it for each vector.
  const distance = sql`${column} <=> (select ${queryVector(semantic)})`;
  const fits = join([raw('true'), ...chunkFits(request, filters)], ' and ');
  if (fitting && areNamed(fitting)) {
    // Of a list that it knows, the planner would estimate how many vectors each of the sources has.
    return sql`select v.chunk_id, v.source_id, ${distance} from ${vectors} v
      where v.tenant_id = ${tenantId} and v.source_id = any((select ${fitting.ids}::uuid[])::uuid[]) and ${fits}`;
  }
  const ofGeneration =
    fitting?.mixed === false ? empty : sql`and (not f.mixed or ${isOfGeneration(tenantId, raw('f.generation'))})`;
  return sql`select v.chunk_id, f.id, ${distance} from fitting f cross join lateral (
      select v.chunk_id, ${column} from ${vectors} v
      where v.tenant_id = ${tenantId} and v.source_id = f.id ${ofGeneration} offset 0) v
    where ${fits}`;
}

function indexScan({ request, semantic, filters, limit }: NearestRequest, condition: Sql): Sql {
  const { tenantId } = request;
  const distance = indexedDistance(semantic);
  return sql`select v.chunk_id, v.source_id, ${distance} from ${identifier(semantic.vectors.table)} v
    where ${join([sql`v.tenant_id = ${tenantId}`, condition, ...chunkFits(request, filters)], ' and ')}
    order by ${distance} limit ${limit}`;
}

/** As the index knows it. Its conversion takes as long as the rest of a comparison: not for scans. */
function indexedDistance(semantic: SemanticQuery): Sql {
  return sql`(${vectorOrder(semantic.vectors)} <=> ${queryVector(semantic)})`;
}

export function queryVector({ vectors, vector }: SemanticQuery): Sql {
  return sql`${vector}::vector::${vectorType(vectors)}`;
}

function chunkFits(request: AdmittedRequest, filters: Filters): Sql[] {
  const conditions = chunkConditions(request, filters);
  if (conditions.length === 0) return [];
  return [
    sql`coalesce((select ${join(conditions, ' and ')} from chunk c
      where c.tenant_id = ${request.tenantId} and c.id = v.chunk_id), false)`,
  ];
}

/** Only of sources that have chunks of several generations the chunk of vector `v` is looked up. */
function isOfGeneration(tenantId: string, generation: Sql): Sql {
  return sql`exists (select from chunk c where c.tenant_id = ${tenantId} and c.id = v.chunk_id and c.generation = ${generation})`;
}

/** Of doubtful sources it is looked up. */
function isCertainlyAlive({ request, doubtful }: NearestRequest): Sql {
  const isAlive = sourceIsAlive(request.tenantId);
  if (doubtful?.length === 0) return raw('true');
  return doubtful ? sql`case when v.source_id = any(${[...doubtful]}::uuid[]) then ${isAlive} else true end` : isAlive;
}

/** Looked up for each candidate of the index: nearly all are. `conditions`: what its source fulfils besides. */
function sourceIsAlive(tenantId: string, conditions: readonly Sql[] = []): Sql {
  return sql`coalesce((select ${join([ALIVE, ...conditions], ' and ')} and (not s.mixed or ${isOfGeneration(tenantId, raw('s.generation'))})
    from (select * from source where tenant_id = ${tenantId} and id = v.source_id offset 0) s,
      lateral (select * from source_group where tenant_id = ${tenantId} and id = s.source_group_id offset 0) g), false)`;
}
