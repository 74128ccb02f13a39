/** Opens the embedding models of the settings, with a cache of query vectors. */
import type { Config } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { openGate } from '../../util/pool.ts';
import { getRecent, setRecent } from '../../util/recent.ts';
import { startWork, type WorkTime, whenExceeded } from '../../util/work/work-time.ts';
import { modelText } from '../model-text.ts';
import type { Embedding, EmbeddingModel } from '../models.ts';
import { OPENAI_BASE_URL } from '../registry.ts';
import { type EmbeddingOptions, openEmbeddingProvider } from './ai-sdk.ts';
import { isLocalName, openLocalModels } from './local.ts';
import { readRecordedName, recordedName } from './name.ts';

/** The cache has at most 100 × 100 vectors: 40 MB with 1,024 dimensions. */
export const CACHED_QUERIES_PER_TENANT = 100;
const CACHED_TENANTS_MAX = 100;
/** Further queries wait; tenants and their keys take turns. */
const QUERIES_AT_ONCE = 8;
/** How long a search waits for its vector: processor time of a local model, and the clock for a model of a service. */
const QUERY_MS_MAX = 5_000;

/**
 * Returns the models of `PINAKES_EMBEDDING_MODEL`; null for `none`. A model connects or loads with the first text.
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
  const localModel = provider === 'local' ? local.open(name) : undefined;
  // With a local model there is no default address: only a configured address is used.
  const baseUrl = embedding.baseUrl ?? (localModel ? null : OPENAI_BASE_URL);
  const remote =
    baseUrl === null ? unconfigured : openRemoteModels({ ...embedding, baseUrl, fetch: http.operatorFetch });
  const named = (wanted: string): EmbeddingModel => {
    const { embed, ...model } = isLocalName(wanted) ? local.named(wanted) : remote(wanted);
    return { ...model, embed: (texts, use, signal) => embed(texts.map(modelText), use, signal) };
  };
  const configured = { name, dimensions: embedding.dimensions, passagePrefix: embedding.passagePrefix ?? '' };
  return withQueryCache(named, localModel?.name ?? recordedName(configured), () => local.close());
}

/**
 * Returns remote models by recorded names. A model gets the query prefix of the settings only when its passages have the passage prefix of
 * the settings.
 */
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

/**
 * Adds a cache of query vectors.
 *
 * @param models returns a model by its recorded name.
 * @param name the recorded name of the configured model.
 */
export function withQueryCache(
  models: (name: string) => EmbeddingModel,
  name: string,
  close: () => Promise<void> = async () => {},
): Embedding {
  const gate = openGate(QUERIES_AT_ONCE);
  const tenants = new Map<string, Map<string, Float32Array>>();
  const keyOf = (model: string, query: string): string => `${model}\0${query}`;
  return {
    model: models(name),
    named: models,
    async embedQuery(tenantId, model, query, signal, keyFamilyId) {
      const asked = getRecent(tenants, tenantId);
      const cached = asked && getRecent(asked, keyOf(model, query));
      if (cached) return cached;
      const { embed, processorMs } = models(model);
      const work = startWork(() => processorMs?.());
      const whose = { owner: tenantId, part: keyFamilyId };
      const [vector] = await inTime(work, signal, (within) =>
        gate(() => embed([query], 'query', within), whose, within),
      );
      if (!vector?.some((value) => value !== 0)) {
        throw new ServiceError('upstream_failed', 'The embedding model found nothing in the query.');
      }
      const queries = tenants.get(tenantId) ?? new Map<string, Float32Array>();
      setRecent(tenants, tenantId, queries, CACHED_TENANTS_MAX);
      setRecent(queries, keyOf(model, query), vector, CACHED_QUERIES_PER_TENANT);
      return vector;
    },
    close,
  };
}

/** @throws ServiceError `upstream_timeout` when the work has taken QUERY_MS_MAX. */
async function inTime<T>(work: WorkTime, signal: AbortSignal, run: (within: AbortSignal) => Promise<T>): Promise<T> {
  // Not `AbortSignal.timeout`: its timer would fire seconds after each search.
  const deadline = new AbortController();
  const endWatch = whenExceeded(work, QUERY_MS_MAX, () => deadline.abort());
  try {
    return await run(AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    if (signal.aborted || !deadline.signal.aborted) throw error;
    throw new ServiceError('upstream_timeout', 'The embedding model did not answer in time.', { cause: error });
  } finally {
    endWatch();
  }
}
