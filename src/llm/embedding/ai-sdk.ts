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

/** One request: the model may have to load. */
export const PASSAGES_TIMEOUT_MS = 60_000;
/** Somebody waits for the answer of a search. */
export const QUERY_TIMEOUT_MS = 10_000;
/** Passages are tried again after what may pass. Nobody waits for them. */
const TRIES_MAX = 6;
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

/** Models at one address, by name and the dimensions they are asked for. Connects to nothing before the first text. */
export function openEmbeddingProvider(
  options: EmbeddingOptions,
): (name: string, dimensions?: number | null) => EmbeddingModel {
  const gate = openGate(options.requestsMax);
  const passagesTimeoutMs = options.passagesTimeoutMs ?? PASSAGES_TIMEOUT_MS;
  /** A slow machine gets through with fewer. */
  let textsMax = BATCH_TEXTS_MAX;
  /** What the provider takes at once, as far as is known. */
  let takenMax = BATCH_TEXTS_MAX;
  const learn = (taken: number): void => {
    takenMax = Math.min(takenMax, Math.max(taken, TAKEN_MIN));
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
        const request: Ask = (part, tries) =>
          use === 'query'
            ? requestOnce(options, model, part, signal, options.queryTimeoutMs ?? QUERY_TIMEOUT_MS)
            : gate(() => passages(part, tries, signal));
        const parts = await Promise.all(
          splitBatches(texts, Math.min(textsMax, takenMax)).map((batch) =>
            embedBatch(batch, use === 'query', request, learn),
          ),
        );
        return agree(parts.flat());
      },
    };
  };
}

interface Asked {
  name: string;
  /** Null: the model's own. */
  dimensions: number | null;
}

/** Fewer at once are not learnt: then it was rather their length. */
const TAKEN_MIN = 4;
/** A request that took less than this share of its time may be twice as large. */
const QUICK_SHARE = 0.25;

/** One request; `tries` for failures that may lie in the texts. */
type Ask = (texts: readonly string[], tries: number) => Promise<Float32Array[]>;

/** The provider refused the texts themselves (too many, too long, not to its liking), or breaks over them. */
class TextsRefused extends ServiceError {}

/** Answers that may be another one for other texts: servers break over a text in which their numbers do. */
class Unreadable extends ServiceError {}

function isTimeout(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'upstream_timeout';
}

/** What a server says that breaks, and does not only have too much to do. */
const BROKEN_STATUS = 500;

function isBroken(error: unknown): boolean {
  return error instanceof Unreadable || (error instanceof ServiceError && statusOf(error.cause) === BROKEN_STATUS);
}

/** True when fewer or other texts may do. */
function mayBeTheTexts(error: unknown, texts: readonly string[], isQuery: boolean): boolean {
  if (error instanceof TextsRefused) return true;
  if (isQuery) return false;
  return isBroken(error) || (isTimeout(error) && texts.length > 1);
}

/** What fails together is tried in halves; a text that is refused alone is tried cut short, and at last left out. */
async function embedBatch(
  texts: readonly string[],
  isQuery: boolean,
  request: Ask,
  learn: (taken: number) => void,
): Promise<Float32Array[]> {
  try {
    return await request(texts, TRIES_MAX);
  } catch (error) {
    if (!mayBeTheTexts(error, texts, isQuery)) throw error;
    // Is it the texts, or any text?
    const probe = () => request([PROBE_TEXT], TRIES_APART_MAX).catch(() => Promise.reject(error));
    const probed = isTimeout(error) ? [] : await probe();
    const found = await embedApart(texts, isQuery, request, error instanceof TextsRefused ? learn : () => {});
    const [one] = [...found.filter(({ length }) => length > 0), ...probed];
    const { length } = one ?? (await probe())[0]!;
    return found.map((vector) => (vector.length > 0 ? vector : new Float32Array(length)));
  }
}

const PROBE_TEXT = 'text';
/** Of a single text: the last chance before it is left out. */
const TRIES_APART_MAX = 3;

/** Refused texts come back as vectors of length 0. `learn` hears of how many were taken where twice as many were refused. */
async function embedApart(
  texts: readonly string[],
  isQuery: boolean,
  request: Ask,
  learn: (taken: number) => void,
): Promise<Float32Array[]> {
  let refused = 0;
  const tryParts = async (parts: readonly (readonly string[])[]): Promise<Float32Array[]> => {
    const found = parts.map((part) =>
      request(part, part.length > 1 ? 1 : TRIES_APART_MAX).catch((error) => {
        if (!mayBeTheTexts(error, part, isQuery)) throw error;
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

/** A text is not cut below this: what is refused then is not refused for its length. */
const CUT_UNITS_MIN = 400;

async function requestPatiently(
  options: EmbeddingOptions,
  model: Asked,
  texts: readonly string[],
  tries: number,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await requestOnce(options, model, texts, signal, options.passagesTimeoutMs ?? PASSAGES_TIMEOUT_MS);
    } catch (error) {
      const isSlow = isTimeout(error) && texts.length > 1;
      const most = isBroken(error) ? tries : TRIES_MAX;
      if (signal.aborted || isSlow || attempt >= most || !mayPass(error)) throw error;
      const askedSeconds = retryAfterOf((error as Error).cause) ?? 0;
      const baseMs = options.retryBaseMs ?? MODEL_RETRY_BASE_MS;
      await sleep(retryWait(attempt - 1, askedSeconds * 1000, { baseMs }), undefined, { signal });
    }
  }
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error instanceof TextsRefused || error instanceof Unreadable) return false;
  const status = statusOf(error.cause);
  return status === undefined ? error.cause !== undefined : status === 408 || status === 429 || status >= 500;
}

async function requestOnce(
  options: EmbeddingOptions,
  { name, dimensions }: Asked,
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
    throw garbage(`answered with ${made} dimensions where ${dimensions} were asked for`);
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
  if (vectors.length > 0 && (dimension === 0 || dimension > EMBEDDING_DIMENSIONS_MAX))
    throw garbage(`answered with vectors of ${dimension} dimensions (1 to ${EMBEDDING_DIMENSIONS_MAX} can be stored)`);
  return vectors.map((vector) => {
    if (vector.length === 0) return new Float32Array(dimension);
    if (vector.length !== dimension)
      throw garbage(`answered with vectors of ${dimension} and of ${vector.length} dimensions`);
    if (!vector.every((value) => Math.abs(value) <= HALF_MAX))
      throw new Unreadable('upstream_failed', `${SUBJECT} answered with numbers out of range.`);
    return vector;
  });
}

/** The largest number of half precision. */
const HALF_MAX = 65_504;

function garbage(how: string, cause?: unknown): ServiceError {
  return new ServiceError('upstream_failed', `${SUBJECT} ${how}.`, { cause });
}
