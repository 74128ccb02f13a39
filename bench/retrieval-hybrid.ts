/**
 * Measures recall and latency of hybrid search on the embedded database, under filters of every selectivity.
 *
 *   node bench/retrieval-hybrid.ts [--chunks 100000] [--dimension 384] [--queries 100] [--folder <path>]
 *
 * The corpus is generated (each topic has words and vectors of its own) and cached in the temporary folder. Recall compares
 * `POST /search`, mode `semantic`, with an exact comparison of all vectors. Latency is measured for `POST /search`, modes `hybrid` and
 * `lexical`, with one client and several, and for the statements of the same searches through `Database`. `all SQL` is the
 * latency of the statements without caches. A hundred searches warm up the JIT compiler before each line.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile } from '../src/cli/eval/metrics.ts';
import { findTenantByName } from '../src/corpus/tenant-store.ts';
import { findServingVectors, vectorColumn } from '../src/corpus/vector-store.ts';
import type { Database } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';
import { raw, sql } from '../src/db/sql.ts';
import type { Filters } from '../src/retrieval/types.ts';
import { openRandom } from '../test/support/random.ts';
import { type ServiceProcess, startServiceProcess } from '../test/support/service-process.ts';
import { post } from './support/post.ts';
import { findNearest, replay } from './support/search-statements.ts';
import { buildTopicCorpus, MODEL, near } from './support/topic-corpus.ts';

const { values: options } = parseArgs({
  options: {
    chunks: { type: 'string', default: '100000' },
    dimension: { type: 'string', default: '384' },
    queries: { type: 'string', default: '100' },
    folder: { type: 'string' },
  },
});
const chunks = Number(options.chunks);
const dimension = Number(options.dimension);
const folder = options.folder ?? join(tmpdir(), `pinakes-bench-hybrid-${chunks}x${dimension}`);
/** Share of the sources that match, in per mille, by a random number that each source has; 1000 = no filter. */
const SHARES = [1000, 500, 100, 10, 1];
const CLIENTS = 8;
const WARM_UP = 100;
const QUERY_WORDS = 4;
const LIMIT = 10;

interface Query {
  text: string;
  vector: Float32Array;
}

if (!existsSync(join(folder, 'database'))) await buildTopicCorpus(folder, chunks, dimension);
const queries = await withDatabase(sampleQueries);
const vectors = new Map(queries.map(({ text, vector }) => [text, vector]));
const embeddings = await openEmbeddings();
try {
  const lowers = await withDatabase(measureStatements);
  await measureService(lowers);
} finally {
  embeddings.close();
}

interface Lower {
  /** Milliseconds of the statements of a hybrid and of a lexical search. */
  hybrid: number[];
  /** Milliseconds of the statements without caches. */
  whole: number[];
  lexical: number[];
  /** The exact nearest chunks of each query. */
  best: string[][];
}

async function withDatabase<T>(use: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase({ dataDir: folder });
  try {
    await migrate(db);
    return await use(db);
  } finally {
    await db.close();
  }
}

/** Returns a query of words of one chunk, with a vector near the vector of that chunk. */
async function sampleQueries(db: Database): Promise<Query[]> {
  const { id } = (await findTenantByName(db, 'default'))!;
  const random = openRandom(7);
  const rows = await db.transaction(id, async (tx) => {
    const serving = (await findServingVectors(tx, id))!;
    const percent = Math.min(100, (400 * Number(options.queries)) / chunks);
    return tx.query<{ content: string; embedding: string }>(sql`
      select c.content, v.${vectorColumn(serving)}::text as embedding from ${raw(serving.table)} v tablesample bernoulli (${raw(String(percent))}) repeatable (7)
      join chunk c on c.tenant_id = ${id} and c.id = v.chunk_id limit ${Number(options.queries)}`);
  });
  return rows.map(({ content, embedding }) => {
    const words = content.split(' ');
    const text = Array.from({ length: QUERY_WORDS }, () => random.pick(words)).join(' ');
    return { text, vector: near(random, Float32Array.from(JSON.parse(embedding) as number[]), 0.3) };
  });
}

/** Serves `/v1/embeddings` with the vectors of the queries. */
async function openEmbeddings() {
  const server = createServer(async (request, response) => {
    const { input } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { input: string[] };
    const data = input.map((text, index) => ({ index, embedding: [...(vectors.get(text) ?? [])] }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close: () => server.close() };
}

function filtersOf(share: number): Filters {
  if (share === 1000) return {};
  return { sourceMetadata: { operator: 'and', filters: [{ key: 'bucket', operator: 'lt', value: share }] } };
}

async function measureStatements(db: Database): Promise<Map<number, Lower>> {
  const { id, partitionNo } = (await findTenantByName(db, 'default'))!;
  const base = {
    tenantId: id,
    partitionNo,
    sourceGroupIds: null,
    tagIds: null,
    principal: null,
    usePostfilter: false,
    limit: LIMIT,
    offset: 0,
  };
  const result = new Map<number, Lower>();
  for (const share of SHARES) {
    const requests = queries.map(({ text }) => ({ ...base, query: text, filters: filtersOf(share) }));
    const replayed = (mode: 'hybrid' | 'lexical', remembers = true): Promise<number[]> =>
      replay(
        db,
        requests.map((request) => ({ request: { ...request, mode }, vector: vectors.get(request.query)! })),
        remembers,
      );
    const lower: Lower = {
      hybrid: await replayed('hybrid'),
      whole: await replayed('hybrid', false),
      lexical: await replayed('lexical'),
      best: [],
    };
    for (const [i, request] of requests.entries())
      lower.best.push(await findNearest(db, { ...request, mode: 'semantic' }, queries[i]!.vector));
    result.set(share, lower);
  }
  return result;
}

async function measureService(lowers: ReadonlyMap<number, Lower>): Promise<void> {
  const keyFile = join(folder, 'admin.key');
  const service = await startServiceProcess({
    dataDir: folder,
    ...(existsSync(keyFile) ? { key: readFileSync(keyFile, 'utf8').trim() } : {}),
    env: { PINAKES_EMBEDDING_MODEL: `openai-compatible:${MODEL}`, PINAKES_EMBEDDING_BASE_URL: embeddings.url },
  });
  const [cpu] = cpus();
  console.log(`${chunks} chunks × ${dimension}, embedded database, ${queries.length} queries, limit ${LIMIT}`);
  console.log(
    `${availableParallelism()} cores (${cpu?.model}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`,
  );
  console.log(
    `load average at the start: ${loadavg()[0]!.toFixed(1)} (above the number of cores, others were at work)`,
  );
  console.log(
    'fits    recall@10  hybrid p50   p95  SQL p50  ratio  all SQL  ratio   lexical p50  SQL p50  8 clients: p50   p95  requests/s',
  );
  try {
    for (const share of SHARES) console.log(await measureShare(service, share, lowers.get(share)!));
    console.log(`memory of the service: ${(service.rss() / 2 ** 20).toFixed(0)} MiB`);
  } finally {
    await service.stop();
  }
}

async function measureShare(service: ServiceProcess, share: number, lower: Lower): Promise<string> {
  const { sourceMetadata: source_metadata } = filtersOf(share);
  const ask = (mode: string, text: string): Promise<Buffer> =>
    post(service, '/search', JSON.stringify({ query: text, mode, limit: LIMIT, source_metadata }));
  const ids = async (mode: string, text: string): Promise<string[]> => {
    const { results } = JSON.parse((await ask(mode, text)).toString()) as { results: { id: string }[] };
    return results.map((result) => result.id);
  };
  const timed = async (mode: string, text: string): Promise<number> => {
    const start = performance.now();
    await ask(mode, text);
    return performance.now() - start;
  };
  let recall = 0;
  for (const [i, { text }] of queries.entries()) {
    const best = lower.best[i]!;
    const found = await ids('semantic', text);
    if (found.length < best.length) throw new Error(`${found.length} rows where ${best.length} exist`);
    recall += best.length === 0 ? 1 : best.filter((id) => found.includes(id)).length / best.length;
  }
  const alone: Record<'hybrid' | 'lexical', number[]> = { hybrid: [], lexical: [] };
  for (const mode of ['hybrid', 'lexical'] as const) {
    for (let i = 0; i < WARM_UP; i++) await ask(mode, queries[i % queries.length]!.text);
    for (const { text } of queries) alone[mode].push(await timed(mode, text));
  }
  const together: number[] = [];
  const waiting = queries.values();
  const start = performance.now();
  const drain = async (): Promise<void> => {
    for (const { text } of waiting) together.push(await timed('hybrid', text));
  };
  await Promise.all(Array.from({ length: CLIENTS }, drain));
  const perSecond = queries.length / ((performance.now() - start) / 1000);
  const ms = (list: number[], at: number, width: number): string => percentile(list, at).toFixed(1).padStart(width);
  const ratio = (to: number[]): string => (percentile(alone.hybrid, 0.5) / percentile(to, 0.5)).toFixed(2).padStart(6);
  return [
    (share === 1000 ? 'all' : `${share / 10} %`).padEnd(7),
    (recall / queries.length).toFixed(4).padStart(9),
    `${ms(alone.hybrid, 0.5, 11)} ${ms(alone.hybrid, 0.95, 5)}`,
    ms(lower.hybrid, 0.5, 8),
    ratio(lower.hybrid),
    ms(lower.whole, 0.5, 9),
    ratio(lower.whole),
    `${ms(alone.lexical, 0.5, 13)} ${ms(lower.lexical, 0.5, 8)}`,
    `${ms(together, 0.5, 15)} ${ms(together, 0.95, 5)}`,
    perSecond.toFixed(0).padStart(11),
  ].join(' ');
}
