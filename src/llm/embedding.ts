/** Setting -> embedding models, with a memory of queries in front. */
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { HttpClient } from '../net/http-client.ts';
import { openEmbeddingProvider } from './embedding-ai-sdk.ts';
import type { Embedding, EmbeddingModel } from './models.ts';
import { OPENAI_BASE_URL } from './registry.ts';

/** At most 100 × 100 vectors, of 1,024 dimensions 40 MB. */
export const CACHED_QUERIES_PER_TENANT = 100;
const CACHED_TENANTS_MAX = 100;

/** Opens what `PINAKES_EMBEDDING_MODEL` names; null for `none`. Nothing is contacted yet. */
export function openEmbedding(
  embedding: Config['embedding'],
  http: Pick<HttpClient, 'operatorFetch'>,
): Embedding | null {
  if (embedding.model === 'none') return null;
  const [, name = ''] = embedding.model.split(/:(.*)/s);
  const models = openEmbeddingProvider({
    baseUrl: embedding.baseUrl ?? OPENAI_BASE_URL,
    apiKey: embedding.apiKey,
    requestsMax: embedding.requestsMax,
    fetch: http.operatorFetch,
  });
  return withQueryCache(models, name);
}

/** @param models the models of the provider, by name. */
export function withQueryCache(models: (name: string) => EmbeddingModel, name: string): Embedding {
  const tenants = new Map<string, Map<string, Float32Array>>();
  return {
    model: models(name),
    named: models,
    async embedQuery(tenantId, model, query, signal) {
      const own = touch(tenants, tenantId, CACHED_TENANTS_MAX) ?? new Map<string, Float32Array>();
      remember(tenants, tenantId, own, CACHED_TENANTS_MAX);
      const key = `${model}\0${query}`;
      const known = touch(own, key, CACHED_QUERIES_PER_TENANT);
      if (known) return known;
      const [vector] = await models(model).embed([query], 'query', signal);
      if (!vector?.some((value) => value !== 0)) {
        throw new ServiceError('upstream_failed', 'The embedding model found nothing in the query.');
      }
      remember(own, key, vector, CACHED_QUERIES_PER_TENANT);
      return vector;
    },
  };
}

/** Makes the entry the youngest. */
function touch<V>(map: Map<string, V>, key: string, max: number): V | undefined {
  const value = map.get(key);
  if (value !== undefined) remember(map, key, value, max);
  return value;
}

function remember<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > max && !oldest.done) map.delete(oldest.value);
}
