/**
 * Uploads a table of a million rows and seven columns over HTTP and queries it in turns with the command line of DuckDB on the same
 * Parquet file: `npm run bench:tables -- --duckdb path/to/duckdb`. The Python package `duckdb-cli` brings the command line; without
 * --duckdb it is looked for in the search path, and a run without it measures the service alone.
 *
 * Prints the time from the start of the upload until the table can be queried, and the times of queries that do not repeat: as the
 * client sees them over HTTP with citations, in the table engine, and of a run of the command line. Exits with 1 when a figure is above
 * its limit.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { percentile } from '../../src/retrieval/ranking/measures.ts';
import { openRandom } from '../../test/support/random.ts';
import { startServiceProcess } from '../../test/support/service-process.ts';
import { ingestText } from '../support/ingest-files.ts';
import { post } from '../support/post.ts';

const BUILD_SECONDS_MAX = 60;
const MS_BEYOND_MAX = 40;
const READY_MS_MAX = 300_000;
const WARM_UP = 6;

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    queries: { type: 'string', default: '40' },
    duckdb: { type: 'string', default: 'duckdb' },
  },
});
const ROWS = Number(options.rows);
const QUERIES = Number(options.queries);

const random = openRandom(21);
const REGIONS = Array.from({ length: 24 }, () => random.word(9));
const CUSTOMERS = Array.from({ length: 50_000 }, () => `${random.word(6)} ${random.word(8)}`);
const FIRST_DAY = Date.UTC(2015, 0, 1);
const DAYS = 3_650;
const dayOf = (days: number): string => new Date(FIRST_DAY + days * 86_400_000).toISOString().slice(0, 10);

function makeCsv(): string {
  const lines = ['id,ordered,region,customer,amount,quantity,paid'];
  for (let i = 0; i < ROWS; i++) {
    const amount = (random.integer(100, 9_999_999) / 100).toFixed(2);
    lines.push(
      `${i},${dayOf(random.integer(0, DAYS - 1))},${random.pick(REGIONS)},${random.pick(CUSTOMERS)},${amount},` +
        `${random.integer(1, 500)},${random.next() < 0.7}`,
    );
  }
  return lines.join('\n');
}

/** Each call gives another query. */
const AGGREGATES = [
  () =>
    `select region, count(*), sum(amount), avg(quantity) from sales where ordered >= date '${someDay()}' group by region order by region`,
  () =>
    `select year(ordered) as y, sum(amount) from sales where quantity > ${random.integer(1, 400)} group by y order by y`,
  () =>
    `select count(*), min(amount), max(amount) from sales where paid and amount > ${random.integer(1, 9_000)}.${random.integer(10, 99)}`,
  () =>
    `select customer, sum(amount) as total from sales where region = '${random.pick(REGIONS)}' ` +
    `and quantity < ${random.integer(50, 500)} group by customer order by total desc limit 10`,
];
const POINTS = [
  () => `select * from sales where id = ${random.integer(0, ROWS - 1)}`,
  () => `select id, amount, paid from sales where customer = '${random.pick(CUSTOMERS)}' order by id`,
  () =>
    `select * from sales where ordered = date '${someDay()}' and amount > ${random.integer(90_000, 99_900)} order by id`,
];
function someDay(): string {
  return dayOf(random.integer(0, DAYS - 1));
}

const KINDS = [
  { name: 'aggregate', makers: AGGREGATES, msMax: 150 },
  { name: 'point query', makers: POINTS, msMax: 50 },
];

const dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-bench-tables-'));
const content = makeCsv();
const service = await startServiceProcess({ dataDir });
let isBad = false;
try {
  const startedAt = performance.now();
  await ingestText(service, 'sales.csv', content);
  const searchable = (performance.now() - startedAt) / 1000;
  await ready();
  const built = (performance.now() - startedAt) / 1000;
  const file = findParquet(dataDir);
  console.log(
    `${ROWS} rows, ${(content.length / 1e6).toFixed(0)} MB of CSV, ${(statSync(file).size / 1e6).toFixed(0)} MB of Parquet: searchable ` +
      `after ${searchable.toFixed(1)} s, queried after ${built.toFixed(1)} s (limit ${BUILD_SECONDS_MAX})`,
  );
  isBad = built > BUILD_SECONDS_MAX;
  const hasCli = findsCli();
  if (!hasCli)
    console.log(`There is no command line of DuckDB: ${options.duckdb} (see --duckdb). The service is measured alone.`);
  for (const { name, makers, msMax } of KINDS) {
    const times: Record<'http' | 'engine' | 'cli', number[]> = { http: [], engine: [], cli: [] };
    for (let i = 0; i < WARM_UP; i++) await ask(makers[i % makers.length]!());
    for (let i = 0; i < QUERIES; i++) {
      const sql = makers[i % makers.length]!();
      const { ms, engineMs } = await ask(sql);
      times.http.push(ms);
      times.engine.push(engineMs);
      if (hasCli) times.cli.push(runCli(sql, file));
    }
    const [http, engine, cli] = [times.http, times.engine, times.cli].map((list) => percentile(list, 0.5));
    const compared = hasCli ? `; command line p50 ${cli!.toFixed(1)} ms (limit: its time + ${MS_BEYOND_MAX} ms)` : '';
    console.log(
      `${name}: p50 ${http!.toFixed(1)} ms (limit ${msMax}), p95 ${percentile(times.http, 0.95).toFixed(1)} ms over HTTP, ` +
        `p50 ${engine!.toFixed(1)} ms in the engine${compared}`,
    );
    for (const [at, make] of makers.entries()) {
      const of = (list: number[]): string =>
        percentile(
          list.filter((_, i) => i % makers.length === at),
          0.5,
        ).toFixed(1);
      const beside = hasCli ? `, command line ${of(times.cli)}` : '';
      console.log(`  ${of(times.http)} ms, engine ${of(times.engine)}${beside}: ${make().slice(0, 90)}`);
    }
    isBad ||= http! > msMax || (hasCli && http! > cli! + MS_BEYOND_MAX);
  }
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exitCode = isBad ? 1 : 0;

async function ask(sql: string): Promise<{ ms: number; engineMs: number }> {
  const startedAt = performance.now();
  const answer = await post(service, '/tables/query', JSON.stringify({ sql, timeout_ms: 30_000 }));
  const ms = performance.now() - startedAt;
  return { ms, engineMs: (JSON.parse(answer.toString()) as { elapsed_ms: number }).elapsed_ms };
}

function runCli(sql: string, file: string): number {
  const statement = sql.replace('from sales', `from read_parquet('${file}')`);
  const startedAt = performance.now();
  execFileSync(options.duckdb, ['-init', '/dev/null', '-csv', '-c', statement], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return performance.now() - startedAt;
}

function findsCli(): boolean {
  try {
    console.log(`DuckDB ${execFileSync(options.duckdb, ['--version'], { encoding: 'utf8' }).trim()}`);
    return true;
  } catch {
    return false;
  }
}

/** Resolves when the table can be queried. */
async function ready(): Promise<void> {
  const end = performance.now() + READY_MS_MAX;
  while (performance.now() < end) {
    const { tables } = (await (await service.fetch('/tables')).json()) as { tables: { status: string }[] };
    if (tables[0]?.status === 'failed') throw new Error('the table could not be built');
    if (tables[0]?.status === 'ready') return;
    await sleep(100);
  }
  throw new Error('the table was not built in time');
}

/** Returns the only Parquet file below the folder. */
function findParquet(folder: string): string {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && statSync(file).size > 4 && startsWith(file, 'PAR1')) return file;
  }
  throw new Error('there is no Parquet file');
}

function startsWith(file: string, magic: string): boolean {
  const buffer = Buffer.alloc(magic.length);
  readSync(openSync(file, 'r'), buffer);
  return buffer.toString('latin1') === magic;
}
