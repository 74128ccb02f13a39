/** The process ends before and after each durable step of upload, ingestion and deletion; the next start completes the work. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { generateApiKey } from '../../src/access/api-key.ts';
import { openDiskBlobStore } from '../../src/blobs/disk.ts';
import { findViolations } from '../../src/corpus/invariants.ts';
import { openDatabase } from '../../src/db/open.ts';
import { CRASH_POINTS, type CrashPoint } from '../../src/util/crash.ts';
import { type FakeEmbeddings, openFakeEmbeddings } from '../support/fakes/embeddings.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { eventually, multipartBody } from '../support/upload.ts';
import { listGroups, search } from './kill-model.ts';

let dataDir: string;
const { key } = generateApiKey();
let embeddings: FakeEmbeddings;
/** The service that the previous test started. It is armed for the next kill. */
let service: ServiceProcess | undefined;

before(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-crash-'));
  embeddings = await openFakeEmbeddings();
});
after(async () => {
  await service?.kill();
  await embeddings.close();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Kill {
  point: CrashPoint;
  name: string;
  /** A service that repeats an upload reaches no point of deletions, and the other way round. */
  kind: 'upload' | 'deletion';
  /** Makes the service reach the point, and returns what the start after the kill needs. */
  reach(service: ServiceProcess): Promise<string | undefined>;
  /** Asserts that a new service completes the work. */
  assertCompleted(service: ServiceProcess, id: string | undefined): Promise<void>;
}

/**
 * Starts a service that `armed` kills. The embedding model is configured for the kill between batches of vectors only.
 */
function start(armed: string | undefined, point: string | undefined = armed): Promise<ServiceProcess> {
  // One parser process starts faster than two.
  const env: Record<string, string> = { PINAKES_PARSER_PROCESSES: '1' };
  if (armed) Object.assign(env, { NODE_ENV: 'test', PINAKES_CRASH_AT: armed });
  if (point?.startsWith('embed.')) {
    env['PINAKES_EMBEDDING_MODEL'] = `openai-compatible:${point}`;
    env['PINAKES_EMBEDDING_BASE_URL'] = embeddings.url;
  }
  return startServiceProcess({ dataDir, key, env });
}

async function chunksWaiting(service: { url: string }): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^pinakes_embedding_chunks_waiting (\d+)$/m.exec(text)?.[1]);
}

const letters = (point: string): string => point.replace(/[^a-z]/g, '');
const hasStatus = (service: ServiceProcess, id: string, status: string) =>
  eventually(async () => (await listGroups(service)).find((group) => group.id === id)?.status === status);

/** Enough rows so that the second file is stored in parts. */
const table = `id,value\n${Array.from({ length: 120 }, (_, i) => `${i},value ${i}`).join('\n')}\n`;

/** Returns a word that only the files of this kill have, the files, and the request that uploads them. */
function filesOf(point: CrashPoint) {
  const word = `zz${letters(point)}`;
  const files = [
    { name: `${word}.txt`, content: `The word is ${word}.` },
    { name: `${word}.csv`, content: `${table}\nlast,${word}\n` },
  ];
  const { headers, body } = multipartBody(files, [['name', point]]);
  const send = (to: ServiceProcess) =>
    to.fetch('/local-file-groups', {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': point },
      body: new Uint8Array(body),
    });
  return { word, names: files.map((file) => file.name).sort(), send };
}

const groupIdOf = async (answer: Response): Promise<string> =>
  ((await answer.json()) as { source_group_id: string }).source_group_id;

function uploadKill(point: CrashPoint): Kill {
  const { word, names, send } = filesOf(point);
  return {
    point,
    name: `an upload that is killed at ${point}`,
    kind: 'upload',
    async reach(doomed) {
      const answer = await send(doomed).catch(() => undefined);
      const id = answer && (await groupIdOf(answer));
      assert.equal(id === undefined, /^(upload|blob)\./.test(point), 'the answer comes only after the upload');
      return id;
    },
    async assertCompleted(next, id) {
      // A client that lost its response repeats the request with its key. The result is one complete group, whatever happened
      // before.
      const again = await send(next);
      assert.equal(again.status, 201);
      if (id) assert.equal(await groupIdOf(again), id);
      const groups = await eventually(async () => {
        const same = (await listGroups(next)).filter((group) => group.name === point);
        return same.every((group) => group.status === 'success') && same;
      });
      assert.equal(groups.length, 1);
      assert.deepEqual((await search(next, word)).map((hit) => hit.name).sort(), names);
      if (point.startsWith('embed.')) await eventually(async () => (await chunksWaiting(next)) === 0);
    },
  };
}

function groupDeletionKill(point: CrashPoint): Kill {
  const { word, send } = filesOf(point);
  return {
    point,
    name: `the deletion of a group that is killed at ${point}`,
    kind: 'deletion',
    async reach(doomed) {
      const id = await groupIdOf(await send(doomed));
      await hasStatus(doomed, id, 'success');
      await doomed.fetch(`/local-file-groups/${id}`, { method: 'DELETE' }).catch(() => undefined);
      return id;
    },
    async assertCompleted(next, id) {
      await eventually(async () => !(await listGroups(next)).some((group) => group.id === id));
      assert.deepEqual(await search(next, word), [], 'deleted content stays deleted');
    },
  };
}

function sourceDeletionKill(point: CrashPoint): Kill {
  const word = `yy${letters(point)}`;
  return {
    point,
    name: `the deletion of a source that is killed at ${point}`,
    kind: 'deletion',
    async reach(doomed) {
      const { headers, body } = multipartBody([
        { name: 'kept.txt', content: `The word ${word} stays.` },
        { name: 'gone.txt', content: `The word ${word} goes.` },
      ]);
      const answer = await doomed.fetch('/local-file-groups', { method: 'POST', headers, body: new Uint8Array(body) });
      const id = await groupIdOf(answer);
      await hasStatus(doomed, id, 'success');
      const list = await (await doomed.fetch(`/source-groups/${id}/sources`)).json();
      const { sources } = list as { sources: { id: string; name: string }[] };
      const source = sources.find((one) => one.name === 'gone.txt')!.id;
      await doomed.fetch(`/sources/${source}`, { method: 'DELETE' }).catch(() => undefined);
      return source;
    },
    async assertCompleted(next, source) {
      assert.equal((await next.fetch(`/sources/${source}`)).status, 404);
      await eventually(async () => (await next.fetch(`/sources/${source}`, { method: 'DELETE' })).status === 404);
      const names = (await search(next, word)).map((hit) => hit.name);
      assert.deepEqual(names, ['kept.txt']);
    },
  };
}

const DELETIONS = CRASH_POINTS.filter((point) => point.startsWith('delete.'));
/**
 * Points of other tests: rotation of the master key (rotate-master-key.test.ts), embedding (embed-models.test.ts),
 * origins (test/connectors), agent runs (agent-runs.test.ts).
 */
const UPLOADS = CRASH_POINTS.filter((point) => /^(upload|blob|ingest)\./.test(point));
const OTHER_POINTS = CRASH_POINTS.filter((point) => /^(rotate|embed|origin|agent)\./.test(point));
assert.equal(DELETIONS.length + UPLOADS.length + OTHER_POINTS.length, CRASH_POINTS.length, 'every point has a test');

/** Points that each run reaches once. */
const ONCE_A_RUN: readonly CrashPoint[] = ['ingest.taken', 'ingest.parts_stored', 'ingest.finished'];
/**
 * The vectors come first: a model that is configured later embeds all stored chunks, before an upload. There are more uploads than
 * deletions: the last ones reach their points once a run, see `armedAfter`.
 */
const uploads = [
  'embed.batch_stored' as const,
  ...UPLOADS.filter((point) => !ONCE_A_RUN.includes(point)),
  ...ONCE_A_RUN,
].map(uploadKill);
const deletions = [
  ...DELETIONS.map(groupDeletionKill),
  ...DELETIONS.filter((point) => point !== 'delete.sources_removed').map(sourceDeletionKill),
];
/** Uploads and deletions alternate, so that the service after a kill can be armed for the next kill. */
const kills = uploads.flatMap((upload, i) => [upload, ...deletions.slice(i, i + 1)]);
assert.ok(deletions.length <= uploads.length);

/** Returns what arms the service that completes a kill for the next kill: no start is for one kill only. */
function armedAfter(kill: Kill, next: Kill | undefined): string | undefined {
  if (next?.kind !== kill.kind) return next?.point;
  // The run that is completed reaches the point once more.
  assert.ok(
    kill.point.startsWith('ingest.') && ONCE_A_RUN.includes(next.point),
    `${next.point} would be met too early`,
  );
  return `${next.point}:2`;
}

for (const [i, kill] of kills.entries()) {
  test(`${kill.name} is completed by the next start`, async () => {
    const doomed = service ?? (await start(kill.point));
    service = undefined;
    let id: string | undefined;
    try {
      id = await kill.reach(doomed);
      await doomed.ended; // hangs, and so fails, when the point is never reached
    } finally {
      await doomed.kill();
    }
    const armed = armedAfter(kill, kills[i + 1]);
    const restarted = await start(armed, kill.point);
    try {
      await kill.assertCompleted(restarted, id);
    } catch (error) {
      await restarted.kill();
      throw error;
    }
    if (armed) service = restarted;
    else assert.equal(await restarted.stop(), 0);
  });
}

test('after all kills the stored data is consistent', async () => {
  const db = await openDatabase({ dataDir });
  try {
    const blobs = await openDiskBlobStore(path.join(dataDir, 'blobs'));
    assert.deepEqual(await findViolations(db, blobs, { now: new Date(), graceSeconds: 3_600 }), []);
  } finally {
    await db.close();
  }
});
