/**
 * kill -9 at random while a service reads a Drive folder, a page workspace, a repository, a web site and a database. After each restart
 * every run ends, and each item of an origin is one source. At last the sources equal those of a first run over the same origin.
 *
 * One crawl is killed again and again: it goes on where it was.
 *
 *     npm run faults:origins -- [--kills 30] [--seed 1234]
 *
 * Exits 1 when a check fails. A seed repeats the decisions; the timing of the machine differs.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { generateApiKey } from '../../src/access/api-key.ts';
import { htmlPage, openFakeSite } from '../support/fakes/site.ts';
import { newSeed, openRandom, type Random } from '../support/random.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { eventually, hasEnded } from '../support/upload.ts';
import { type KilledOrigin, openKilledOrigins } from '../support/worlds/killed-origins.ts';
import { checkStore } from './drive-scenario.ts';
import { search } from './kill-model.ts';

const NAMES = 8;
const CRAWL_PAGES = 600;
const CRAWL_KILLS = 20;
const CHANGES = 3;
/** Milliseconds after the start of the runs within which the service is killed. */
const KILL_AFTER_MS = { min: 20, max: 4_000 };
/** A kill loses at most this many pages: see `ingest/origins/list-origin.ts`. */
const BATCH_PAGES = 33;
/** This limit only ends a test that has already failed. */
const RUN_MS_MAX = 900_000;

/** An origin with the id of its source, and the word that each of its texts contains. */
interface Followed {
  origin: KilledOrigin;
  groupId: string;
  words: Map<string, string>;
  goneWords: string[];
}

export interface OriginsReport {
  seed: number;
  kills: number;
  /** Runs that were active when the service was killed. */
  killedRuns: number;
}

export async function runKilledOrigins(options: {
  kills: number;
  seed: number;
  env?: Record<string, string>;
}): Promise<OriginsReport> {
  const random = openRandom(options.seed);
  const names = Array.from({ length: NAMES }, (_, i) => `text${i}`);
  const origins = await openKilledOrigins(names);
  const dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-origins-'));
  const { key } = generateApiKey();
  const env = { PINAKES_OUTBOUND_ALLOW: '127.0.0.0/8', ...Object.assign({}, ...origins.map((one) => one.env)) };
  const start = () => startServiceProcess({ dataDir, key, env: { ...env, ...options.env } });
  let service = await start();
  let killedRuns = 0;
  try {
    const followed: Followed[] = origins.map((origin) => ({ origin, groupId: '', words: new Map(), goneWords: [] }));
    for (const one of followed) {
      await change(one, names, random);
      one.groupId = await createSource(service, one.origin);
    }
    for (let kill = 0; kill < options.kills; kill += 1) {
      if (kill > 0) {
        for (const one of followed) {
          const changed = Array.from({ length: CHANGES }, () => random.pick(names));
          await change(one, changed, random);
          await post(service, `/source-groups/${one.groupId}/runs`, {});
        }
      }
      await sleep(random.integer(KILL_AFTER_MS.min, KILL_AFTER_MS.max));
      for (const one of followed) killedRuns += (await lastRun(service, one)).ended ? 0 : 1;
      await service.kill();
      service = await start();
      for (const one of followed) await check(service, one, `kill ${kill + 1} of seed ${random.seed}`);
    }
    for (const one of followed) await checkFirstRun(service, one);
    assert.equal(await service.stop(), 0);
    await checkStore(dataDir);
    return { seed: random.seed, kills: options.kills, killedRuns };
  } finally {
    await service.kill();
    for (const origin of origins) await origin.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Gives new words to some texts, and deletes others. */
async function change({ origin, words, goneWords }: Followed, names: readonly string[], random: Random): Promise<void> {
  const texts = new Map<string, string | null>();
  for (const name of new Set(names)) {
    const before = words.get(name);
    if (before !== undefined) goneWords.push(before);
    if (before !== undefined && !origin.keepsNames && random.integer(0, 3) === 0) {
      words.delete(name);
      texts.set(name, null);
    } else {
      const word = random.word(16);
      words.set(name, word);
      texts.set(name, `The word of this text is ${word}.`);
    }
  }
  await origin.write(texts);
}

export interface CrawlReport {
  pages: number;
  kills: number;
  /** Requests for pages that were requested before. */
  repeated: number;
}

/** Kills the service at random pages of one crawl. Every page is found once, and few are requested twice. */
export async function runKilledCrawl(options: { pages: number; kills: number; seed: number }): Promise<CrawlReport> {
  const { pages, kills } = options;
  const random = openRandom(options.seed);
  const words = Array.from({ length: pages }, () => random.word(16));
  const site = await openFakeSite();
  const dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-crawl-'));
  const { key } = generateApiKey();
  const pauses = { PINAKES_CRAWL_DELAY_MS: '20', PINAKES_CRAWL_DELAY_MIN_MS: '20' };
  const start = () => startServiceProcess({ dataDir, key, env: { PINAKES_OUTBOUND_ALLOW: '127.0.0.0/8', ...pauses } });
  for (const [i, word] of words.entries()) {
    const linked = [2 * i + 1, 2 * i + 2].filter((page) => page < pages).map((page) => `/from/${page}`);
    site.set({
      [`/from/${i}`]: { to: `/p${i}` },
      [`/p${i}`]: htmlPage(`The word ${word}`, linked),
    });
  }
  let service = await start();
  try {
    const body = { name: 'site', urls: [`${site.url}/from/0`], max_pages: 10_000, max_depth: 20 };
    const groupId = String((await post(service, '/crawls', body))['id']);
    for (let kill = 0; kill < kills; kill += 1) {
      const reached = site.paths().length + random.integer(Math.floor(pages / kills), Math.floor((2 * pages) / kills));
      await eventually(
        async () => site.paths().length >= reached || (await lastRun(service, { groupId })).ended,
        RUN_MS_MAX,
      );
      const before = await lastRun(service, { groupId });
      await service.kill();
      service = await start();
      const after = await lastRun(service, { groupId });
      assert.ok(after.files_total >= before.files_total, `kill ${kill + 1}: the progress went back`);
    }
    const run = await eventually(async () => {
      const last = await lastRun(service, { groupId });
      return last.ended && last;
    }, RUN_MS_MAX);
    assert.deepEqual([run.status, run.error, run.statistics['added']], ['success', null, pages]);
    for (const [i, word] of words.entries())
      assert.equal((await search(service, word)).length, 1, `page ${i} of seed ${random.seed}`);
    const asked = site.paths().filter((one) => one !== '/sitemap.xml');
    const repeated = asked.length - new Set(asked).size;
    // Of each page that is not stored yet, its redirect and its text.
    assert.ok(repeated <= kills * 2 * BATCH_PAGES, `${repeated} of ${asked.length} requests were repeated`);
    assert.equal(await service.stop(), 0);
    await checkStore(dataDir);
    return { pages, kills, repeated };
  } finally {
    await service.kill();
    await site.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function post(service: ServiceProcess, where: string, body: unknown): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' };
  const answer = await service.fetch(where, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  assert.equal(answer.status, 201, `${where}: ${text}`);
  return JSON.parse(text);
}

async function createSource(service: ServiceProcess, { kind, source }: KilledOrigin): Promise<string> {
  const secret = source.secret && (await post(service, '/secrets', { name: `key of ${kind}`, ...source.secret }));
  const body = { name: kind, ...source.body, ...(secret ? { secret_id: secret['id'] } : {}) };
  return String((await post(service, source.path, body))['id']);
}

interface RunState {
  files_total: number;
  ended: boolean;
  status: string;
  error: unknown;
  statistics: Record<string, number>;
}

async function lastRun(service: ServiceProcess, { groupId }: Pick<Followed, 'groupId'>): Promise<RunState> {
  const answer = await service.fetch(`/source-groups/${groupId}/runs?limit=100`);
  const { runs } = (await answer.json()) as { runs: Omit<RunState, 'ended'>[] };
  const last = runs.at(-1)!;
  return { ...last, ended: hasEnded(last.status) };
}

/** Returns name and size of the sources. */
async function sourcesOf(service: ServiceProcess, groupId: string): Promise<string[]> {
  const answer = await service.fetch(`/source-groups/${groupId}/sources?limit=100`);
  const { sources } = (await answer.json()) as { sources: { name: string; file_size: number }[] };
  return sources.map(({ name, file_size }) => `${name} ${file_size}`).sort();
}

async function check(service: ServiceProcess, one: Followed, label: string): Promise<void> {
  const at = `${one.origin.kind}, ${label}`;
  const run = await eventually(async () => {
    const last = await lastRun(service, one);
    return last.ended && last;
  }, RUN_MS_MAX);
  assert.deepEqual([run.status, run.error, run.statistics['failed']], ['success', null, 0], at);
  const sources = await sourcesOf(service, one.groupId);
  assert.equal(sources.length, one.words.size + one.origin.otherSources, `${at}: ${sources.join(', ')}`);
  for (const [name, word] of one.words) {
    const hits = await search(service, word);
    assert.equal(hits.length, 1, `${at}: ${name} is found ${hits.length} times`);
  }
  for (const word of one.goneWords.splice(0)) assert.deepEqual(await search(service, word), [], `${at}: old text`);
}

/** Asserts that a new source of the same origin has the same sources. */
async function checkFirstRun(service: ServiceProcess, one: Followed): Promise<void> {
  const groupId = await createSource(service, one.origin);
  const run = await eventually(async () => {
    const last = await lastRun(service, { groupId });
    return last.ended && last;
  }, RUN_MS_MAX);
  const sources = await sourcesOf(service, groupId);
  assert.deepEqual([run.status, run.statistics['added']], ['success', sources.length], one.origin.kind);
  assert.deepEqual(await sourcesOf(service, one.groupId), sources, one.origin.kind);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { kills: { type: 'string', default: '30' }, seed: { type: 'string' } } });
  const report = await runKilledOrigins({
    kills: Number(values.kills),
    seed: values.seed === undefined ? newSeed() : Number(values.seed),
  });
  console.log(`seed ${report.seed}: ${report.kills} kills, ${report.killedRuns} runs were killed; every promise held`);
  const crawl = await runKilledCrawl({ pages: CRAWL_PAGES, kills: CRAWL_KILLS, seed: report.seed });
  console.log(`one crawl of ${crawl.pages} pages, ${crawl.kills} kills: ${crawl.repeated} requests were repeated`);
}
