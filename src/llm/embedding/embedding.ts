/** Setting -> embedding models, with a memory of queries in front. */
import type { Config } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { Embedding, EmbeddingModel } from '../models.ts';
import { OPENAI_BASE_URL } from '../registry.ts';
import { type EmbeddingOptions, openEmbeddingProvider } from './ai-sdk.ts';
import { isLocalName, openLocalModels } from './local.ts';
import { readRecordedName, recordedName } from './name.ts';

/** At most 100 × 100 vectors, of 1,024 dimensions 40 MB. */
export const CACHED_QUERIES_PER_TENANT = 100;
const CACHED_TENANTS_MAX = 100;

/**
 * Opens what `PINAKES_EMBEDDING_MODEL` names; null for `none`. Nothing is contacted or loaded yet.
 *
 * @throws ConfigError when a local model cannot be used.
 */
export function openEmbedding(
  embedding: Config['embedding'],
  http: Pick<HttpClient, 'operatorFetch'>,
): Embedding | null {
  if (embedding.model === 'none') return null;
  const [provider, name = ''] = embedding.model.split(/:(.*)/s);
  const local = openLocalModels(embedding);
  const own = provider === 'local' ? local.open(name) : undefined;
  // Beside a local model only the address that is configured is asked, and nothing by default.
  const baseUrl = embedding.baseUrl ?? (own ? null : OPENAI_BASE_URL);
  const remote =
    baseUrl === null ? unconfigured : openRemoteModels({ ...embedding, baseUrl, fetch: http.operatorFetch });
  const named = (wanted: string): EmbeddingModel => (isLocalName(wanted) ? local.named(wanted) : remote(wanted));
  const configured = { name, dimensions: embedding.dimensions, passagePrefix: embedding.passagePrefix ?? '' };
  return withQueryCache(named, own?.name ?? recordedName(configured), () => local.close());
}

/** By recorded names. A model reads the query's prefix of the settings when its passages have the prefix that these have. */
function openRemoteModels(
  options: EmbeddingOptions & Pick<Config['embedding'], 'queryPrefix' | 'passagePrefix'>,
): (recorded: string) => EmbeddingModel {
  const provider = openEmbeddingProvider(options);
  return (recorded) => {
    const { name, dimensions, passagePrefix } = readRecordedName(recorded);
    const isAsConfigured = passagePrefix === (options.passagePrefix ?? '');
    const prefixes = { query: isAsConfigured ? (options.queryPrefix ?? '') : '', passage: passagePrefix };
    const { embed } = provider(name, dimensions);
    return {
      name: recorded,
      embed: (texts, use, signal) =>
        embed(
          texts.map((text) => prefixes[use] + text),
          use,
          signal,
        ),
    };
  };
}

function unconfigured(): never {
  throw new ServiceError('upstream_failed', 'The address of the embedding model is not configured any more.');
}

/** @param models the models of the provider, by name. */
export function withQueryCache(
  models: (name: string) => EmbeddingModel,
  name: string,
  close: () => Promise<void> = async () => {},
): Embedding {
  const tenants = new Map<string, Map<string, Float32Array>>();
  const keyOf = (model: string, query: string): string => `${model}\0${query}`;
  return {
    model: models(name),
    named: models,
    async embedQuery(tenantId, model, query, signal) {
      const cached = touch(tenants, tenantId, CACHED_TENANTS_MAX);
      const known = cached && touch(cached, keyOf(model, query), CACHED_QUERIES_PER_TENANT);
      if (known) return known;
      const [vector] = await models(model).embed([query], 'query', signal);
      if (!vector?.some((value) => value !== 0)) {
        throw new ServiceError('upstream_failed', 'The embedding model found nothing in the query.');
      }
      const own = tenants.get(tenantId) ?? new Map<string, Float32Array>();
      remember(tenants, tenantId, own, CACHED_TENANTS_MAX);
      remember(own, keyOf(model, query), vector, CACHED_QUERIES_PER_TENANT);
      return vector;
    },
    close,
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
