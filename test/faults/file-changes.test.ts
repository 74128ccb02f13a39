/**
 * The process ends before and after each durable step of a change of files: the old or the new version is served, never both or
 * none.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { generateApiKey } from '../../src/access/api-key.ts';
import { openDiskBlobStore } from '../../src/blobs/disk.ts';
import { findViolations } from '../../src/corpus/invariants.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { CrashPoint } from '../../src/util/crash.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { eventually, multipartBody } from '../support/upload.ts';
import { listGroups, search } from './kill-model.ts';

/**
 * Earlier points of a change are the same as in an upload: see crash.test.ts. The order saves starts: see `armedAfter`.
 */
const POINTS: readonly CrashPoint[] = [
  'delete.chunks_removed',
  'upload.blobs_durable',
  'ingest.taken',
  'upload.committed',
  'ingest.finished',
  'ingest.processed',
  'ingest.parts_stored',
  'ingest.batch_stored',
];

let dataDir: string;
const { key } = generateApiKey();
/** The service that the previous test started. It is armed for the next kill. */
let service: ServiceProcess | undefined;
/** Maps a crash point to its group. */
const groups = new Map<string, string>();

before(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-changes-'));
  // Uploads reach no point of deletions.
  const first = await start(POINTS[0]);
  service = first;
  for (const point of POINTS) groups.set(point, await upload(first, point));
  await eventually(async () => (await listGroups(first)).every((group) => group.status === 'success'));
});
after(async () => {
  await service?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Starts a service that `armed` kills. One parser process starts faster than two. */
function start(armed: string | undefined): Promise<ServiceProcess> {
  const env = { PINAKES_PARSER_PROCESSES: '1', ...(armed && { NODE_ENV: 'test', PINAKES_CRASH_AT: armed }) };
  return startServiceProcess({ dataDir, key, env });
}

/** Points that each run reaches once. */
const ONCE_A_RUN: readonly CrashPoint[] = ['ingest.taken', 'ingest.parts_stored', 'ingest.finished'];

/**
 * Returns the next point if the service that completes this change can be armed for it: a change that was answered
 * reaches no point of uploads again, its run reaches some points once, and a run that has finished reaches none.
 */
function armedAfter(point: CrashPoint): string | undefined {
  const next = POINTS[POINTS.indexOf(point) + 1];
  if (point === 'ingest.finished') return next;
  if (next && ONCE_A_RUN.includes(next)) return `${next}:2`;
  return !point.startsWith('upload.') && next?.startsWith('upload.') ? next : undefined;
}

const wordOf = (point: string): string => `zz${point.replace(/[^a-z]/g, '')}`;

/** Enough rows for storage in parts. */
const table = (word: string): string =>
  `id,value\n${Array.from({ length: 120 }, (_, i) => `${i},value ${i}`).join('\n')}\nlast,${word}\n`;

function form(point: string, state: 'old' | 'new', fields: readonly (readonly [string, string])[]) {
  const word = wordOf(point);
  const files = [
    { name: `${word}.txt`, content: `The word ${word} is in its ${state} state.` },
    { name: `${word}.csv`, content: table(`${word} ${state}`) },
  ];
  const gone = { name: `${word}-gone.txt`, content: `The word ${word} is gone.` };
  return multipartBody(state === 'old' ? [...files, gone] : files, fields);
}

async function upload(service: ServiceProcess, point: string): Promise<string> {
  const { headers, body } = form(point, 'old', [['name', point]]);
  const answer = await service.fetch('/local-file-groups', { method: 'POST', headers, body: new Uint8Array(body) });
  return ((await answer.json()) as { source_group_id: string }).source_group_id;
}

function change(service: ServiceProcess, point: string): Promise<Response> {
  const { headers, body } = form(point, 'new', [['mode', 'mirror']]);
  return service.fetch(`/local-file-groups/${groups.get(point)}/files`, {
    method: 'PUT',
    headers: { ...headers, 'idempotency-key': point },
    body: new Uint8Array(body),
  });
}

/** Returns the sorted `file: state` of all search results. */
async function served(service: ServiceProcess, point: string): Promise<string[]> {
  const word = wordOf(point);
  const hits = (await search(service, word)).filter(({ content }) => content.includes(word));
  return hits.map(({ name, content }) => `${name}: ${/old|new|gone/.exec(content)?.[0]}`).sort();
}

const all = (point: string, state: string): string[] =>
  ['csv', 'txt'].map((end) => `${wordOf(point)}.${end}: ${state}`);

for (const point of POINTS) {
  test(`a change of files that is killed at ${point} serves the old or the new version`, async () => {
    const doomed = service ?? (await start(point));
    service = undefined;
    let isAnswered: boolean;
    try {
      isAnswered = (await change(doomed, point).catch(() => undefined)) !== undefined;
      await doomed.ended; // hangs, and so fails, when the point is never reached
    } finally {
      await doomed.kill();
    }
    const armed = armedAfter(point);
    const restarted = await start(armed);
    try {
      const now = await served(restarted, point);
      const files = now.filter((line) => !line.endsWith('gone')).map((line) => line.split(':')[0]);
      assert.deepEqual(
        files,
        all(point, '').map((line) => line.split(':')[0]),
        now.join('\n'),
      );
      if (isAnswered) assert.ok(!now.some((line) => line.endsWith('gone')), 'deleted content stays deleted');
      // A client that lost its response repeats the request with its key.
      const again = await eventually(async () => {
        const answer = await change(restarted, point);
        return answer.status !== 409 && answer;
      });
      assert.equal(again.status, 202);
      await eventually(async () => {
        const group = (await listGroups(restarted)).find(({ id }) => id === groups.get(point));
        return group?.status === 'success';
      });
      assert.deepEqual(await served(restarted, point), all(point, 'new'));
    } catch (error) {
      await restarted.kill();
      throw error;
    }
    if (armed) service = restarted;
    else assert.equal(await restarted.stop(), 0);
  });
}

test('after all kills of file changes the stored data is consistent', async () => {
  const db = await openDatabase({ dataDir });
  try {
    const blobs = await openDiskBlobStore(path.join(dataDir, 'blobs'));
    assert.deepEqual(await findViolations(db, blobs, { now: new Date(), graceSeconds: 3_600 }), []);
  } finally {
    await db.close();
  }
});
