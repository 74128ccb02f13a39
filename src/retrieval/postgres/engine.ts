/** The engine in PostgreSQL: BM25 over the chunks' terms, HNSW over their vectors, filters as conditions of the same statements. */
import type { Database } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Candidate, CandidateQuery, Engine, Scope } from '../engine.ts';
import { type FilterMatches, findFilterMatches, sampleShare } from '../query/filter-matches.ts';
import { chunkConditions, lookedUpPredicates, narrows } from '../query/filter-sql.ts';
import {
  bm25Candidates,
  bm25Tested,
  type CandidateRequest,
  FORCE_INDEX_ORDER,
  FORCE_INDEXES,
  SHALLOW,
} from './bm25-index.ts';
import { bm25FromTables, countedTerms } from './bm25-tables.ts';
import { EXACT_ROWS_MAX, NEAREST_SETTINGS, nearestCandidates } from './nearest.ts';
import { isSmallCorpus, openSmallCorpusScan, type SmallCorpusScan } from './small-corpus-scan.ts';

/** Up to so many of the best chunks are tested for a filter one by one. For more, the filter is evaluated for all sources. */
const TESTED_MAX = 500;
/** Number of tested chunks, relative to the number of chunks of which enough match if the best chunks match like the sampled sources. */
const TESTED_MARGIN = 1.5;

/** The assumed share of the chunks that match a filter on their metadata. If it is lower, the index scores again, twice as many chunks. */
const CHUNK_SHARE = 0.02;

/** If a filter matches such a share of the sources, vectors are tested one by one too. */
const WIDE_SHARE = 0.4;
/**
 * If a smaller share of the sources matches, the filter is always evaluated for all sources. Above, the same chunks are scored as without
 * a filter, tested one by one or not, so that all pages have one order.
 */
const TESTED_SHARE_MIN = 0.06;

/** Limits that tests change, so that a small corpus is searched like a large one. */
export interface PostgresLimits {
  /** Up to so many matching rows, every vector is compared. */
  exactRowsMax?: number;
  /** Up to so many matching sources are passed by id. */
  namedMax?: number;
  /** Up to so many of the best chunks are tested one by one. */
  testedMax?: number;
  /** Without a BM25 index, about so many chunks are scored first. */
  scoredChunks?: number;
  /** False: with a BM25 index, few matching chunks are scored through it, as if they were many. */
  scansSmall?: boolean;
}

export function openPostgresEngine(
  { hasTextSearch }: Pick<Database, 'hasTextSearch'>,
  {
    exactRowsMax = EXACT_ROWS_MAX,
    namedMax,
    testedMax = TESTED_MAX,
    scoredChunks,
    scansSmall = true,
  }: PostgresLimits = {},
): Engine {
  return {
    testsCandidates: true,
    settings: [...(hasTextSearch ? [...FORCE_INDEX_ORDER, ...SHALLOW] : FORCE_INDEXES), ...NEAREST_SETTINGS],
    open(tx, scope) {
      const ofChunk = chunkConditions(scope);
      let share: Promise<number> | undefined;
      let matches: Promise<FilterMatches | undefined> | undefined;
      let scan: SmallCorpusScan | undefined;
      const sampled = (): Promise<number> => (share ??= sampleShare(tx, scope));
      // The BM25 index counts chunks that are gone until it merges its parts.
      const isCounted = !hasTextSearch && !narrows(scope) && ofChunk.length === 0;
      return {
        ...(isCounted && { knownTerms: (terms) => countedTerms(tx, terms) }),
        async candidates(query) {
          const { vector, depth } = query;
          const best = matches ? undefined : await testBest(query);
          if (!best) matches ??= findFilterMatches(tx, scope, namedMax);
          const found = await matches;
          const lexical = best ?? (await lexicalCandidates(query, found));
          const semantic = vector ? await nearestCandidates(tx, scope, vector, depth, found, exactRowsMax) : [];
          return { lexical, semantic, exhausted: lexical.length < depth && semantic.length < depth };
        },
      };

      /** Returns the lexical candidates if tests of the best chunks find them, so that the filter need not be evaluated. */
      async function testBest(query: CandidateQuery): Promise<Candidate[] | undefined> {
        const { terms, vector, depth } = query;
        if (terms.length === 0 || depth > testedMax || !narrows(scope)) return undefined;
        const matching = await sampled();
        const tested = Math.ceil((TESTED_MARGIN * depth) / matching);
        if (tested > testedMax || matching < (vector ? WIDE_SHARE : TESTED_SHARE_MIN)) return undefined;
        const request = lexicalRequest(scope, query, lookedUpPredicates(scope));
        if (!hasTextSearch) {
          const kept = await bm25FromTables(tx, { ...request, testedMax: tested }, undefined, scoredChunks);
          return kept.length >= depth ? kept : undefined;
        }
        const { all, kept } = await bm25Tested(tx, { ...request, limit: tested });
        return kept.length >= depth || all.length < tested ? kept.slice(0, depth) : undefined;
      }

      async function lexicalCandidates(query: CandidateQuery, found: FilterMatches | undefined): Promise<Candidate[]> {
        const { terms, depth } = query;
        if (terms.length === 0) return [];
        if (hasTextSearch && scansSmall && found && isSmallCorpus(found)) {
          scan ??= openSmallCorpusScan(tx, scope, found);
          return scan(terms, depth);
        }
        const areNamed = found !== undefined && (hasTextSearch || found.ids !== null);
        const request = lexicalRequest(scope, query, areNamed ? isAmong(scope, found) : lookedUpPredicates(scope));
        if (hasTextSearch)
          return bm25Candidates(tx, request, found?.share ?? (ofChunk.length > 0 ? CHUNK_SHARE : undefined));
        const isWide = found !== undefined && (await sampled()) >= TESTED_SHARE_MIN;
        return bm25FromTables(tx, request, isWide ? { ...found, share: 1 } : found, scoredChunks);
      }
    },
  };
}

function lexicalRequest(
  { tenantId, partitionNo }: Scope,
  { terms, depth }: CandidateQuery,
  conditions: readonly Sql[],
): CandidateRequest {
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
  return [sql`c.tenant_id = ${scope.tenantId}`, sql`coalesce(${isOfSource}, false)`, ...chunkConditions(scope)];
}
