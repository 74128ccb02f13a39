/** Synchronization of a folder that needs several requests, which are sent one after the other and may be interrupted. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, openClient } from '../../src/cli/shared/client.ts';
import type { Io } from '../../src/cli/shared/io.ts';
import { NoAnswerError } from '../../src/cli/shared/patience.ts';
import { applyPlan } from '../../src/cli/sync/apply.ts';
import { type HashedFile, hashFiles } from '../../src/cli/sync/hash-files.ts';
import { readTree } from '../../src/cli/sync/local-tree.ts';
import { planSync } from '../../src/cli/sync/plan.ts';
import { listRemote } from '../../src/cli/sync/remote-group.ts';
import { syncFolder } from '../../src/cli/sync/sync-folder.ts';
import { PinakesError } from '../../src/client/client.ts';
import { openProcessPool } from '../../src/files/sandbox/process-pool.ts';
import { buildWorker, type Worker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

const LIMITS = { files: 3, fileBytes: 1_000_000, paths: 2, pathBytes: 1_000_000 };
const io: Io = { out: () => undefined, err: () => undefined, terminal: false, columns: 80 };
const folder = mkdtempSync(join(tmpdir(), 'pinakes-batches-'));
let service: TestApp;
let worker: Worker;
let client: Client;

before(async () => {
  service = await openTestApp({ given: { processor: openProcessPool({ children: 1 }) } });
  worker = buildWorker(service.deps);
  await worker.start();
  client = openClient({ url: await service.url(), apiKey: service.key });
});
after(async () => {
  await worker.stop(1_000);
  await service.deps.processor.close();
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Short pauses between attempts. */
const RETRY_BASE_MS = 200;

const place = (i: number): string => join(folder, `${i}.txt`);

async function readLocal(): Promise<HashedFile[]> {
  return hashFiles(await readTree(folder), new Map(), () => undefined);
}

async function pathsOf(groupId: string): Promise<string[]> {
  return (await listRemote(client, groupId)).files.map(({ path }) => path).sort();
}

test('files, moves and deletions are split into requests within the limits', async () => {
  for (let i = 0; i < 8; i += 1) writeFileSync(place(i), `Barge ${i} is here.`);
  const first = await applyPlan(
    client,
    { id: undefined, name: 'barges' },
    planSync(await readLocal(), [], []),
    io,
    LIMITS,
  );
  assert.deepEqual(
    first.runs.map(({ statistics }) => statistics.added),
    [3, 3, 2],
  );
  const group = { id: first.groupId, name: 'barges' };
  assert.equal((await pathsOf(group.id)).length, 8);

  for (const i of [0, 1, 2]) {
    writeFileSync(join(folder, `moved-${i}.txt`), `Barge ${i} is here.`);
    rmSync(place(i));
  }
  for (const i of [3, 4, 5]) rmSync(place(i));
  writeFileSync(place(6), 'Barge 6 has left.');
  const plan = planSync(await readLocal(), (await listRemote(client, group.id)).files, []);
  const second = await applyPlan(client, group, plan, io, LIMITS);
  assert.deepEqual(
    second.runs.map(({ statistics }) => statistics.updated),
    [3, 1],
  );
  assert.deepEqual(await pathsOf(group.id), ['6.txt', '7.txt', 'moved-0.txt', 'moved-1.txt', 'moved-2.txt']);
});

test('the progress of a sync with several requests is that of the whole folder', async () => {
  for (let i = 30; i < 37; i += 1) writeFileSync(place(i), `Ferry ${i} is here.`);
  const local = (await readLocal()).filter(({ path }) => /^3\d/.test(path));
  const lines: string[] = [];
  const heard: Io = { ...io, err: (line) => void lines.push(line.trimEnd()) };
  await applyPlan(client, { id: undefined, name: 'ferries' }, planSync(local, [], []), heard, LIMITS);
  for (let i = 30; i < 37; i += 1) rmSync(place(i));
  for (const line of [
    'Uploading  42 % 7 files, 51 B of 119 B',
    'Reading  42 % 3 of 7 files, 0 failed, 3 chunks',
    'Uploading  85 % 7 files, 102 B of 119 B',
    'Reading  85 % 6 of 7 files, 0 failed, 6 chunks',
    'Uploading 100 % 7 files, 119 B of 119 B',
    'Reading 100 % 7 of 7 files, 0 failed, 7 chunks',
  ])
    assert.ok(lines.includes(line), `${line} is not among:\n${lines.join('\n')}`);
});

test('a sync after an interrupted sync does the rest of the work', async () => {
  for (let i = 10; i < 18; i += 1) writeFileSync(place(i), `Sloop ${i} is here.`);
  const local = (await readLocal()).filter(({ path }) => /^1\d/.test(path));
  // The third request is not sent, because its file has become shorter.
  const unlucky = local.map((file, i) => (i === 7 ? { ...file, size: file.size + 1 } : file));
  await assert.rejects(
    applyPlan(client, { id: undefined, name: 'sloops' }, planSync(unlucky, [], []), io, LIMITS),
    /changed while it was being uploaded/,
  );
  const [group] = (await client.listLocalFileGroups()).local_file_groups.filter(({ name }) => name === 'sloops');
  const before = (await listRemote(client, group!.id)).files;
  assert.equal(before.length, 6);
  const rest = await applyPlan(client, { id: group!.id, name: 'sloops' }, planSync(local, before, []), io, LIMITS);
  assert.deepEqual(
    rest.runs.map(({ statistics }) => statistics.added),
    [2],
  );
  assert.equal((await pathsOf(group!.id)).length, 8);
});

test('a sync whose answers are lost starts again, sends nothing twice, and reports all that it changed', async () => {
  const own = mkdtempSync(join(tmpdir(), 'pinakes-lost-'));
  for (let i = 0; i < 5; i += 1) writeFileSync(join(own, `${i}.txt`), `Ketch ${i} is here.`);
  writeFileSync(join(own, 'broken.pdf'), '%PDF-1.4 no PDF at all');
  let lost = 0;
  const losing: Client = {
    ...client,
    async createLocalFileGroup(...given) {
      await client.createLocalFileGroup(...given);
      lost += 1;
      throw new NoAnswerError('The connection was lost.');
    },
    async changeLocalFiles(...given) {
      const answer = await client.changeLocalFiles(...given);
      lost += 1;
      if (lost === 2) throw new NoAnswerError('The connection was lost.');
      return answer;
    },
  };
  const request = { root: own, group: { name: 'ketches' }, ingestedName: null, dryRun: false, yes: true };
  const sync = (by: Client) => syncFolder(by, { ...request, cache: new Map() }, io, RETRY_BASE_MS);
  const first = await sync(losing);
  assert.deepEqual([lost, first.added.length, first.unchanged, first.still_failed], [1, 6, 0, []]);
  assert.deepEqual(
    first.failed.map(({ path }) => path),
    ['broken.pdf'],
    'the file failed in this call, even if in an attempt that was cut off',
  );
  writeFileSync(join(own, '0.txt'), 'Ketch 0 has left.');
  rmSync(join(own, '1.txt'));
  const second = await sync(losing);
  assert.deepEqual(
    [lost, second.updated, second.deleted, second.unchanged, second.failed],
    [2, ['0.txt'], ['1.txt'], 4, []],
  );
  assert.deepEqual(await pathsOf(second.group_id!), ['0.txt', '2.txt', '3.txt', '4.txt', 'broken.pdf']);
  let asked = 0;
  const refusing: Client = {
    ...client,
    listSourcesOfSourceGroup() {
      asked += 1;
      return Promise.reject(new NoAnswerError('Gone.'));
    },
  };
  await assert.rejects(sync(refusing), /Gone/);
  assert.equal(asked, 1, 'the client itself has waited for the service');
  rmSync(own, { recursive: true });
});

test('a sync that gives up names the group by its id, also a new one', async () => {
  const own = mkdtempSync(join(tmpdir(), 'pinakes-gone-'));
  const request = { root: own, group: { name: 'the "old" $HOME' }, ingestedName: null, dryRun: false, yes: true };
  const sync = (by: Client) => syncFolder(by, { ...request, cache: new Map() }, io, RETRY_BASE_MS);
  /** From this call on, no service answers. */
  const leavingAt = (call: 'getRun' | 'changeLocalFiles'): Client => {
    let isGone = false;
    const gone = () => Promise.reject(new NoAnswerError('Gone.'));
    return {
      ...client,
      [call]() {
        isGone = true;
        return gone();
      },
      listLocalFileGroups: (...given) => (isGone ? gone() : client.listLocalFileGroups(...given)),
    };
  };
  writeFileSync(join(own, '0.txt'), 'Punt 0 is here.');
  await assert.rejects(sync(leavingAt('getRun')), /Gone\. The service reads .* pinakes runs [0-9a-f-]{36}\. To send/);
  const { group_id: id } = await sync(client);
  writeFileSync(join(own, '0.txt'), 'Punt 0 has left.');
  await assert.rejects(sync(leavingAt('changeLocalFiles')), new RegExp(`pinakes runs ${id}\\. To send`));
  rmSync(own, { recursive: true });
});

test('an upload that creates the group after its answer was lost is waited for, and no second group is created', async () => {
  const own = mkdtempSync(join(tmpdir(), 'pinakes-late-'));
  for (let i = 0; i < 5; i += 1) writeFileSync(join(own, `${i}.txt`), `Yawl ${i} is here.`);
  const sent: Promise<unknown>[] = [];
  const printed: string[] = [];
  /** @param arrival when uploads reach the service. Their sender gets an error at once. */
  const sync = (name: string, arrival: Promise<void>, retryAfter: string | null = null) => {
    const losing: Client = {
      ...client,
      async createLocalFileGroup(...given) {
        sent.push(arrival.then(() => client.createLocalFileGroup(...given)).catch(() => undefined));
        throw new PinakesError(504, '', 'Gateway Timeout', null, null, retryAfter);
      },
    };
    const request = { root: own, group: { name }, ingestedName: null, dryRun: false, yes: true, cache: new Map() };
    return syncFolder(losing, request, { ...io, err: (text) => printed.push(text) }, RETRY_BASE_MS);
  };
  const countGroups = async (name: string): Promise<number> => {
    await Promise.all(sent.splice(0));
    return (await client.listLocalFileGroups({ query: { name } })).local_file_groups.length;
  };
  // The pauses take at least 3 s.
  const late = await sync('yawls', sleep(600));
  assert.deepEqual([late.added.length, late.failed, await countGroups('yawls')], [5, [], 1]);
  assert.match(printed.splice(0).join(''), /Trying again in 1 s: Gateway Timeout\n/);

  const { promise: end, resolve } = Promise.withResolvers<void>();
  await assert.rejects(
    sync('later yawls', end),
    /Gateway Timeout\. The service reads what has.* To see it: pinakes ls\. To send/,
  );
  assert.equal(sent.length, 5);
  // The user starts again, and only then the uploads of the first call arrive.
  const request = { root: own, group: { name: 'later yawls' }, ingestedName: null, dryRun: false, yes: true };
  await syncFolder(client, { ...request, cache: new Map() }, io, RETRY_BASE_MS);
  resolve();
  assert.equal(await countGroups('later yawls'), 1);

  await sync('busy yawls', Promise.resolve(), '1');
  assert.equal(await countGroups('busy yawls'), 1);
  assert.match(printed.join(''), /Trying again in 2 s: Gateway Timeout\n/, 'the pause is longer than Retry-After');
  rmSync(own, { recursive: true });
});
