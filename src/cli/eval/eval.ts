/** `pinakes eval`: measures the quality of search with a question set, through the public API. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PinakesError } from '../../client/client.ts';
import { environment } from '../../config.ts';
import { type Measures, meanMeasures, measureQuery, percentile } from '../../retrieval/measures.ts';
import { countOf } from '../../util/count-of.ts';
import { forEachLimited } from '../../util/pool.ts';
import { startLocalService } from '../operate/local-service.ts';
import { SEARCH_MODES } from '../search.ts';
import { type Client, openClient } from '../shared/client.ts';
import { clientConfig, openConfiguredClient } from '../shared/client-config.ts';
import { type Command, choiceOption, flagOption, textOption } from '../shared/command.ts';
import { table } from '../shared/help.ts';
import { CliError, type Io } from '../shared/io.ts';
import { formatSeconds, startProgress } from '../shared/progress.ts';
import { uploadFiles, waitForGroups } from '../shared/upload.ts';
import { type Calibration, calibrate, formatCalibration, searchBoth } from './calibrate.ts';
import { type EvalQuery, type EvalSet, readEvalSet } from './set.ts';

const QUERY_CONCURRENCY = 4;
const RANKING_DEPTH = 100;
const EMBEDDING_POLL_MS = 250;
/** Longer than the pause before a failed embedding job is retried. */
const EMBEDDING_STALLED_MS = 180_000;
/** The service begins to use new vectors soon after the last chunk has its vector. */
const VECTORS_SERVE_MS_MAX = 30_000;

type Mode = (typeof SEARCH_MODES)[number];

interface Latency {
  searches: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  maxMs: number;
}

export interface EvalReport extends Measures {
  set: string;
  mode: Mode;
  files: number;
  queries: number;
  /** From the first uploaded byte until every file was searchable. */
  ingestMs: number;
  uploadMs: number;
  queryMs: number;
  search: Latency;
}

export const evalCommand: Command = {
  name: 'eval',
  summary: 'Measure the quality of search with a question set (BEIR layout).',
  synopsis: '<folder>',
  argumentsMin: 1,
  options: {
    mode: { value: '<mode>', text: 'search mode: lexical (default), hybrid or semantic' },
    split: { value: '<name>', text: 'use the judgements in qrels/<name>.tsv (default: test)' },
    calibrate: { text: 'instead, find the best PINAKES_FUSION_WEIGHT for the embedding model' },
    json: { text: 'print the report as one line of JSON' },
    keep: { text: 'keep the uploaded files afterwards (only with --url or PINAKES_URL)' },
    url: { value: '<url>', text: 'use this service (default: PINAKES_URL, or else a temporary service)' },
  },
  details: `
  pinakes eval bench/scifact --mode hybrid
  pinakes eval bench/scifact --json | jq .ndcg10

The folder has corpus.jsonl, queries.jsonl and qrels/test.tsv. Every entry of the corpus is
uploaded as a file, and every query is searched with POST /search. Without PINAKES_URL and
--url, the command starts a service with an empty temporary database, and removes it
afterwards. Use your own service only if it is empty: its other files would be ranked too.`,
  async run({ arguments: [folder = ''], options, io }) {
    const mode = choiceOption(options, 'mode', SEARCH_MODES) ?? 'lexical';
    const set = await readEvalSet(folder, textOption(options, 'split'));
    const plan = {
      name: basename(resolve(folder)),
      set,
      mode,
      keep: flagOption(options, 'keep'),
    };
    const isJson = flagOption(options, 'json');
    await withService(textOption(options, 'url'), io, async (client) => {
      if (flagOption(options, 'calibrate')) {
        const found = await evaluateFusion(client, plan, io);
        io.out(isJson ? `${JSON.stringify(found)}\n` : formatCalibration(found));
      } else {
        const report = await evaluate(client, plan, io);
        io.out(isJson ? `${JSON.stringify(report)}\n` : formatReport(report));
      }
    });
    return 0;
  },
};

async function withService<T>(url: string | undefined, io: Io, use: (client: Client) => Promise<T>): Promise<T> {
  const config = clientConfig({ ...environment(), ...(url !== undefined && { PINAKES_URL: url }) });
  if (url !== undefined || environment()['PINAKES_URL']) return use(await openConfiguredClient(config));
  const dataDir = await mkdtemp(join(tmpdir(), 'pinakes-eval-'));
  try {
    const service = await startLocalService(dataDir);
    io.err(`Temporary service ready in ${formatSeconds(service.startMs)}\n`);
    const stopOnSignal = () => void service.stop().then(() => process.exit(1));
    process.once('SIGTERM', stopOnSignal);
    try {
      return await use(openClient(service));
    } finally {
      process.off('SIGTERM', stopOnSignal);
      await service.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Plan {
  name: string;
  set: EvalSet;
  mode: Mode;
  keep: boolean;
}

async function evaluate(client: Client, plan: Plan, io: Io): Promise<EvalReport> {
  const { set, mode } = plan;
  const ingested = await ingest(client, plan, io);
  try {
    if (mode !== 'lexical') {
      await waitForVectors(client, io);
      await waitUntilVectorsServe(client, plan).catch((error: unknown) => {
        // Hybrid search also works in a service without an embedding model, which refuses semantic search.
        if (!(error instanceof PinakesError && error.status === 400)) throw error;
      });
    }
    const startedAt = performance.now();
    const ranked = await rankAll(client, plan, io);
    return {
      set: plan.name,
      mode,
      files: set.files.length,
      queries: set.queries.length,
      ...meanMeasures(ranked.measures),
      ingestMs: Math.round(ingested.ingestMs),
      uploadMs: Math.round(ingested.uploadMs),
      queryMs: Math.round(performance.now() - startedAt),
      search: latencyOf(ranked.latencies),
    };
  } finally {
    await remove(client, plan, ingested.groupIds);
  }
}

async function evaluateFusion(client: Client, plan: Plan, io: Io): Promise<Calibration> {
  // A service without an embedding model refuses this search: nothing needs to be ingested then.
  await findsByVector(client, plan);
  const { groupIds } = await ingest(client, plan, io);
  try {
    await waitForVectors(client, io);
    await waitUntilVectorsServe(client, plan);
    const judged = await forEachQuery(plan.set.queries, io, (query) => searchBoth(client, plan.set, query));
    if (judged.every(({ semantic }) => semantic.length === 0)) {
      throw new CliError('No chunk has a vector: the service could not embed the chunks. Its log says why.');
    }
    return calibrate(plan.name, judged);
  } finally {
    await remove(client, plan, groupIds);
  }
}

async function remove(client: Client, { keep }: Plan, groupIds: readonly string[]): Promise<void> {
  if (!keep) for (const id of groupIds) await client.deleteLocalFileGroup({ params: { id } });
}

/** Waits until every chunk has a vector. @throws CliError when no chunk gets a vector for EMBEDDING_STALLED_MS. */
async function waitForVectors(client: Client, io: Io): Promise<void> {
  const progress = startProgress(io, 'Embedding');
  let most = 0;
  let [last, since] = [Number.POSITIVE_INFINITY, Date.now()];
  for (;;) {
    const text = await client.readMetrics();
    const waiting = Number(/^pinakes_embedding_chunks_waiting (\d+)/m.exec(text)?.[1] ?? 0);
    most = Math.max(most, waiting);
    progress.update(most - waiting, most, `${waiting} chunks wait`);
    if (waiting === 0) break;
    if (waiting < last) [last, since] = [waiting, Date.now()];
    if (Date.now() - since > EMBEDDING_STALLED_MS) {
      throw new CliError(
        `${waiting} chunks have no vector, and no chunk gets one. A score without these chunks would be wrong.`,
      );
    }
    await sleep(EMBEDDING_POLL_MS);
  }
  progress.end();
}

/** Waits until semantic search finds something, but not for ever: the service may have failed to embed every chunk. */
async function waitUntilVectorsServe(client: Client, plan: Plan): Promise<void> {
  const endsAt = Date.now() + VECTORS_SERVE_MS_MAX;
  while (!(await findsByVector(client, plan)) && Date.now() < endsAt) await sleep(EMBEDDING_POLL_MS);
}

/** @throws the refusal of a service without an embedding model. */
async function findsByVector(client: Client, { name, set }: Plan): Promise<boolean> {
  const query = set.queries[0]?.text ?? name;
  const { results } = await client.search({ body: { query, mode: 'semantic', limit: 1, rerank: false } });
  return results.length > 0;
}

async function ingest(client: Client, { name, set }: Plan, io: Io) {
  const startedAt = performance.now();
  const progress = startProgress(io, 'Ingesting');
  const groupIds = await uploadFiles(client, `eval ${name}`, set.files, (p) =>
    progress.update(0, set.files.length, `${p.filesDone} uploaded`),
  );
  const uploadMs = performance.now() - startedAt;
  const outcomes = await waitForGroups(client, groupIds, set.files.length, (p) =>
    progress.update(p.filesDone, p.filesTotal, `${p.filesDone} of ${countOf(p.filesTotal, 'file')}`),
  );
  const ingestMs = performance.now() - startedAt;
  progress.end(formatSeconds(ingestMs));
  const failed = outcomes.find(({ filesFailed, error }) => filesFailed > 0 || error !== null);
  if (failed !== undefined) {
    const reason = failed.error?.title ?? failed.fileErrors[0]?.title;
    throw new CliError(
      `${failed.filesFailed} files of group ${failed.groupId} failed: ${reason}. A score without these files would be wrong.`,
    );
  }
  return { groupIds, uploadMs, ingestMs };
}

async function rankAll(client: Client, { set, mode }: Plan, io: Io) {
  const latencies: number[] = [];
  const measures = await forEachQuery(set.queries, io, async ({ text, judgements }) => {
    const startedAt = performance.now();
    const body = { query: text, mode, limit: RANKING_DEPTH, max_chunks_per_source: 1 };
    const { results } = await client.search({ body });
    latencies.push(performance.now() - startedAt);
    const ids = results.map(({ name }) => set.idOf.get(name) ?? name);
    return measureQuery(ids, judgements);
  });
  return { measures, latencies };
}

/** Calls `search` for QUERY_CONCURRENCY queries at the same time, and returns the results in the order of the queries. */
async function forEachQuery<T>(
  queries: readonly EvalQuery[],
  io: Io,
  search: (query: EvalQuery) => Promise<T>,
): Promise<T[]> {
  const progress = startProgress(io, 'Searching');
  const results: T[] = [];
  let done = 0;
  await forEachLimited([...queries.entries()], QUERY_CONCURRENCY, async ([i, query]) => {
    results[i] = await search(query);
    done += 1;
    progress.update(done, queries.length, `${done} of ${countOf(queries.length, 'query', 'queries')}`);
  });
  progress.end();
  return results;
}

function latencyOf(latencies: readonly number[]): Latency {
  const at = (share: number) => Math.round(percentile(latencies, share) * 10) / 10;
  return { searches: latencies.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1) };
}

function formatReport(report: EvalReport): string {
  const { searches, p50Ms, p95Ms, p99Ms, maxMs } = report.search;
  return table([
    ['set', `${report.set}: ${countOf(report.files, 'file')}, ${countOf(report.queries, 'query', 'queries')}`],
    ['mode', report.mode],
    ['nDCG@10', report.ndcg10.toFixed(4)],
    ['R@100', report.recall100.toFixed(4)],
    ['MRR@10', report.mrr10.toFixed(4)],
    ['ingestion', `${formatSeconds(report.ingestMs)}, of which upload ${formatSeconds(report.uploadMs)}`],
    ['search', `p50 ${p50Ms} ms, p95 ${p95Ms} ms, p99 ${p99Ms} ms, max ${maxMs} ms (${searches} searches)`],
  ]);
}
