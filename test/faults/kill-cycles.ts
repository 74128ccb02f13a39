/**
 * kill -9 at random while files are uploaded, ingested, searched and deleted; after every restart all promises are checked.
 *
 *     npm run faults:kill -- [--cycles 50] [--seed 1234]
 *
 * Exits 1 when a promise was broken. A seed repeats the decisions; the timing of the machine differs.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { generateApiKey } from '../../src/access/api-key.ts';
import { openDiskBlobStore } from '../../src/blobs/disk.ts';
import { findViolations } from '../../src/corpus/invariants.ts';
import { openDatabase } from '../../src/db/open.ts';
import { newSeed, openRandom, type Random } from '../support/random.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { checkAfterRestart, checkDeleted, type Model, newGroup, sendDeletion, sendUpload } from './kill-model.ts';

const KILL_AFTER_MS = { min: 20, max: 2_500 };
const UPLOADERS = 3;
/** Leftovers that the garbage collector will remove are allowed. */
const GRACE_SECONDS = 3_600;

export interface KillReport {
  seed: number;
  kills: number;
  /** Durations of restarts in milliseconds, slowest last. */
  readyMs: number[];
  figures: Model['figures'];
  problems: string[];
}

/** @param env settings of the service. */
export async function runKillCycles(
  cycles: number,
  seed: number,
  env: Record<string, string> = {},
): Promise<KillReport> {
  const random = openRandom(seed);
  const dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-kill-'));
  const model: Model = { groups: [], problems: [], figures: { uploads: 0, deletions: 0, searches: 0 } };
  const readyMs: number[] = [];
  const { key } = generateApiKey();
  const start = (): Promise<ServiceProcess> => startServiceProcess({ dataDir, key, env });
  let service = await start();
  try {
    for (let cycle = 1; cycle <= cycles; cycle++) {
      await loadAndKill(service, model, random);
      service = await start();
      readyMs.push(service.readyMs);
      await checkAfterRestart(service, model, random);
    }
    const code = await service.stop();
    if (code !== 0) model.problems.push(`the service ended with ${code}: ${service.errors()}`);
    await checkStore(dataDir, model);
  } finally {
    await service.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
  return {
    seed: random.seed,
    kills: cycles,
    readyMs: readyMs.sort((a, b) => a - b),
    figures: model.figures,
    problems: model.problems,
  };
}

/** Runs several clients until the service is gone. Their broken connections are intended. */
async function loadAndKill(service: ServiceProcess, model: Model, random: Random): Promise<void> {
  let isDead = false;
  void service.ended.then(() => {
    isDead = true;
  });
  const client = async (act: () => Promise<void>): Promise<void> => {
    while (!isDead) {
      try {
        await act();
      } catch (error) {
        await sleep(20);
        if (!isDead && !isConnectionError(error)) model.problems.push(`a client failed: ${String(error)}`);
      }
    }
  };
  const upload = (): Promise<void> => {
    const group = newGroup(random);
    model.groups.push(group);
    return sendUpload(service, model, group);
  };
  const remove = async (): Promise<void> => {
    await sleep(random.integer(10, 150));
    const here = model.groups.filter((group) => group.state === 'here');
    if (here.length > 0) await sendDeletion(service, model, random.pick(here));
  };
  const look = async (): Promise<void> => {
    await sleep(random.integer(1, 50));
    const deleted = model.groups.filter((group) => group.state === 'deleted');
    const group = deleted.length > 0 ? random.pick(deleted) : undefined;
    if (group) await checkDeleted(service, model, group, random.pick(group.files));
  };
  const clients = [...Array.from({ length: UPLOADERS }, () => client(upload)), client(remove), client(look)];
  await sleep(random.integer(KILL_AFTER_MS.min, KILL_AFTER_MS.max));
  await service.kill();
  await Promise.all(clients);
}

function isConnectionError(error: unknown): boolean {
  return error instanceof TypeError || (error as Error).name === 'AbortError';
}

/**
 * Checks, without the service, that every acknowledged file is byte-equal in the blob store, and that the stored data keeps its
 * promises.
 */
async function checkStore(dataDir: string, model: Model): Promise<void> {
  const blobs = await openDiskBlobStore(path.join(dataDir, 'blobs'));
  const tenants = new Map<string, string>();
  for await (const { tenantId, hash } of blobs.list()) tenants.set(hash, tenantId);
  for (const group of model.groups.filter(({ state }) => state === 'here')) {
    for (const file of group.files) {
      const hash = createHash('sha256').update(file.content).digest('hex');
      const tenantId = tenants.get(hash);
      const bytes = tenantId && Buffer.concat(await Array.fromAsync(await blobs.read(tenantId, hash)));
      if (!bytes || bytes.toString() !== file.content)
        model.problems.push(`the blob of ${file.name} is missing or differs`);
    }
  }
  const db = await openDatabase({ dataDir });
  try {
    for (const { invariant, message } of await findViolations(db, blobs, {
      now: new Date(),
      graceSeconds: GRACE_SECONDS,
    })) {
      model.problems.push(`${invariant}: ${message}`);
    }
  } finally {
    await db.close();
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { cycles: { type: 'string', default: '50' }, seed: { type: 'string' } } });
  const report = await runKillCycles(
    Number(values.cycles),
    values.seed === undefined ? newSeed() : Number(values.seed),
  );
  const { uploads, deletions, searches } = report.figures;
  console.log(
    `seed ${report.seed}: ${report.kills} kills, ${uploads} uploads, ${deletions} deletions, ${searches} checked searches`,
  );
  const [fastest, slowest] = [report.readyMs[0], report.readyMs.at(-1)].map((ms) => ((ms ?? 0) / 1000).toFixed(1));
  console.log(`ready again after ${fastest} to ${slowest} s`);
  for (const problem of report.problems) console.log(`BROKEN ${problem}`);
  console.log(report.problems.length === 0 ? 'every promise held' : `${report.problems.length} promises broken`);
  process.exit(report.problems.length === 0 ? 0 : 1);
}
