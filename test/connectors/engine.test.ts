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
