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
import { CRASH_POINTS } from '../../src/util/crash.ts';
import { type FakeEmbeddings, openFakeEmbeddings } from '../support/fakes/embeddings.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { eventually, multipartBody } from '../support/upload.ts';
import { listGroups, search } from './kill-model.ts';

let dataDir: string;
const { key } = generateApiKey();

let embeddings: FakeEmbeddings;

before(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'pinakes-crash-'));
  embeddings = await openFakeEmbeddings();
});
after(async () => {
  await embeddings.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** One parser process starts faster than two. Each point has a new embedding model, so that all stored chunks get new vectors. */
function settings(point: string): Record<string, string> {
  const fast = { PINAKES_PARSER_PROCESSES: '1' };
  if (!point.startsWith('embed.')) return fast;
  return { ...fast, PINAKES_EMBEDDING_MODEL: `openai-compatible:${point}`, PINAKES_EMBEDDING_BASE_URL: embeddings.url };
}

async function chunksWaiting(service: { url: string }): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^pinakes_embedding_chunks_waiting (\d+)$/m.exec(text)?.[1]);
}

/** Enough rows so that the second file is stored in parts. */
const table = `id,value\n${Array.from({ length: 120 }, (_, i) => `${i},value ${i}`).join('\n')}\n`;

/**
 * Points of other tests: rotation of the master key (rotate-master-key.test.ts), embedding (embed-models.test.ts), origins
 * (test/connectors).
 */
const points = CRASH_POINTS.filter(
  (point) => !/^(rotate|embed|origin)\./.test(point) || point === 'embed.batch_stored',
);

for (const point of points) {
  test(`an upload or deletion that is killed at ${point} is completed by the next start`, async () => {
    const word = `zz${point.replace(/[^a-z]/g, '')}`;
    const files = [
      { name: `${word}.txt`, content: `The word is ${word}.` },
      { name: `${word}.csv`, content: `${table}\nlast,${word}\n` },
    ];
    const upload = multipartBody(files, [['name', point]]);
    const send = (service: { fetch: (path: string, init: RequestInit) => Promise<Response> }) =>
      service.fetch('/local-file-groups', {
        method: 'POST',
        headers: { ...upload.headers, 'idempotency-key': point },
        body: new Uint8Array(upload.body),
      });

    const doomed = await startServiceProcess({
      dataDir,
      key,
      env: { NODE_ENV: 'test', PINAKES_CRASH_AT: point, ...settings(point) },
    });
    let id: string | undefined;
    try {
      const answer = await send(doomed).catch(() => undefined);
      id = answer && ((await answer.json()) as { source_group_id: string }).source_group_id;
      if (point.startsWith('delete.') && id) {
        await eventually(async () => (await listGroups(doomed)).find((group) => group.id === id)?.status === 'success');
        await doomed.fetch(`/local-file-groups/${id}`, { method: 'DELETE' }).catch(() => undefined);
      }
      await doomed.ended; // hangs, and so fails, when the point is never reached
    } finally {
      await doomed.kill();
    }
    if (!point.startsWith('embed.')) {
      assert.equal(
        id === undefined,
        point.startsWith('upload.') || point.startsWith('blob.'),
        'the answer came only after the upload',
      );
    }

    const service = await startServiceProcess({ dataDir, key, env: settings(point) });
    try {
      if (point.startsWith('delete.')) {
        await eventually(async () => !(await listGroups(service)).some((group) => group.id === id));
        assert.deepEqual(await search(service, word), [], 'deleted content stays deleted');
        return;
      }
      // A client that lost its response repeats the request with its key. The result is one complete group, whatever happened
      // before.
      const again = await send(service);
      assert.equal(again.status, 201);
      if (id) assert.equal(((await again.json()) as { source_group_id: string }).source_group_id, id);
      const groups = await eventually(async () => {
        const same = (await listGroups(service)).filter((group) => group.name === point);
        return same.every((group) => group.status === 'success') && same;
      });
      assert.equal(groups.length, 1);
      assert.deepEqual(
        (await search(service, word)).map((hit) => hit.name).sort(),
        files.map((file) => file.name).sort(),
      );
      if (point.startsWith('embed.')) await eventually(async () => (await chunksWaiting(service)) === 0);
    } finally {
      assert.equal(await service.stop(), 0);
    }
  });
}

for (const point of ['delete.tombstoned', 'delete.chunks_removed', 'delete.blobs_removed', 'delete.finished']) {
  test(`the deletion of a source that is killed at ${point} is completed by the next start`, async () => {
    const word = `yy${point.replace(/[^a-z]/g, '')}`;
    const upload = multipartBody([
      { name: 'kept.txt', content: `The word ${word} stays.` },
      { name: 'gone.txt', content: `The word ${word} goes.` },
    ]);
    const doomed = await startServiceProcess({
      dataDir,
      key,
      env: { NODE_ENV: 'test', PINAKES_CRASH_AT: point, ...settings(point) },
    });
    let source = '';
    try {
      const body = new Uint8Array(upload.body);
      const answer = await doomed.fetch('/local-file-groups', { method: 'POST', headers: upload.headers, body });
      const { source_group_id: id } = (await answer.json()) as { source_group_id: string };
      await eventually(async () => (await listGroups(doomed)).find((group) => group.id === id)?.status === 'success');
      const list = await (await doomed.fetch(`/source-groups/${id}/sources`)).json();
      source = (list as { sources: { id: string; name: string }[] }).sources.find((one) => one.name === 'gone.txt')!.id;
      await doomed.fetch(`/sources/${source}`, { method: 'DELETE' }).catch(() => undefined);
      await doomed.ended; // hangs, and so fails, when the point is never reached
    } finally {
      await doomed.kill();
    }
    const service = await startServiceProcess({ dataDir, key, env: settings(point) });
    try {
      assert.equal((await service.fetch(`/sources/${source}`)).status, 404);
      await eventually(async () => (await service.fetch(`/sources/${source}`, { method: 'DELETE' })).status === 404);
      const names = (await search(service, word)).map((hit) => hit.name);
      assert.deepEqual(names, ['kept.txt']);
    } finally {
      assert.equal(await service.stop(), 0);
    }
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
