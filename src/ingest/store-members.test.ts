import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRoom, GROUP_BYTES_MAX, GROUP_SOURCES_MAX } from './store-members.ts';

test('files inside files fit while the group stays within its files and bytes', () => {
  const counts = { pending: 1, ready: 1, failed: 1, bytes: GROUP_BYTES_MAX - 10 };
  checkRoom(counts, [{ size: 4 }, { size: 6 }]);
  assert.throws(() => checkRoom(counts, [{ size: 4 }, { size: 7 }]), /more than 2 GiB/);
  checkRoom({ ...counts, ready: GROUP_SOURCES_MAX - 3 }, [{ size: 1 }]);
  assert.throws(() => checkRoom({ ...counts, ready: GROUP_SOURCES_MAX - 2 }, [{ size: 1 }]), /more than 10000 files/);
});
