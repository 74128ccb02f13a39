/**
 * BM25 candidates if few chunks match the filters: their terms are read and scored here. The index would look at very many chunks that
 * do not match.
 */
import { BM25_B, BM25_K1, chunkPartition } from '../../corpus/tenant-store.ts';
import type { Tx } from '../../db/database.ts';
import { empty, identifier, join, type Sql, sql } from '../../db/sql.ts';
import type { Candidate, Scope } from '../engine.ts';
import type { FilterMatches } from '../query/filter-matches.ts';
import { chunkConditions } from '../query/filter-sql.ts';
import { inOrder } from './lexical.ts';

/**
 * Chunks are scored here if `chunks * share` is at most this. Processor time of both ways on the embedded database: 10,000 chunks,
 * 10 % match: 12 ms here, 4 ms by the index; 100,000 chunks, 1 % match: 10 ms here, 18 ms by the index.
 */
const CHUNKS_BY_SHARE_MAX = 20;

/** Returns how much one occurrence of each term adds to a score; terms that no chunk of the tenant has are left out. */
export type WeighTerms = (terms: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** Returns true if the matching chunks are few. */
export function isSmallCorpus({ chunks, share }: Pick<FilterMatches, 'chunks' | 'share'>): boolean {
  return chunks * share <= CHUNKS_BY_SHARE_MAX;
}

/** Returns the best chunks, best first; for equal scores, the lower id first. */
export type SmallCorpusScan = (terms: readonly string[], limit: number) => Promise<Candidate[]>;

/** Opens a scan of the matching chunks for one transaction, which reads them once. */
export function openSmallCorpusScan(tx: Tx, scope: Scope, matches: FilterMatches, weigh: WeighTerms): SmallCorpusScan {
  let reading: Promise<ReadChunk[]> | undefined;
  return async (terms, limit) => {
    reading ??= readChunks(tx, scope, matches);
    const chunks = await reading;
    const weights = chunks.length === 0 ? new Map() : await weigh(terms);
    return inOrder(scoreChunks(chunks, terms, weights), 0).slice(0, limit);
  };
}

interface ReadChunk {
  id: string;
  sourceId: string;
  terms: string;
}

/**
 * Returns the chunks with at least one of the terms. The mean length is that of these chunks. A length is the number of characters:
 * results are as good as with the number of terms, which costs more.
 */
export function scoreChunks(
  chunks: readonly ReadChunk[],
  terms: readonly string[],
  weights: ReadonlyMap<string, number>,
): Candidate[] {
  const places = new Map([...weights.keys()].map((term, place) => [term, place]));
  if (places.size === 0) return [];
  const totals = new Float64Array(places.size);
  for (const term of terms) if (places.has(term)) totals[places.get(term)!]! += weights.get(term)!;
  const anyTerm = new RegExp(`(?<![^ ])(?:${[...places.keys()].map(literally).join('|')})(?![^ ])`, 'g');
  const meanLength = chunks.reduce((sum, chunk) => sum + chunk.terms.length, 0) / chunks.length;
  const counts = new Uint32Array(places.size);
  return chunks.flatMap(({ id, sourceId, terms: text }) => {
    counts.fill(0);
    for (const [term] of text.matchAll(anyTerm)) counts[places.get(term)!]! += 1;
    const damping = BM25_K1 * (1 - BM25_B + (BM25_B * text.length) / meanLength);
    const score = totals.reduce((sum, total, place) => sum + (total * counts[place]!) / (counts[place]! + damping), 0);
    return score > 0 ? [{ id, sourceId, score }] : [];
  });
}

/** Returns a pattern that matches only the term itself. */
function literally(term: string): string {
  return term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

async function readChunks(tx: Tx, scope: Scope, { sources, mixed }: FilterMatches): Promise<ReadChunk[]> {
  const { tenantId, partitionNo } = scope;
  const conditions: Sql[] = [sql`c.tenant_id = ${tenantId}`, ...chunkConditions(scope, scope.filters)];
  const ofGeneration = mixed ? sql`and (not f.mixed or c.generation = f.generation)` : empty;
  // Reads source by source, because a join may be planned as a scan of all chunks.
  return tx.query(sql`
    select c.id, c.source_id, c.terms from (${sources}) f cross join lateral (
      select * from ${identifier(chunkPartition(partitionNo))} where tenant_id = ${tenantId} and source_id = f.id offset 0) c
    where ${join(conditions, ' and ')} ${ofGeneration}`);
}
