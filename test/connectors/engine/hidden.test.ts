/** While two versions of a source are stored, every route shows the served version and nothing of the other. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../../src/db/sql.ts';
import { collectGarbage } from '../../../src/ingest/upkeep/collect-garbage.ts';
import { embedChunks } from '../../../src/ingest/vectors/embed-chunks.ts';
import type { CrashPoint } from '../../../src/util/crash.ts';
import { type FakeEmbeddings, openFakeEmbeddings } from '../../support/fakes/embeddings.ts';
import { type ConnectorWorld, openConnectorWorld } from '../../support/worlds/connector-world.ts';

let world: ConnectorWorld;
let embeddings: FakeEmbeddings;
let groupId: string;
let sourceId: string;
/** Stops the work when this point is reached for the n-th time, with an error that no source caused. */
let stop: { at: CrashPoint; left: number } | undefined;

const ALWAYS = { signal: new AbortController().signal, lastAttempt: true };
const OLD = 'aardvark';
const NEW = 'badger';
const rows = (word: string) => `id,value\n${Array.from({ length: 60 }, (_, i) => `${i},${word} ${i}`).join('\n')}\n`;

before(async () => {
  embeddings = await openFakeEmbeddings();
  const crash = {
    reach(point: CrashPoint) {
      if (stop?.at !== point || --stop.left > 0) return;
      stop = undefined;
      throw new Error(`stopped at ${point}`);
    },
  };
  const env = { PINAKES_EMBEDDING_MODEL: 'openai-compatible:first', PINAKES_EMBEDDING_BASE_URL: embeddings.url };
  world = await openConnectorWorld({ crash }, env);
  groupId = await world.makeGroup();
  world.origin.files.set('other', { name: 'other.txt', content: 'The capybara swims.' });
  world.origin.files.set('a', { name: 'a.csv', content: rows(OLD) });
  await world.run(groupId);
  await embed();
  sourceId = (await world.sources(groupId)).find((source) => source.name === 'a.csv').id;
});
after(async () => {
  await world.close();
  await embeddings.close();
});

async function embed(): Promise<void> {
  const { deps, tenantId } = world.service;
  await embedChunks(deps)({ tenantId }, ALWAYS);
}

async function chunkIds(word: string): Promise<string[]> {
  const { deps, tenantId } = world.service;
  const found = await deps.db.query<{ id: string }>(
    tenantId,
    sql`select id from chunk where source_id = ${sourceId} and content like ${`%${word}%`} order by ordinal`,
  );
  return found.map(({ id }) => id);
}

/** Asserts that all routes with content show `shown` and nothing of `hidden`. */
async function assertShows(shown: string, hidden: string): Promise<void> {
  const { service } = world;
  const filters = [
    {},
    { file_types: ['csv'] },
    { chunk_metadata: { filters: [{ key: 'x', operator: 'not_exists' }] } },
  ];
  for (const mode of ['lexical', 'semantic', 'hybrid']) {
    for (const filter of filters) {
      for (const query of [shown, hidden]) {
        const request = { query, mode, limit: 100, context: { before: 2, after: 2 }, ...filter };
        const { body, status } = await service.post('/search', request);
        assert.equal(status, 200, JSON.stringify(body));
        assert.ok(!JSON.stringify(body.results).includes(hidden), `${mode} ${JSON.stringify(filter)} ${query}`);
        const isFound = mode !== 'lexical' || query === shown;
        const found = body.results.filter((hit: { content: string }) => hit.content.includes(shown));
        assert.equal(found.length > 0, isFound, `${mode} ${JSON.stringify(filter)} ${query}`);
      }
    }
  }
  const { body } = await service.post('/search', { query: 'badger aardvark', mode: 'semantic', limit: 100 });
  assert.equal(
    body.results.filter((hit: { content: string }) => hit.content.includes(shown)).length,
    60,
    'none is crowded out',
  );
  const chunks = (await service.get(`/sources/${sourceId}/chunks?limit=100`)).body;
  assert.deepEqual([chunks.pagination.total, chunks.chunks.length], [60, 60]);
  assert.ok(chunks.chunks.every((chunk: { content: string }) => chunk.content.includes(shown)));
  const after = (await service.get(`/sources/${sourceId}/chunks?limit=100&after_id=${chunks.chunks[9].id}`)).body;
  assert.equal(after.chunks.length, 50);
  assert.equal((await service.get(`/sources/${sourceId}/text`)).body.text.includes(hidden), false);
  for (const id of await chunkIds(shown)) assert.equal((await service.get(`/contents/${id}`)).status, 200);
  for (const id of await chunkIds(hidden)) assert.equal((await service.get(`/contents/${id}`)).status, 404);
  const [gone] = await chunkIds(hidden);
  if (gone) {
    const behind = await service.get(`/sources/${sourceId}/chunks?limit=100&after_id=${gone}`);
    assert.deepEqual(behind.body.chunks, [], 'a chunk of the hidden version is not a valid position');
  }
}

test('only the served version is visible before, during and after an update', async () => {
  await assertShows(OLD, NEW);
  world.origin.files.get('a')!.content = rows(NEW);
  const runId = await world.queueRun(groupId);

  stop = { at: 'ingest.parts_stored', left: 1 };
  await assert.rejects(world.work(runId, undefined, false), /stopped/);
  await embed();
  assert.equal((await chunkIds(NEW)).length, 60, 'the new version is stored');
  await assertShows(OLD, NEW);

  stop = { at: 'origin.listed', left: 1 };
  await assert.rejects(world.work(runId, undefined, false), /stopped/);
  const { tenantId } = world.service;
  await world.service.post(`/runs/${runId}/cancel`, {});
  await world.work(runId);
  assert.equal((await world.getRun(runId)).status, 'canceled');
  await collectGarbage(world.service.deps)({}, ALWAYS);
  assert.deepEqual(await chunkIds(NEW), [], 'the garbage collector removes the chunks that a canceled run left');
  await assertShows(OLD, NEW);

  const next = await world.queueRun(groupId);
  stop = { at: 'origin.settled', left: 1 };
  await assert.rejects(world.work(next, undefined, false), /stopped/);
  const [state] = await world.service.deps.db.query<{ mixed: boolean; generation: number }>(
    tenantId,
    sql`select mixed, generation from source where id = ${sourceId}`,
  );
  assert.deepEqual(state, { mixed: true, generation: 2 }, 'both versions are stored, the new one is served');
  assert.equal((await chunkIds(OLD)).length, 60);
  await embed();
  await assertShows(NEW, OLD);

  await world.work(next);
  await embed();
  assert.ok(
    [...embeddings.embedded.values()].every((times) => times === 1),
    'no text is embedded twice',
  );
  assert.deepEqual(await chunkIds(OLD), []);
  await assertShows(NEW, OLD);
  await world.assertSound();
});
