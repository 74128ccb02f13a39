/**
 * Runs 50 statements that do not end by themselves beside searches: `npm run bench:runaways`.
 *
 * Prints how long after its time limit each statement was answered, the status of the answers, the highest resident memory of the
 * processes of the table engine, and the latency of searches alone and beside the statements. Each round measures alone, beside, and
 * alone again, because other work on the machine changes the latency: the two lists of searches alone tell the noise of the figure.
 * A fourth list is measured beside a program that only counts, with the priority of the statements: what it adds is the share of the
 * scheduler and the processor. Exits with 1 when a figure is above its limit.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { yieldToOthers } from '../../src/files/sandbox/watched-child.ts';
import { percentile } from '../../src/retrieval/measures.ts';
import { startServiceProcess } from '../../test/support/service-process.ts';
import { ingestText } from '../support/ingest-files.ts';
import { post } from '../support/post.ts';

const STATEMENTS = 50;
const ROUNDS = 10;
/** The time limit of a statement that names none. */
const TIMEOUT_MS = 5_000;
/** How long each round measures searches alone, twice, and beside the program that counts. */
const ALONE_MS = 5_000;
const LATE_MS_MAX = 500;
const RSS_MIB_MAX = 600;
const SEARCH_P95_FACTOR_MAX = 1.2;
/** Counts for at most a minute: it ends even if this program is killed. */
const COUNTER = 'const from = Date.now(); while (Date.now() - from < 60_000);';
/** The priority of the processes of the engine. */
const NICENESS = 10;
const SEARCH_EVERY_MS = 10;

/** Each holds a process in another way: the processor, memory, one long function, recursion, sorting. */
const RUNAWAYS = [
  'select count(*) from range(20000000000) a, range(1000) b',
  "select list(repeat('x', 1000)) from range(200000000)",
  "select sum(length(repeat('x', 1000000 + n::int % 2))) from range(100000000) t(n)",
  'with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r',
  'select sum(n) from (select n, row_number() over (order by hash(n)) as place from range(500000000) t(n)) where place > 5',
  "select count(*) from range(1000000000) t(n) where regexp_matches(repeat('a', 30) || n::varchar, '(a|aa)+$')",
  'select count(distinct hash(n)) from range(10000000000) t(n)',
  'select a.amount from sales a, sales b, sales c order by a.amount + b.amount + c.amount desc',
];

const dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-runaways-'));
const service = await startServiceProcess({ dataDir });
let isBad = false;
try {
  const rows = Array.from({ length: 5_000 }, (_, i) => `region ${i % 50},${i}`);
  await ingestText(service, 'sales.csv', `region,amount\n${rows.join('\n')}\n`);
  const words = readFileSync('/usr/share/common-licenses/GPL-3', 'utf8').match(/\p{L}{4,}/gu)!;
  await ingestText(service, 'license.txt', readFileSync('/usr/share/common-licenses/GPL-3', 'utf8'));
  await ready();
  const wordAt = (i: number): string => words[(i * 7_919) % words.length]!;
  const search = async (i: number): Promise<number> => {
    const startedAt = performance.now();
    const query = `${wordAt(3 * i)} ${wordAt(3 * i + 1)} ${wordAt(3 * i + 2)}`;
    await post(service, '/search', JSON.stringify({ query, mode: 'lexical', limit: 10 }));
    return performance.now() - startedAt;
  };
  for (let i = 0; i < 200; i++) await search(i);
  const [before, beside, after, counting]: [number[], number[], number[], number[]] = [[], [], [], []];
  let asked = 200;
  let highest = 0;
  const statuses = new Map<string, number>();
  const late: number[] = [];
  const measure = async (times: number[], isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      times.push(await search(asked++));
      highest = Math.max(highest, ...engineRss(service.pid));
      await sleep(SEARCH_EVERY_MS);
    }
  };
  for (let round = 0; round < ROUNDS; round++) {
    const untilEnd = (): (() => boolean) => {
      const end = performance.now() + ALONE_MS;
      return () => performance.now() > end;
    };
    await measure(before, untilEnd());
    const stop = new AbortController();
    const count = STATEMENTS / ROUNDS;
    const statements = Array.from({ length: count }, (_, i) => RUNAWAYS[(round * count + i) % RUNAWAYS.length]!);
    const running = runAll(statements).finally(() => stop.abort());
    await measure(beside, () => stop.signal.aborted);
    await running;
    await measure(after, untilEnd());
    const counter = spawn(process.execPath, ['-e', COUNTER], { detached: true, stdio: 'ignore' });
    yieldToOthers(counter.pid, NICENESS);
    await measure(counting, untilEnd());
    counter.kill('SIGKILL');
  }
  const alone = [...before, ...after];
  const [p95Alone, p95Beside] = [percentile(alone, 0.95), percentile(beside, 0.95)];
  const noise = percentile(after, 0.95) / percentile(before, 0.95);
  const mib = highest / 1024 / 1024;
  console.log(`answers: ${[...statuses].map(([status, count]) => `${status} ${count}`).join(', ')}`);
  console.log(
    `after the time limit of ${TIMEOUT_MS} ms: at most ${Math.round(Math.max(...late))} ms (limit ${LATE_MS_MAX})`,
  );
  console.log(`resident memory of a process of the engine: at most ${mib.toFixed(0)} MiB (limit ${RSS_MIB_MAX})`);
  console.log(
    `searches: p50 / p95 alone ${percentile(alone, 0.5).toFixed(1)} / ${p95Alone.toFixed(1)} ms (${alone.length}), ` +
      `beside ${percentile(beside, 0.5).toFixed(1)} / ${p95Beside.toFixed(1)} ms (${beside.length}); p95 × ${(p95Beside / p95Alone).toFixed(2)} ` +
      `(limit ${SEARCH_P95_FACTOR_MAX}; noise: p95 alone after / alone before × ${noise.toFixed(2)}; beside a program that counts ` +
      `× ${(percentile(counting, 0.95) / p95Alone).toFixed(2)})`,
  );
  isBad = Math.max(...late) > LATE_MS_MAX || mib > RSS_MIB_MAX || p95Beside > SEARCH_P95_FACTOR_MAX * p95Alone;

  /** Runs one after the other: a tenant has one process of the engine here, and a second statement would only wait for it. */
  async function runAll(statements: string[]): Promise<void> {
    for (const sql of statements) {
      const startedAt = performance.now();
      const answer = await query(sql, TIMEOUT_MS);
      late.push(performance.now() - startedAt - TIMEOUT_MS);
      const { error } = (await answer.json()) as { error?: { message?: string } };
      const outcome = `${answer.status} ${error?.message ?? `a result: ${sql}`}`;
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
    }
  }
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exitCode = isBad ? 1 : 0;

function query(sql: string, timeoutMs: number): Promise<Response> {
  const body = JSON.stringify({ sql, timeout_ms: timeoutMs });
  return service.fetch('/tables/query', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

/** Resolves when the table is built and a process of the engine is warm. */
async function ready(): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if ((await query('select count(*) from sales', 10_000)).status === 200) return;
    await sleep(100);
  }
  throw new Error('the table was not built');
}

/** Returns the resident bytes of each process of the table engine below `pid`. */
function engineRss(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        const isEngine = readFileSync(`/proc/${name}/cmdline`, 'latin1').includes('tables/engine/child');
        if (!isEngine || !isBelow(Number(name), pid)) return [];
        return [Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[21]) * 4096];
      } catch {
        return []; // It has ended.
      }
    });
}

function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid; at > 1; ) {
    if (at === ancestor) return true;
    const stat = readFileSync(`/proc/${at}/stat`, 'latin1');
    at = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  }
  return false;
}
