/** Embedding models behind the AI SDK, which is loaded with the first request. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { openGate } from '../util/pool.ts';
import { splitBatches } from './embedding-batches.ts';
import { DIMENSION_MAX, type EmbeddingModel, type EmbeddingUse } from './models.ts';
import { forLog, retryAfterOf, statusOf, toServiceError } from './provider-errors.ts';

/** One request: the model may have to load. */
export const PASSAGES_TIMEOUT_MS = 60_000;
/** Somebody waits for the answer of a search. */
export const QUERY_TIMEOUT_MS = 10_000;
/** Passages are tried again after what may pass. Nobody waits for them. */
const TRIES_MAX = 6;
const RETRY_BASE_MS = 500;
const RETRY_WAIT_MS_MAX = 60_000;
const SUBJECT = 'The embedding model';

export interface EmbeddingOptions {
  /** With the version, without a trailing slash: `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  apiKey: string | null;
  /** Requests for passages at once, over all models of this process. Queries do not wait. */
  requestsMax: number;
  fetch: typeof fetch;
  retryBaseMs?: number;
  passagesTimeoutMs?: number;
  queryTimeoutMs?: number;
}

/** Models at one address, by name. Connects to nothing before the first text. */
export function openEmbeddingProvider(options: EmbeddingOptions): (name: string) => EmbeddingModel {
  const gate = openGate(options.requestsMax);
  return (name) => {
    const request = (texts: readonly string[], use: EmbeddingUse, signal: AbortSignal): Promise<Float32Array[]> =>
      use === 'query'
        ? requestOnce(options, name, texts, signal, options.queryTimeoutMs ?? QUERY_TIMEOUT_MS)
        : gate(() => requestPatiently(options, name, texts, signal));
    return {
      name,
      async embed(texts, use, signal) {
        const parts = await Promise.all(
          splitBatches(texts).map((batch) => embedBatch(batch, (part) => request(part, use, signal))),
        );
        return agree(parts.flat());
      },
    };
  };
}

/** True when the provider refused the texts themselves: too many, too long, or not to its liking. */
function isRefusal(error: unknown): boolean {
  return error instanceof TextsRefused;
}

class TextsRefused extends ServiceError {}

/** Refused together, texts are tried in halves; one that is refused alone is tried cut short, and at last left out. */
async function embedBatch(
  texts: readonly string[],
  request: (texts: readonly string[]) => Promise<Float32Array[]>,
): Promise<Float32Array[]> {
  try {
    return await request(texts);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const found = await embedApart(texts, request);
    if (found.some((vector) => vector.length > 0)) return found;
    // All of them refused: is it the texts, or any text?
    const [probe] = await request([PROBE_TEXT]);
    return texts.map(() => new Float32Array(probe!.length));
  }
}

const PROBE_TEXT = 'text';

/** Refused texts come back as vectors of length 0. */
async function embedApart(
  texts: readonly string[],
  request: (texts: readonly string[]) => Promise<Float32Array[]>,
): Promise<Float32Array[]> {
  const tryParts = (parts: readonly (readonly string[])[]): Promise<Float32Array[][]> =>
    Promise.all(
      parts.map((part) =>
        request(part).catch((error) => {
          if (!isRefusal(error)) throw error;
          return embedApart(part, request);
        }),
      ),
    );
  if (texts.length > 1) {
    const middle = texts.length >> 1;
    return (await tryParts([texts.slice(0, middle), texts.slice(middle)])).flat();
  }
  const [text = ''] = texts;
  if (text.length <= CUT_UNITS_MIN) return [new Float32Array(0)];
  return (await tryParts([[text.slice(0, text.length >> 1).toWellFormed()]])).flat();
}

/** A text is not cut below this: what is refused then is not refused for its length. */
const CUT_UNITS_MIN = 400;

async function requestPatiently(
  options: EmbeddingOptions,
  model: string,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await requestOnce(options, model, texts, signal, options.passagesTimeoutMs ?? PASSAGES_TIMEOUT_MS);
    } catch (error) {
      if (signal.aborted || attempt >= TRIES_MAX || !mayPass(error)) throw error;
      const asked = retryAfterOf((error as Error).cause) ?? 0;
      await sleep(retryWait(asked, attempt, options.retryBaseMs ?? RETRY_BASE_MS), undefined, { signal });
    }
  }
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof ServiceError) || isRefusal(error)) return false;
  const status = statusOf(error.cause);
  return status === undefined ? error.cause !== undefined : status === 408 || status === 429 || status >= 500;
}

/** Milliseconds: what the provider asks for, else exponential; always with jitter, so that workers do not return together. */
export function retryWait(askedSeconds: number, attempt: number, baseMs: number, random = Math.random()): number {
  const wait = Math.max(askedSeconds * 1000, baseMs * 2 ** (attempt - 1));
  return Math.min(RETRY_WAIT_MS_MAX, wait * (1 + random / 2));
}

async function requestOnce(
  options: EmbeddingOptions,
  model: string,
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
    const { response } = await provider
      .embeddingModel(model)
      .doEmbed({ values: [...texts], abortSignal: AbortSignal.any([signal, timeout]) });
    return readVectors(response?.body, texts.length);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const cause = forLog(error, options.apiKey);
    if (timeout.aborted) throw new ServiceError('upstream_timeout', `${SUBJECT} did not answer in time.`, { cause });
    const status = statusOf(error);
    if (status === 200) throw garbage('answered with something unreadable', cause);
    if (status === 400 || status === 413 || status === 422) {
      throw new TextsRefused('upstream_failed', `${SUBJECT} refused the text (status ${status}).`, { cause });
    }
    throw toServiceError(SUBJECT, error, cause);
  }
}

const answerSchema = z.object({
  data: z.array(z.object({ embedding: z.array(z.number()), index: z.number().int().optional() })),
});

/** The SDK passes over the index of an answer; a provider that answers out of order must not mix vectors up. */
function readVectors(body: unknown, count: number): Float32Array[] {
  const { data } = answerSchema.parse(body);
  if (data.length !== count) throw garbage(`answered with ${data.length} vectors for ${count} texts`);
  const vectors: Float32Array[] = [];
  data.forEach(({ embedding, index }, position) => {
    vectors[index ?? position] = Float32Array.from(embedding);
  });
  if (vectors.length !== count || Object.keys(vectors).length !== count) {
    throw garbage('numbered its vectors wrongly');
  }
  return agree(vectors);
}

/** All of one dimension and finite; refused texts become zeros of it. */
function agree(vectors: readonly Float32Array[]): Float32Array[] {
  const dimension = vectors.find((vector) => vector.length > 0)?.length ?? 0;
  if (vectors.length > 0 && (dimension === 0 || dimension > DIMENSION_MAX))
    throw garbage(`answered with vectors of ${dimension} dimensions (1 to ${DIMENSION_MAX} can be stored)`);
  return vectors.map((vector) => {
    if (vector.length === 0) return new Float32Array(dimension);
    if (vector.length !== dimension)
      throw garbage(`answered with vectors of ${dimension} and of ${vector.length} dimensions`);
    if (!vector.every((value) => Math.abs(value) <= HALF_MAX)) throw garbage('answered with numbers out of range');
    return vector;
  });
}

/** The largest number of half precision. */
const HALF_MAX = 65_504;

function garbage(how: string, cause?: unknown): ServiceError {
  return new ServiceError('upstream_failed', `${SUBJECT} ${how}.`, { cause });
}
