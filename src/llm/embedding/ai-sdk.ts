/** Embedding models behind the AI SDK, which is loaded with the first request. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { EMBEDDING_DIMENSIONS_MAX } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { retryWait } from '../../net/retry-wait.ts';
import { openGate } from '../../util/pool.ts';
import { forLog, retryAfterOf, statusOf, toServiceError } from '../chat/provider-errors.ts';
import { MODEL_RETRY_BASE_MS } from '../chat/retries.ts';
import type { EmbeddingModel } from '../models.ts';
import { BATCH_TEXTS_MAX, splitBatches } from './batches.ts';

/** Maximum time of one request with passages. The provider may have to load the model. */
const PASSAGES_TIMEOUT_MS = 60_000;
/** Maximum time of one request with a query. Somebody waits for the search. */
const QUERY_TIMEOUT_MS = 10_000;
/** Maximum attempts for passages after temporary failures. Nobody waits for passages. */
const TRIES_MAX = 6;
const SUBJECT = 'The embedding model';

export interface EmbeddingOptions {
  /** The address with the version, without a trailing slash: `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  apiKey: string | null;
  /** Maximum simultaneous requests with passages, over all models of this process. Queries do not wait. */
  requestsMax: number;
  fetch: typeof fetch;
  retryBaseMs?: number;
  passagesTimeoutMs?: number;
  queryTimeoutMs?: number;
}

/** Returns the models at one address, by name and requested dimensions. A model connects with the first text. */
export function openEmbeddingProvider(
  options: EmbeddingOptions,
): (name: string, dimensions?: number | null) => EmbeddingModel {
  const gate = openGate(options.requestsMax);
  const passagesTimeoutMs = options.passagesTimeoutMs ?? PASSAGES_TIMEOUT_MS;
  /** Texts of a request that is fast enough. A timeout lowers the number. */
  let textsMax = BATCH_TEXTS_MAX;
  /** Maximum texts that the provider accepts in one request, as far as is known. */
  let acceptedMax = BATCH_TEXTS_MAX;
  const learn = (accepted: number): void => {
    acceptedMax = Math.min(acceptedMax, Math.max(accepted, ACCEPTED_MIN));
  };
  return (name, dimensions = null) => {
    const model = { name, dimensions };
    const passages = async (texts: readonly string[], tries: number, signal: AbortSignal): Promise<Float32Array[]> => {
      const startedAt = performance.now();
      try {
        const vectors = await requestPatiently(options, model, texts, tries, signal);
        const isQuick = performance.now() - startedAt < passagesTimeoutMs * QUICK_SHARE;
        if (isQuick) textsMax = Math.min(BATCH_TEXTS_MAX, Math.max(textsMax, 2 * texts.length));
        return vectors;
      } catch (error) {
        if (isTimeout(error)) textsMax = Math.min(textsMax, Math.ceil(texts.length / 2));
        throw error;
      }
    };
    return {
      name,
      async embed(texts, use, signal) {
        const request: SendTexts = (part, tries) =>
          use === 'query'
            ? requestOnce(options, model, part, signal, options.queryTimeoutMs ?? QUERY_TIMEOUT_MS)
            : gate(() => passages(part, tries, signal));
        const parts = await Promise.all(
          splitBatches(texts, Math.min(textsMax, acceptedMax)).map((batch) =>
            embedBatch(batch, use === 'query', request, learn),
          ),
        );
        return checkVectors(parts.flat());
      },
    };
  };
}

interface RequestedModel {
  name: string;
  /** Null for the model's own dimensions. */
  dimensions: number | null;
}

/** Minimum of the learnt number of texts. When fewer texts were refused, their length was probably the reason. */
const ACCEPTED_MIN = 4;
/** A request that took less than this share of its maximum time may have twice as many texts next time. */
const QUICK_SHARE = 0.25;

/** Sends one request. `tries` is the maximum of attempts for failures that the texts may cause. */
type SendTexts = (texts: readonly string[], tries: number) => Promise<Float32Array[]>;

/** The provider refused the texts: too many, too long, or for another reason. */
class TextsRefused extends ServiceError {}

/** The answer cannot be read. Other texts may get a readable answer: some texts lead to numbers that are not finite. */
class Unreadable extends ServiceError {}

function isTimeout(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'upstream_timeout';
}

/** The status of a server that fails because of an error, not because it is busy. */
const BROKEN_STATUS = 500;

function isBroken(error: unknown): boolean {
  return error instanceof Unreadable || (error instanceof ServiceError && statusOf(error.cause) === BROKEN_STATUS);
}

/** Returns true when fewer or other texts may succeed. */
function mayDependOnTexts(error: unknown, texts: readonly string[], isQuery: boolean): boolean {
  if (error instanceof TextsRefused) return true;
  if (isQuery) return false;
  return isBroken(error) || (isTimeout(error) && texts.length > 1);
}

/** Embeds a batch. After a failure it tries the two halves. A single refused text is shortened, and finally gets a vector of zeros. */
async function embedBatch(
  texts: readonly string[],
  isQuery: boolean,
  request: SendTexts,
  learn: (accepted: number) => void,
): Promise<Float32Array[]> {
  try {
    return await request(texts, TRIES_MAX);
  } catch (error) {
    if (!mayDependOnTexts(error, texts, isQuery)) throw error;
    // The probe finds out whether the provider fails for every text.
    const probe = () => request([PROBE_TEXT], TRIES_APART_MAX).catch(() => Promise.reject(error));
    const probed = isTimeout(error) ? [] : await probe();
    const found = await embedApart(texts, isQuery, request, error instanceof TextsRefused ? learn : () => {});
    const [one] = [...found.filter(({ length }) => length > 0), ...probed];
    const { length } = one ?? (await probe())[0]!;
    return found.map((vector) => (vector.length > 0 ? vector : new Float32Array(length)));
  }
}

const PROBE_TEXT = 'text';
/** Maximum attempts for a single text, before it gets a vector of zeros. */
const TRIES_APART_MAX = 3;

/**
 * Embeds the halves of a refused batch. A refused single text becomes a vector of length 0.
 *
 * @param learn is told how many texts were accepted after twice as many had been refused.
 */
async function embedApart(
  texts: readonly string[],
  isQuery: boolean,
  request: SendTexts,
  learn: (accepted: number) => void,
): Promise<Float32Array[]> {
  let refused = 0;
  const tryParts = async (parts: readonly (readonly string[])[]): Promise<Float32Array[]> => {
    const found = parts.map((part) =>
      request(part, part.length > 1 ? 1 : TRIES_APART_MAX).catch((error) => {
        if (!mayDependOnTexts(error, part, isQuery)) throw error;
        refused += 1;
        return embedApart(part, isQuery, request, learn);
      }),
    );
    return (await Promise.all(found)).flat();
  };
  if (texts.length > 1) {
    const middle = texts.length >> 1;
    const found = await tryParts([texts.slice(0, middle), texts.slice(middle)]);
    if (refused === 0) learn(middle);
    return found;
  }
  const [text = ''] = texts;
  if (text.length <= CUT_UNITS_MIN) return [new Float32Array(0)];
  return tryParts([[text.slice(0, text.length >> 1).toWellFormed()]]);
}

/** Minimum length of a shortened text, in UTF-16 units. A shorter text is not refused because of its length. */
const CUT_UNITS_MIN = 400;

async function requestPatiently(
  options: EmbeddingOptions,
  model: RequestedModel,
  texts: readonly string[],
  tries: number,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await requestOnce(options, model, texts, signal, options.passagesTimeoutMs ?? PASSAGES_TIMEOUT_MS);
    } catch (error) {
      const isSlow = isTimeout(error) && texts.length > 1;
      const triesMax = isBroken(error) ? tries : TRIES_MAX;
      if (signal.aborted || isSlow || attempt >= triesMax || !isTemporary(error)) throw error;
      const askedSeconds = retryAfterOf((error as Error).cause) ?? 0;
      const baseMs = options.retryBaseMs ?? MODEL_RETRY_BASE_MS;
      await sleep(retryWait(attempt - 1, askedSeconds * 1000, { baseMs }), undefined, { signal });
    }
  }
}

function isTemporary(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error instanceof TextsRefused || error instanceof Unreadable) return false;
  const status = statusOf(error.cause);
  return status === undefined ? error.cause !== undefined : status === 408 || status === 429 || status >= 500;
}

async function requestOnce(
  options: EmbeddingOptions,
  { name, dimensions }: RequestedModel,
  texts: readonly string[],
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Float32Array[]> {
  signal.throwIfAborted();
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: 'embedding',
    baseURL: options.baseUrl,
    fetch: options.fetch,
    ...(options.apiKey === null ? {} : { apiKey: options.apiKey }),
  });
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const { response } = await provider.embeddingModel(name).doEmbed({
      ...{ values: [...texts], abortSignal: AbortSignal.any([signal, timeout]) },
      ...(dimensions === null ? {} : { dimensions }),
    });
    const vectors = readVectors(response?.body, texts.length);
    const made = vectors[0]?.length;
    if (dimensions === null || made === dimensions) return vectors;
    throw unusable(`answered with ${made} dimensions where ${dimensions} were asked for`);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const cause = forLog(error, options.apiKey);
    if (timeout.aborted) throw new ServiceError('upstream_timeout', `${SUBJECT} did not answer in time.`, { cause });
    const status = statusOf(error);
    if (status === 200)
      throw new Unreadable('upstream_failed', `${SUBJECT} answered with something unreadable.`, { cause });
    if (status === 400 || status === 413 || status === 422) {
      throw new TextsRefused('upstream_failed', `${SUBJECT} refused the text (status ${status}).`, { cause });
    }
    throw toServiceError(SUBJECT, error, cause);
  }
}

const answerSchema = z.object({
  data: z.array(z.object({ embedding: z.array(z.number()), index: z.number().int().optional() })),
});

/** Reads the vectors by their index. The SDK ignores the index, but a provider may answer out of order. */
function readVectors(body: unknown, count: number): Float32Array[] {
  const { data } = answerSchema.parse(body);
  if (data.length !== count) throw unusable(`answered with ${data.length} vectors for ${count} texts`);
  const vectors: Float32Array[] = [];
  data.forEach(({ embedding, index }, position) => {
    vectors[index ?? position] = Float32Array.from(embedding);
  });
  if (vectors.length !== count || Object.keys(vectors).length !== count) {
    throw unusable('numbered its vectors wrongly');
  }
  return checkVectors(vectors);
}

/** Checks that all vectors are finite and have one dimension. Vectors of refused texts become zeros of this dimension. */
function checkVectors(vectors: readonly Float32Array[]): Float32Array[] {
  const dimension = vectors.find((vector) => vector.length > 0)?.length ?? 0;
  if (vectors.length > 0 && (dimension === 0 || dimension > EMBEDDING_DIMENSIONS_MAX))
    throw unusable(`answered with vectors of ${dimension} dimensions (1 to ${EMBEDDING_DIMENSIONS_MAX} can be stored)`);
  return vectors.map((vector) => {
    if (vector.length === 0) return new Float32Array(dimension);
    if (vector.length !== dimension)
      throw unusable(`answered with vectors of ${dimension} and of ${vector.length} dimensions`);
    if (!vector.every((value) => Math.abs(value) <= HALF_MAX))
      throw new Unreadable('upstream_failed', `${SUBJECT} answered with numbers out of range.`);
    return vector;
  });
}

/** The largest number in half precision. */
const HALF_MAX = 65_504;

function unusable(how: string, cause?: unknown): ServiceError {
  return new ServiceError('upstream_failed', `${SUBJECT} ${how}.`, { cause });
}
