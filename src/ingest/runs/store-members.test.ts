import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GROUP_BYTES_MAX, GROUP_SOURCES_MAX } from '../../corpus/source-lookup.ts';
import { checkRoom, matchMembers, membersThatFit } from './store-members.ts';

test('files inside files fit while the group stays within its files and bytes', () => {
  const counts = { pending: 1, ready: 1, failed: 1, bytes: GROUP_BYTES_MAX - 10 };
  checkRoom(counts, [{ size: 4 }, { size: 6 }]);
  assert.throws(() => checkRoom(counts, [{ size: 4 }, { size: 7 }]), /more than 20 GiB/);
  checkRoom({ ...counts, ready: GROUP_SOURCES_MAX - 3 }, [{ size: 1 }]);
  assert.throws(() => checkRoom({ ...counts, ready: GROUP_SOURCES_MAX - 2 }, [{ size: 1 }]), /more than 50000 files/);
});

test('of a file with text of its own those are kept that fit, and what was inside before', () => {
  const counts = { pending: 1, ready: 1, failed: 1, bytes: 90 };
  const before = [{ id: '1', name: 'old', status: 'ready' as const, waits: false, newestHash: '' }];
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
  const kept = (sourcesMax: number, bytesMax: number) =>
    membersThatFit(counts, before, found, { sourcesMax, bytesMax }).map(({ name }) => name);
  assert.deepEqual(kept(100, 1000), ['a', 'b', 'old', 'c', 'd']);
  assert.deepEqual(kept(100, 100), ['a', 'old', 'c']);
  assert.deepEqual(kept(5, 1000), ['a', 'b', 'old']);
  assert.deepEqual(kept(3, 1000), ['old']);
});

test('files of a new version are matched by name, equal names in their order', () => {
  const before = ['a', 'b', 'a'].map((name, i) => ({
    id: `${i}`,
    name,
    status: 'ready' as const,
    waits: false,
    newestHash: '',
  }));
  const found = ['a', 'c', 'a', 'a'].map((name, i) => ({
    name,
    staged: { tenantId: '', hash: `${i}`, size: 0, handle: '' },
  }));
  const { kept, added, gone } = matchMembers(before, found);
  assert.deepEqual(
    kept.map((pair) => [pair.before.id, pair.after.staged.hash]),
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
