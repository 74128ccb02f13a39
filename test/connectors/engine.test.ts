/** Runs of groups that are kept in step with an origin: what is new, changed, moved, gone or failing there. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { OriginError } from '../../src/connectors/connector.ts';
import { type ConnectorWorld, openConnectorWorld } from '../support/connector-world.ts';

let world: ConnectorWorld;
let groupId: string;

before(async () => {
  world = await openConnectorWorld();
});
after(() => world.close());
beforeEach(async () => {
  const { origin } = world;
  origin.files.clear();
  origin.script = undefined;
  origin.onFetch = async () => undefined;
  groupId = await world.makeGroup();
});
afterEach(async () => {
  await world.assertSound();
  await world.service.delete(`/source-groups/${groupId}`);
});

const figures = (changes: Partial<Record<string, number>>) => ({
  scanned: 0,
  added: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  deleted: 0,
  failed: 0,
  ...changes,
});

function put(id: string, name: string, content: string | Uint8Array): void {
  world.origin.files.set(id, { ...world.origin.files.get(id), name, content });
}

async function fetchedDuring(work: () => Promise<unknown>): Promise<string[]> {
  const before = world.origin.fetched.length;
  await work();
  return world.origin.fetched.slice(before).sort();
}

test('the first run brings all, the second fetches nothing', async () => {
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

test('what is changed, moved, renamed, new and gone at the origin is so here', async () => {
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

test('a listing that throws deletes nothing and says why', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  put('b', 'b.txt', 'The badger sleeps.');
  await world.run(groupId);
  world.origin.script = async function* () {
    yield world.origin.present('a');
    throw new OriginError({ title: 'The key was refused', message: 'Give another key.', retryable: false });
  };
  const run = await world.run(groupId);
  assert.deepEqual(
    [run.status, run.error],
    ['failure', { title: 'The key was refused', message: 'Give another key.' }],
  );
  assert.deepEqual(run.statistics, figures({ scanned: 1, unchanged: 1 }));
  assert.deepEqual(await world.search('badger'), ['b.txt']);
});

const titleOf = (run: { error: { title: string } | null }) => run.error?.title;

test('a listing that breaks off without an end deletes nothing', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  put('b', 'b.txt', 'The badger sleeps.');
  await world.run(groupId);
  world.origin.script = async function* () {
    yield world.origin.present('a');
  };
  const run = await world.run(groupId);
  assert.deepEqual([run.status, titleOf(run)], ['failure', 'The origin could not be listed to its end']);
  assert.deepEqual(await world.search('badger'), ['b.txt']);
});

test('a full listing of nothing deletes nothing when something is stored', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  world.origin.script = async function* () {
    yield { kind: 'end', full: true, cursor: null };
  };
  assert.equal((await world.run(groupId)).status, 'success', 'nothing is stored yet');
  world.origin.script = undefined;
  await world.run(groupId);
  world.origin.script = async function* () {
    yield { kind: 'end', full: true, cursor: { page: 2 } };
  };
  const run = await world.run(groupId);
  assert.deepEqual([run.status, titleOf(run)], ['failure', 'The origin listed nothing']);
  assert.deepEqual(await world.search('aardvark'), ['a.txt']);
  world.origin.script = undefined;
  await world.run(groupId);
  assert.equal(world.origin.listings.at(-1)!.cursor, null, 'its cursor was not kept');
});

test('increments begin at the cursor of the last run in which nothing failed', async () => {
  for (const id of ['a', 'b', 'c']) put(id, `${id}.txt`, `The ${id} numbat.`);
  const listing = (cursor: number, ids: string[], full = false) =>
    async function* () {
      for (const id of ids) yield world.origin.present(id);
      yield { kind: 'end' as const, full, cursor: { at: cursor } };
    };
  world.origin.script = listing(1, ['a', 'b', 'c'], true);
  await world.run(groupId);
  put('b', 'b.txt', 'The changed numbat.');
  put('a', 'a.txt', 'The changed numbat too.');
  world.origin.script = listing(2, ['a', 'b']);
  world.origin.onFetch = async (id) => {
    if (id === 'a') return undefined;
    throw new OriginError({ title: 'No right to read it', message: 'Share the file.', retryable: false });
  };
  const failing = await world.run(groupId);
  assert.deepEqual(world.origin.listings.at(-1)!.cursor, { at: 1 });
  assert.deepEqual([failing.status, failing.error.title], ['success', '1 of 2 files failed']);
  assert.deepEqual(await world.search('numbat'), ['a.txt', 'b.txt', 'c.txt'], 'what was stored stays');
  world.origin.onFetch = async () => undefined;
  const again = await world.run(groupId);
  assert.deepEqual(world.origin.listings.at(-1)!.cursor, { at: 1 }, 'it is listed again');
  assert.deepEqual(again.statistics, figures({ scanned: 2, updated: 1, unchanged: 1 }));
  world.origin.script = async function* () {
    yield { kind: 'gone', originId: 'c' };
    yield { kind: 'gone', originId: 'never there' };
    yield { kind: 'end', full: false, cursor: { at: 3 } };
  };
  const last = await world.run(groupId);
  assert.deepEqual(world.origin.listings.at(-1)!.cursor, { at: 2 });
  assert.deepEqual(last.statistics, figures({ deleted: 1 }));
  assert.deepEqual(await world.search('numbat'), ['a.txt', 'b.txt']);
});

test('of an item that is named twice the last word holds', async () => {
  for (const id of ['a', 'b', 'c', 'd']) put(id, `${id}.txt`, `The ${id} echidna.`);
  await world.run(groupId);
  put('e', 'e.txt', 'The e echidna.');
  put('d', 'd.txt', 'The changed echidna.');
  for (const between of [[], [{ kind: 'checkpoint' as const, resume: {} }]]) {
    world.origin.script = async function* () {
      yield { kind: 'gone', originId: 'a' };
      for (const id of ['b', 'd', 'e']) yield world.origin.present(id);
      yield* between;
      yield world.origin.present('a');
      for (const id of ['b', 'd', 'e']) yield { kind: 'gone', originId: id };
      yield { kind: 'end', full: false, cursor: null };
    };
    assert.equal((await world.run(groupId)).status, 'success');
    assert.deepEqual(await world.search('echidna'), ['a.txt', 'c.txt']);
  }
});

test('what a canceled run left to be read is read, or goes, and is counted once', async () => {
  for (const id of ['a', 'b', 'c', 'd']) put(id, `${id}.txt`, `The ${id} potoroo.`);
  const runId = await world.queueRun(groupId);
  world.origin.script = async function* () {
    for (const id of ['a', 'b', 'c', 'd']) yield world.origin.present(id);
    yield { kind: 'checkpoint', resume: {} };
    assert.equal((await world.service.post(`/runs/${runId}/cancel`, {})).status, 202);
    yield { kind: 'end', full: true, cursor: null };
  };
  await world.work(runId);
  assert.equal((await world.getRun(runId)).status, 'canceled');
  assert.equal((await world.sources(groupId)).length, 4);
  const problem = { title: 'Not readable now', message: 'Later.', retryable: true };
  world.origin.script = async function* () {
    yield world.origin.present('a');
    yield { kind: 'failed', originId: 'b', name: 'b.txt', problem };
    yield { kind: 'skipped', originId: 'c', name: 'c.txt', reason: 'binary' };
    yield { kind: 'end', full: true, cursor: null };
  };
  const fetched = await fetchedDuring(async () => {
    const run = await world.run(groupId);
    assert.deepEqual(run.statistics, figures({ scanned: 3, added: 1, skipped: 1, deleted: 2, failed: 1 }));
    assert.deepEqual([run.status, run.files_done, run.files_total], ['success', 3, 3]);
  });
  assert.deepEqual(fetched, []);
  assert.deepEqual(await world.search('potoroo'), ['a.txt']);
  world.origin.script = undefined;
  world.origin.files.delete('c');
  world.origin.files.delete('d');
  const last = await world.run(groupId);
  assert.deepEqual(last.statistics, figures({ scanned: 2, added: 1, unchanged: 1 }));
});

test('a source that a caller deleted comes back with the next listing that names it', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  await world.run(groupId);
  const [{ id }] = await world.sources(groupId);
  assert.equal((await world.service.delete(`/sources/${id}`)).status, 202);
  assert.deepEqual(await world.search('aardvark'), []);
  assert.deepEqual((await world.run(groupId)).statistics, figures({ scanned: 1, added: 1 }));
  assert.deepEqual(await world.search('aardvark'), ['a.txt']);
});

test('with a cursor that is too old all is listed once more', async () => {
  put('a', 'a.txt', 'The aardvark digs.');
  put('b', 'b.txt', 'The badger sleeps.');
  world.origin.script = async function* () {
    yield world.origin.present('a');
    yield world.origin.present('b');
    yield { kind: 'end', full: true, cursor: { at: 1 } };
  };
  await world.run(groupId);
  world.origin.script = async function* ({ cursor }) {
    if (cursor) {
      yield { kind: 'gone', originId: 'a' };
      yield { kind: 'checkpoint', resume: { page: 2 } };
      throw new OriginError({ title: 'Too old', message: '', retryable: true }, { cursorExpired: true });
    }
    yield world.origin.present('a');
    yield { kind: 'end', full: true, cursor: { at: 9 } };
  };
  const run = await world.run(groupId);
  assert.deepEqual(world.origin.listings.at(-1), { cursor: null, resume: null });
  assert.deepEqual([run.status, run.statistics], ['success', figures({ scanned: 1, unchanged: 1, deleted: 1 })]);
  assert.deepEqual(await world.search('aardvark'), ['a.txt']);
  assert.deepEqual(await world.search('badger'), []);
  world.origin.script = async function* () {
    yield world.origin.present('a');
    throw new OriginError({ title: 'Too old, always', message: 'So it is.', retryable: true }, { cursorExpired: true });
  };
  const never = await world.run(groupId);
  assert.deepEqual([never.status, never.error.title], ['failure', 'Too old, always']);
});

test('a failing item fails alone, keeps what is stored, and is tried again', async () => {
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

test('what the listing says of an item holds: failed keeps, skipped removes', async () => {
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

test('a fetch may find that nothing changed, that there is nothing to index, or that the item is gone', async () => {
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

test('a connector keeps its state with each item, and may learn names and revisions from the fetch', async () => {
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

test('another ending is read anew from the stored bytes', async () => {
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

test('with a schedule the group is managed between its runs', async () => {
  await world.service.delete(`/source-groups/${groupId}`);
  groupId = await world.makeGroup({ rrule: 'FREQ=DAILY' });
  put('a', 'a.txt', 'The aardvark digs.');
  const statusOf = async () => (await world.service.get(`/source-groups/${groupId}`)).body.status;
  const run = await world.run(groupId);
  assert.deepEqual([run.status, await statusOf()], ['success', 'managed']);
  world.origin.script = async function* () {
    yield world.origin.present('a');
    throw new OriginError({ title: 'Down', message: '', retryable: true });
  };
  assert.deepEqual([(await world.run(groupId)).status, await statusOf()], ['failure', 'failure']);
  world.origin.script = undefined;
  await world.run(groupId);
  assert.equal(await statusOf(), 'managed');
});

test('the stored file of a crawled source can be downloaded, by its tenant only', async () => {
  const bytes = Buffer.from('The aardvark digs, and digs, and digs.');
  put('a', 'a.txt', bytes);
  await world.run(groupId);
  const [{ id }] = await world.sources(groupId);
  const whole = await world.service.app.inject({
    url: `/api/v1/sources/${id}/raw`,
    headers: { 'x-api-key': world.service.key },
  });
  assert.equal(whole.statusCode, 200);
  assert.deepEqual(whole.rawPayload, bytes);
  const part = await world.service.app.inject({
    url: `/api/v1/sources/${id}/raw`,
    headers: { 'x-api-key': world.service.key, range: 'bytes=4-11', 'if-range': String(whole.headers['etag']) },
  });
  assert.deepEqual(
    [part.statusCode, part.payload, part.headers['content-range']],
    [206, 'aardvark', `bytes 4-11/${bytes.length}`],
  );
  const unchanged = await world.service.app.inject({
    url: `/api/v1/sources/${id}/raw`,
    headers: { 'x-api-key': world.service.key, 'if-none-match': String(whole.headers['etag']) },
  });
  assert.equal(unchanged.statusCode, 304);
  const other = await world.service.secondTenant();
  assert.equal((await world.service.get(`/sources/${id}/raw`, other.key)).status, 404);
});
