/** Later runs of a Drive folder report changes and nothing else. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { OriginError } from '../../../src/connectors/connector.ts';
import type { Opaque } from '../../../src/corpus/origin.ts';
import { type DriveWorld, HOUR_MS, openDriveWorld } from '../../support/worlds/drive-world.ts';

let world: DriveWorld;
let cursor: Opaque | null;
/** A world of two files in two folders, the second inside the first. */
let files: { top: string; sub: string; deep: string; subFolder: string; deepFolder: string };

beforeEach(async () => {
  world = await openDriveWorld();
  cursor = null;
  const { state } = world.fake;
  const subFolder = state.addFolder(state.root, 'Sub');
  const deepFolder = state.addFolder(subFolder, 'Deep');
  files = {
    top: state.addFile(state.root, 'top.txt', 'top'),
    sub: state.addFile(subFolder, 'sub.txt', 'sub'),
    deep: state.addFile(deepFolder, 'deep.txt', 'deep'),
    subFolder,
    deepFolder,
  };
  await run();
  assert.equal(world.stored.size, 3);
});
afterEach(() => world[Symbol.asyncDispose]());

async function run() {
  world.fake.requests.length = 0;
  const result = await world.run(cursor);
  assert.ok(result.listing.end);
  cursor = result.listing.end.cursor;
  return { ...result, full: result.listing.end.full };
}

function paths(): string[] {
  return [...world.stored.values()].map(({ item }) => item.metadata['path']?.val ?? '').sort();
}

test('a run without changes in Drive needs one request and reports nothing', async () => {
  for (let i = 0; i < 2; i++) {
    const { listing, fetched, removed } = await run();
    assert.deepEqual([listing.present, fetched, removed], [[], [], []]);
    assert.deepEqual(
      world.fake.requests.map(({ route }) => route),
      ['changes'],
    );
  }
});

test('of 1,000 files in Drive exactly the edited, deleted, moved and renamed ones are reported', async () => {
  await using large = await openDriveWorld();
  const { state } = large.fake;
  const folders = Array.from({ length: 20 }, (_, i) => state.addFolder(state.root, `folder ${i}`));
  const ids = Array.from({ length: 1000 }, (_, i) => state.addFile(folders[i % 20]!, `file ${i}.txt`, `text ${i}`));
  const first = await large.run();
  assert.equal(first.fetched.length, 1000);
  const second = await large.run(first.listing.end?.cursor);
  assert.deepEqual([second.fetched, second.removed, second.listing.present], [[], [], []]);
  for (let i = 0; i < 10; i++) state.edit(ids[i]!, `edited ${i}`);
  for (let i = 10; i < 13; i++) state.trash(ids[i]!);
  for (let i = 13; i < 15; i++) state.remove(ids[i]!);
  for (let i = 15; i < 17; i++) state.move(ids[i]!, folders[0]!);
  const outside = state.addFolder('0AFakeMyDriveRootPVA', 'Outside');
  state.move(ids[17]!, outside);
  state.rename(ids[18]!, 'renamed 18.txt');
  state.rename(ids[19]!, 'renamed 19.txt');
  const third = await large.run(second.listing.end?.cursor);
  assert.equal(third.listing.end?.full, false);
  assert.deepEqual(third.fetched, ids.slice(0, 10), 'only new bytes are transferred');
  assert.deepEqual(third.removed.sort(), [...ids.slice(10, 15), ids[17]].sort());
  assert.deepEqual(
    third.listing.present.map(({ originId }) => originId).sort(),
    [...ids.slice(0, 10), ids[15], ids[16], ids[18], ids[19]].sort(),
  );
  assert.equal(large.stored.get(ids[15]!)?.item.metadata['path']?.val, 'folder 0/file 15.txt');
  assert.equal(large.stored.get(ids[18]!)?.item.name, 'renamed 18.txt');
  assert.equal(large.stored.size, 994);
});

describe('changed folders', () => {
  test('a Drive folder that is moved out removes everything below it', async () => {
    const { state } = world.fake;
    const outside = state.addFolder('0AFakeMyDriveRootPVA', 'Outside');
    state.move(files.subFolder, outside);
    const { removed, fetched } = await run();
    assert.deepEqual([removed.sort(), fetched], [[files.sub, files.deep].sort(), []]);
    state.move(files.subFolder, state.root);
    assert.deepEqual((await run()).fetched.sort(), [files.sub, files.deep].sort(), 'and bring it back');
  });
  test('a Drive folder that is renamed or moved inside the tree changes only paths', async () => {
    const { state } = world.fake;
    state.rename(files.subFolder, 'Other');
    assert.deepEqual((await run()).fetched, []);
    assert.deepEqual(paths(), ['Other/Deep/deep.txt', 'Other/sub.txt', 'top.txt']);
    state.move(files.deepFolder, state.root);
    assert.deepEqual((await run()).removed, []);
    assert.deepEqual(paths(), ['Deep/deep.txt', 'Other/sub.txt', 'top.txt']);
  });
  test('a Drive folder that is trashed, deleted or no longer shared removes everything below it', async () => {
    const { state } = world.fake;
    state.trash(files.deepFolder);
    assert.deepEqual((await run()).removed, [files.deep]);
    state.trash(files.deepFolder, false);
    assert.deepEqual((await run()).fetched, [files.deep]);
    state.share(files.deepFolder, 'hidden');
    assert.deepEqual((await run()).removed, [files.deep]);
    state.remove(files.subFolder);
    assert.deepEqual((await run()).removed, [files.sub]);
    assert.deepEqual(paths(), ['top.txt']);
  });
  test('a new Drive folder adds its files', async () => {
    const { state } = world.fake;
    const filled = state.addFolder('0AFakeMyDriveRootPVA', 'Filled');
    const inside = state.addFile(state.addFolder(filled, 'Inner'), 'inside.txt', 'inside');
    assert.deepEqual((await run()).fetched, []);
    state.move(filled, files.deepFolder);
    assert.deepEqual((await run()).fetched, [inside]);
    assert.ok(paths().includes('Sub/Deep/Filled/Inner/inside.txt'));
  });
  test('a renamed root folder or an irrelevant change of a folder causes no full listing', async () => {
    const { state } = world.fake;
    state.rename(state.root, 'New name');
    state.touch(files.subFolder);
    assert.equal((await run()).full, false);
  });
  test('a trashed root folder ends the run, and no file is reported as gone', async () => {
    world.fake.state.trash(world.fake.state.root);
    await assert.rejects(run(), /in the trash/);
    assert.equal(world.stored.size, 3);
  });
});

describe('changed files', () => {
  test('changes of files outside the Drive folder are ignored', async () => {
    const { state } = world.fake;
    const outside = state.addFolder('0AFakeMyDriveRootPVA', 'Outside');
    const other = state.addFile(outside, 'other.txt', 'other');
    state.trash(other);
    state.remove(state.addFile(outside, 'third.txt', 'third'));
    const { listing, full } = await run();
    assert.deepEqual([listing.present, listing.gone, full], [[], [], false]);
  });
  test('new, excluded and no longer shared files of Drive are reported', async () => {
    const { state } = world.fake;
    const fresh = state.addFile(files.deepFolder, 'fresh.txt', 'fresh');
    state.get(files.top).canDownload = false;
    state.touch(files.top);
    state.share(files.sub, 'hidden');
    const { fetched, removed, full } = await run();
    assert.deepEqual([fetched, removed.sort(), full], [[fresh], [files.top, files.sub].sort(), false]);
    assert.ok(paths().includes('Sub/Deep/fresh.txt'));
    const { listing } = await run();
    assert.deepEqual(
      [listing.present, listing.skipped, listing.gone],
      [[], [], []],
      'reported changes are not reported again',
    );
  });
});

describe('changed shortcuts', () => {
  test('new and deleted shortcuts and changes of their targets are reported', async () => {
    const { state } = world.fake;
    const outside = state.addFolder('0AFakeMyDriveRootPVA', 'Outside');
    const single = state.addFile(outside, 'single.txt', 'single');
    const inFolder = state.addFile(state.addFolder(outside, 'Linked'), 'in.txt', 'in');
    const toFile = state.addShortcut(state.root, 'single', single);
    const toFolder = state.addShortcut(state.root, 'linked', state.get(inFolder).parents[0]!);
    assert.deepEqual((await run()).fetched.sort(), [single, inFolder].sort());
    state.edit(single, 'changed');
    state.edit(inFolder, 'changed too');
    const edited = await run();
    assert.deepEqual([edited.fetched.sort(), edited.full], [[single, inFolder].sort(), false]);
    assert.ok(paths().includes('linked/in.txt'));
    state.trash(single);
    assert.deepEqual((await run()).removed, [single]);
    state.trash(single, false);
    assert.deepEqual((await run()).fetched, [single]);
    const linkedFolder = state.get(inFolder).parents[0]!;
    state.trash(linkedFolder);
    assert.deepEqual((await run()).removed, [inFolder]);
    state.trash(linkedFolder, false);
    assert.deepEqual((await run()).fetched, [inFolder]);
    state.rename(toFolder, 'renamed');
    assert.deepEqual((await run()).fetched, []);
    assert.ok(paths().includes('renamed/in.txt'));
    state.trash(toFile);
    state.remove(toFolder);
    assert.deepEqual((await run()).removed.sort(), [single, inFolder].sort());
  });
});

describe('the cursor of a Drive folder', () => {
  test('files that the last run could not read are reported again without a full listing', async () => {
    const { state } = world.fake;
    const outside = state.addFolder('0AFakeMyDriveRootPVA', 'Outside');
    const elsewhere = state.addFile(outside, 'elsewhere.txt', 'elsewhere');
    const failed = [files.top, elsewhere, 'unknownFileOfDrive'];
    cursor = world.connector.withFailed!(cursor!, failed);
    const { listing, full } = await run();
    assert.deepEqual([listing.present.map(({ originId }) => originId), listing.gone, full], [[files.top], [], false]);
    assert.deepEqual((await run()).listing.present, [], 'they are reported once');
    const many = Array.from({ length: 201 }, (_, i) => `file${i}`);
    assert.equal(world.connector.withFailed!(cursor!, many), null, 'a full listing costs less');
  });
  test('a file for which Drive keeps failing is reported as failed, and the changes of others are read', async () => {
    const { state } = world.fake;
    const always = (status: number, reason: string): void => {
      world.fake.fail('get', { status, reason }, 1_000, ({ pathname }) => pathname.endsWith(files.top));
    };
    cursor = world.connector.withFailed!(cursor!, [files.top, files.sub]);
    state.edit(files.deep, 'deeper');
    always(500, 'internalError');
    const { listing, full, fetched, removed } = await run();
    assert.deepEqual(listing.failed, [{ originId: files.top, name: files.top, title: 'Google Drive failed' }]);
    assert.deepEqual([listing.present.length, full, fetched, removed], [2, false, [files.deep], []]);
    world.fake.heal();
    cursor = world.connector.withFailed!(cursor!, [files.top]);
    // Requests for other files would meet the same limit.
    always(429, 'rateLimitExceeded');
    await assert.rejects(run(), /limits the requests/);
    world.fake.heal();
    assert.deepEqual((await run()).listing.present.length, 1);
  });
  test('the unreadable target of a shortcut is read when it becomes readable', async () => {
    const { state } = world.fake;
    const outside = state.addFolder('0AFakeMyDriveRootPVA', 'Outside');
    const target = state.addFile(outside, 'target.txt', 'target');
    state.addShortcut(state.root, 'link', target);
    world.fake.fail('get', { status: 403, reason: 'insufficientFilePermissions' }, 1, ({ pathname }) =>
      pathname.endsWith(target),
    );
    const { listing } = await run();
    assert.deepEqual(
      listing.failed.map(({ originId }) => originId),
      [target],
    );
    cursor = world.connector.withFailed!(cursor!, [target]);
    assert.deepEqual((await run()).fetched, [target]);
  });
  test('an expired cursor of Drive is reported as expired', async () => {
    world.fake.state.oldestToken = 1000;
    const expired = (error: unknown) => error instanceof OriginError && error.cursorExpired;
    await assert.rejects(run(), expired);
    for (const status of [410, 404]) {
      world.fake.fail('changes', { status, reason: 'gone' });
      await assert.rejects(run(), expired, `${status}`);
    }
    world.fake.state.oldestToken = 1;
    cursor = null;
    const { fetched, removed, full } = await run();
    assert.deepEqual([fetched, removed, full], [[], [], true]);
  });
  test('a Drive folder is listed completely after a week of change logs', async () => {
    const later = new Date(Date.now() + 7 * 24 * HOUR_MS + 1);
    world.fake.state.get(files.top).access = 'hidden';
    assert.deepEqual((await run()).removed, [], 'the log does not know');
    world.setNow(later);
    const { removed, full } = await run();
    assert.deepEqual([removed, full], [[files.top], true]);
  });
  test('a cursor of Drive in an unknown form is ignored', async () => {
    cursor = { something: 'else' };
    assert.equal((await run()).full, true);
  });
  test('changes during the listing of a Drive folder are seen by the next run', async () => {
    const { state } = world.fake;
    cursor = null;
    let edited = false;
    for await (const change of world.changes()) {
      if (change.kind === 'end') cursor = JSON.parse(JSON.stringify(change.cursor));
      if (!edited) state.edit(files.top, 'edited while listed');
      edited = true;
    }
    assert.deepEqual((await run()).fetched, [files.top]);
  });
});

test('an interrupted listing of Drive continues at its checkpoint', async () => {
  await using large = await openDriveWorld({ pageSizeMax: 100 });
  const { state } = large.fake;
  const linked = state.addFile(state.addFolder('0AFakeMyDriveRootPVA', 'Outside'), 'linked.txt', 'x');
  state.addShortcut(state.root, 'linked', linked);
  const expected = new Set([linked]);
  let parent = state.root;
  for (let level = 0; level < 8; level++) {
    parent = state.addFolder(parent, `level ${level}`);
    for (let i = 0; i < 100; i++) expected.add(state.addFile(parent, `${level}-${i}.txt`, 'x'));
    if (level === 0) state.addShortcut(state.root, 'said before any checkpoint', [...expected].at(-1)!);
  }
  const whole = await large.list();
  assert.equal(whole.checkpoints.length, 5, 'the first one keeps the page token of the start');
  for (const [index, resume] of whole.checkpoints.entries()) {
    large.fake.requests.length = 0;
    const rest = await large.list(null, resume);
    const said = new Set(rest.present.map(({ originId }) => originId));
    assert.equal(said.size, expected.size - 200 * index, 'reported changes are not reported again');
    assert.ok([...said].every((id) => expected.has(id)) && said.has(linked));
    assert.deepEqual(rest.end?.cursor, whole.end?.cursor);
    assert.equal(large.fake.count('startPageToken'), 0, 'the change log is read from the start of the first listing');
  }
});
