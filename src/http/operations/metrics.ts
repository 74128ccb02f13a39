/** Prometheus metrics. Labels never name a tenant or a key. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { JOB_KINDS } from '../../jobs/queue.ts';
import type { ChatObserver } from '../../llm/models.ts';
import { openServiceGauges, type ServiceFacts } from './service-gauges.ts';

const INGESTED = ['files', 'failed_files', 'chunks'] as const;
const EMBEDDED = ['chunks', 'requested', 'refused', 'failed_jobs', 'failed_queries'] as const;
const ANALYZED = ['answered', 'failed', 'remembered'] as const;
/** `aborted`: the worker stopped, and the job was released to be claimed again. */
export type JobOutcome = 'done' | 'failed' | 'aborted';

export interface Metrics {
  /** Counts an answered request. `route` is the pattern of the path, not the path. */
  request(method: string, route: string, status: number, seconds: number): void;
  /** Counts a finished job. */
  job(kind: string, outcome: JobOutcome, seconds: number): void;
  /** Counts ingested files, failed files, or chunks. */
  ingested(what: (typeof INGESTED)[number], count: number): void;
  /** Counts chunks that got a vector, texts sent to the embedding model, chunks that it refused, jobs or queries that failed. */
  embedded(what: (typeof EMBEDDED)[number], count: number): void;
  /** Counts calls to the chat model. */
  readonly chat: ChatObserver;
  /** Counts texts for the analyzer of names: answered, failed, or answered from the cache (`remembered`). */
  analyzed(outcome: (typeof ANALYZED)[number], seconds: number): void;
  /** Number of requests that are not answered yet. */
  readonly running: { inc(): void; dec(): void };
  /** Returns all metrics in the Prometheus text format, with its content type. */
  expose(): Promise<{ contentType: string; body: string }>;
}

const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

/**
 * Returns metrics with a registry of their own, so that one process can hold several services.
 *
 * @param facts are read when somebody asks for the metrics. Without them, their gauges are left out.
 */
export function openMetrics(facts?: ServiceFacts): Metrics {
  const registry = new Registry();
  const { counter, histogram } = makersFor(registry);
  const seconds = 'Time from a request to the end of its answer.';
  const requests = histogram('http_request_seconds', seconds, ['method', 'route', 'status']);
  const running = new Gauge({
    name: 'pinakes_http_requests_running',
    help: 'Requests that are not answered yet.',
    registers: [registry],
  });
  const jobs = histogram('job_seconds', 'Run time of jobs.', ['kind', 'outcome'], [...DURATION_BUCKETS, 600, 3600]);
  const ingested = counter('ingested_total', 'Files and chunks ingested.', ['what']);
  const embedded = counter(
    'embedded_total',
    'Chunks that got a vector, texts sent to the embedding model, chunks it refused, embedding jobs and queries that failed.',
    ['what'],
  );
  const analyzed = histogram(
    'redaction_analyzer_seconds',
    'Time that the analyzer of names took for a text, by outcome; `remembered`: the answer was cached.',
    ['outcome'],
  );
  const chat = openChatMetrics(registry);
  // Every counter starts at 0 instead of being absent. Otherwise the first failure would not show as an increase.
  requests.zero({ method: 'GET', route: '/metrics', status: '200' });
  for (const kind of JOB_KINDS) jobs.zero({ kind, outcome: 'done' });
  for (const what of INGESTED) ingested.inc({ what }, 0);
  for (const what of EMBEDDED) embedded.inc({ what }, 0);
  for (const outcome of ANALYZED) analyzed.zero({ outcome });
  const setGauges = facts && openServiceGauges(registry, facts);
  let hasDefaults = false;
  return {
    request: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    job: (kind, outcome, seconds) => jobs.observe({ kind, outcome }, seconds),
    ingested: (what, count) => ingested.inc({ what }, count),
    embedded: (what, count) => embedded.inc({ what }, count),
    chat,
    analyzed: (outcome, seconds) => analyzed.observe({ outcome }, seconds),
    running: { inc: () => running.inc(), dec: () => running.dec() },
    async expose() {
      // Process metrics observe the event loop and garbage collection, so they start with the first request for metrics.
      if (!hasDefaults) collectProcessMetrics(registry);
      hasDefaults = true;
      await setGauges?.();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

/** Adds process metrics, each with a sample: the metric that Node never counts is removed, and the histogram of pauses starts at 0. */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  registry.removeSingleMetric('nodejs_active_requests');
  const pauses = registry.getSingleMetric('nodejs_gc_duration_seconds');
  if (pauses instanceof Histogram) pauses.zero({ kind: 'minor' });
}

/** Returns functions that make metrics with the prefix of the service. */
function makersFor(registry: Registry) {
  const described = <L extends string>(name: string, help: string, labelNames: L[]) => {
    return { name: `pinakes_${name}`, help, labelNames, registers: [registry] };
  };
  return {
    counter: <L extends string>(name: string, help: string, labels: L[] = []) =>
      new Counter<L>(described(name, help, labels)),
    histogram: <L extends string>(name: string, help: string, labels: L[] = [], buckets = DURATION_BUCKETS) =>
      new Histogram<L>({ ...described(name, help, labels), buckets }),
  };
}

function openChatMetrics(registry: Registry): ChatObserver {
  const { counter, histogram } = makersFor(registry);
  const calls = counter(
    'chat_requests_total',
    'Calls to the chat model by use and outcome; `left`: the caller disconnected.',
    ['use', 'outcome'],
  );
  const estimated = 'Tokens of the chat model, estimated if the provider does not report them.';
  const tokens = counter('chat_tokens_total', estimated, ['direction']);
  const retries = counter('chat_retries_total', 'Calls to the chat model that were repeated because it was busy.');
  const toFirst = 'Time from a request to the first words of the chat model.';
  const firstToken = histogram('chat_first_token_seconds', toFirst);
  calls.inc({ use: 'answer', outcome: 'ok' }, 0);
  for (const direction of ['input', 'output']) tokens.inc({ direction }, 0);
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
