/** The vector of a query, made with the model whose vectors serve the tenant. */

import { isDeepStrictEqual } from 'node:util';
import { findServingVectors, type ServingVectors, vectorBytes, vectorsPerPage } from '../../corpus/vector-store.ts';
import type { Database, Tx } from '../../db/database.ts';
import { keepPlan, raw, type Sql, sql } from '../../db/sql.ts';
import { invalidRequest, ServiceError } from '../../errors.ts';
import { redactionVersion } from '../../redaction/redaction-store.ts';
import type { CorpusMemory, Knowledge } from '../query/corpus-memory.ts';
import type { RetrieveDeps } from '../retrieve-deps.ts';
import type { RetrieveRequest, Warning } from '../types.ts';

/** How long a search waits for the embedding model. */
export const QUERY_EMBEDDING_TIMEOUT_MS = 5_000;

export interface EmbeddedQuery {
  vectors: ServingVectors;
  /** From `vectorBytes`. */
  vector: Buffer;
  /** From `recallQuery`: goes by what was so when the corpus was last looked at. */
  isRecalled: boolean;
}

/** What a semantic search needs. */
export interface SemanticQuery extends Pick<EmbeddedQuery, 'vectors' | 'vector'> {
  /** About as many vectors there are. */
  rows: number;
}

/** As `embedQuery`, of what is remembered: whoever goes by it has to ask in its transaction whether that still holds. */
export function recallQuery(
  { embedding, memory, redactors }: Pick<RetrieveDeps, 'embedding' | 'memory' | 'redactors'>,
  { tenantId, mode, query }: RetrieveRequest,
): EmbeddedQuery | undefined {
  // Where a redaction rule may change the query, its vector is not known by the query.
  if (mode === 'lexical' || !embedding || !memory || redactors?.wasInForce(tenantId)) return undefined;
  const vectors = memory.last<ServingVectors>(servingKey(tenantId));
  const vector = vectors && embedding.recallQuery(tenantId, vectors.model, query);
  return vector && vector.length === vectors.dimension
    ? { vectors, vector: vectorBytes(vector), isRecalled: true }
    : undefined;
}

/** Whether these vectors serve, and no redaction rule has to be asked before a query goes to their model: as a transaction sees it. */
export async function isAsRecalled(
  tx: Tx,
  tenantId: string,
  { vectors }: EmbeddedQuery,
  redaction: number | null,
  knowledge: Knowledge | undefined,
): Promise<boolean> {
  if (redaction !== null || !knowledge) return false;
  const serving = await knowledge.recall(servingKey(tenantId), () => findServingVectors(tx, tenantId));
  return isDeepStrictEqual(serving, vectors);
}

function servingKey(tenantId: string): string {
  return `serving ${tenantId}`;
}

/**
 * Undefined when the search is lexical: no model is configured, no vectors are there yet, or, with a warning, the model failed.
 * Outside of any transaction: the model may be slow.
 *
 * @throws ServiceError for mode `semantic`: `invalid_request` without a model, else what the model throws; the signal's reason
 * when it aborts.
 */
export async function embedQuery(
  { db, embedding, memory }: Pick<RetrieveDeps, 'db' | 'embedding' | 'memory'>,
  { tenantId, mode, query }: RetrieveRequest,
  tellQuery: () => Promise<string>,
  warnings: Warning[],
  signal: AbortSignal,
): Promise<EmbeddedQuery | undefined> {
  if (mode === 'lexical') return undefined;
  if (!embedding) {
    if (mode === 'hybrid') return undefined;
    throw invalidRequest('/mode: semantic search needs an embedding model, and none is configured.');
  }
  const { vectors, redaction } = await findServing(db, tenantId, memory);
  if (!vectors) {
    if (mode === 'semantic') warnings.push({ type: 'no_vectors', message: 'No chunk has a vector yet.' });
    return undefined;
  }
  const told = redaction === null ? query : await tellQuery();
  // Not `AbortSignal.timeout`: that one would go off after each search, seconds later.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), QUERY_EMBEDDING_TIMEOUT_MS);
  try {
    const either = AbortSignal.any([signal, deadline.signal]);
    const vector = await embedding.embedQuery(tenantId, vectors.model, told, either);
    if (vector.length !== vectors.dimension) {
      throw new ServiceError('upstream_failed', 'The embedding model answered with a vector of another dimension.');
    }
    return { vectors, vector: vectorBytes(vector), isRecalled: false };
  } catch (error) {
    signal.throwIfAborted();
    const failure = deadline.signal.aborted
      ? new ServiceError('upstream_timeout', 'The embedding model did not answer in time.', { cause: error })
      : error;
    if (mode === 'semantic' || !(failure instanceof ServiceError)) throw failure;
    warnings.push({ type: 'embedding_failed', message: `${failure.message} The search was lexical.` });
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** In one message. What serves may be that of a later moment than the version: then others, too, find the newer. */
async function findServing(
  db: Pick<Database, 'query'>,
  tenantId: string,
  memory: CorpusMemory | null | undefined,
): Promise<{ vectors: ServingVectors | undefined; redaction: number | null }> {
  const [now] = await db.query<{ version: string; redaction: number | null }>(
    tenantId,
    keepPlan(sql`select ${memory ? memory.version : raw("''")} as version, ${redactionVersion(tenantId)} as redaction`),
  );
  const find = (): Promise<ServingVectors | undefined> =>
    findServingVectors({ query: (statement) => db.query(tenantId, statement) }, tenantId);
  const vectors = memory ? memory.at(now!.version).recall(servingKey(tenantId), find) : find();
  return { vectors: await vectors, redaction: now!.redaction };
}

/** Selects how many pages the vectors take, which is known at once; null when they are gone. */
export function vectorPages({ table }: ServingVectors): Sql {
  return sql`pg_table_size(to_regclass(${table})) / current_setting('block_size')::int`;
}

/** About as many vectors there are: what is dead counts as well. */
export function vectorCount(vectors: ServingVectors, pages: number): number {
  return pages * vectorsPerPage(vectors);
}
