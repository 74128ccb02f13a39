/**
 * The yardstick of retrieval: quality on question sets, and latency, throughput and recall as the corpus grows.
 *
 *     npm run bench:retrieval -- [--sets scifact,xquad-en | --sets none] [--folder <folder>] [--scan]
 *       [--engines embedded,server] [--chunks 10000,100000 | --chunks none] [--dimension 384] [--modes hybrid,lexical]
 *       [--filters 100,50,10,1,0.1] [--clients 1,8] [--queries 100] [--words 4] [--ingest 1000] [--write]
 *
 * Quality: nDCG@10 and R@100 of lexical retrieval on sets in BEIR layout (subfolders of `--folder`), one chunk for each entry.
 * `--scan` measures the adapter for servers without pg_textsearch.
 *
 * Latency: `POST /search` of a service of its own, on the embedded database and on a PostgreSQL server (scripts/postgres.ts), for each
 * size, mode and filter (percent of the sources that match). Queries and filters never repeat. Recall compares semantic searches
 * with an exact comparison of all vectors. The corpus is generated and cached in the temporary folder; 100,000 chunks take
 * about 15 minutes on the embedded database, a million about an hour on a server.
 *
 * `--write` writes the tables to docs/retrieval-quality.md.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { openTestDatabase } from '../test/support/database.ts';
import { measureIngestion } from './support/ingestion.ts';
import { readOptions } from './support/options.ts';
import { measureSet, TARGETS } from './support/question-sets.ts';
import { type Corpus, type Engine, openCorpus } from './support/scale-corpus.ts';
import { type LatencyLine, type Mode, measureSearches } from './support/search-latency.ts';

const PROJECT = join(import.meta.dirname, '..');
const PAGE = join(PROJECT, 'docs', 'retrieval-quality.md');
const HEAD = `# Quality and speed of retrieval

\`npm run bench:retrieval -- --write\` measures retrieval and writes this page.

- **Quality** is lexical: nDCG@10 and R@100 over question sets in BEIR layout. Each entry of a set is one chunk.
- **Latency** is measured at \`POST /search\` of a real service. Queries and filters never repeat, warm-up included, so a cache of
  results cannot help. \`matching\` is the share of the sources that match the filter. \`processor\` is the processor time of service
  and database for one search; other work on the machine changes it little.
- **Recall** compares the ten results of a semantic search with the ten nearest chunks by an exact comparison of all vectors.
`;

const { values } = readOptions(import.meta.filename, {
  options: {
    sets: { type: 'string', default: 'all' },
    folder: { type: 'string', default: join(PROJECT, '..', 'shared', 'data', 'retrieval') },
    scan: { type: 'boolean', default: false },
    engines: { type: 'string', default: 'embedded,server' },
    chunks: { type: 'string', default: '10000,100000' },
    modes: { type: 'string', default: 'hybrid,lexical' },
    filters: { type: 'string', default: '100,50,10,1,0.1' },
    clients: { type: 'string', default: '1,8' },
    queries: { type: 'string', default: '100' },
    words: { type: 'string', default: '4' },
    dimension: { type: 'string', default: '384' },
    ingest: { type: 'string', default: '1000' },
    write: { type: 'boolean', default: false },
  },
});
const listed = (text: string): string[] => (text === 'none' ? [] : text.split(',').filter((entry) => entry !== ''));
const clients = listed(values.clients).map(Number);
const written: string[] = [];

print(describeMachine());
await measureQuality();
for (const engine of listed(values.engines) as Engine[])
  for (const chunks of listed(values.chunks).map(Number)) await measureSize(engine, chunks);
if (values.write) writePage();

async function measureQuality(): Promise<void> {
  const sets = values.sets === 'all' ? readdirSync(values.folder) : listed(values.sets);
  if (sets.length === 0) return;
  print(
    '\n| set | entries | queries | nDCG@10 | wanted | R@100 | p50 ms | p95 ms |\n|---|--:|--:|--:|--:|--:|--:|--:|',
  );
  const database = await openTestDatabase();
  const db = values.scan ? { ...database.db, hasTextSearch: false } : database.db;
  try {
    for (const set of sets) {
      const { entries, queries, ndcg10, recall100, p50, p95 } = await measureSet(
        db,
        database.db,
        join(values.folder, set),
      );
      const figures = [ndcg10.toFixed(4), TARGETS[set]?.toFixed(3) ?? '', recall100.toFixed(4), ms(p50), ms(p95)];
      print(row([set, String(entries), String(queries), ...figures]));
    }
  } finally {
    await database.close();
  }
}

async function measureSize(engine: Engine, chunks: number): Promise<void> {
  const corpus = await openCorpus({ engine, chunks, dimension: Number(values.dimension) });
  try {
    print(
      `\n${engine}, ${chunks} chunks × ${corpus.dimension} dimensions, ${values.words} words a query, times in ms:\n`,
    );
    const columns = clients.flatMap((count) => [`p50 of ${count}`, 'p95', 'p99', 'a second']);
    print(row(['mode', 'matching', 'processor', ...columns]));
    print(row(['---', '--:', '--:', ...columns.map(() => '--:')]));
    const { recall, service } = await measureSearches(
      corpus,
      {
        modes: listed(values.modes) as Mode[],
        shares: listed(values.filters).map(Number),
        clients,
        queries: Number(values.queries),
        words: Number(values.words),
      },
      (line) => print(latencyRow(line)),
    );
    const recalls = recall.map(({ share, recall10 }) => `${recall10.toFixed(3)} (${percent(share)})`);
    print(`\nrecall@10 of semantic searches: ${recalls.join(', ')}`);
    await printCosts(corpus, service);
  } finally {
    await corpus.close();
  }
}

async function printCosts(
  corpus: Corpus,
  service: Awaited<ReturnType<typeof measureSearches>>['service'],
): Promise<void> {
  try {
    const serving = service.rss();
    const ingested = Number(values.ingest) > 0 ? await measureIngestion(service, Number(values.ingest)) : '';
    const memory = `resident memory of the service ${mib(serving)}, at most ${mib(service.peakRss())}`;
    print([memory, corpus.serverMemory(), ingested].filter((part) => part !== '').join('; '));
  } finally {
    await service.stop();
  }
  print(await corpus.withDatabase((db) => corpus.sizes(db)));
}

function latencyRow({ mode, share, cpuMs, byClients }: LatencyLine): string {
  const figures = byClients.flatMap(({ p50, p95, p99, perSecond }) => [
    ms(p50),
    ms(p95),
    ms(p99),
    perSecond.toFixed(0),
  ]);
  return row([mode, percent(share), ms(cpuMs), ...figures]);
}

/** Writes the part of the page before its first section. The sections are written by people. */
function writePage(): void {
  const sections = /\n## .*$/s.exec(readFileSync(PAGE, 'utf8'))?.[0] ?? '';
  writeFileSync(PAGE, `${HEAD}\n${written.join('\n').trim()}\n${sections}`);
}

function describeMachine(): string {
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  const load = loadavg()[0]!.toFixed(1);
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model}), ${memory}, Node ${process.version}`;
  return `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}. Load average at the start: ${load} (above 0, other work ran).`;
}

function print(line: string): void {
  console.log(line);
  written.push(line);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function percent(share: number): string {
  return share === 100 ? 'all' : `${share} %`;
}

function ms(value: number): string {
  return value.toFixed(1);
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
