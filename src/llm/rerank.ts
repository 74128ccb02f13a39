/** A rerank model behind a `/rerank` endpoint: the format of Cohere, Jina and vLLM, or that of text-embeddings-inference. */
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { HttpClient, HttpResponse } from '../net/http-client.ts';
import { openGate, type Whose } from '../util/pool.ts';
import { modelText } from './model-text.ts';

/** Maximum UTF-16 units of a text that are sent. Rerank models read only a few hundred words. */
export const RERANK_TEXT_UNITS_MAX = 8_000;
const REFUSAL_UNITS_MAX = 2_000;
/** Further requests wait; tenants and their keys take turns. */
const REQUESTS_AT_ONCE = 16;
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;

export interface RerankModel {
  readonly name: string;
  /**
   * Returns how well each text answers the query: higher is better. Null for texts that the model did not score.
   *
   * @throws ServiceError `upstream_timeout`, `upstream_failed` or `overloaded`; the signal's reason when it aborts.
   */
  rerank(query: string, texts: readonly string[], signal: AbortSignal, whose?: Whose): Promise<(number | null)[]>;
}

/** The two request bodies that endpoints accept. The first request finds out which one. */
const BODIES = {
  documents: (model: string, query: string, texts: readonly string[]) => ({
    model,
    query,
    documents: texts,
    top_n: texts.length,
  }),
  texts: (_model: string, query: string, texts: readonly string[]) => ({ query, texts, truncate: true }),
};

/** Returns the configured rerank model, which connects with the first request; null when none is configured. */
export function openRerankModel(rerank: Config['rerank'], http: Pick<HttpClient, 'request'>): RerankModel | null {
  const { model, baseUrl, apiKey, timeoutMs } = rerank;
  if (model === 'none' || baseUrl === null) return null;
  const url = baseUrl.endsWith('/rerank') ? baseUrl : `${baseUrl}/rerank`;
  const gate = openGate(REQUESTS_AT_ONCE);
  let form: keyof typeof BODIES = 'documents';
  const send = (query: string, texts: readonly string[], signal: AbortSignal): Promise<HttpResponse> =>
    http.request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(BODIES[form](model, query, texts)),
      trust: 'operator',
      signal,
      timeoutMs,
      responseBytesMax: RESPONSE_BYTES_MAX,
    });
  return {
    name: model,
    async rerank(query, texts, signal, whose = {}) {
      const cut = texts.map((text) => modelText(text.slice(0, RERANK_TEXT_UNITS_MAX)).toWellFormed());
      const plainQuery = modelText(query);
      // Both attempts share one deadline.
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      let leave = (): void => {};
      try {
        leave = await gate.enter(whose, deadline);
        let response = await send(plainQuery, cut, deadline);
        if (form === 'documents' && (await wantsTexts(response))) {
          form = 'texts';
          response = await send(plainQuery, cut, deadline);
        }
        if (response.status !== 200) throw await refusal(response);
        return readScores(await response.json(), texts.length);
      } catch (error) {
        signal.throwIfAborted();
        if (deadline.aborted) throw new ServiceError('upstream_timeout', 'The rerank model did not answer in time.');
        throw error;
      } finally {
        leave();
      }
    },
  };
}

/** Returns true for the answer of text-embeddings-inference that the field `texts` is missing. */
async function wantsTexts(response: HttpResponse): Promise<boolean> {
  if (response.status !== 400 && response.status !== 422) return false;
  return /\btexts\b/.test(await response.text());
}

async function refusal(response: HttpResponse): Promise<ServiceError> {
  const body = await response.text().catch(() => ''); // reading the body frees the connection
  const cause = Object.assign(new Error(body.slice(0, REFUSAL_UNITS_MAX)), { statusCode: response.status });
  if (response.status === 429 || response.status === 503)
    return new ServiceError('overloaded', 'The rerank model is overloaded.', { cause });
  return new ServiceError('upstream_failed', `The rerank model answered with status ${response.status}.`, { cause });
}

/** Reads `{results: [{index, relevance_score}]}`, or an array of `{index, score}`. */
function readScores(answer: unknown, count: number): (number | null)[] {
  const results = Array.isArray(answer) ? answer : (answer as { results?: unknown } | null)?.results;
  if (!Array.isArray(results)) throw unreadable();
  const scores: (number | null)[] = Array.from({ length: count }, () => null);
  for (const result of results) {
    const { index, relevance_score: relevance, score = relevance } = (result ?? {}) as Record<string, unknown>;
    if (typeof index !== 'number' || typeof score !== 'number' || !(index in scores) || scores[index] !== null) {
      throw unreadable();
    }
    scores[index] = score;
  }
  if (count > 0 && results.length === 0) throw unreadable();
  return scores;
}

function unreadable(): ServiceError {
  return new ServiceError('upstream_failed', 'The rerank model answered with something unreadable.');
}
