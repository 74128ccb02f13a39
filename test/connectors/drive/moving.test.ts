/** What happens to a Drive folder while it is listed, and folders whose content Google refuses. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { OriginError } from '../../../src/connectors/connector.ts';
import type { DriveFault } from '../../support/fakes/drive.ts';
import { type DriveWorld, openDriveWorld, pathsIn } from '../../support/worlds/drive-world.ts';

let world: DriveWorld;
let near = '';
let deep = '';
let far = '';

beforeEach(async () => {
  world = await openDriveWorld();
  const { state } = world.fake;
  near = state.addFolder(state.root, 'Near');
  const middle = state.addFolder(state.root, 'Middle');
  deep = state.addFolder(middle, 'Deep');
  far = state.addFile(deep, 'far.txt', 'far');
  state.addFile(deep, 'stays.txt', 'stays');
});

afterEach(() => world[Symbol.asyncDispose]());

/** Does something just before the folder is listed. */
function beforeListing(folder: string, act: () => void): void {
  let isDone = false;
  world.fake.fail('list', { status: 500 }, 1, (url) => {
    if (!isDone && url.searchParams.get('q')?.includes(folder)) {
      isDone = true;
      act();
    }
    return false;
  });
}

/** The list of these folders, and no other one, fails. */
function failFor(fault: DriveFault, ...folders: string[]): void {
  const names = (url: URL) => folders.some((folder) => url.searchParams.get('q')?.includes(folder));
  world.fake.fail('list', fault, Number.POSITIVE_INFINITY, names);
}

describe('while a Drive folder is listed', () => {
  test('a file that moves to a folder which was already read is found there', async () => {
    await world.run();
    beforeListing(deep, () => world.fake.state.move(far, near));
    const { listing, removed } = await world.run();
    assert.deepEqual(removed, []);
    assert.equal(pathsIn(listing)['Near/far.txt'], far);
  });

  test('a folder that moves is found with everything below it', async () => {
    const { state } = world.fake;
    const inner = state.addFolder(deep, 'Inner');
    const file = state.addFile(inner, 'in.txt', 'in');
    await world.run();
    beforeListing(deep, () => state.move(inner, near));
    const { listing, removed } = await world.run();
    assert.deepEqual(removed, []);
    assert.equal(pathsIn(listing)['Near/Inner/in.txt'], file);
  });

  test('a shortcut that moves keeps the file or the folder to which it leads', async () => {
    const { state } = world.fake;
    const outside = state.addFolder('0AFakeMyDriveRootPVA', 'Outside');
    const file = state.addFile(outside, 'handbook.txt', 'handbook');
    const folder = state.addFolder(outside, 'Wiki');
    const inside = state.addFile(folder, 'wiki.txt', 'wiki');
    const shortcuts = [state.addShortcut(deep, 'Handbook', file), state.addShortcut(deep, 'Wiki', folder)];
    await world.run();
    beforeListing(deep, () => {
      for (const shortcut of shortcuts) state.move(shortcut, near);
    });
    const { listing, removed } = await world.run();
    assert.deepEqual([removed, listing.end?.full], [[], true]);
    assert.deepEqual(
      [file, inside].map((id) => world.stored.has(id)),
      [true, true],
    );
  });

  for (const [what, fault] of [
    ['fails', { status: 500 }],
    ['has expired', { status: 410, reason: 'gone' }],
  ] as const)
    test(`nothing counts as gone if the change log ${what} at the end, and the next run lists everything again`, async () => {
      await world.run();
      beforeListing(deep, () => world.fake.state.move(far, near));
      world.fake.fail('changes', fault, Number.POSITIVE_INFINITY);
      const { listing, removed } = await world.run();
      assert.deepEqual([removed, listing.end], [[], { full: false, cursor: null }]);
      world.fake.heal();
      world.fake.state.remove(far);
      assert.deepEqual((await world.run(listing.end?.cursor ?? null)).removed, [far]);
    });

  test('a file that moves where no change log covers the tree is found', async () => {
    const { state } = world.fake;
    const drive = state.addDrive('Team', false);
    const [first, middle] = [state.addFolder(drive, 'First'), state.addFolder(drive, 'Middle')];
    const last = state.addFolder(middle, 'Last');
    const file = state.addFile(last, 'plan.txt', 'plan');
    await world.run(null, drive);
    beforeListing(last, () => state.move(file, first));
    const { listing, removed } = await world.run(null, drive);
    assert.deepEqual(
      [listing.end, removed, pathsIn(listing)['First/plan.txt']],
      [{ full: true, cursor: null }, [], file],
    );
  });

  test('the files of a folder that Google lists as empty stay, also if they are too many to ask for each', async () => {
    const { state } = world.fake;
    for (const more of [0, 150]) {
      for (let i = 0; i < more; i += 1) state.addFile(deep, `more ${i}.txt`, 'more');
      await world.run();
      failFor({ status: 200, body: '{"files":[]}' }, deep);
      const { listing, removed } = await world.run();
      assert.deepEqual([listing.end?.full, removed], [more === 0, []]);
      world.fake.heal();
    }
    state.remove(deep);
    const { removed } = await world.run();
    assert.equal(removed.length, 152, 'a folder that is deleted goes with all its files');
  });

  test('a file of which Google does not say whether it is still there stays, and others go', async () => {
    const { state } = world.fake;
    const [one, two] = [state.addFile(near, 'one.txt', 'one'), state.addFile(near, 'two.txt', 'two')];
    await world.run();
    for (const file of [one, far, two]) state.remove(file);
    world.fake.fail('get', { status: 500 }, Number.POSITIVE_INFINITY, (url) => url.pathname.includes(far));
    const { listing, removed } = await world.run();
    assert.deepEqual(
      [removed.toSorted(), listing.failed.map(({ originId }) => originId)],
      [[one, two].toSorted(), [far]],
    );
    world.fake.heal();
    assert.deepEqual((await world.run(listing.end?.cursor ?? null)).removed, [far]);
  });

  for (const fault of [{ status: 500 }, { status: 429, reason: 'rateLimitExceeded', retryAfter: '0' }])
    test(`after three files in a row for which Google answers ${fault.status} no others are asked for, and nothing counts as gone`, async () => {
      const { state } = world.fake;
      for (let i = 0; i < 20; i += 1) state.addFile(near, `${i}.txt`, 'words');
      await world.run();
      state.remove(near);
      world.fake.fail('get', fault, Number.POSITIVE_INFINITY, (url) => !url.pathname.includes(state.root));
      world.fake.requests.length = 0;
      const { listing, removed } = await world.run();
      assert.deepEqual([listing.end, listing.failed.length, removed], [{ full: false, cursor: null }, 3, []]);
      // Each request is sent five times, and one is for the root.
      assert.equal(world.fake.requests.filter(({ route }) => route === 'get').length, 16);
      world.fake.heal();
      assert.equal((await world.run()).removed.length, 20);
    });

  test('many files that are gone go in a few runs beside one that Google has and does not list', async () => {
    const { state } = world.fake;
    const all = Array.from({ length: 150 }, (_, i) => state.addFile(near, `${i}.txt`, 'words'));
    await world.run();
    for (const [i, file] of all.entries())
      if (i % 2 === 0) state.remove(file);
      else state.move(file, '0AFakeMyDriveRootPVA');
    state.remove(near);
    failFor({ status: 200, body: '{"files":[]}' }, deep);
    const ended = [];
    for (let run = 1; run <= 3; run += 1) ended.push((await world.run()).listing.end?.full);
    assert.deepEqual(ended, [false, true, true]);
    assert.deepEqual([world.stored.has(far), world.stored.size], [true, 2]);
  });

  test('a file that leaves the folder is not kept', async () => {
    await world.run();
    beforeListing(deep, () => world.fake.state.move(far, '0AFakeMyDriveRootPVA'));
    assert.deepEqual((await world.run()).removed, [far]);
  });
});

describe('a folder of Drive', () => {
  test('that is deleted while its parent is listed does not fail the run', async () => {
    await world.run();
    const stored = [...world.stored.keys()];
    beforeListing(deep, () => world.fake.state.remove(deep));
    failFor({ status: 404, reason: 'notFound', location: 'fileId' }, deep);
    const { listing, removed } = await world.run();
    assert.deepEqual([listing.end?.full, listing.failed, removed], [true, [], stored]);
  });

  test('that Google does not find for a moment fails alone, and nothing counts as gone', async () => {
    await world.run();
    failFor({ status: 404, reason: 'notFound', location: 'fileId' }, deep);
    const { listing, removed } = await world.run();
    assert.deepEqual([listing.end?.full, listing.failed.length, removed], [false, 1, []]);
  });

  for (const [name, fault] of Object.entries({
    'may not be read': { status: 403, reason: 'insufficientFilePermissions' },
    'fails at Google': { status: 500 },
  }))
    test(`that ${name} fails alone, and nothing counts as gone`, async () => {
      const { state } = world.fake;
      const other = state.addFile(near, 'near.txt', 'near');
      await world.run();
      state.addFile(near, 'new.txt', 'new');
      state.remove(other);
      failFor(fault, near);
      const { listing, removed } = await world.run();
      assert.deepEqual(
        listing.failed.map(({ originId, name }) => [originId, name]),
        [[near, 'Near']],
      );
      assert.deepEqual([removed, listing.end], [[], { full: false, cursor: null }]);
      assert.equal(pathsIn(listing)['Middle/Deep/far.txt'], far);
      world.fake.heal();
      assert.deepEqual((await world.run()).removed, [other]);
    });
});

test('a shared drive whose membership is lost is listed as a folder that is shared', async () => {
  const { state } = world.fake;
  const drive = state.addDrive('Team');
  const file = state.addFile(state.addFolder(drive, 'Plans'), 'plan.txt', 'plan');
  const first = await world.list(null, null, drive);
  state.drives.set(drive, false);
  for (const reason of ['notFound', 'teamDriveMembershipRequired']) {
    world.fake.fail('changes', { status: reason === 'notFound' ? 404 : 403, reason });
    await assert.rejects(
      world.list(first.end?.cursor, null, drive),
      (error) => error instanceof OriginError && error.cursorExpired,
      reason,
    );
  }
  const again = await world.list(null, null, drive);
  assert.deepEqual([pathsIn(again), again.end?.full], [{ 'Plans/plan.txt': file }, true]);
});
