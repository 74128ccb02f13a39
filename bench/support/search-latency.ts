/**
 * Measures searches of a running service over a generated corpus. No query and no filter repeats, warm-up included, so no cache of
 * results or of filters can help.
 */

import { findServingVectors, vectorColumn, vectorText, vectorType } from '../../src/corpus/vector-store.ts';
import type { Database } from '../../src/db/database.ts';
import { identifier, raw, sql } from '../../src/db/sql.ts';
import type { MetadataFilterGroup } from '../../src/filters/types.ts';
import { percentile } from '../../src/retrieval/measures.ts';
import { openRandom, type Random } from '../../test/support/random.ts';
import type { ServiceProcess } from '../../test/support/service-process.ts';
import { post } from './post.ts';
import type { Corpus } from './scale-corpus.ts';
import { near } from './topic-corpus.ts';

export type Mode = 'hybrid' | 'lexical' | 'semantic';

export interface LatencyOptions {
  modes: readonly Mode[];
  /** Percent of the sources that match the filter; 100: no filter. */
  shares: readonly number[];
  /** Numbers of clients that search at once. */
  clients: readonly number[];
  /** Measured searches for each line and number of clients. */
  queries: number;
  /** Words of a query. */
  words: number;
}

/** The searches of one mode and filter. Times are milliseconds. */
export interface LatencyLine {
  mode: Mode;
  share: number;
  /** Processor time of service and database server for a search; other work on the machine changes it little. */
  cpuMs: number;
  byClients: { clients: number; p50: number; p95: number; p99: number; perSecond: number }[];
}

/** Mean share of the true ten nearest chunks among the ten results of a semantic search. */
export interface RecallLine {
  share: number;
  recall10: number;
}

interface Query {
  text: string;
  vector: Float32Array;
  filter: MetadataFilterGroup | undefined;
}

const LIMIT = 10;
/** Warm-up searches before each line: the JIT compiler of a fresh process needs a few hundred. */
const WARM_UP = 100;
const STOP_WORD_SHARE = 0.1;
const QUERY_NOISE = 0.3;
/** The exact comparison of all vectors is slow. */
const RECALL_QUERIES = 40;
const BUCKETS = 1_000;
const TEXTS_SAMPLED_MAX = 5_000;

export interface CorpusFigures {
  latency: LatencyLine[];
  recall: RecallLine[];
}

/** Measures recall, then latency. `onLine` is called after each line of latency. */
export async function measureSearches(
  corpus: Corpus,
  options: LatencyOptions,
  onLine: (line: LatencyLine) => void = () => {},
): Promise<CorpusFigures & { service: ServiceProcess }> {
  const random = openRandom(7);
  const count = options.queries * options.clients.length + WARM_UP;
  const lines = options.shares.flatMap((share) => options.modes.map((mode) => ({ share, mode })));
  const { asked, truth } = await corpus.withDatabase(async (db) => {
    const sample = await openSample(db, corpus, random, options.words);
    return {
      asked: lines.map(({ share }) => Array.from({ length: count }, () => sample(share))),
      truth: await trueNearest(db, corpus, options.shares, sample),
    };
  });
  const all = [...asked.flat(), ...truth.flatMap(({ queries }) => queries.map(({ query }) => query))];
  corpus.know(new Map(all.map(({ text, vector }) => [text, vector])));
  const service = await corpus.startService();
  const recall: RecallLine[] = [];
  for (const { share, queries } of truth) recall.push({ share, recall10: await measureRecall(service, queries) });
  const latency: LatencyLine[] = [];
  for (const [i, { share, mode }] of lines.entries()) {
    const line = { share, mode, ...(await measureLine(corpus, service, mode, asked[i]!, options)) };
    latency.push(line);
    onLine(line);
  }
  return { latency, recall, service };
}

/** Returns a function that makes a new query: words of one chunk, a vector near the vector of that chunk, and a new filter. */
async function openSample(db: Database, { tenantId, chunks }: Corpus, random: Random, words: number) {
  const rows = await db.transaction(tenantId, async (tx) => {
    const serving = (await findServingVectors(tx, tenantId))!;
    const percent = raw(String(Math.min(100, (200 * TEXTS_SAMPLED_MAX) / chunks)));
    return tx.query<{ content: string; embedding: string }>(sql`
      select c.content, v.${vectorColumn(serving)}::text as embedding
      from ${identifier(serving.table)} v tablesample bernoulli (${percent}) repeatable (7)
      join chunk c on c.tenant_id = ${tenantId} and c.id = v.chunk_id limit ${TEXTS_SAMPLED_MAX}`);
  });
  const isStopWord = stopWordsOf(rows.map(({ content }) => content));
  const made = new Set<string>();
  return (share: number): Query => {
    for (;;) {
      const { content, embedding } = random.pick(rows);
      const topic = content.split(' ').filter((word) => !isStopWord(word));
      const text = Array.from({ length: words }, () => random.pick(topic)).join(' ');
      if (made.has(text)) continue;
      made.add(text);
      const vector = near(random, Float32Array.from(JSON.parse(embedding) as number[]), QUERY_NOISE);
      return { text, vector, filter: filterOf(random, share) };
    }
  };
}

/** Words in a tenth of all texts. They stand for the stop words that the analyzer drops in real languages, so no query uses them alone. */
function stopWordsOf(texts: readonly string[]): (word: string) => boolean {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of new Set(text.split(' '))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => counts.get(word)! > texts.length * STOP_WORD_SHARE;
}

/** Returns a filter for a random range of buckets that `share` percent of the sources match. */
function filterOf(random: Random, share: number): MetadataFilterGroup | undefined {
  if (share === 100) return undefined;
  const width = Math.round((share * BUCKETS) / 100);
  const from = random.integer(0, BUCKETS - width);
  return {
    operator: 'and',
    filters: [
      { key: 'bucket', operator: 'gte', value: from },
      { key: 'bucket', operator: 'lt', value: from + width },
    ],
  };
}

interface TruthLine {
  share: number;
  queries: { query: Query; nearest: string[] }[];
}

async function trueNearest(
  db: Database,
  corpus: Corpus,
  shares: readonly number[],
  sample: (share: number) => Query,
): Promise<TruthLine[]> {
  const lines: TruthLine[] = [];
  for (const share of shares) {
    const queries: TruthLine['queries'] = [];
    for (let i = 0; i < RECALL_QUERIES; i += 1) {
      const query = sample(share);
      queries.push({ query, nearest: await findNearest(db, corpus, query) });
    }
    lines.push({ share, queries });
  }
  return lines;
}

/** Returns the ids of the nearest chunks that match the filter, by a comparison of all vectors in SQL of its own. */
async function findNearest(db: Database, { tenantId }: Corpus, { vector, filter }: Query): Promise<string[]> {
  const [from, to] = filter ? filter.filters.map((one) => ('value' in one ? Number(one.value) : 0)) : [0, BUCKETS];
  return db.transaction(tenantId, async (tx) => {
    const serving = (await findServingVectors(tx, tenantId))!;
    const rows = await tx.query<{ id: string }>(sql`
      select v.chunk_id as id from ${identifier(serving.table)} v
      join source s on s.tenant_id = v.tenant_id and s.id = v.source_id
      where v.tenant_id = ${tenantId} and (s.metadata ->> 'bucket')::int >= ${from} and (s.metadata ->> 'bucket')::int < ${to}
      order by (v.${vectorColumn(serving)} <=> ${vectorText(vector)}::${vectorType(serving)}) + 0, v.chunk_id
      limit ${LIMIT}`);
    return rows.map(({ id }) => id);
  });
}

async function measureRecall(service: ServiceProcess, queries: TruthLine['queries']): Promise<number> {
  let sum = 0;
  for (const { query, nearest } of queries) {
    const { results } = JSON.parse((await search(service, 'semantic', query)).toString()) as {
      results: { id: string }[];
    };
    if (results.length < nearest.length) throw new Error(`${results.length} results where ${nearest.length} exist`);
    const found = new Set(results.map(({ id }) => id));
    sum += nearest.length === 0 ? 1 : nearest.filter((id) => found.has(id)).length / nearest.length;
  }
  return sum / queries.length;
}

async function measureLine(
  corpus: Corpus,
  service: ServiceProcess,
  mode: Mode,
  asked: readonly Query[],
  { clients, queries }: LatencyOptions,
): Promise<Pick<LatencyLine, 'cpuMs' | 'byClients'>> {
  for (const query of asked.slice(0, WARM_UP)) await search(service, mode, query);
  const byClients: LatencyLine['byClients'] = [];
  let cpuMs = 0;
  for (const [i, count] of clients.entries()) {
    const start = WARM_UP + i * queries;
    const waiting = asked.slice(start, start + queries).values();
    const times: number[] = [];
    const drain = async (): Promise<void> => {
      for (const query of waiting) {
        const startedAt = performance.now();
        await search(service, mode, query);
        times.push(performance.now() - startedAt);
      }
    };
    const cpuBefore = corpus.cpuMs(service);
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: count }, drain));
    const perSecond = queries / ((performance.now() - startedAt) / 1000);
    if (i === 0) cpuMs = (corpus.cpuMs(service) - cpuBefore) / queries;
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(times, share)) as [number, number, number];
    byClients.push({ clients: count, p50, p95, p99, perSecond });
  }
  return { cpuMs, byClients };
}

async function search(service: ServiceProcess, mode: Mode, { text, filter }: Query): Promise<Buffer> {
  const body = { query: text, mode, limit: LIMIT, source_metadata: filter };
  const answer = await post(service, '/search', JSON.stringify(body));
  if (answer.includes('"embedding_failed"')) throw new Error('a search was lexical because the query was not embedded');
  return answer;
}
