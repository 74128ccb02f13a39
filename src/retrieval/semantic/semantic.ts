/** The vector of a query, from the model of the tenant's vectors. */

import { isDeepStrictEqual } from 'node:util';
import { findServingVectors, type ServingVectors, vectorBytes, vectorsPerPage } from '../../corpus/vector-store.ts';
import type { Database, Tx } from '../../db/database.ts';
import { keepPlan, raw, type Sql, sql } from '../../db/sql.ts';
import { invalidRequest, ServiceError } from '../../errors.ts';
import { redactionVersion } from '../../redaction/redaction-store.ts';
import type { CacheView, CorpusCache } from '../query/corpus-cache.ts';
import type { RetrieveDeps } from '../retrieve-deps.ts';
import type { RetrieveRequest, Warning } from '../types.ts';

/** How long a search waits for the embedding model. */
export const QUERY_EMBEDDING_TIMEOUT_MS = 5_000;

export interface EmbeddedQuery {
  vectors: ServingVectors;
  /** The vector, from `vectorBytes`. */
  vector: Buffer;
  /** True for a cached vector: the caller must check in its transaction that the vector is still valid. */
  fromCache: boolean;
}

/** The vector of a query, and the vectors to compare with it. */
export interface SemanticQuery extends Pick<EmbeddedQuery, 'vectors' | 'vector'> {
  /** Approximate number of vectors. */
  rows: number;
}

/** Returns the cached result of `embedQuery`. The caller must check in its transaction that the result is still valid. */
export function findCachedQuery(
  { embedding, corpusCache, redactors }: Pick<RetrieveDeps, 'embedding' | 'corpusCache' | 'redactors'>,
  { tenantId, mode, query }: RetrieveRequest,
): EmbeddedQuery | undefined {
  // A redaction rule may change the query, so the query does not identify its vector.
  if (mode === 'lexical' || !embedding || !corpusCache || redactors?.wasInForce(tenantId)) return undefined;
  const vectors = corpusCache.last<ServingVectors>(servingKey(tenantId));
  const vector = vectors && embedding.recallQuery(tenantId, vectors.model, query);
  return vector && vector.length === vectors.dimension
    ? { vectors, vector: vectorBytes(vector), fromCache: true }
    : undefined;
}

/** Returns true if the transaction sees these vectors in use, and no redaction policy in force that could change the query. */
export async function isStillValid(
  tx: Tx,
  tenantId: string,
  { vectors }: EmbeddedQuery,
  redaction: number | null,
  cache: CacheView | undefined,
): Promise<boolean> {
  if (redaction !== null || !cache) return false;
  const serving = await cache.getOrAdd(servingKey(tenantId), () => findServingVectors(tx, tenantId));
  return isDeepStrictEqual(serving, vectors);
}

function servingKey(tenantId: string): string {
  return `serving ${tenantId}`;
}

/**
 * Returns the vector of the query. Returns undefined if the search is lexical: no model is configured, no vectors exist yet, or, with
 * a warning, the model failed. Do not call this function within a transaction: the model may be slow.
 *
 * @throws ServiceError for mode `semantic`: `invalid_request` without a model, else the error of the model; the signal's reason if
 * the signal aborts.
 */
export async function embedQuery(
  { db, embedding, corpusCache }: Pick<RetrieveDeps, 'db' | 'embedding' | 'corpusCache'>,
  { tenantId, mode, query }: RetrieveRequest,
  modelQuery: () => Promise<string>,
  warnings: Warning[],
  signal: AbortSignal,
): Promise<EmbeddedQuery | undefined> {
  if (mode === 'lexical') return undefined;
  if (!embedding) {
    if (mode === 'hybrid') return undefined;
    throw invalidRequest('/mode: semantic search needs an embedding model, and none is configured.');
  }
  const { vectors, redaction } = await findServing(db, tenantId, corpusCache);
  if (!vectors) {
    if (mode === 'semantic') warnings.push({ type: 'no_vectors', message: 'No chunk has a vector yet.' });
    return undefined;
  }
  const modelView = redaction === null ? query : await modelQuery();
  // Not `AbortSignal.timeout`: its timer would fire seconds after each search.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), QUERY_EMBEDDING_TIMEOUT_MS);
  try {
    const either = AbortSignal.any([signal, deadline.signal]);
    const vector = await embedding.embedQuery(tenantId, vectors.model, modelView, either);
    if (vector.length !== vectors.dimension) {
      throw new ServiceError('upstream_failed', 'The embedding model answered with a vector of another dimension.');
    }
    return { vectors, vector: vectorBytes(vector), fromCache: false };
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

/** Reads the version, and the vectors in use if they are not cached. The vectors may be newer than the version, which does no harm. */
async function findServing(
  db: Pick<Database, 'query'>,
  tenantId: string,
  corpusCache: CorpusCache | null | undefined,
): Promise<{ vectors: ServingVectors | undefined; redaction: number | null }> {
  const [now] = await db.query<{ version: string; redaction: number | null }>(
    tenantId,
    keepPlan(
      sql`select ${corpusCache ? corpusCache.version : raw("''")} as version, ${redactionVersion(tenantId)} as redaction`,
    ),
  );
  const find = (): Promise<ServingVectors | undefined> =>
    findServingVectors({ query: (statement) => db.query(tenantId, statement) }, tenantId);
  const vectors = corpusCache ? corpusCache.at(now!.version).getOrAdd(servingKey(tenantId), find) : find();
  return { vectors: await vectors, redaction: now!.redaction };
}

/** Selects the number of pages of the vectors' table, which is fast; null if the table was dropped. */
export function vectorPages({ table }: ServingVectors): Sql {
  return sql`pg_table_size(to_regclass(${table})) / current_setting('block_size')::int`;
}

/** Returns the approximate number of vectors; dead rows count too. */
export function vectorCount(vectors: ServingVectors, pages: number): number {
  return pages * vectorsPerPage(vectors);
}
