/** Runs of groups with an origin: items that are new, changed, moved, gone or failing at the origin. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, OriginError } from '../../../src/connectors/connector.ts';
import { assertRawDownload } from '../../support/raw-download.ts';
import type { ConnectorWorld } from '../../support/worlds/connector-world.ts';
import { fetchedDuring, figures, groupId, put, setUpOriginGroup, world } from '../../support/worlds/origin-group.ts';

setUpOriginGroup();

test('the first run stores all items, and the second run fetches nothing', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  put('b', 'b.md', '# Badgers\n\nThe badger sleeps.');
  world.origin.files.set('c', { name: 'c.txt', content: 'The capybara swims.', listed: true });
  const first = await world.run(groupId);
  assert.deepEqual([first.status, first.error, first.stage], ['success', null, null]);
  assert.deepEqual(first.statistics, figures({ scanned: 3, added: 3 }));
  assert.deepEqual([first.files_done, first.files_total], [3, 3]);
  assert.deepEqual(await world.search('aardvark'), ['a.txt']);
  assert.deepEqual(await world.search('capybara'), ['c.txt']);
  let second: Awaited<ReturnType<ConnectorWorld['run']>>;
  const fetched = await fetchedDuring(async () => {
    second = await world.run(groupId);
  });
  assert.deepEqual(fetched, []);
  assert.deepEqual(second.statistics, figures({ scanned: 3, unchanged: 3 }));
  assert.equal(second.chunks_done, 0);
});

test('changed, moved, renamed, new and gone items of an origin change the stored sources', async () => {
  for (const id of ['edited', 'moved', 'renamed', 'gone', 'same']) put(id, `${id}.txt`, `The ${id} pangolin.`);
  await world.run(groupId);
  const before = await world.sources(groupId);
  const idOf = (name: string) => before.find((source) => source.name === name).id;
  await world.service.put(`/sources/${idOf('edited.txt')}/metadata`, {
    metadata: { records: [{ key: 'owner', val: 'Ada' }] },
  });
  put('edited', 'edited.txt', 'The rewritten okapi.');
  world.origin.files.get('moved')!.metadata = { path: { val: '/archive', type: 'string' } };
  world.origin.files.get('moved')!.url = 'https://origin.example/archive/moved';
  put('renamed', 'called-so-now.txt', 'The renamed pangolin.');
  world.origin.files.delete('gone');
  put('new', 'new.txt', 'The new quokka.');
  let run: Awaited<ReturnType<ConnectorWorld['run']>>;
  const fetched = await fetchedDuring(async () => {
    run = await world.run(groupId);
  });
  assert.deepEqual(fetched, ['edited', 'new']);
  assert.deepEqual(run.statistics, figures({ scanned: 5, added: 1, updated: 3, unchanged: 1, deleted: 1 }));
  assert.deepEqual(await world.search('pangolin'), ['called-so-now.txt', 'moved.txt', 'same.txt']);
  assert.deepEqual(await world.search('okapi'), ['edited.txt']);
  const now = await world.sources(groupId);
  assert.equal(now.find((source) => source.name === 'edited.txt').id, idOf('edited.txt'));
  assert.equal(now.find((source) => source.name === 'called-so-now.txt').id, idOf('renamed.txt'));
  assert.equal(now.find((source) => source.name === 'moved.txt').url, 'https://origin.example/archive/moved');
  const { body } = await world.service.post('/search', {
    query: 'pangolin',
    mode: 'lexical',
    source_metadata: { filters: [{ key: 'path', operator: 'eq', value: '/archive' }] },
  });
  assert.deepEqual(
    body.results.map((result: { name: string }) => result.name),
    ['moved.txt'],
  );
  const edited = await world.service.post('/search', {
    query: 'okapi',
    mode: 'lexical',
    source_metadata: { filters: [{ key: 'owner', operator: 'eq', value: 'Ada' }] },
  });
  assert.equal(edited.body.results.length, 1, 'metadata set through the API survives');
});

test('an item that fails does not fail the run, keeps its stored source, and is retried by the next run', async () => {
  for (const id of ['a', 'b']) put(id, `${id}.txt`, `The ${id} wombat.`);
  await world.run(groupId);
  put('a', 'a.txt', 'The changed wombat.');
  put('c', 'c.txt', 'The new wombat.');
  world.origin.onFetch = async (id) => {
    if (id === 'a')
      throw new OriginError({ title: 'No right to read it', message: 'Share the file.', retryable: false });
    if (id === 'c') throw new TypeError('a bug of the connector');
    return undefined;
  };
  const run = await world.run(groupId);
  assert.deepEqual([run.status, run.error.title], ['success', '2 of 3 files failed']);
  assert.deepEqual(run.statistics, figures({ scanned: 3, unchanged: 1, failed: 2 }));
  const { errors } = (await world.service.get(`/runs/${run.id}/errors`)).body;
  assert.deepEqual(
    errors.map((error: Record<string, unknown>) => [
      error['name'],
      error['stage'],
      error['title'],
      error['source_id'] !== null,
    ]),
    [
      ['a.txt', 'fetch', 'No right to read it', true],
      ['c.txt', 'fetch', 'The file could not be fetched', false],
    ],
  );
  assert.deepEqual(await world.search('wombat'), ['a.txt', 'b.txt']);
  world.origin.onFetch = async () => undefined;
  const again = await world.run(groupId);
  assert.deepEqual(again.statistics, figures({ scanned: 3, added: 1, updated: 1, unchanged: 1 }));
});

test('an item that is listed as failed keeps its source, and an item listed as skipped loses it', async () => {
  for (const id of ['a', 'b', 'c']) put(id, `${id}.txt`, `The ${id} dingo.`);
  await world.run(groupId);
  const problem = { title: 'Not readable now', message: 'Later.', retryable: true };
  world.origin.script = async function* () {
    yield { kind: 'failed', originId: 'a', name: 'a.txt', problem };
    yield { kind: 'skipped', originId: 'b', name: 'b.txt', reason: 'binary' };
    yield { kind: 'skipped', originId: 'other', name: 'o.bin', reason: 'binary' };
    yield { kind: 'unchanged', originId: 'c' };
    yield { kind: 'unchanged', originId: 'c' };
    yield { kind: 'end', full: true, cursor: null };
  };
  const run = await world.run(groupId);
  assert.deepEqual(run.statistics, figures({ scanned: 4, unchanged: 1, skipped: 2, deleted: 1, failed: 1 }));
  assert.equal((await world.service.get(`/runs/${run.id}/errors`)).body.errors[0].stage, 'list');
  assert.deepEqual(await world.search('dingo'), ['a.txt', 'c.txt']);
});

test('a fetch may report an item as unchanged, skipped or gone', async () => {
  for (const id of ['a', 'b', 'c', 'd'])
    world.origin.files.set(id, { name: `${id}.txt`, content: `The ${id} bilby.`, revision: null });
  await world.run(groupId);
  world.origin.files.get('d')!.content = 'The other bilby.';
  world.origin.onFetch = async (id, known) => {
    assert.deepEqual(known, { revision: null, state: null });
    if (id === 'a') return { kind: 'unchanged' };
    if (id === 'b') return { kind: 'skipped', reason: 'noindex' };
    return id === 'c' ? { kind: 'gone' } : undefined;
  };
  const run = await world.run(groupId);
  assert.deepEqual(run.statistics, figures({ scanned: 3, updated: 1, unchanged: 1, skipped: 1, deleted: 2 }));
  assert.deepEqual(await world.search('bilby'), ['a.txt', 'd.txt']);
  world.origin.onFetch = async () => undefined;
  world.origin.files.delete('c');
  const same = await world.run(groupId);
  assert.deepEqual(same.statistics, figures({ scanned: 3, added: 1, unchanged: 2 }), 'equal bytes are not read again');
  assert.equal(same.chunks_done, 1);
});

test('the state of an item is stored, and a fetch may change its name and revision', async () => {
  put('a', 'unknown', 'The aardvark digs.');
  world.origin.onFetch = async () => ({
    kind: 'content',
    content: {
      body: (async function* () {
        yield Buffer.from('# Ants\n\nThe aardvark digs.');
      })(),
      state: { etag: '"1"', odd: 'a\u0000b\ud800' },
      changes: { name: 'page.md', metadata: { author: { val: 'Ada\u0000', type: 'string' } } },
    },
  });
  await world.run(groupId);
  assert.deepEqual(await world.search('aardvark'), ['page.md']);
  const byAuthor = { filters: [{ key: 'author', operator: 'eq', value: 'Ada' }] };
  const { body } = await world.service.post('/search', {
    query: 'aardvark',
    mode: 'lexical',
    source_metadata: byAuthor,
  });
  assert.equal(body.results.length, 1, 'what the origin says is kept beside what the file says');
  world.origin.files.get('a')!.revision = 'other';
  world.origin.onFetch = async (_id, known) => {
    assert.deepEqual(known!.state, { etag: '"1"', odd: 'ab\ufffd' });
    return { kind: 'unchanged' };
  };
  const run = await world.run(groupId);
  assert.equal(run.statistics.failed, 0);
});

test('a renamed file with another ending is processed again from its stored bytes', async () => {
  put('a', 'a.txt', '# Title\n\nThe *aardvark* digs.');
  await world.run(groupId);
  assert.equal((await world.sources(groupId))[0].file_type, 'txt');
  world.origin.files.get('a')!.name = 'a.md';
  const fetched = await fetchedDuring(async () => {
    const run = await world.run(groupId);
    assert.deepEqual(run.statistics, figures({ scanned: 1, updated: 1 }));
  });
  assert.deepEqual(fetched, []);
  assert.equal((await world.sources(groupId))[0].file_type, 'md');
});

test('only its tenant can download the stored file of a crawled source', async () => {
  const bytes = Buffer.from('The aardvark digs, and digs, and digs.');
  put('a', 'a.txt', bytes);
  await world.run(groupId);
  const [{ id }] = await world.sources(groupId);
  await assertRawDownload(world.service, id, bytes);
});

test('an empty file of an origin is skipped, and a file that becomes empty is removed', async () => {
  put('full', '__main__.py', 'print("The emptied numbat")');
  put('empty', '__init__.py', '');
  const first = await world.run(groupId);
  assert.deepEqual([first.status, first.error], ['success', null]);
  assert.deepEqual(first.statistics, figures({ scanned: 2, added: 1, skipped: 1 }));
  put('full', '__main__.py', '');
  const second = await world.run(groupId);
  assert.deepEqual(second.statistics, figures({ scanned: 2, skipped: 2, deleted: 1 }));
  assert.deepEqual(await world.search('numbat'), []);
});

/** Runs until the item `a` is reported as `change` says, is cut off, and goes on with the listing of the whole origin. */
async function cutOffAfter(change: () => Change): Promise<string> {
  const runId = await world.queueRun(groupId);
  const cut = new AbortController();
  world.origin.script = async function* () {
    yield change();
    yield { kind: 'checkpoint', resume: {} };
    cut.abort(new Error('cut off'));
    await new Promise(() => {});
  };
  await assert.rejects(world.work(runId, cut.signal, false), /cut off/);
  world.origin.script = undefined;
  return runId;
}

const excluded = (): Change => ({ kind: 'skipped', originId: 'a', name: 'a.txt', reason: 'noindex' });

test('an item that a rule excluded before a run was cut off, and not any more after it, stays and counts once', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  await world.run(groupId);
  const [{ id }] = await world.sources(groupId);
  const same = await cutOffAfter(excluded);
  await world.work(same);
  assert.deepEqual((await world.getRun(same)).statistics, figures({ scanned: 1, unchanged: 1 }));
  assert.deepEqual(await world.search('aardvark'), ['a.txt']);

  const edited = await cutOffAfter(excluded);
  put('a', 'a.txt', 'The badger digs.');
  await world.work(edited);
  assert.deepEqual((await world.getRun(edited)).statistics, figures({ scanned: 1, updated: 1 }));
  assert.deepEqual(await world.search('badger'), ['a.txt']);
  assert.deepEqual((await world.run(groupId)).statistics, figures({ scanned: 1, unchanged: 1 }));
  assert.equal((await world.sources(groupId))[0].id, id);
});

for (const listed of [false, true])
  test(`a file that is empty before and after a run was cut off is deleted by the run: ${listed}`, async () => {
    world.origin.files.set('a', { name: 'a.txt', content: 'The aardvark digs.', listed });
    put('b', 'b.txt', 'The badger sleeps.');
    await world.run(groupId);
    world.origin.files.set('a', { name: 'a.txt', content: '', listed });
    const runId = await cutOffAfter(() => world.origin.present('a'));
    await world.work(runId);
    const { statistics } = await world.getRun(runId);
    assert.deepEqual(statistics, figures({ scanned: 2, unchanged: 1, skipped: 1, deleted: 1 }));
    assert.deepEqual(await world.search('aardvark'), []);
    const { files } = (await world.service.get(`/runs/${runId}/files?change=skipped`)).body;
    assert.deepEqual(
      files.map(({ name }: { name: string }) => name),
      ['a.txt'],
    );
  });

test('a file whose fetch is refused by a rule before and after a run was cut off is deleted by the run', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  put('b', 'b.txt', 'The badger sleeps.');
  await world.run(groupId);
  put('a', 'a.txt', 'The aardvark of a private file.');
  world.origin.onFetch = async (id) =>
    id === 'a' ? { kind: 'skipped', reason: 'downloads are not allowed' } : undefined;
  const runId = await cutOffAfter(() => world.origin.present('a'));
  await world.work(runId);
  const { statistics } = await world.getRun(runId);
  assert.deepEqual(statistics, figures({ scanned: 2, unchanged: 1, skipped: 1, deleted: 1 }));
  assert.deepEqual(await world.search('aardvark'), []);
});

test('an item that a rule excluded before a run was cut off stays if it fails after it', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  await world.run(groupId);
  const runId = await cutOffAfter(excluded);
  put('a', 'a.txt', 'The badger digs.');
  world.origin.onFetch = async () => {
    throw new OriginError({ title: 'The origin is down', message: 'It did not answer.', retryable: true });
  };
  await world.work(runId);
  assert.deepEqual((await world.getRun(runId)).statistics, figures({ scanned: 1, failed: 1 }));
  assert.deepEqual(await world.search('aardvark'), ['a.txt']);
});

test('an item that the listing has reported a moment ago is not among those that the run has not reported', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  put('b', 'b.txt', 'The badger sleeps.');
  await world.run(groupId);
  let unreported: readonly string[] | undefined;
  world.origin.script = async function* (request) {
    yield world.origin.present('a');
    unreported = await request.listUnreported?.();
    yield world.origin.present('b');
    yield { kind: 'end', full: true, cursor: null };
  };
  await world.run(groupId);
  world.origin.script = undefined;
  assert.deepEqual(unreported, ['b']);
});
