/**
 * Measures search and ingestion as the corpus grows, on the embedded database and on a PostgreSQL server.
 *
 *     npm run bench:scale -- [--engines embedded,server] [--chunks 10000,100000] [--modes hybrid,lexical,semantic]
 *       [--filters 100,50,10,1,0.1] [--clients 1,8,32] [--queries 100] [--words 4] [--dimension 384] [--ingest 1000]
 *
 * Prints a line for each engine, size, mode and filter (percent of the sources that match). A line has the latency of `POST /search`
 * with one client, the latency of the same statements through `Database` with and without caches, the throughput with more
 * clients, and recall@10 against an exact comparison of all vectors. The corpus is generated (each topic has words and vectors of its
 * own) and cached in the temporary folder. The bench starts its own server (scripts/postgres.ts). Generating a million chunks
 * takes about an hour, so they are not in the default: `--chunks 1000000`.
 */
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { percentile } from '../src/cli/eval/metrics.ts';
import { findServingVectors, vectorColumn } from '../src/corpus/vector-store.ts';
import type { Database } from '../src/db/database.ts';
import { raw, sql } from '../src/db/sql.ts';
import type { Filters, RetrieveRequest } from '../src/retrieval/types.ts';
import { openRandom } from '../test/support/random.ts';
import type { ServiceProcess } from '../test/support/service-process.ts';
import { measureIngestion } from './support/ingestion.ts';
import { post } from './support/post.ts';
import { type Corpus, type Engine, openCorpus } from './support/scale-corpus.ts';
import { findNearest, replay } from './support/search-statements.ts';
import { near } from './support/topic-corpus.ts';

const { values } = parseArgs({
  options: {
    engines: { type: 'string', default: 'embedded,server' },
    chunks: { type: 'string', default: '10000,100000' },
    modes: { type: 'string', default: 'hybrid,lexical,semantic' },
    filters: { type: 'string', default: '100,50,10,1,0.1' },
    clients: { type: 'string', default: '1,8,32' },
    queries: { type: 'string', default: '100' },
    words: { type: 'string', default: '4' },
    dimension: { type: 'string', default: '384' },
    ingest: { type: 'string', default: '1000' },
  },
});
const listed = (text: string): string[] => text.split(',').filter((entry) => entry !== '');
type Mode = RetrieveRequest['mode'];
const modes = listed(values.modes) as Mode[];
const shares = listed(values.filters).map(Number);
const clients = listed(values.clients).map(Number);
const queryCount = Number(values.queries);
const LIMIT = 10;
/** Warm-up searches before each line: the JIT compiler of a fresh process needs a few hundred. */
const WARM_UP = 100;
const STOP_WORD_SHARE = 0.1;
/** Queries whose recall is measured: the exact comparison of all vectors is slow. */
const RECALL_QUERIES = 40;

interface Query {
  text: string;
  vector: Float32Array;
}

describeMachine();
for (const engine of listed(values.engines) as Engine[]) {
  for (const chunks of listed(values.chunks).map(Number)) {
    const corpus = await openCorpus({ engine, chunks, dimension: Number(values.dimension) });
    try {
      await measureCorpus(corpus);
    } finally {
      await corpus.close();
    }
  }
}

async function measureCorpus(corpus: Corpus): Promise<void> {
  const queries = await corpus.withDatabase((db) => sampleQueries(db, corpus));
  corpus.know(new Map(queries.map(({ text, vector }) => [text, vector])));
  // Only one process can open the embedded database: first the statements alone, then the service.
  const lines = shares.flatMap((share) =>
    modes.map((mode) => ({ share, mode, sqlMs: [] as number[], wholeMs: [] as number[], best: [] as string[][] })),
  );
  await corpus.withDatabase(async (db) => {
    for (const line of lines) {
      const request = (text: string): RetrieveRequest => requestOf(corpus, line.mode, line.share, text);
      const asked = queries.map(({ text, vector }) => ({ request: request(text), vector }));
      line.sqlMs = await replay(db, asked);
      line.wholeMs = await replay(db, asked, false);
      if (line.mode !== 'semantic') continue;
      for (const { text, vector } of queries.slice(0, RECALL_QUERIES)) {
        line.best.push(await findNearest(db, request(text), vector));
      }
    }
  });
  const sizes = await corpus.withDatabase((db) => corpus.sizes(db));
  const service = await corpus.startService();
  try {
    printHead(corpus);
    for (const line of lines) {
      const recall =
        line.mode === 'semantic' ? await measureRecall(service, line.share, queries, line.best) : undefined;
      console.log(await measureLine(corpus, service, { ...line, recall }, queries));
    }
    const serving = service.rss();
    const ingested = Number(values.ingest) > 0 ? await measureIngestion(service, Number(values.ingest)) : '';
    const memory = `resident memory of the service after the searches ${mib(serving)}, at most ${mib(service.peakRss())}`;
    console.log([memory, corpus.serverMemory(), sizes, ingested].filter((part) => part !== '').join('; '));
  } finally {
    await service.stop();
  }
}

/** Returns a query of words of one chunk, with a vector near the vector of that chunk. */
async function sampleQueries(db: Database, { tenantId, chunks }: Corpus): Promise<Query[]> {
  const random = openRandom(7);
  const rows = await db.transaction(tenantId, async (tx) => {
    const serving = (await findServingVectors(tx, tenantId))!;
    const percent = raw(String(Math.min(100, (400 * queryCount) / chunks)));
    return tx.query<{ content: string; embedding: string }>(sql`
      select c.content, v.${vectorColumn(serving)}::text as embedding
      from ${raw(serving.table)} v tablesample bernoulli (${percent}) repeatable (7)
      join chunk c on c.tenant_id = ${tenantId} and c.id = v.chunk_id limit ${queryCount}`);
  });
  const isStopWord = stopWordsOf(rows.map(({ content }) => content));
  return rows.map(({ content, embedding }) => {
    const words = content.split(' ').filter((word) => !isStopWord(word));
    const text = Array.from({ length: Number(values.words) }, () => random.pick(words)).join(' ');
    return { text, vector: near(random, Float32Array.from(JSON.parse(embedding) as number[]), 0.3) };
  });
}

/** Words in a tenth of all texts. They stand for the stop words that the analyzer drops in real languages, so no query uses them alone. */
function stopWordsOf(texts: readonly string[]): (word: string) => boolean {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of new Set(text.split(' '))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => counts.get(word)! > texts.length * STOP_WORD_SHARE;
}

function filtersOf(share: number): Filters {
  if (share === 100) return {};
  return { sourceMetadata: { operator: 'and', filters: [{ key: 'bucket', operator: 'lt', value: share * 10 }] } };
}

function requestOf({ tenantId, partitionNo }: Corpus, mode: Mode, share: number, query: string): RetrieveRequest {
  return {
    ...{ tenantId, partitionNo, query, mode, filters: filtersOf(share), limit: LIMIT, offset: 0 },
    ...{ sourceGroupIds: null, tagIds: null, principal: null, usePostfilter: false },
  };
}

async function search(service: ServiceProcess, mode: Mode, share: number, query: string): Promise<Buffer> {
  const asked = { query, mode, limit: LIMIT, source_metadata: filtersOf(share).sourceMetadata };
  const answer = await post(service, '/search', JSON.stringify(asked));
  if (answer.includes('"embedding_failed"')) throw new Error('a search was lexical because the query was not embedded');
  return answer;
}

async function searchIds(service: ServiceProcess, mode: Mode, share: number, query: string): Promise<string[]> {
  const { results } = JSON.parse((await search(service, mode, share, query)).toString()) as {
    results: { id: string }[];
  };
  return results.map(({ id }) => id);
}

async function measureRecall(
  service: ServiceProcess,
  share: number,
  queries: readonly Query[],
  best: readonly string[][],
): Promise<number> {
  let sum = 0;
  for (const [i, nearest] of best.entries()) {
    const found = await searchIds(service, 'semantic', share, queries[i]!.text);
    if (found.length < nearest.length) throw new Error(`${found.length} results where ${nearest.length} exist`);
    sum += nearest.length === 0 ? 1 : nearest.filter((id) => found.includes(id)).length / nearest.length;
  }
  return sum / best.length;
}

interface Line {
  share: number;
  mode: Mode;
  sqlMs: readonly number[];
  wholeMs: readonly number[];
  recall: number | undefined;
}

async function measureLine(
  corpus: Corpus,
  service: ServiceProcess,
  line: Line,
  queries: readonly Query[],
): Promise<string> {
  const { share, mode, sqlMs, wholeMs, recall } = line;
  for (const { text } of queries.slice(0, WARM_UP)) await search(service, mode, share, text);
  const columns: string[] = [];
  for (const count of clients) {
    const times: number[] = [];
    const waiting = queries.values();
    const drain = async (): Promise<void> => {
      for (const { text } of waiting) {
        const startedAt = performance.now();
        await search(service, mode, share, text);
        times.push(performance.now() - startedAt);
      }
    };
    const cpuBefore = corpus.cpuMs(service);
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: count }, drain));
    const perSecond = queries.length / ((performance.now() - startedAt) / 1000);
    const cpu = (corpus.cpuMs(service) - cpuBefore) / queries.length;
    const at = (q: number): string => ms(percentile(times, q));
    columns.push(`${at(0.5)} ${at(0.95)} ${at(0.99)} ${perSecond.toFixed(0).padStart(5)}`);
    if (count !== 1) continue;
    const [http, alone, whole] = [times, sqlMs, wholeMs].map((list) => percentile(list, 0.5)) as [
      number,
      number,
      number,
    ];
    const ratio = (to: number): string => (http / to).toFixed(2).padStart(5);
    columns.push(`${ms(cpu)} ${ms(alone)} ${ratio(alone)} ${ms(http - alone)} ${ms(whole)} ${ratio(whole)}`);
  }
  return [
    mode.padEnd(8),
    (share === 100 ? 'all' : `${share} %`).padStart(6),
    ...columns,
    recall === undefined ? '' : recall.toFixed(3),
  ].join('  ');
}

function printHead({ engine, chunks, dimension }: Corpus): void {
  console.log(
    `\n${engine}, ${chunks} chunks × ${dimension}, ${queryCount} queries of ${values.words} words, limit ${LIMIT}, ms`,
  );
  const columns = clients.flatMap((count) => [
    `${`${count}: p50`.padStart(7)}     p95     p99   1/s`,
    ...(count === 1 ? ['    cpu     SQL ratio    more all SQL ratio'] : []),
  ]);
  console.log(['mode    ', '  fits', ...columns, 'recall@10'].join('  '));
}

function describeMachine(): void {
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  console.log(`${availableParallelism()} cores (${cpus()[0]?.model}), ${memory}, Node ${process.version}`);
  console.log(`load average at the start ${loadavg()[0]!.toFixed(1)}: above 0, others were at work`);
  console.log(
    'cpu: processor time of service and database server for a search, which other work on the machine changes little',
  );
  console.log(
    'SQL: p50 of the same statements through Database, on one connection; ratio and more: what HTTP p50 is of it, and above it; all SQL: of a search that remembers nothing of the corpus, so that the database does it all',
  );
}

function ms(value: number): string {
  return value.toFixed(1).padStart(7);
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
