/** The vector of a query, from the model of the tenant's vectors. */

import { findServingVectors, type ServingVectors, vectorBytes, vectorsPerPage } from '../../corpus/vector-store.ts';
import type { Database } from '../../db/database.ts';
import { keepPlan, type Sql, sql } from '../../db/sql.ts';
import { invalidRequest, ServiceError } from '../../errors.ts';
import { redactionVersion } from '../../redaction/redaction-store.ts';
import type { RetrieveDeps } from '../retrieve-deps.ts';
import type { RetrieveRequest, Warning } from '../types.ts';

/** How long a search waits for the embedding model. */
const QUERY_EMBEDDING_TIMEOUT_MS = 5_000;

export interface EmbeddedQuery {
  vectors: ServingVectors;
  /** The vector, from `vectorBytes`. */
  vector: Buffer;
}

/** The vector of a query, and the vectors to compare with it. */
export interface SemanticQuery extends EmbeddedQuery {
  /** Approximate number of vectors. */
  rows: number;
}

/**
 * Returns the vector of the query. Returns undefined if the search is lexical: no model is configured, no vectors exist yet, or, with
 * a warning, the model failed. Do not call this function within a transaction: the model may be slow.
 *
 * @throws ServiceError for mode `semantic`: `invalid_request` without a model, else the error of the model; the signal's reason if
 * the signal aborts.
 */
export async function embedQuery(
  { db, embedding }: Pick<RetrieveDeps, 'db' | 'embedding'>,
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
  const { vectors, redaction } = await findServing(db, tenantId);
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
    return { vectors, vector: vectorBytes(vector) };
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

/** Reads the vectors in use, and the version of the redaction policy that may change the query; null without such a policy. */
async function findServing(
  db: Pick<Database, 'transaction'>,
  tenantId: string,
): Promise<{ vectors: ServingVectors | undefined; redaction: number | null }> {
  return db.transaction(
    tenantId,
    async (tx) => {
      const vectors = await findServingVectors(tx, tenantId);
      if (!vectors) return { vectors, redaction: null };
      const [now] = await tx.query<{ redaction: number | null }>(
        keepPlan(sql`select ${redactionVersion(tenantId)} as redaction`),
      );
      return { vectors, redaction: now!.redaction };
    },
    { readOnly: true },
  );
}

/** Selects the number of pages of the vectors' table, which is fast; null if the table was dropped. */
export function vectorPages({ table }: ServingVectors): Sql {
  return sql`pg_table_size(to_regclass(${table})) / current_setting('block_size')::int`;
}

/** Returns the approximate number of vectors; dead rows count too. */
export function vectorCount(vectors: ServingVectors, pages: number): number {
  return pages * vectorsPerPage(vectors);
}
