/**
 * The client of a Presidio analyzer, which finds names of people, places and organizations: no pattern can find them.
 *
 * Every failure is an error: an unchecked text must not pass as one without names.
 */
import { createHash } from 'node:crypto';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { HttpClient, HttpResponse } from '../net/http-client.ts';
import { openGate } from '../util/pool.ts';
import { getRecent, setRecent } from '../util/recent.ts';
import { NAMES, type NameEntity } from './detectors/entities.ts';
import type { NameSpan } from './names.ts';

/** Maximum number of texts whose names are cached: about 6 MB. */
const CACHED_TEXTS_MAX = 10_000;
/** Maximum number of concurrent requests: an analyzer uses a core for each request. */
const REQUESTS_MAX = 4;
const RETRIES_MAX = 2;
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;
const RETRY_SECONDS = 10;

/** Presidio's names of the entities. */
const WIRE_NAMES: Record<NameEntity, string> = {
  person: 'PERSON',
  location: 'LOCATION',
  organization: 'ORGANIZATION',
  nrp: 'NRP',
};

export interface NameAnalyzer {
  /**
   * Returns the names of these kinds in the text, with offsets in UTF-16 units. Results are cached for each tenant separately.
   *
   * @throws ServiceError upstream_failed, upstream_timeout, overloaded; the signal's reason if the signal aborts.
   */
  find(tenantId: string, text: string, entities: readonly NameEntity[], signal?: AbortSignal): Promise<NameSpan[]>;
  /** Returns the kinds of names that the analyzer can find in at least one of the languages. @throws as `find` does. */
  supported(signal: AbortSignal): Promise<NameEntity[]>;
}

/** Receives the outcome of each request, for metrics. */
export type AnalyzerObserver = (outcome: 'answered' | 'failed' | 'remembered', seconds: number) => void;

/** Returns the client, or null if no address is configured. Opening sends no request. */
export function openPresidio(
  { url, languages, scoreMin, timeoutMs }: Config['presidio'],
  http: Pick<HttpClient, 'request'>,
  observe: AnalyzerObserver = () => {},
): NameAnalyzer | null {
  if (url === null) return null;
  const gate = openGate(REQUESTS_MAX);
  const cache = new Map<string, NameSpan[]>();
  const send = async (path: string, body: object | null, given: AbortSignal | undefined): Promise<unknown> => {
    const signal = given ?? new AbortController().signal;
    const response = await http.request(`${url}${path}`, {
      trust: 'operator',
      signal,
      timeoutMs,
      retriesMax: RETRIES_MAX,
      responseBytesMax: RESPONSE_BYTES_MAX,
      followRedirects: false,
      ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (response.status !== 200) throw await refusal(response);
    return response.json();
  };
  const analyze = async (
    text: string,
    entities: readonly NameEntity[],
    signal: AbortSignal | undefined,
  ): Promise<NameSpan[]> => {
    const startedAt = performance.now();
    const seconds = (): number => (performance.now() - startedAt) / 1_000;
    const wanted = entities.map((entity) => WIRE_NAMES[entity]);
    try {
      const spans: NameSpan[] = [];
      for (const language of languages) {
        const answer = await send('/analyze', { text, language, entities: wanted, score_threshold: scoreMin }, signal);
        spans.push(...readSpans(answer, text, entities));
      }
      observe('answered', seconds());
      return spans;
    } catch (error) {
      signal?.throwIfAborted();
      observe('failed', seconds());
      throw error;
    }
  };
  return {
    async find(tenantId, text, entities, signal) {
      const key = createHash('sha256').update(`${tenantId}\0${entities.join()}\0${text}`).digest('base64');
      const cached = getRecent(cache, key);
      if (cached) {
        observe('remembered', 0);
        return cached;
      }
      const spans = await gate(() => analyze(text, entities, signal), { owner: tenantId }, signal);
      setRecent(cache, key, spans, CACHED_TEXTS_MAX);
      return spans;
    },
    async supported(signal) {
      const known = new Set<unknown>();
      for (const language of languages) {
        const answer = await send(`/supportedentities?language=${encodeURIComponent(language)}`, null, signal);
        if (!Array.isArray(answer)) throw unreadable();
        for (const name of answer) known.add(name);
      }
      return NAMES.filter((name) => known.has(WIRE_NAMES[name]));
    },
  };
}

async function refusal(response: HttpResponse): Promise<ServiceError> {
  // The body of the response is dropped: it may repeat the text.
  await response.discard();
  const { status } = response;
  const cause = Object.assign(new Error(`status ${status}`), { statusCode: status });
  if (status === 429 || status === 503) {
    return new ServiceError('overloaded', 'The analyzer of names is overloaded; try again later.', {
      cause,
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
  return new ServiceError('upstream_failed', `The analyzer of names answered with status ${status}.`, { cause });
}

/** Reads `[{entity_type, start, end, score}]`, with offsets in code points. Entities that were not asked for are dropped. */
function readSpans(answer: unknown, text: string, entities: readonly NameEntity[]): NameSpan[] {
  if (!Array.isArray(answer)) throw unreadable();
  const units = unitsOf(text);
  return answer.flatMap((result) => {
    const { entity_type: type, start, end } = (result ?? {}) as Record<string, unknown>;
    const from = units(start);
    const to = units(end);
    if (typeof type !== 'string' || from === undefined || to === undefined || from > to) throw unreadable();
    const entity = entities.find((one) => WIRE_NAMES[one] === type);
    return entity && from < to ? [{ entity, start: from, end: to }] : [];
  });
}

/** Returns a function from offsets in code points to offsets in UTF-16 units; it returns undefined outside of the text. */
function unitsOf(text: string): (point: unknown) => number | undefined {
  const isPlace = (point: unknown, length: number): point is number =>
    Number.isInteger(point) && (point as number) >= 0 && (point as number) <= length;
  if (!/[\ud800-\udbff]/.test(text)) return (point) => (isPlace(point, text.length) ? point : undefined);
  const places = [0];
  for (const char of text) places.push(places.at(-1)! + char.length);
  return (point) => (isPlace(point, places.length - 1) ? places[point] : undefined);
}

function unreadable(): ServiceError {
  return new ServiceError('upstream_failed', 'The analyzer of names answered with something unreadable.');
}
