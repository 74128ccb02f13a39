import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packGroups } from './files.ts';

test('files are packed into groups in their order, within the limits of files and bytes', () => {
  const sizes = (groups: { size: number }[][]) => groups.map((group) => group.map(({ size }) => size));
  const files = [3, 3, 3, 9, 1, 1, 1, 1].map((size) => ({ size }));
  assert.deepEqual(sizes(packGroups(files, 3, 8)), [[3, 3], [3], [9], [1, 1, 1], [1]]);
  assert.deepEqual(packGroups([]), []);
});
