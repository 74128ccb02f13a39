/**
 * BM25 candidates if few chunks match the filters: their terms are read and scored here. The index would look at very many chunks that
 * do not match.
 */
import { BM25_B, BM25_K1, chunkPartition } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import { empty, identifier, join, type Sql, sql } from '../../db/sql.ts';
import { bestFirst, type Candidate, type Scope } from '../engine.ts';
import type { FilterMatches } from '../query/filter-matches.ts';
import { chunkConditions } from '../query/filter-sql.ts';
import { indexWeights } from './bm25-index.ts';

/**
 * Chunks are scored here if `chunks * share` is at most this. Processor time of both ways on the embedded database: 10,000 chunks,
 * 2 % match: 4 ms here, 4 ms by the index; 100,000 chunks, 1 % match: 16 ms here, 18 ms by the index.
 */
const CHUNKS_BY_SHARE_MAX = 30;

/** Returns how much one occurrence of each term adds to a score; terms that no chunk of the tenant has are left out. */
type WeighTerms = (terms: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** Returns true if the matching chunks are few. */
export function isSmallCorpus({ chunks, share }: Pick<FilterMatches, 'chunks' | 'share'>): boolean {
  return chunks * share <= CHUNKS_BY_SHARE_MAX;
}

/** Returns the best chunks, best first; for equal scores, the lower id first. */
export type SmallCorpusScan = (terms: readonly string[], limit: number) => Promise<Candidate[]>;

/** Opens a scan of the matching chunks for one transaction, which reads them once. */
export function openSmallCorpusScan(tx: Tx, scope: Scope, matches: FilterMatches): SmallCorpusScan {
  let read: Promise<ChunkTerms[]> | undefined;
  return async (terms, limit) => {
    read ??= readTerms(tx, scope, matches);
    const scored = await scoreChunks(await read, terms, (some) => indexWeights(tx, scope, some));
    return bestFirst(scored).slice(0, limit);
  };
}

interface ChunkTerms {
  id: string;
  sourceId: string;
  /** Separated by blanks. */
  terms: string;
}

/** Returns the chunks with at least one of the terms. The mean length is that of `chunks`. A repeated term counts repeatedly. */
export async function scoreChunks(
  chunks: readonly ChunkTerms[],
  terms: readonly string[],
  weigh: WeighTerms,
): Promise<Candidate[]> {
  const byFirst = Map.groupBy(new Set(terms), (term) => term.charCodeAt(0));
  const found = chunks.map((chunk) => ({ chunk, ...countIn(chunk.terms, byFirst) }));
  const present = new Set(found.flatMap(({ counts }) => [...counts.keys()]));
  if (present.size === 0) return [];
  const weights = await weigh([...present]);
  const meanLength = found.reduce((sum, { length }) => sum + length, 0) / found.length;
  return found.flatMap(({ chunk: { id, sourceId }, counts, length }) => {
    const damping = BM25_K1 * (1 - BM25_B + (BM25_B * length) / meanLength);
    let score = 0;
    // In the order of the query, so that equal chunks have exactly equal scores.
    for (const term of terms) {
      const count = counts.get(term) ?? 0;
      score += ((weights.get(term) ?? 0) * count) / (count + damping);
    }
    return score > 0 ? [{ id, sourceId, score }] : [];
  });
}

const BLANK = 32;

/** Counts all terms of the text, and each of those by their first characters. Splitting the text would make a string of each term. */
function countIn(text: string, byFirst: ReadonlyMap<number, readonly string[]>) {
  const counts = new Map<string, number>();
  let length = 1;
  for (let i = 0, isStart = true; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BLANK) length += 1;
    else if (isStart) {
      for (const term of byFirst.get(code) ?? []) {
        const end = i + term.length;
        if (text.startsWith(term, i) && (end === text.length || text.charCodeAt(end) === BLANK))
          counts.set(term, (counts.get(term) ?? 0) + 1);
      }
    }
    isStart = code === BLANK;
  }
  return { counts, length };
}

async function readTerms(tx: Tx, scope: Scope, { sources, mixed }: FilterMatches): Promise<ChunkTerms[]> {
  const { tenantId, partitionNo } = scope;
  const conditions: Sql[] = [sql`c.tenant_id = ${tenantId}`, ...chunkConditions(scope)];
  const ofGeneration = mixed ? sql`and (not f.mixed or c.generation = f.generation)` : empty;
  // Reads source by source, because a join may be planned as a scan of all chunks.
  return tx.query<ChunkTerms>(sql`
    select c.id, c.source_id, c.terms from (${sources}) f cross join lateral (
      select * from ${identifier(chunkPartition(partitionNo))} where tenant_id = ${tenantId} and source_id = f.id offset 0) c
    where ${join(conditions, ' and ')} ${ofGeneration}`);
}
