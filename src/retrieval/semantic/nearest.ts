/** Semantic candidates: SQL that finds the vectors nearest to the query, exactly or through the HNSW index. */
import { vectorColumn, vectorOrder, vectorType } from '../../corpus/vector-store.ts';
import type { Queryable } from '../../db/database.ts';
import { empty, identifier, join, keepPlan, raw, type Sql, sql } from '../../db/sql.ts';
import { type Candidate, inOrder } from '../lexical/lexical.ts';
import { type FilterMatches, sourcesOf } from '../query/filter-matches.ts';
import { ALIVE, chunkConditions, narrowingConditions } from '../query/filter-sql.ts';
import type { AdmittedRequest, Filters } from '../types.ts';
import type { SemanticQuery } from './semantic.ts';

/**
 * Up to so many rows that match a filter, every vector is compared. If four of five vectors do not match, the index misses 3 % of the
 * nearest vectors.
 */
export const EXACT_ROWS_MAX = 20_000;
/** The same limit without a filter: then the index misses hardly any vector. */
const EXACT_UNFILTERED_ROWS_MAX = 10_000;
/** Number of vectors that the index visits before it gives up on a filter. Then every vector is compared. */
const INDEX_ROWS_MAX = 20_000;
/** If a smaller share matches a filter, the index is asked for more vectors than wanted, because it finds some of the nearest late. */
const NARROW_SHARE = 0.4;
const NARROW_MARGIN = 1.5;
/** Number of candidates that the index keeps during its search: a larger number finds more of the nearest vectors and costs more. */
const INDEX_BREADTH = 100;

/**
 * Settings of the transaction: the index goes on until enough rows match the filters. Strict order would drop vectors that the index
 * finds too late, and so miss some of the nearest under a filter. The results are sorted anyway.
 */
export const NEAREST_SETTINGS = raw(`set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.ef_search', '${INDEX_BREADTH}', true), set_config('hnsw.max_scan_tuples', '${INDEX_ROWS_MAX}', true)`);

export interface NearestRequest {
  request: AdmittedRequest;
  semantic: SemanticQuery;
  /** The filters of the request, or none if they are applied later. The limits of the key and the policy always apply. */
  filters: Filters;
  /** The matching sources, if they are known; else the statement finds them. */
  filterMatches?: FilterMatches | undefined;
  limit: number;
  exactRowsMax: number;
}

/** Common table expressions, the last of which is `nearest (chunk_id, source_id, distance)`: at most `limit` rows. */
export interface NearestPlan {
  tables: Sql;
  /** True if `matchesTable` is one of them. */
  hasMatchesTable: boolean;
  /** True if every matching vector is compared, whatever their number. */
  exact: boolean;
  /** Approximate number of matching vectors. */
  rows: number;
  /** True if the statement, and so its best plan, is the same for all filters. */
  keepsPlan: boolean;
}

/** Returns the plan that compares every matching vector. */
export function exactPlan(nearest: NearestRequest): NearestPlan {
  const { request, filters, filterMatches } = nearest;
  const keepsPlan = areNamed(filterMatches) && chunkConditions(request, filters).length === 0;
  return { exact: true, rows: rowsOf(nearest), keepsPlan, ...withMatchesTable(nearest, exactScan(nearest)) };
}

/** Returns the plan for the number of matching chunks: few vectors are compared one by one, for many the index is used. */
export function plannedBySize(nearest: NearestRequest): NearestPlan {
  const { filterMatches, exactRowsMax } = nearest;
  const rowsMax = filterMatches ? exactRowsMax : Math.min(exactRowsMax, EXACT_UNFILTERED_ROWS_MAX);
  const rows = rowsOf(nearest);
  if (rows <= rowsMax) return exactPlan(nearest);
  if (!filterMatches) {
    const tables = nearestTable(indexScan(nearest, sourceIsAlive(nearest.request.tenantId)));
    return { exact: false, rows, keepsPlan: false, hasMatchesTable: false, tables };
  }
  const margin = filterMatches.share < NARROW_SHARE ? NARROW_MARGIN : 1;
  const found = indexScan({ ...nearest, limit: Math.ceil(nearest.limit * margin) }, sourceFits(nearest, filterMatches));
  const best = sql`select i.* from (${found}) i (chunk_id, source_id, distance) order by i.distance + 0 limit ${nearest.limit}`;
  return { exact: false, rows, keepsPlan: false, ...withMatchesTable(nearest, best) };
}

function rowsOf({ semantic, filterMatches }: NearestRequest): number {
  return filterMatches?.chunks ?? semantic.rows;
}

/** Returns the condition that the source of vector `v` matches. */
function sourceFits({ request, filters }: NearestRequest, filterMatches: FilterMatches): Sql {
  // With too many sources to pass by id, most candidates of the index match.
  if (filterMatches.ids === null)
    return sourceIsAlive(request.tenantId, narrowingConditions(request.tenantId, request, filters));
  // The planner hashes a given array faster than the statement hashes a table.
  if (!filterMatches.mixed) return sql`coalesce(v.source_id = any(${filterMatches.ids}::uuid[]), false)`;
  return sql`coalesce(v.source_id in (select f.id from matching f), false)
    and (v.source_id not in (select f.id from matching f where f.mixed)
      or ${isOfGeneration(request.tenantId, raw('(select f.generation from matching f where f.id = v.source_id)'))})`;
}

/** Returns the candidates, nearest first; for equal distances, the lower id first. */
export async function nearestCandidates(tx: Queryable, { tables, keepsPlan }: NearestPlan): Promise<Candidate[]> {
  const statement = sql`with ${tables} ${NEAREST_ROWS}`;
  return toSimilar(await tx.query<NearestRow>(keepsPlan ? keepPlan(statement) : statement));
}

export type NearestRow = Omit<Candidate, 'score'> & { distance: number };

/** The rows of `nearest`. A vector is there only as long as its chunk. */
export const NEAREST_ROWS = raw('select n.chunk_id as id, n.source_id, n.distance from nearest n');

/** Returns candidates with the cosine as score. A zero vector, from a text in which the model found nothing, is left out. */
export function toSimilar(rows: readonly NearestRow[]): Candidate[] {
  const candidates: Candidate[] = [];
  for (const { id, sourceId, distance } of rows) {
    if (!Number.isNaN(distance)) candidates.push({ id, sourceId, score: 1 - distance });
  }
  return inOrder(candidates, Number.NEGATIVE_INFINITY);
}

/** Returns the table `matching` of the matching sources, which the lexical half of a statement can use too. */
export function matchesTable({ request, filters, filterMatches }: NearestRequest): Sql {
  return sql`matching as materialized (${filterMatches?.sources ?? sourcesOf(request, filters)})`;
}

/** Returns the tables of a plan. Sources that are passed by id, and of which every chunk matches, need no table. */
function withMatchesTable(nearest: NearestRequest, select: Sql): Pick<NearestPlan, 'tables' | 'hasMatchesTable'> {
  const table = nearestTable(select);
  return areNamed(nearest.filterMatches)
    ? { hasMatchesTable: false, tables: table }
    : { hasMatchesTable: true, tables: join([matchesTable(nearest), table]) };
}

function areNamed(filterMatches: FilterMatches | undefined): boolean {
  return filterMatches !== undefined && filterMatches.ids !== null && !filterMatches.mixed;
}

function nearestTable(select: Sql): Sql {
  return sql`nearest (chunk_id, source_id, distance) as materialized (${select})`;
}

/** Compares every vector. The offset makes the database compute each distance once; the sum prevents the use of the index. */
function exactScan(nearest: NearestRequest): Sql {
  return sql`select d.* from (${compared(nearest)} offset 0) d (chunk_id, source_id, distance)
    order by d.distance + 0 limit ${nearest.limit}`;
}

/** Selects the distances. Sources that are not passed by id are read one by one, because a join may be planned as a full scan. */
function compared({ request, semantic, filters, filterMatches }: NearestRequest): Sql {
  const { tenantId } = request;
  const vectors = identifier(semantic.vectors.table);
  const column = vectorColumn(semantic.vectors);
  // The sub-select converts the query once; a kept plan would convert it for each vector.
  const distance = sql`${column} <=> (select ${queryVector(semantic)})`;
  const fits = join([raw('true'), ...chunkFits(request, filters)], ' and ');
  if (filterMatches && areNamed(filterMatches)) {
    // The sub-select hides the list from the planner, which would otherwise estimate the number of vectors of each source.
    return sql`select v.chunk_id, v.source_id, ${distance} from ${vectors} v
      where v.tenant_id = ${tenantId} and v.source_id = any((select ${filterMatches.ids}::uuid[])::uuid[]) and ${fits}`;
  }
  const ofGeneration =
    filterMatches?.mixed === false ? empty : sql`and (not f.mixed or ${isOfGeneration(tenantId, raw('f.generation'))})`;
  return sql`select v.chunk_id, f.id, ${distance} from matching f cross join lateral (
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

/** Returns the distance as the index defines it. Scans do not use it: the conversion doubles the time of a comparison. */
function indexedDistance(semantic: SemanticQuery): Sql {
  return sql`(${vectorOrder(semantic.vectors)} <=> ${queryVector(semantic)})`;
}

function queryVector({ vectors, vector }: SemanticQuery): Sql {
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

/** Returns the condition that the chunk of vector `v` has the generation. Only mixed sources need this look-up. */
function isOfGeneration(tenantId: string, generation: Sql): Sql {
  return sql`exists (select from chunk c where c.tenant_id = ${tenantId} and c.id = v.chunk_id and c.generation = ${generation})`;
}

/** Returns the condition that the source of vector `v` is alive and satisfies `conditions`, looked up for each candidate. */
function sourceIsAlive(tenantId: string, conditions: readonly Sql[] = []): Sql {
  return sql`coalesce((select ${join([ALIVE, ...conditions], ' and ')} and (not s.mixed or ${isOfGeneration(tenantId, raw('s.generation'))})
    from (select * from source where tenant_id = ${tenantId} and id = v.source_id offset 0) s,
      lateral (select * from source_group where tenant_id = ${tenantId} and id = s.source_group_id offset 0) g), false)`;
}
