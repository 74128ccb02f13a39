/** The vector of a query, from the model of the tenant's vectors. */

import { findServingVectors } from '../../corpus/vector-store.ts';
import { invalidAt, ServiceError } from '../../errors.ts';
import type { QueryVector } from '../engine.ts';
import type { RetrieveDeps } from '../retrieve-deps.ts';
import type { RetrieveRequest, Warning } from '../types.ts';
import { modelViewOfQuery } from '../views.ts';

const NO_VECTORS = 'No chunk has a vector yet.';
const INCOMPLETE = 'Some new chunks have no vector yet: they are found by their words alone.';
const WAS_LEXICAL = 'The search was lexical.';
const HOW_TO_ADD = 'To use one, set PINAKES_EMBEDDING_MODEL; "pinakes models pull" fetches a local one.';

/**
 * Returns the vector of the query. Returns undefined if the search is lexical: no model is configured, or, with a warning, no vectors
 * exist yet or the model failed. Do not call this function within a transaction: the model may be slow.
 *
 * @throws ServiceError for mode `semantic`: `invalid_request` without a model, else the error of the model; the signal's reason if
 * the signal aborts.
 */
export async function embedQuery(
  { db, embedding, redactors, metrics }: Pick<RetrieveDeps, 'db' | 'embedding' | 'redactors' | 'metrics'>,
  { tenantId, keyFamilyId, mode, query }: RetrieveRequest,
  warnings: Warning[],
  signal: AbortSignal,
): Promise<QueryVector | undefined> {
  if (mode === 'lexical') return undefined;
  if (!embedding) {
    if (mode === 'hybrid') return undefined;
    throw invalidAt(['mode'], `semantic search needs an embedding model, and none is configured. ${HOW_TO_ADD}`);
  }
  const { vectors, redactor } = await db.transaction(
    tenantId,
    async (tx) => {
      const [vectors, redactor] = await Promise.all([findServingVectors(tx, tenantId), redactors?.forTenant(tx)]);
      return { vectors, redactor: redactor ?? null };
    },
    { signal, readOnly: true, keyFamilyId },
  );
  if (!vectors && mode === 'hybrid') {
    warnings.push({ type: 'no_vectors', message: `${NO_VECTORS} ${WAS_LEXICAL}` });
    return undefined;
  }
  const modelView = await modelViewOfQuery(redactor, query);
  try {
    // Without vectors the model is asked all the same: it may be the reason.
    const { model } = vectors ?? { model: embedding.model.name };
    const values = await embedding.embedQuery(tenantId, model, modelView, signal, keyFamilyId);
    if (!vectors) {
      warnings.push({ type: 'no_vectors', message: NO_VECTORS });
      return undefined;
    }
    if (values.length !== vectors.dimension) {
      throw new ServiceError('upstream_failed', 'The embedding model answered with a vector of another dimension.');
    }
    const { isWaiting, ...serving } = vectors;
    if (isWaiting) warnings.push({ type: 'vectors_incomplete', message: INCOMPLETE });
    return { vectors: serving, values };
  } catch (failure) {
    signal.throwIfAborted();
    metrics?.embedded('failed_queries', 1);
    if (mode === 'semantic' || !(failure instanceof ServiceError)) throw failure;
    warnings.push({ type: 'embedding_failed', message: `${failure.message} ${WAS_LEXICAL}` });
    return undefined;
  }
}
