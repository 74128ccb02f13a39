/** While a new version of a source is processed, the old one is served. No stop, failure or deletion in between does harm. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { OriginError } from '../../../src/connectors/connector.ts';
import { sql } from '../../../src/db/sql.ts';
import { ServiceError } from '../../../src/errors.ts';
import { openProcessPool } from '../../../src/files/sandbox/process-pool.ts';
import { deleteGroup } from '../../../src/ingest/removal/delete-group.ts';
import { deleteFiles } from '../../../src/ingest/removal/delete-source.ts';
import { collectGarbage } from '../../../src/ingest/upkeep/collect-garbage.ts';
import type { CrashPoint } from '../../../src/util/crash.ts';
import { eventually } from '../../support/upload.ts';
import { type ConnectorWorld, openConnectorWorld } from '../../support/worlds/connector-world.ts';
import { type GatedProcessor, gateProcessor } from '../../support/worlds/gated-processor.ts';

let world: ConnectorWorld;
let gate: GatedProcessor;
let groupId: string;
/** Stops the work at this point with an error that no item caused. */
let stopAt: CrashPoint | undefined;
let stopWith: Error | undefined;

const ALWAYS = { signal: new AbortController().signal, lastAttempt: true };

before(async () => {
  gate = gateProcessor(openProcessPool({ children: 1 }));
  const crash = {
    reach(point: CrashPoint) {
      if (point !== stopAt) return;
      stopAt = undefined;
      throw stopWith ?? new Error(`stopped at ${point}`);
    },
  };
  world = await openConnectorWorld({ processor: gate, crash });
});
after(async () => {
  await world.close();
  await gate.close();
});
beforeEach(async () => {
  world.origin.files.clear();
  world.origin.script = undefined;
  world.origin.onFetch = async () => undefined;
  groupId = await world.makeGroup();
});
afterEach(async () => {
  stopAt = undefined;
  stopWith = undefined;
  gate.setOpen(true);
  gate.script = () => undefined;
  try {
    await world.assertSound();
  } finally {
    await world.service.delete(`/source-groups/${groupId}`);
  }
});

function put(id: string, name: string, content: string | Uint8Array): void {
  world.origin.files.set(id, { ...world.origin.files.get(id), name, content });
}

async function served(id: string): Promise<{ raw: string; text: string; chunks: string[] }> {
  const { service } = world;
  const { body } = await service.get(`/sources/${id}/chunks?limit=100`);
  return {
    raw: (await service.get(`/sources/${id}/raw`)).text,
    text: (await service.get(`/sources/${id}/text`)).body.text,
    chunks: body.chunks.map((chunk: { content: string }) => chunk.content),
  };
}

const rows = (word: string, count = 120) =>
  `id,value\n${Array.from({ length: count }, (_, i) => `${i},${word} ${i}`).join('\n')}\n`;

async function chunksStored(): Promise<number> {
  const [row] = await world.service.deps.db.query<{ count: number }>(
    world.service.tenantId,
    sql`select count(*) as count from chunk where source_group_id = ${groupId}`,
  );
  return row!.count;
}

test('the whole old version is served until the new one is stored', async () => {
  put('a', 'a.txt', 'The old aardvark digs.');
  await world.run(groupId);
  const [{ id }] = await world.sources(groupId);
  const old = await served(id);
  put('a', 'a.txt', 'The new badger sleeps.');
  gate.setOpen(false);
  const running = world.run(groupId);
  await eventually(async () => gate.inHand.has('a.txt'));
  assert.deepEqual(await served(id), old);
  assert.deepEqual([await world.search('aardvark'), await world.search('badger')], [['a.txt'], []]);
  const source = (await world.service.get(`/sources/${id}`)).body;
  assert.equal(source.status, 'ready');
  gate.setOpen(true);
  assert.deepEqual((await running).statistics.updated, 1);
  const now = await served(id);
  assert.deepEqual([now.raw, now.chunks], ['The new badger sleeps.', ['The new badger sleeps.']]);
  assert.deepEqual([await world.search('aardvark'), await world.search('badger')], [[], ['a.txt']]);
  assert.equal(await chunksStored(), 1, 'nothing of the old version is left');
});

test('a large new version that is stored in parts is hidden until its last part', async () => {
  put('a', 'a.csv', rows('aardvark'));
  await world.run(groupId);
  const [{ id }] = await world.sources(groupId);
  const old = await served(id);
  const count = await chunksStored();
  put('a', 'a.csv', rows('badger', 130));
  stopAt = 'ingest.parts_stored';
  const runId = await world.queueRun(groupId);
  await assert.rejects(world.work(runId, undefined, false), /stopped at/);
  assert.ok((await chunksStored()) > count, 'its parts are there');
  assert.deepEqual(await served(id), old);
  assert.deepEqual([await world.search('aardvark'), await world.search('badger')], [['a.csv'], []]);
  const hit = (
    await world.service.post('/search', {
      query: 'aardvark',
      mode: 'lexical',
      limit: 1,
      context: { before: 2, after: 2 },
    })
  ).body.results[0];
  assert.ok(
    [...hit.context.before, ...hit.context.after].every((chunk: { content: string }) =>
      chunk.content.includes('aardvark'),
    ),
  );
  const narrowed = { query: 'badger', mode: 'lexical', file_types: ['csv'] };
  const answer = await world.service.post('/search', narrowed);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body.results, []);
  await world.work(runId);
  const run = await world.getRun(runId);
  assert.deepEqual([run.status, run.statistics.updated], ['success', 1]);
  assert.deepEqual([await world.search('aardvark'), await world.search('badger')], [[], ['a.csv']]);
  assert.equal((await served(id)).raw, rows('badger', 130));
  assert.equal(await chunksStored(), 130);
});

test('a new version that cannot be processed keeps the old one, reports the error, and is retried', async () => {
  put('a', 'a.txt', 'The old aardvark digs.');
  await world.run(groupId);
  const [{ id }] = await world.sources(groupId);
  const old = await served(id);
  put('a', 'a.txt', 'The new badger sleeps.');
  const failure = { stage: 'parse' as const, title: 'Broken', message: 'It broke.', retryable: false };
  gate.script = () => ({ ok: false, failure });
  const run = await world.run(groupId);
  assert.deepEqual([run.status, run.error.title], ['failure', '1 of 1 file failed']);
  assert.deepEqual(run.statistics.failed, 1);
  const [error] = (await world.service.get(`/runs/${run.id}/errors`)).body.errors;
  assert.deepEqual([error.source_id, error.stage, error.title], [id, 'parse', 'Broken']);
  assert.deepEqual(await served(id), old);
  await collectGarbage(world.service.deps)({}, ALWAYS);
  const items = await world.service.deps.db.system.execute('select * from run_item');
  assert.deepEqual(items.rows, [], 'the recorded outcomes of the run are deleted');
  await world.assertSound();
  gate.script = () => undefined;
  const fetched = world.origin.fetched.length;
  const again = await world.run(groupId);
  assert.equal(world.origin.fetched.length, fetched, 'its bytes are stored');
  assert.deepEqual([again.status, again.statistics.updated], ['success', 1]);
  assert.deepEqual((await served(id)).chunks, ['The new badger sleeps.']);
});

test('a run that gives up after an internal error reports this error, also if the origin had a problem before', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  world.origin.script = async function* () {
    yield world.origin.present('a');
    throw new OriginError({ title: 'Out of paper', message: 'Come back later.', retryable: true });
  };
  stopAt = 'origin.listed';
  const runId = await world.queueRun(groupId);
  await assert.rejects(world.work(runId), /stopped at/);
  const run = await world.getRun(runId);
  assert.deepEqual([run.status, run.error.title], ['failure', 'The run failed']);
  assert.equal((await world.run(groupId)).error.title, 'Out of paper');
});

test('a run that gives up on a full disk says so', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  stopAt = 'origin.listed';
  stopWith = new ServiceError('overloaded', 'The disk is full.');
  const runId = await world.queueRun(groupId);
  await assert.rejects(world.work(runId), /disk is full/);
  const { status, error } = await world.getRun(runId);
  assert.deepEqual([status, error.message], ['failure', 'The disk is full. Start another run when this is over.']);
});

test('a new version of an archive updates only the files that changed inside', async () => {
  const pack = (files: Record<string, string>) =>
    zipSync(Object.fromEntries(Object.entries(files).map(([name, content]) => [name, strToU8(content)])));
  put(
    'a',
    'a.zip',
    pack({ 'same.txt': 'The same numbat.', 'edited.txt': 'The old numbat.', 'gone.txt': 'The gone numbat.' }),
  );
  await world.run(groupId);
  const before = await world.sources(groupId);
  const idOf = (name: string, sources = before) => sources.find((source) => source.name === name)?.id;
  put(
    'a',
    'a.zip',
    pack({ 'new.txt': 'The new numbat.', 'edited.txt': 'The changed numbat.', 'same.txt': 'The same numbat.' }),
  );
  let calls = 0;
  gate.script = (name) => {
    calls += 1;
    if (name === 'edited.txt') gate.setOpen(false);
    return undefined;
  };
  const running = world.run(groupId);
  await eventually(async () => gate.inHand.has('edited.txt'));
  assert.ok(
    (await world.search('old numbat')).includes('edited.txt'),
    'the old file is served until the new one is read',
  );
  gate.setOpen(true);
  const run = await running;
  assert.equal(calls, 3, 'the archive, the new file and the edited one');
  const { added, updated, unchanged, deleted, failed } = run.statistics;
  assert.deepEqual([added, updated, unchanged, deleted, failed], [1, 2, 1, 1, 0]);
  assert.deepEqual([run.files_done, run.files_total], [4, 4]);
  assert.deepEqual(
    await world.search('numbat'),
    ['a.zip', 'edited.txt', 'new.txt', 'same.txt'].filter((name) => name !== 'a.zip'),
  );
  const now = await world.sources(groupId);
  for (const name of ['a.zip', 'edited.txt', 'same.txt']) assert.equal(idOf(name, now), idOf(name), name);
  assert.equal(idOf('gone.txt', now), undefined);
  world.origin.files.set('a', { name: 'a.txt', content: 'No archive any more.' });
  gate.script = () => undefined;
  await world.run(groupId);
  assert.deepEqual(await world.search('numbat'), [], 'files inside are removed with the archive');
  put('b', 'b.zip', pack({ 'inside.txt': 'The inner quoll.' }));
  await world.run(groupId);
  world.origin.files.delete('b');
  await world.run(groupId);
  assert.deepEqual(await world.search('quoll'), []);
});

test('a run that is canceled while it lists stops at once and keeps stored results', async () => {
  for (let i = 0; i < 25; i += 1) put(`f${i}`, `f${i}.txt`, `The quokka ${i}.`);
  const runId = await world.queueRun(groupId);
  const hangs = Promise.withResolvers<void>();
  world.origin.onFetch = async (id) => {
    if (id !== 'f20') return undefined;
    hangs.resolve();
    // This listing ignores its signal.
    return new Promise<undefined>(() => undefined);
  };
  const running = world.work(runId);
  await hangs.promise;
  assert.equal((await world.service.post(`/runs/${runId}/cancel`, {})).status, 202);
  await running;
  assert.equal((await world.getRun(runId)).status, 'canceled');
  world.origin.onFetch = async () => undefined;
  const run = await world.run(groupId);
  const { scanned, added, unchanged } = run.statistics;
  // Sources that were stored before the cancellation now count as unchanged.
  assert.deepEqual([run.status, scanned, added + unchanged], ['success', 25, 25]);
});

test('a group that is deleted while its run lists leaves no rows and no blobs', async () => {
  for (let i = 0; i < 25; i += 1) put(`f${i}`, `f${i}.txt`, `The quokka ${i}.`);
  const runId = await world.queueRun(groupId);
  world.origin.onFetch = async (id) => {
    if (id === 'f20') assert.equal((await world.service.delete(`/source-groups/${groupId}`)).status, 202);
    return undefined;
  };
  await world.work(runId);
  await deleteGroup(world.service.deps)({ tenantId: world.service.tenantId, groupId }, ALWAYS);
  await collectGarbage(world.service.deps)({}, ALWAYS);
  const ofGroup = ['source', 'source_origin', 'source_update', 'connector_setting'];
  const rows = [
    ...ofGroup.map((table) => `${table} where source_group_id = '${groupId}'`),
    ...['run_item', 'run_step'].map((table) => `${table} where run_id = '${runId}'`),
    `run where id = '${runId}'`,
  ];
  for (const one of rows)
    assert.deepEqual((await world.service.deps.db.system.execute(`select * from ${one}`)).rows, [], one);
});

test('a source that is deleted while a run processes its new version stays deleted', async () => {
  put('a', 'a.txt', 'The old aardvark digs.');
  put('b', 'b.txt', 'The badger sleeps.');
  await world.run(groupId);
  const { id } = (await world.sources(groupId)).find((source) => source.name === 'a.txt');
  put('a', 'a.txt', 'The new aardvark digs.');
  gate.setOpen(false);
  const running = world.run(groupId);
  await eventually(async () => gate.inHand.has('a.txt'));
  assert.equal((await world.service.delete(`/sources/${id}`)).status, 202);
  gate.setOpen(true);
  const run = await running;
  assert.deepEqual([run.status, run.statistics.skipped, run.statistics.updated], ['success', 1, 0]);
  assert.deepEqual(await world.search('aardvark'), []);
  await deleteFiles(world.service.deps)({ tenantId: world.service.tenantId, groupId }, ALWAYS);
});

test('if two workers work on one run, only the later one writes', async () => {
  for (let i = 0; i < 4; i += 1) put(`f${i}`, `f${i}.txt`, `The potoroo ${i}.`);
  const runId = await world.queueRun(groupId);
  const workers = [0, 1].map(() => ({ begun: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() }));
  let current = workers[0]!;
  world.origin.onFetch = async () => {
    const { begun, go } = current;
    begun.resolve();
    await go.promise;
    return undefined;
  };
  const first = world.work(runId);
  await workers[0]!.begun.promise;
  current = workers[1]!;
  const second = world.work(runId);
  await workers[1]!.begun.promise;
  workers[0]!.go.resolve();
  await first;
  assert.deepEqual(await world.sources(groupId), [], 'the first has written nothing');
  workers[1]!.go.resolve();
  await second;
  const run = await world.getRun(runId);
  assert.deepEqual([run.status, run.statistics.scanned, run.statistics.added], ['success', 4, 4]);
  assert.equal(await chunksStored(), 4);
});

for (const point of [
  'origin.item_fetched',
  'origin.items_stored',
  'origin.checkpoint',
  'origin.listed',
  'origin.gone_hidden',
] as const) {
  test(`a run that is stopped at ${point} continues and counts nothing twice`, async () => {
    for (let i = 0; i < 45; i += 1) put(`f${i}`, `f${i}.txt`, `The bandicoot ${i}.`);
    await world.run(groupId);
    for (let i = 0; i < 5; i += 1) put(`f${i}`, `f${i}.txt`, `The changed bandicoot ${i}.`);
    for (let i = 40; i < 45; i += 1) world.origin.files.delete(`f${i}`);
    world.origin.files.set('f5', { ...world.origin.files.get('f5')!, name: 'moved.txt' });
    put('new', 'new.txt', 'The new bandicoot.');
    world.origin.onFetch = async (id) => {
      if (id === 'f1') throw new TypeError('a bug');
      return undefined;
    };
    const runId = await world.queueRun(groupId);
    stopAt = point;
    await assert.rejects(world.work(runId, undefined, false), /stopped at/);
    await world.work(runId);
    const run = await world.getRun(runId);
    assert.deepEqual(run.statistics, {
      scanned: 41,
      added: 1,
      updated: 5,
      unchanged: 34,
      skipped: 0,
      deleted: 5,
      failed: 1,
    });
    assert.equal((await world.search('bandicoot')).length, 41);
  });
}

for (const listed of [false, true]) {
  test(`an item that changes after a run stored it, and before the run lists it again, is read by it or the next run: ${listed}`, async () => {
    const put = (text: string) => {
      const revision = listed ? null : text;
      world.origin.files.set('a', { name: 'a.txt', content: `${text}, ${listed}.`, listed, revision });
    };
    const relist = (meanwhile: string) =>
      async function* () {
        yield world.origin.present('a');
        yield { kind: 'checkpoint' as const, resume: {} };
        put(meanwhile);
        yield world.origin.present('a');
        yield { kind: 'end' as const, full: true, cursor: null };
      };
    put('The first wombat');
    world.origin.script = relist('The second quokka');
    const { statistics } = await world.run(groupId);
    assert.deepEqual([statistics.added, statistics.failed, await world.search('wombat')], [1, 0, ['a.txt']]);
    world.origin.script = undefined;
    await world.run(groupId);
    assert.deepEqual(await world.search('quokka'), ['a.txt']);
    put('The first dunnart');
    await world.run(groupId);
    world.origin.script = relist('The newer echidna');
    assert.equal((await world.run(groupId)).statistics.failed, 0);
    assert.deepEqual([await world.search('dunnart'), await world.search('echidna')], [[], ['a.txt']]);
    put('The other bilby');
    world.origin.script = relist('The last numbat');
    assert.equal((await world.run(groupId)).statistics.failed, 0);
    world.origin.script = undefined;
    await world.run(groupId);
    assert.deepEqual([await world.search('bilby'), await world.search('numbat')], [[], ['a.txt']]);
  });
}
