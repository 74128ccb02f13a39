/**
 * BM25 candidates where the database has no BM25 index: rows come from a text index and are scored here, with the same formula
 * and parameters. Slower than the index for words that very many chunks contain.
 */
import { BM25_B, BM25_K1 } from '../corpus/tenant-store.ts';
import type { Tx } from '../db/database.ts';
import { identifier, join, type Sql, sql } from '../db/sql.ts';
import { type Candidate, type CandidateRequest, inOrder } from './lexical.ts';

/** Rows scored for one query. Chunks that contain only the query's commonest terms are left out when there are more. */
export const SCANNED_ROWS_MAX = 4_000;
/** Distinct terms counted and scored for one query. */
const SCANNED_TERMS_MAX = 64;
/** Rows whose length is averaged. */
const LENGTH_SAMPLE_ROWS = 200;

interface Scanned {
  id: string;
  sourceId: string;
  contentHash: string;
  terms: string;
}

interface TermCount {
  term: string;
  /** Chunks of the tenant that contain it. */
  chunks: number;
}

interface Corpus {
  /** Chunks of the tenant. */
  chunks: number;
  /** Mean number of terms of a chunk. */
  length: number;
}

/** As `bm25Candidates`. */
export async function scanCandidates(tx: Tx, request: CandidateRequest): Promise<Candidate[]> {
  const partition = identifier(`chunk_${request.partitionNo}`);
  const corpus = await readCorpus(tx, partition);
  const counts = await countTerms(tx, request.terms.slice(0, SCANNED_TERMS_MAX));
  if (counts.length === 0) return [];
  const rows = await scan(tx, partition, request, rarest(counts));
  const weights = new Map(counts.map(({ term, chunks }) => [term, inverseFrequency(chunks, corpus.chunks)]));
  return scoreRows(rows, weights, corpus.length).slice(0, request.limit);
}

async function readCorpus(tx: Tx, partition: Sql): Promise<Corpus> {
  const [corpus] = await tx.query<Corpus>(sql`
    select (select count(*) from ${partition}) as chunks,
           (select coalesce(avg(length(s.terms) - length(replace(s.terms, ' ', '')) + 1), 1)::float8
            from (select terms from ${partition} limit ${LENGTH_SAMPLE_ROWS}) s) as length`);
  return corpus!;
}

/** Rarest first; without those that no chunk contains. */
async function countTerms(tx: Tx, terms: readonly string[]): Promise<TermCount[]> {
  const counts = await tx.query<TermCount>(sql`select term, chunks from own_chunk_frequencies(${terms}::text[])`);
  return counts.filter(({ chunks }) => chunks > 0).toSorted((a, b) => a.chunks - b.chunks);
}

/** The rarest terms, as many as SCANNED_ROWS_MAX rows allow, at least one. */
function rarest(counts: readonly TermCount[]): string[] {
  let rows = 0;
  const enough = counts.findIndex(({ chunks }, i) => {
    rows += chunks;
    return i > 0 && rows > SCANNED_ROWS_MAX;
  });
  return counts.slice(0, enough < 0 ? undefined : enough).map(({ term }) => term);
}

async function scan(tx: Tx, partition: Sql, request: CandidateRequest, terms: readonly string[]): Promise<Scanned[]> {
  return tx.query<Scanned>(sql`
    select c.id, c.source_id as "sourceId", md5(c.content) as "contentHash", c.terms
    from ${partition} c
    where c.id in (select own_chunks_matching(${terms.join(' | ')}::tsquery))
      and ${join([sql`c.tenant_id = ${request.tenantId}`, ...request.conditions], ' and ')}
    order by c.id limit ${SCANNED_ROWS_MAX}`);
}

function inverseFrequency(chunks: number, total: number): number {
  return Math.log(1 + (total - chunks + 0.5) / (chunks + 0.5));
}

function scoreRows(rows: readonly Scanned[], weights: ReadonlyMap<string, number>, meanLength: number): Candidate[] {
  const scored = rows.map(({ terms: joined, ...row }) => {
    const terms = joined.split(' ');
    const counts = new Map<string, number>();
    for (const term of terms) if (weights.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
    const damping = BM25_K1 * (1 - BM25_B + (BM25_B * terms.length) / meanLength);
    let score = 0;
    for (const [term, count] of counts) score += (weights.get(term)! * count * (BM25_K1 + 1)) / (count + damping);
    return { ...row, score };
  });
  return inOrder(scored, 0);
}
