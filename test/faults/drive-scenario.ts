/**
 * A Drive folder with many files in nested folders, followed by a separate service. The first run stores all files, the second
 * transfers nothing, and later ones transfer exactly the changes. kill -9 in the middle of runs does no harm.
 *
 *     npm run faults:connectors -- [--files 1000] [--kills 6] [--seed 1234]
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
import { openDiskBlobStore } from '../../src/blobs/disk.ts';
import { findViolations } from '../../src/corpus/invariants.ts';
import { openDatabase } from '../../src/db/open.ts';
import { CRASH_POINTS } from '../../src/util/crash.ts';
import { type FakeDrive, openFakeDrive } from '../support/fakes/drive.ts';
import { newSeed, openRandom, type Random } from '../support/random.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { eventually, hasEnded } from '../support/upload.ts';
import { search } from './kill-model.ts';

const RUN_MS_MAX = 900_000;
/** This limit only ends a test that has already failed. */
const REACHED_MS_MAX = 300_000;
const FOLDERS = 20;
const EDITS = 10;
const DELETES = 5;
const MOVES = 3;
const RENAMES = 2;
/** Milliseconds of a run within which it may be killed. */
const KILL_AFTER_MS = { min: 50, max: 3_000 };

export interface ScenarioOptions {
  files: number;
  /** Number of kills at random moments. */
  kills: number;
  /** Crash points, each in a separate run. */
  crashPoints: readonly string[];
  seed: number;
  /** More settings of the service. */
  env?: Record<string, string>;
}

export interface ScenarioReport {
  seed: number;
  /** Durations in milliseconds of the first run, the second run, and the run with changes. */
  runMs: number[];
  kills: number;
}

interface World {
  env: Record<string, string>;
  fake: FakeDrive;
  dataDir: string;
  key: string;
  service: ServiceProcess;
  groupId: string;
  /** Maps the id at the origin to the name and the unique word of a file. */
  files: Map<string, { name: string; word: string }>;
  folders: string[];
  random: Random;
  words: number;
  kills: number;
}

interface Statistics {
  scanned: number;
  added: number;
  updated: number;
  unchanged: number;
  skipped: number;
  deleted: number;
  failed: number;
}

export async function runDriveScenario(options: ScenarioOptions): Promise<ScenarioReport> {
  const random = openRandom(options.seed);
  const fake = await openFakeDrive({ pageSizeMax: 50 });
  const dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-drive-'));
  const { key } = generateApiKey();
  const env = { PINAKES_GOOGLE_API_URL: fake.url, ...options.env };
  const service = await startServiceProcess({ dataDir, key, env });
  const world: World = {
    env,
    fake,
    dataDir,
    key,
    service,
    groupId: '',
    files: new Map(),
    folders: [],
    random,
    words: 0,
    kills: 0,
  };
  try {
    const runMs = await runsInOrder(world, options.files);
    for (const point of options.crashPoints) await killAt(world, point);
    for (let i = 0; i < options.kills; i += 1) await killAtRandom(world);
    assert.equal(await world.service.stop(), 0);
    await checkStore(dataDir);
    return { seed: random.seed, runMs, kills: world.kills };
  } finally {
    await world.service.kill();
    await fake.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function runsInOrder(world: World, count: number): Promise<number[]> {
  const { fake, files } = world;
  makeFolders(world);
  for (let i = 0; i < count; i += 1) addFile(world, `file ${i}.txt`);
  world.groupId = await createSource(world);
  const first = await waitForRun(world);
  assert.deepEqual(first.statistics, figures({ scanned: count, added: count }));
  assert.equal(fake.count('media'), count, 'each file was transferred once');
  await checkContent(world, [...files.keys()]);

  const second = await run(world);
  assert.equal(fake.count('media'), count, 'the second run transfers nothing');
  assert.deepEqual(second.statistics, figures({}));

  const ids = [...files.keys()];
  const edited = ids.slice(0, EDITS);
  const deleted = ids.slice(EDITS, EDITS + DELETES);
  const gone = [...edited, ...deleted].map((id) => files.get(id)!.word);
  for (const id of edited) edit(world, id);
  for (const id of deleted) remove(world, id);
  for (const id of ids.slice(20, 20 + MOVES)) fake.state.move(id, fake.state.root);
  for (const id of ids.slice(30, 30 + RENAMES)) rename(world, id);
  const third = await run(world);
  assert.deepEqual(third.statistics, {
    ...figures({ updated: EDITS + MOVES + RENAMES, deleted: DELETES }),
    scanned: EDITS + MOVES + RENAMES,
  });
  assert.equal(fake.count('media'), count + EDITS, 'only what was edited is transferred');
  await checkContent(world, ids.slice(0, 40));
  await checkGone(world, gone);
  return [first.ms, second.ms, third.ms];
}

/** Changes everything, and kills the run that reads the changes at a point. */
async function killAt(world: World, point: string): Promise<void> {
  const { key, dataDir } = world;
  const change = changeMuch(world);
  assert.equal(await world.service.stop(), 0);
  const env = { ...world.env, NODE_ENV: 'test', PINAKES_CRASH_AT: point };
  world.service = await startServiceProcess({ dataDir, key, env });
  await startRun(world);
  // The timer must not keep the process alive after the test.
  const late = sleep(REACHED_MS_MAX, false, { ref: false });
  const reached = await Promise.race([world.service.ended.then(() => true), late]);
  assert.ok(reached, `${point} was never reached`);
  await restart(world);
  await checkAfterKill(world, change, point);
}

async function killAtRandom(world: World): Promise<void> {
  const change = changeMuch(world);
  await startRun(world);
  await sleep(world.random.integer(KILL_AFTER_MS.min, KILL_AFTER_MS.max));
  await world.service.kill();
  await restart(world);
  await checkAfterKill(world, change, 'random');
}

async function restart(world: World): Promise<void> {
  world.kills += 1;
  const { env, key, dataDir } = world;
  world.service = await startServiceProcess({ dataDir, key, env });
}

interface Change {
  gone: string[];
  touched: string[];
  statistics: Statistics;
}

/** Makes some changes of each kind. */
function changeMuch(world: World): Change {
  const ids = [...world.files.keys()];
  const picked = new Set<string>();
  while (picked.size < 16) picked.add(world.random.pick(ids));
  const [edited, deleted, moved] = [[...picked].slice(0, 8), [...picked].slice(8, 12), [...picked].slice(12)];
  const gone = [...edited, ...deleted].map((id) => world.files.get(id)!.word);
  for (const id of edited) edit(world, id);
  for (const id of deleted) remove(world, id);
  for (const id of moved) rename(world, id);
  const added = Array.from({ length: 20 }, () => addFile(world, `later ${world.words}.txt`));
  return {
    gone,
    touched: [...edited, ...moved, ...added],
    statistics: figures({ scanned: 32, added: 20, updated: 12, deleted: 4 }),
  };
}

async function checkAfterKill(world: World, { gone, touched, statistics }: Change, point: string): Promise<void> {
  const done = await waitForRun(world);
  assert.deepEqual(done.statistics, statistics, `killed at ${point}`);
  await checkContent(world, touched);
  await checkGone(world, gone);
}

function makeFolders({ fake, folders }: World): void {
  folders.push(fake.state.root);
  while (folders.length < FOLDERS) {
    const parent = folders[Math.floor(folders.length / 2)]!;
    folders.push(fake.state.addFolder(parent, `folder ${folders.length}`));
  }
}

function addFile(world: World, name: string): string {
  const word = nextWord(world);
  const folder = world.folders[world.words % world.folders.length]!;
  const id = world.fake.state.addFile(folder, name, textWith(word));
  world.files.set(id, { name, word });
  return id;
}

function edit(world: World, id: string): void {
  const word = nextWord(world);
  world.fake.state.edit(id, textWith(word));
  world.files.set(id, { name: world.files.get(id)!.name, word });
}

function rename(world: World, id: string): void {
  const name = `renamed ${world.words}.txt`;
  world.words += 1;
  world.fake.state.rename(id, name);
  world.files.set(id, { ...world.files.get(id)!, name });
}

function remove(world: World, id: string): void {
  world.fake.state.trash(id);
  world.files.delete(id);
}

/** No two words differ in one letter only, so that a search corrects no spelling. */
function nextWord(world: World): string {
  world.words += 1;
  return `w${(world.words * 2_654_435_761).toString(36)}q`;
}

function textWith(word: string): string {
  return `The word of this file is ${word}.`;
}

function figures(changes: Partial<Statistics>): Statistics {
  return { scanned: 0, added: 0, updated: 0, unchanged: 0, skipped: 0, deleted: 0, failed: 0, ...changes };
}

async function post(world: World, where: string, body: unknown): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' };
  const answer = await world.service.fetch(where, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  assert.equal(answer.status, 201, text);
  return JSON.parse(text);
}

async function createSource(world: World): Promise<string> {
  const secret = await post(world, '/secrets', { name: 'key', type: 'drive', secret: world.fake.key });
  const folder = `https://drive.google.com/drive/folders/${world.fake.state.root}`;
  const source = await post(world, '/drive-sources', { name: 'Drive', folder_url: folder, secret_id: secret['id'] });
  return String(source['id']);
}

async function startRun(world: World): Promise<void> {
  await post(world, `/source-groups/${world.groupId}/runs`, {});
}

async function run(world: World): Promise<{ statistics: Statistics; ms: number }> {
  await startRun(world);
  return waitForRun(world);
}

async function waitForRun(world: World): Promise<{ statistics: Statistics; ms: number }> {
  const startedAt = performance.now();
  const ended = await eventually(async () => {
    const answer = await world.service.fetch(`/source-groups/${world.groupId}/runs?limit=100`);
    const { runs } = (await answer.json()) as { runs: { status: string; error: unknown; statistics: Statistics }[] };
    const last = runs.at(-1);
    return last && hasEnded(last.status) && last;
  }, RUN_MS_MAX);
  assert.deepEqual([ended.status, ended.error], ['success', null]);
  return { statistics: ended.statistics, ms: performance.now() - startedAt };
}

/**
 * Asserts that the stored sources are the files at the origin, each once, and that search finds those of `ids` by their words.
 */
async function checkContent(world: World, ids: readonly string[]): Promise<void> {
  const names: string[] = [];
  for (let after = ''; ; ) {
    const answer = await world.service.fetch(`/source-groups/${world.groupId}/sources?limit=100${after}`);
    const page = (await answer.json()) as { sources: { name: string }[]; pagination: { next_id: string | null } };
    names.push(...page.sources.map((source) => source.name));
    if (page.pagination.next_id === null) break;
    after = `&after_id=${page.pagination.next_id}`;
  }
  assert.deepEqual(names.sort(), [...world.files.values()].map(({ name }) => name).sort());
  for (const id of ids) {
    const file = world.files.get(id);
    if (!file) continue;
    const hits = await search(world.service, file.word);
    assert.deepEqual(
      hits.map((hit) => hit.name),
      [file.name],
    );
  }
}

async function checkGone(world: World, words: readonly string[]): Promise<void> {
  for (const word of words) assert.deepEqual(await search(world.service, word), [], `${word} is gone`);
}

export async function checkStore(dataDir: string): Promise<void> {
  const db = await openDatabase({ dataDir });
  try {
    const blobs = await openDiskBlobStore(path.join(dataDir, 'blobs'));
    assert.deepEqual(await findViolations(db, blobs, { now: new Date(), graceSeconds: 3_600 }), []);
  } finally {
    await db.close();
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      files: { type: 'string', default: '1000' },
      kills: { type: 'string', default: '6' },
      seed: { type: 'string' },
    },
  });
  const report = await runDriveScenario({
    files: Number(values.files),
    kills: Number(values.kills),
    // Only long listings have checkpoints.
    crashPoints: CRASH_POINTS.filter((point) => point.startsWith('origin.') && point !== 'origin.checkpoint'),
    seed: values.seed === undefined ? newSeed() : Number(values.seed),
  });
  const seconds = report.runMs.map((ms) => (ms / 1000).toFixed(1));
  console.log(`seed ${report.seed}: ${values.files} files, ${report.kills} kills`);
  console.log(`first run ${seconds[0]} s, second ${seconds[1]} s, with changes ${seconds[2]} s`);
  console.log('every promise held');
}
