/** Prometheus metrics. Labels never name a tenant or a key. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ChatObserver } from '../llm/models.ts';

export interface Metrics {
  /** After every answer. `route` is the pattern, not the path. */
  request(method: string, route: string, status: number, seconds: number): void;
  /** After every job. */
  job(kind: string, outcome: 'done' | 'failed' | 'aborted', seconds: number): void;
  /** Adds to a counter of ingestion: files or chunks. */
  ingested(what: 'files' | 'failed_files' | 'chunks', count: number): void;
  /** Chunks that got their vector, texts that the model was asked for, chunks that it refused, and jobs that failed. */
  embedded(what: 'chunks' | 'requested' | 'refused' | 'failed_jobs', count: number): void;
  /** Calls to the chat model. */
  readonly chat: ChatObserver;
  /** Texts that the analyzer of names was asked about, or that it was known for what it says. */
  named(outcome: 'answered' | 'failed' | 'remembered', seconds: number): void;
  /** Running requests. */
  readonly running: { inc(): void; dec(): void };
  /** The text exposition format and its content type. */
  expose(): Promise<{ contentType: string; body: string }>;
}

const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

/**
 * A registry of its own, so that several services fit into one process.
 *
 * @param chunksWaiting how many chunks have no vector yet; asked when somebody looks.
 */
export function openMetrics(chunksWaiting: () => Promise<number> = async () => 0): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'pinakes_http_request_seconds',
    help: 'Time from a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: DURATION_BUCKETS,
    registers,
  });
  const running = new Gauge({
    name: 'pinakes_http_requests_running',
    help: 'Requests that are not answered yet.',
    registers,
  });
  const jobs = new Histogram({
    name: 'pinakes_job_seconds',
    help: 'Run time of jobs.',
    labelNames: ['kind', 'outcome'] as const,
    buckets: [...DURATION_BUCKETS, 600, 3600],
    registers,
  });
  const ingested = new Counter({
    name: 'pinakes_ingested_total',
    help: 'Files and chunks ingested.',
    labelNames: ['what'] as const,
    registers,
  });
  const embedded = new Counter({
    name: 'pinakes_embedded_total',
    help: 'Chunks that got a vector, texts sent to the embedding model, chunks it refused, embedding jobs that failed.',
    labelNames: ['what'] as const,
    registers,
  });
  const waiting = new Gauge({
    name: 'pinakes_embedding_chunks_waiting',
    help: 'Chunks without a vector of a set that serves, is being built or is about to be.',
    registers,
  });
  const named = new Histogram({
    name: 'pinakes_redaction_analyzer_seconds',
    help: 'Time that the analyzer of names took for a text, by outcome; `remembered`: it was not asked.',
    labelNames: ['outcome'] as const,
    buckets: DURATION_BUCKETS,
    registers,
  });
  const chat = openChatMetrics(registry);
  let hasDefaults = false;
  return {
    request: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    job: (kind, outcome, seconds) => jobs.observe({ kind, outcome }, seconds),
    ingested: (what, count) => ingested.inc({ what }, count),
    embedded: (what, count) => embedded.inc({ what }, count),
    chat,
    named: (outcome, seconds) => named.observe({ outcome }, seconds),
    running: { inc: () => running.inc(), dec: () => running.dec() },
    async expose() {
      // Process metrics observe the event loop and garbage collection: only for those who look.
      if (!hasDefaults) collectDefaultMetrics({ register: registry });
      hasDefaults = true;
      waiting.set(await chunksWaiting());
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

function openChatMetrics(registry: Registry): ChatObserver {
  const registers = [registry];
  const calls = new Counter({
    name: 'pinakes_chat_requests_total',
    help: 'Calls to the chat model by use and outcome; `left` means that the caller went away.',
    labelNames: ['use', 'outcome'] as const,
    registers,
  });
  const tokens = new Counter({
    name: 'pinakes_chat_tokens_total',
    help: 'Tokens of the chat model, estimated where the provider does not tell.',
    labelNames: ['direction'] as const,
    registers,
  });
  const retries = new Counter({
    name: 'pinakes_chat_retries_total',
    help: 'Times that a busy chat model was asked again.',
    registers,
  });
  const firstToken = new Histogram({
    name: 'pinakes_chat_first_token_seconds',
    help: 'Time from a request to the first words of the chat model.',
    buckets: DURATION_BUCKETS,
    registers,
  });
  return {
    began: (seconds) => firstToken.observe(seconds),
    ended: (use, outcome) => calls.inc({ use, outcome }),
    used({ inputTokens, outputTokens }) {
      tokens.inc({ direction: 'input' }, inputTokens);
      tokens.inc({ direction: 'output' }, outputTokens);
    },
    retried: () => retries.inc(),
  };
}
