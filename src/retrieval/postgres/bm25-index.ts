/** BM25 candidates from the BM25 index: chunks ranked by how well their terms match the terms of the query. */
import { BM25_B, BM25_K1, chunkPartition, termsIndex } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import { empty, identifier, join, raw, type Sql, sql } from '../../db/sql.ts';
import { bestFirst, type Candidate } from '../engine.ts';

export interface CandidateRequest {
  tenantId: string;
  partitionNo: number;
  /** Terms from `searchTerms`, not empty. A repeated term counts repeatedly. */
  terms: readonly string[];
  /** Conditions on chunk `c` that every candidate satisfies. */
  conditions: readonly Sql[];
  limit: number;
}

/**
 * Makes the planner use the BM25 index, which returns rows in order: so sorts are forbidden. Without the index each row takes 0.3 ms, and
 * the planner would choose that for a table that looks small, for example before the first ANALYZE.
 */
export const FORCE_INDEX_ORDER = [
  'set local enable_sort = off',
  'set local enable_seqscan = off',
  'set local enable_bitmapscan = off',
];

const DEPTH_MARGIN = 2;
/** Number of chunks that the index scores at once for the first pages without a filter: its default of 1,000 takes 0.5 ms longer. */
const DEPTH_FIRST = 200;
/** The same for later pages, so that they have one order, and with a filter, which the best chunks may match less often than all. */
const DEPTH_MIN = 1_000;
/** The bound that the index allows. */
const DEPTH_MAX = 100_000;

export const SHALLOW = [`set local pg_textsearch.default_limit = ${DEPTH_FIRST}`];

/**
 * The settings without a BM25 index. They forbid scans of whole tables, which the planner would choose for something rare or absent. The
 * costs are those of data in memory: by default, the planner reads all sources where it could look up the hundred that match a filter.
 */
export const FORCE_INDEXES = ['set local enable_seqscan = off', 'set local random_page_cost = 1.1'];

/** Returns the query over the partition's own index. The index of the parent table orders correctly but returns wrong scores. */
function bm25Query({ terms, partitionNo }: CandidateRequest): Sql {
  return sql`to_bm25query(${terms.join(' ')}, ${termsIndex(partitionNo)})`;
}

/**
 * Returns the weights of the terms that chunks of the tenant have. The index does not expose them, but the score of a text that is one
 * term is the weight of the term times a factor, which is the same for all terms.
 */
export async function indexWeights(
  tx: Tx,
  { partitionNo }: Pick<CandidateRequest, 'partitionNo'>,
  terms: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.query<{ term: string; score: number }>(sql`
    select t.term, -(t.term <@> to_bm25query(t.term, ${termsIndex(partitionNo)})) as score
    from unnest(${[...new Set(terms)]}::text[]) as t(term)`);
  const factor = 1 + BM25_K1 * (1 - BM25_B);
  return new Map(rows.filter(({ score }) => score > 0).map(({ term, score }) => [term, score * factor]));
}

/** Returns the best `limit` chunks, best first, and which of them satisfy the conditions, which are tested after the limit. */
export async function bm25Tested(
  tx: Tx,
  { conditions, ...request }: CandidateRequest,
): Promise<{ all: Candidate[]; kept: Candidate[] }> {
  const best = bm25Select({ ...request, conditions: [] }, TESTED_COLUMNS);
  const statement = sql`
    select c.id, c.source_id, c.distance, ${join(conditions, ' and ')} as is_kept from (${best} offset 0) c`;
  const rows = await deepened<FoundRow & { isKept: boolean }>(tx, request.limit, statement);
  const all = toCandidates(rows, request.limit);
  const kept = new Set(rows.flatMap(({ id, isKept }) => (isKept ? [id] : [])));
  return { all, kept: all.filter(({ id }) => kept.has(id)) };
}

/** The columns that conditions on chunks name. */
const TESTED_COLUMNS = raw(', c.tenant_id, c.source_group_id, c.generation, c.metadata');

/**
 * Returns the best `limit` chunks, best first; for equal scores, the lower id first. If the limit cuts through chunks of equal score,
 * chunks with the last score are in the order of the index. A larger limit may give them another order.
 *
 * @param share about the share of the chunks that satisfy the conditions; undefined: nearly all.
 */
export async function bm25Candidates(tx: Tx, request: CandidateRequest, share?: number): Promise<Candidate[]> {
  const statement = bm25Select(request);
  const wanted = DEPTH_MARGIN * request.limit;
  const isFirst = share === undefined && wanted <= DEPTH_FIRST;
  const depth = wanted / Math.max(share ?? 1, 1 / DEPTH_MAX);
  const rows = isFirst ? await tx.query<FoundRow>(statement) : await deepened<FoundRow>(tx, depth, statement);
  return toCandidates(rows, request.limit);
}

/**
 * Returns the rows of the statement. A setting of the transaction says how many chunks the index scores at once. If fewer chunks match
 * than wanted, the index starts again from the first chunk, with twice as many.
 */
async function deepened<R extends FoundRow>(tx: Tx, depth: number, statement: Sql): Promise<R[]> {
  const bounded = Math.min(DEPTH_MAX, Math.max(DEPTH_MIN, Math.ceil(depth)));
  // The second statement is sent while the first one runs.
  const [, rows] = await Promise.all([
    tx.query(sql`select set_config('pg_textsearch.default_limit', ${String(bounded)}, true)`),
    tx.query<R>(statement),
  ]);
  return rows;
}

/** A row of `bm25Select`. */
type FoundRow = Omit<Candidate, 'score'> & { distance: number };

/** Returns the statement. Its rows are in the order of the index; the distance is the negative score. */
function bm25Select(request: CandidateRequest, more = empty): Sql {
  const { tenantId, partitionNo } = request;
  const query = bm25Query(request);
  const partition = identifier(chunkPartition(partitionNo));
  // The distance must be a column of its own in the select list: within an expression it would be computed again for every row.
  return sql`
    select c.id, c.source_id, c.terms <@> ${query} as distance${more} from ${partition} c
    where ${join([sql`c.tenant_id = ${tenantId}`, ...request.conditions], ' and ')}
    order by c.terms <@> ${query} limit ${request.limit}`;
}

function toCandidates(rows: readonly FoundRow[], limit: number): Candidate[] {
  const candidates = rows
    .filter((row) => row.distance < 0)
    .map(({ id, sourceId, distance }) => ({ id, sourceId, score: -distance }));
  return bestFirst(candidates, candidates.length === limit ? candidates.at(-1)!.score : undefined);
}
