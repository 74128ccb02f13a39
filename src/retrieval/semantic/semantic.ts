/** The vector of a query, made with the model whose vectors serve the tenant. */

import { findServingVectors, type ServingVectors, vectorBytes, vectorsPerPage } from '../../corpus/vector-store.ts';
import type { Database } from '../../db/database.ts';
import { keepPlan, type Sql, sql } from '../../db/sql.ts';
import { invalidRequest, ServiceError } from '../../errors.ts';
import { redactionVersion } from '../../redaction/redaction-store.ts';
import type { RetrieveDeps } from '../retrieve-deps.ts';
import type { RetrieveRequest, Warning } from '../types.ts';

/** How long a search waits for the embedding model. */
export const QUERY_EMBEDDING_TIMEOUT_MS = 5_000;

export interface EmbeddedQuery {
  vectors: ServingVectors;
  /** From `vectorBytes`. */
  vector: Buffer;
}

/** What a semantic search needs. */
export interface SemanticQuery extends EmbeddedQuery {
  /** About as many vectors there are. */
  rows: number;
}

/**
 * Undefined when the search is lexical: no model is configured, no vectors are there yet, or, with a warning, the model failed.
 * Outside of any transaction: the model may be slow.
 *
 * @throws ServiceError for mode `semantic`: `invalid_request` without a model, else what the model throws; the signal's reason
 * when it aborts.
 */
export async function embedQuery(
  { db, embedding }: Pick<RetrieveDeps, 'db' | 'embedding'>,
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
  const { vectors, redaction } = await findServing(db, tenantId);
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

/** Reads which vectors serve, and the version of the redaction policy that may change the query; null: none does. */
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

/** Selects how many pages the vectors take, which is known at once; null when they are gone. */
export function vectorPages({ table }: ServingVectors): Sql {
  return sql`pg_table_size(to_regclass(${table})) / current_setting('block_size')::int`;
}

/** About as many vectors there are: what is dead counts as well. */
export function vectorCount(vectors: ServingVectors, pages: number): number {
  return pages * vectorsPerPage(vectors);
}
