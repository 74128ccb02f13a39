/** BM25 candidates where the database has no BM25 index: candidates from a text index, scored here with the same formula. */
import { BM25_B, BM25_K1 } from '../corpus/tenant-store.ts';
import type { Tx } from '../db/database.ts';
import { identifier, join, sql } from '../db/sql.ts';
import { type Candidate, type CandidateRequest, inOrder } from './lexical.ts';

/** Rows scored for one query: those that hold the most of the query's terms' weight come first. */
export const SCANNED_ROWS_MAX = 4_000;

interface Scanned {
  id: string;
  sourceId: string;
  contentHash: string;
  terms: string;
}

/** As `bm25Candidates`. Document frequencies are counted in the scanned partition, mean length over the scanned rows. */
export async function scanCandidates(tx: Tx, request: CandidateRequest): Promise<Candidate[]> {
  const partition = identifier(`chunk_${request.partitionNo}`);
  const terms = request.terms.slice(0, 64);
  const frequencies = await tx.query<{ term: string; chunks: number }>(sql`
    select q.term, (select count(*) from ${partition} c where to_tsvector('simple', c.terms) @@ q.term::tsquery) as chunks
    from unnest(${terms}::text[]) as q(term)`);
  const [{ total } = { total: 0 }] = await tx.query<{ total: number }>(sql`select count(*) as total from ${partition}`);
  const weights = new Map(
    frequencies.filter((row) => row.chunks > 0).map((row) => [row.term, inverseFrequency(row.chunks, total)]),
  );
  if (weights.size === 0) return [];
  const rows = await scan(tx, request, [...weights.keys()]);
  return scoreRows(rows, weights).slice(0, request.limit);
}

async function scan(tx: Tx, request: CandidateRequest, terms: readonly string[]): Promise<Scanned[]> {
  const matching = terms.join(' | ');
  return tx.query<Scanned>(sql`
    select c.id, c.source_id as "sourceId", md5(c.content) as "contentHash", c.terms
    from ${identifier(`chunk_${request.partitionNo}`)} c
    where ${join([sql`c.tenant_id = ${request.tenantId}`, ...request.conditions], ' and ')}
      and to_tsvector('simple', c.terms) @@ ${matching}::tsquery
    order by ts_rank(to_tsvector('simple', c.terms), ${matching}::tsquery) desc, c.id
    limit ${SCANNED_ROWS_MAX}`);
}

function inverseFrequency(chunks: number, total: number): number {
  return Math.log(1 + (total - chunks + 0.5) / (chunks + 0.5));
}

function scoreRows(rows: readonly Scanned[], weights: ReadonlyMap<string, number>): Candidate[] {
  const split = rows.map((row) => ({ row, terms: row.terms.split(' ') }));
  const mean = split.reduce((sum, { terms }) => sum + terms.length, 0) / Math.max(split.length, 1);
  const scored = split.map(({ row, terms }) => {
    const counts = new Map<string, number>();
    for (const term of terms) if (weights.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
    const damping = BM25_K1 * (1 - BM25_B + (BM25_B * terms.length) / mean);
    let score = 0;
    for (const [term, count] of counts) score += (weights.get(term)! * count * (BM25_K1 + 1)) / (count + damping);
    return { id: row.id, sourceId: row.sourceId, contentHash: row.contentHash, score };
  });
  return inOrder(scored, 0);
}
