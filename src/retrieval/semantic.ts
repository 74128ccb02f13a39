/** The vector of a query, made with the model whose vectors serve the tenant. */
import { findServingVectors, type ServingVectors, vectorsPerPage, vectorText } from '../corpus/vector-store.ts';
import type { Tx } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { invalidRequest, ServiceError } from '../errors.ts';
import type { CorpusMemory } from './corpus-memory.ts';
import type { RetrieveRequest, Warning } from './types.ts';

/** How long a search waits for the embedding model. */
export const QUERY_EMBEDDING_TIMEOUT_MS = 5_000;

/** What a semantic search needs. */
export interface SemanticQuery {
  vectors: ServingVectors;
  /** As PostgreSQL reads it. */
  vector: string;
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
  { db, embedding, memory }: Pick<Deps, 'db'> & Partial<Pick<Deps, 'embedding' | 'memory'>>,
  { tenantId, mode }: RetrieveRequest,
  tellQuery: (tx: Tx) => Promise<() => Promise<string>>,
  warnings: Warning[],
  signal: AbortSignal,
): Promise<Omit<SemanticQuery, 'rows'> | undefined> {
  if (mode === 'lexical') return undefined;
  if (!embedding) {
    if (mode === 'hybrid') return undefined;
    throw invalidRequest('/mode: semantic search needs an embedding model, and none is configured.');
  }
  const { tell, vectors } = await db.transaction(
    tenantId,
    async (tx) => {
      const [tell, vectors] = await Promise.all([tellQuery(tx), findServing(tx, tenantId, memory)]);
      return { tell, vectors };
    },
    { signal },
  );
  if (!vectors) {
    if (mode === 'semantic') warnings.push({ type: 'no_vectors', message: 'No chunk has a vector yet.' });
    return undefined;
  }
  const query = await tell();
  const deadline = AbortSignal.timeout(QUERY_EMBEDDING_TIMEOUT_MS);
  try {
    const vector = await embedding.embedQuery(tenantId, vectors.model, query, AbortSignal.any([signal, deadline]));
    if (vector.length !== vectors.dimension) {
      throw new ServiceError('upstream_failed', 'The embedding model answered with a vector of another dimension.');
    }
    return { vectors, vector: vectorText(vector) };
  } catch (error) {
    signal.throwIfAborted();
    const failure = deadline.aborted
      ? new ServiceError('upstream_timeout', 'The embedding model did not answer in time.', { cause: error })
      : error;
    if (mode === 'semantic' || !(failure instanceof ServiceError)) throw failure;
    warnings.push({ type: 'embedding_failed', message: `${failure.message} The search was lexical.` });
    return undefined;
  }
}

async function findServing(
  tx: Tx,
  tenantId: string,
  memory: CorpusMemory | null | undefined,
): Promise<ServingVectors | undefined> {
  const find = (): Promise<ServingVectors | undefined> => findServingVectors(tx, tenantId);
  if (!memory) return find();
  const [now] = await tx.query<{ version: string }>(sql`select ${memory.version} as version`);
  return memory.at(now!.version).recall(`serving ${tenantId}`, find);
}

/** Selects how many pages the vectors take, which is known at once. */
export function vectorPages({ table }: ServingVectors): Sql {
  return sql`pg_table_size(${table}::regclass) / current_setting('block_size')::int`;
}

/** About as many vectors there are: what is dead counts as well. */
export function vectorCount(vectors: ServingVectors, pages: number): number {
  return pages * vectorsPerPage(vectors);
}
