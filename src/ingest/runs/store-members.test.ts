import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GROUP_BYTES_MAX, GROUP_SOURCES_MAX } from '../../corpus/source-lookup.ts';
import { checkRoom, matchMembers, membersThatFit } from './store-members.ts';

test('a group refuses files found inside a file beyond its limits of files and bytes', () => {
  const kept = { files: 3, bytes: GROUP_BYTES_MAX - 10 };
  checkRoom(kept, [], [{ size: 4 }, { size: 6 }]);
  assert.throws(() => checkRoom(kept, [], [{ size: 4 }, { size: 7 }]), /more than 20 GiB/);
  checkRoom({ ...kept, files: GROUP_SOURCES_MAX - 1 }, [], [{ size: 1 }]);
  const full = { ...kept, files: GROUP_SOURCES_MAX };
  assert.throws(() => checkRoom(full, [], [{ size: 1 }]), /more than 50000 files/);
  checkRoom(full, [{ fileSize: 10 }], [{ size: 20 }]);
  assert.throws(() => checkRoom(full, [{ fileSize: 10 }], [{ size: 21 }]), /more than 20 GiB/);
  assert.throws(() => checkRoom(full, [{ fileSize: 10 }], [{ size: 1 }, { size: 1 }]), /more than 50000 files/);
});

test('membersThatFit returns new members while the group has room, and all members of the previous version', () => {
  const found = [
    ['a', 6],
    ['b', 5],
    ['old', 50],
    ['c', 4],
    ['d', 1],
  ].map(([name, size]) => ({
    name: `${name}`,
    staged: { tenantId: '', hash: `${name}`, size: Number(size), handle: '' },
  }));
  const added = found.filter(({ name }) => name !== 'old');
  const fittingNames = (sourcesMax: number, bytesMax: number) =>
    membersThatFit({ files: 3, bytes: 90 }, found, added, { sourcesMax, bytesMax }).map(({ name }) => name);
  assert.deepEqual(fittingNames(100, 1000), ['a', 'b', 'old', 'c', 'd']);
  assert.deepEqual(fittingNames(100, 100), ['a', 'old', 'c']);
  assert.deepEqual(fittingNames(5, 1000), ['a', 'b', 'old']);
  assert.deepEqual(fittingNames(3, 1000), ['old']);
});

test('members of two versions are matched by name, equal names in their order', () => {
  const before = ['a', 'b', 'a'].map((name, i) => ({
    id: `${i}`,
    name,
    status: 'ready' as const,
    waits: false,
    newestHash: '',
    fileSize: 0,
  }));
  const found = ['a', 'c', 'a', 'a'].map((name, i) => ({
    name,
    staged: { tenantId: '', hash: `${i}`, size: 0, handle: '' },
  }));
  const { matched, added, gone } = matchMembers(before, found);
  assert.deepEqual(
    matched.map((pair) => [pair.before.id, pair.after.staged.hash]),
    [
      ['0', '0'],
      ['2', '2'],
    ],
  );
  assert.deepEqual(
    added.map(({ staged }) => staged.hash),
    ['1', '3'],
  );
  assert.deepEqual(
    gone.map(({ id }) => id),
    ['1'],
  );
});
