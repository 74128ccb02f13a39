/** Shortcuts in folders of a fake Drive, and targets that cannot be read. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Opaque } from '../../../src/corpus/origin.ts';
import { type DriveWorld, openDriveWorld, pathsIn, textOf } from '../../support/worlds/drive-world.ts';

let world: DriveWorld;
before(async () => {
  world = await openDriveWorld();
});
after(() => world[Symbol.asyncDispose]());

/** Every test uses a new folder. */
let folder: string;
beforeEach(() => {
  folder = world.fake.state.addFolder(world.fake.state.root, 'Test');
  world.fake.requests.length = 0;
  world.fake.heal();
  world.stored.clear();
});

const listFolder = (cursor: Opaque | null = null) => world.list(cursor, null, folder);
/** Google fails for each request for this file. */
const failFor = (id: string) =>
  world.fake.fail('get', { status: 500, reason: 'internalError' }, 999, ({ pathname }) => pathname.endsWith(id));

describe('shortcuts of Drive', () => {
  test('targets of shortcuts are reported once, also when shortcuts form circles', async () => {
    const { state } = world.fake;
    const outside = state.addFolder(state.root, 'Elsewhere');
    const far = state.addFile(outside, 'far.txt', 'far');
    const single = state.addFile(state.root, 'single.txt', 'single');
    const near = state.addFile(folder, 'near.txt', 'near');
    const sub = state.addFolder(folder, 'Sub');
    state.addShortcut(folder, 'A file in the folder that is led to', far);
    state.addShortcut(folder, 'Link to elsewhere', outside);
    state.addShortcut(sub, 'The same', outside);
    state.addShortcut(outside, 'Back again', folder);
    state.addShortcut(outside, 'Itself', outside);
    state.addShortcut(sub, 'Up', folder);
    state.addShortcut(sub, 'single', single);
    state.addShortcut(folder, 'single too', single);
    state.addShortcut(folder, 'near', near);
    const listing = await listFolder();
    assert.deepEqual(Object.values(pathsIn(listing)).sort(), [far, near, single].sort());
    assert.equal(listing.present.length, 3);
    assert.equal(world.fake.count('get'), 5, 'the folder itself, and each target once');
    assert.equal(pathsIn(listing)['near.txt'], near);
    assert.equal(pathsIn(listing)['Link to elsewhere/far.txt'], far);
    assert.equal(listing.present.find(({ originId }) => originId === single)?.name, 'single.txt');
    const item = listing.present.find(({ originId }) => originId === far)!;
    const answer = await world.fetch(item);
    assert.equal(answer.kind === 'content' && (await textOf(answer.content)), 'far');
  });

  test('shortcuts without a target are skipped, and shortcuts to unreadable targets fail alone', async () => {
    const { state } = world.fake;
    const target = state.addFile(state.root, 'x.txt', 'x');
    const deleted = state.addShortcut(folder, 'deleted', target);
    state.remove(target);
    const hidden = state.addShortcut(folder, 'hidden', state.addFile(state.root, 'h.txt', 'h', { access: 'hidden' }));
    const forbidden = state.addFile(state.root, 'forbidden.txt', 'f');
    state.addShortcut(folder, 'forbidden', forbidden);
    world.fake.fail('get', { status: 403, reason: 'domainPolicy' }, 1, (url) => url.pathname.endsWith(forbidden));
    const listing = await listFolder();
    assert.deepEqual(listing.skipped.map(({ originId }) => originId).sort(), [deleted, hidden].sort());
    assert.deepEqual(listing.failed, [{ originId: forbidden, name: 'forbidden', title: 'No permission' }]);
    assert.equal(listing.end?.full, true);
  });

  test('a file for which Google keeps failing fails alone, and the next run asks for no more than it', async () => {
    const { state } = world.fake;
    const target = state.addFile(state.root, 'odd.txt', 'odd');
    state.addShortcut(folder, 'odd', target);
    state.addShortcut(folder, 'fine', state.addFile(state.root, 'fine.txt', 'fine'));
    failFor(target);
    const listing = await listFolder();
    assert.deepEqual(listing.failed, [{ originId: target, name: 'odd', title: 'Google Drive failed' }]);
    assert.deepEqual([listing.present.map(({ name }) => name), listing.end?.full], [['fine.txt'], true]);
    const cursor = world.connector.withFailed!(listing.end!.cursor!, [target]);
    world.fake.requests.length = 0;
    assert.equal((await listFolder(cursor)).end?.full, false);
    assert.equal(world.fake.count('list'), 0);
    world.fake.heal();
    assert.deepEqual(Object.values(pathsIn(await listFolder(cursor))).includes(target), true);
  });

  test('a folder for which Google keeps failing fails alone, but nothing counts as gone, and it is listed again', async () => {
    const { state } = world.fake;
    const target = state.addFolder(state.root, 'Odd');
    const inside = state.addFile(target, 'in.txt', 'in');
    state.addShortcut(folder, 'odd', target);
    const near = state.addFile(folder, 'near.txt', 'near');
    failFor(target);
    const listing = await listFolder();
    assert.deepEqual(listing.failed, [{ originId: target, name: 'odd', title: 'Google Drive failed' }]);
    assert.deepEqual([pathsIn(listing), listing.end], [{ 'near.txt': near }, { full: false, cursor: null }]);
    world.fake.heal();
    assert.deepEqual(pathsIn(await listFolder()), { 'near.txt': near, 'odd/in.txt': inside });
  });

  test('failures for several targets in a row end the listing', async () => {
    const { state } = world.fake;
    for (const name of ['a', 'b', 'c']) {
      const target = state.addFile(state.root, name, name);
      state.addShortcut(folder, name, target);
      failFor(target);
    }
    await assert.rejects(listFolder(), /Google Drive failed/);
  });
});
