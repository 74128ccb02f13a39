/** Semantic candidates: finds the vectors nearest to the query, exactly or through the HNSW index. */
import { vectorBytes, vectorColumn, vectorOrder, vectorType } from '../../corpus/vector-store.ts';
import type { Tx } from '../../db/database.ts';
import { empty, identifier, join, keepPlan, raw, type Sql, sql } from '../../db/sql.ts';
import { bestFirst, type Candidate, type QueryVector, type Scope } from '../engine.ts';
import { type FilterMatches, sourcesOf } from '../query/filter-matches.ts';
import { ALIVE, chunkConditions, narrowingConditions } from '../query/filter-sql.ts';

/**
 * Up to so many rows that match a filter, every vector is compared. If four of five vectors do not match, the index misses 3 % of the
 * nearest vectors. Without a filter the index misses hardly any vector.
 */
export const EXACT_ROWS_MAX = 20_000;
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
export const NEAREST_SETTINGS = [
  'set local hnsw.iterative_scan = relaxed_order',
  `set local hnsw.ef_search = ${INDEX_BREADTH}`,
  `set local hnsw.max_scan_tuples = ${INDEX_ROWS_MAX}`,
];

/**
 * Returns the nearest `depth` chunks of the scope. Few matching vectors are compared one by one. Else the index is used, unless it
 * gives up before it has found enough.
 *
 * @param matches the matching sources; undefined if they are not known, because most chunks match.
 */
export async function nearestCandidates(
  tx: Tx,
  scope: Scope,
  vector: QueryVector,
  depth: number,
  matches: FilterMatches | undefined,
  exactRowsMax: number,
): Promise<Candidate[]> {
  if (!matches || matches.chunks > exactRowsMax) {
    const found = toCandidates(await tx.query<NearestRow>(byIndex(scope, vector, depth, matches)));
    if (found.length >= depth) return found;
  }
  return toCandidates(await tx.query<NearestRow>(byComparison(scope, vector, depth, matches)));
}

type NearestRow = Omit<Candidate, 'score'> & { distance: number };

/** Returns candidates with the cosine as score. A zero vector, from a text in which the model found nothing, is left out. */
function toCandidates(rows: readonly NearestRow[]): Candidate[] {
  const found = rows.filter(({ distance }) => !Number.isNaN(distance));
  return bestFirst(found.map(({ id, sourceId, distance }) => ({ id, sourceId, score: 1 - distance })));
}

/** Returns the statement that asks the index. */
function byIndex(scope: Scope, vector: QueryVector, depth: number, matches: FilterMatches | undefined): Sql {
  // The distance as the index defines it. Comparisons do not use it: the conversion doubles their time.
  const distance = sql`(${vectorOrder(vector.vectors)} <=> ${bound(vector)})`;
  const limit = Math.ceil(depth * (matches && matches.share < NARROW_SHARE ? NARROW_MARGIN : 1));
  const conditions = [sql`v.tenant_id = ${scope.tenantId}`, sourceMatches(scope, matches), ...chunkMatches(scope)];
  return sql`select i.* from (
      select v.chunk_id as id, v.source_id, ${distance} as distance from ${identifier(vector.vectors.table)} v
      where ${join(conditions, ' and ')} order by ${distance} limit ${limit}) i
    order by i.distance + 0 limit ${depth}`;
}

/** Returns the condition that the source of vector `v` matches. Sources that are not passed by id are looked up for each candidate. */
function sourceMatches(scope: Scope, matches: FilterMatches | undefined): Sql {
  if (!matches || matches.ids === null) return sourceIsAlive(scope.tenantId, narrowingConditions(scope));
  const isNamed = sql`coalesce(v.source_id = any(${matches.ids}::uuid[]), false)`;
  return matches.mixed ? sql`${isNamed} and ${sourceIsAlive(scope.tenantId)}` : isNamed;
}

function sourceIsAlive(tenantId: string, conditions: readonly Sql[] = []): Sql {
  return sql`coalesce((select ${join([ALIVE, ...conditions], ' and ')} and (not s.mixed or ${isOfGeneration(tenantId, raw('s.generation'))})
    from (select * from source where tenant_id = ${tenantId} and id = v.source_id offset 0) s,
      lateral (select * from source_group where tenant_id = ${tenantId} and id = s.source_group_id offset 0) g), false)`;
}

/**
 * Returns the statement that compares every matching vector. The sum prevents the use of the index. The sub-select converts the query
 * once; a kept plan would convert it for each vector.
 */
function byComparison(scope: Scope, vector: QueryVector, depth: number, matches: FilterMatches | undefined): Sql {
  const statement = sql`select v.chunk_id as id, v.source_id, (v.vector <=> (select ${bound(vector)})) + 0 as distance
    from (${compared(scope, vector, matches)}) v order by distance limit ${depth}`;
  // Without conditions on chunks the statement, and so its best plan, is the same for all filters.
  return isListed(matches) && chunkMatches(scope).length === 0 ? keepPlan(statement) : statement;
}

/** Selects the vectors. Sources that are not passed by id are read one by one, because a join may be planned as a full scan. */
function compared(scope: Scope, { vectors: kind }: QueryVector, matches: FilterMatches | undefined): Sql {
  const { tenantId } = scope;
  const vectors = identifier(kind.table);
  const column = sql`${vectorColumn(kind)} as vector`;
  const fits = join([raw('true'), ...chunkMatches(scope)], ' and ');
  if (isListed(matches)) {
    // The sub-select hides the list from the planner, which would otherwise estimate the number of vectors of each source.
    return sql`select v.chunk_id, v.source_id, ${column} from ${vectors} v
      where v.tenant_id = ${tenantId} and v.source_id = any((select ${matches!.ids}::uuid[])::uuid[]) and ${fits}`;
  }
  const ofGeneration =
    matches?.mixed === false ? empty : sql`and (not f.mixed or ${isOfGeneration(tenantId, raw('f.generation'))})`;
  return sql`select v.chunk_id, f.id as source_id, v.vector from (${matches?.sources ?? sourcesOf(scope)}) f cross join lateral (
      select v.chunk_id, ${column} from ${vectors} v
      where v.tenant_id = ${tenantId} and v.source_id = f.id ${ofGeneration} offset 0) v
    where ${fits}`;
}

/** Returns true if the sources are passed by id and every chunk of them is served. */
function isListed(matches: FilterMatches | undefined): boolean {
  return matches !== undefined && matches.ids !== null && !matches.mixed;
}

function bound({ vectors, values }: QueryVector): Sql {
  return sql`${vectorBytes(values)}::vector::${vectorType(vectors)}`;
}

function chunkMatches(scope: Scope): Sql[] {
  const conditions = chunkConditions(scope);
  if (conditions.length === 0) return [];
  return [
    sql`coalesce((select ${join(conditions, ' and ')} from chunk c
      where c.tenant_id = ${scope.tenantId} and c.id = v.chunk_id), false)`,
  ];
}

/** Returns the condition that the chunk of vector `v` has the generation. Only mixed sources need this look-up. */
function isOfGeneration(tenantId: string, generation: Sql): Sql {
  return sql`exists (select from chunk c where c.tenant_id = ${tenantId} and c.id = v.chunk_id and c.generation = ${generation})`;
}
