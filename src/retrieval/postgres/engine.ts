/** The engine in PostgreSQL: BM25 over the chunks' terms, HNSW over their vectors, filters as conditions of the same statements. */
import type { Database } from '../../db/database.ts';
import { keepPlan, type Sql, sql } from '../../db/sql.ts';
import type { Candidate, CandidateQuery, Engine, Scope } from '../engine.ts';
import {
  bm25Candidates,
  type CandidateRequest,
  FORCE_INDEX_ORDER,
  FORCE_INDEXES,
  indexWeights,
  WIDE_SHARE,
} from '../lexical/lexical.ts';
import { countedWeights, scanCandidates } from '../lexical/lexical-scan.ts';
import { isSmallCorpus, openSmallCorpusScan, type SmallCorpusScan } from '../lexical/small-corpus-scan.ts';
import { type FilterMatches, findFilterMatches } from '../query/filter-matches.ts';
import { chunkConditions, lookedUpPredicates, narrowsCheaply } from '../query/filter-sql.ts';
import { EXACT_ROWS_MAX, NEAREST_SETTINGS, nearestCandidates } from './nearest.ts';

/** Up to so many of the best chunks are tested for a filter one by one, before the filter is evaluated for the whole corpus. */
const TESTED_MAX = 250;

/** Limits that tests change, so that a small corpus is searched like a large one. */
export interface PostgresLimits {
  /** Up to so many matching rows, every vector is compared. */
  exactRowsMax?: number;
  /** Up to so many matching sources are passed by id. */
  namedMax?: number;
  /** False: few matching chunks are scored through the index, as if they were many. */
  scansSmall?: boolean;
}

export function openPostgresEngine(
  { hasTextSearch }: Pick<Database, 'hasTextSearch'>,
  { exactRowsMax = EXACT_ROWS_MAX, namedMax, scansSmall = true }: PostgresLimits = {},
): Engine {
  const settings = keepPlan(sql`select ${hasTextSearch ? FORCE_INDEX_ORDER : FORCE_INDEXES}, ${NEAREST_SETTINGS}`);
  const weigh = hasTextSearch ? indexWeights : countedWeights;
  return {
    testsCandidates: true,
    async open(tx, scope) {
      await tx.query(settings);
      let matches: Promise<FilterMatches | undefined> | undefined;
      let scan: SmallCorpusScan | undefined;
      const find = (request: CandidateRequest, found?: FilterMatches): Promise<Candidate[]> =>
        hasTextSearch ? bm25Candidates(tx, request, found) : scanCandidates(tx, request, found);
      return {
        async candidates(query) {
          const { vector, depth } = query;
          const best = matches ? [] : await testBest(query);
          const isWide = best.length === depth;
          if (!isWide) matches ??= findFilterMatches(tx, scope, namedMax);
          const found = await matches;
          const lexical = isWide ? best : await lexicalCandidates(query, found);
          const semantic = vector ? await nearestCandidates(tx, scope, vector, depth, found, exactRowsMax) : [];
          return { lexical, semantic, exhausted: lexical.length < depth && semantic.length < depth };
        },
      };

      /** Returns the best chunks if a wide filter matches them, which is known without evaluating the filter for all sources. */
      async function testBest({ terms, vector, depth }: CandidateQuery): Promise<Candidate[]> {
        const tested = Math.ceil(depth / WIDE_SHARE);
        if (terms.length === 0 || tested > TESTED_MAX || !narrowsCheaply(scope, scope.filters)) return [];
        return find({ ...lexicalRequest(scope, { terms, vector, depth }, lookedUpPredicates(scope)), tested });
      }

      async function lexicalCandidates(query: CandidateQuery, found: FilterMatches | undefined): Promise<Candidate[]> {
        const { terms, depth } = query;
        if (terms.length === 0) return [];
        if (scansSmall && found && isSmallCorpus(found)) {
          scan ??= openSmallCorpusScan(tx, scope, found, (some) => weigh(tx, scope, some));
          return scan(terms, depth);
        }
        const areNamed = found !== undefined && (hasTextSearch || found.ids !== null);
        const request = lexicalRequest(scope, query, areNamed ? isAmong(scope, found) : lookedUpPredicates(scope));
        return find(request, found);
      }
    },
  };
}

function lexicalRequest(
  { tenantId, partitionNo }: Scope,
  { terms, depth }: CandidateQuery,
  conditions: readonly Sql[],
) {
  return { tenantId, partitionNo, terms, conditions, limit: depth };
}

/**
 * Returns the conditions that chunk `c` matches, with the matching sources evaluated once and hashed. `coalesce` prevents a join,
 * which would lose the order of the BM25 index.
 */
function isAmong(scope: Scope, { sources, mixed }: FilterMatches): Sql[] {
  const isOfSource = mixed
    ? sql`(c.source_id, c.generation) in (select f.id, f.generation from (${sources}) f)`
    : sql`c.source_id in (select f.id from (${sources}) f)`;
  return [
    sql`c.tenant_id = ${scope.tenantId}`,
    sql`coalesce(${isOfSource}, false)`,
    ...chunkConditions(scope, scope.filters),
  ];
}
