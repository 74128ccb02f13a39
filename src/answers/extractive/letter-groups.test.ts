import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letterGroups } from './letter-groups.ts';

const groupsOf = (text: string) => [...letterGroups(text, () => true)];

test('a word between spaces has groups of four letters, which weigh 1 together', () => {
  assert.deepEqual(groupsOf('Rates'), [
    ['rate', 0.5],
    ['ates', 0.5],
  ]);
  assert.deepEqual(groupsOf('of the 12'), [['12', 1]]);
});

test('words of other scripts have shorter groups, each of weight 1', () => {
  assert.deepEqual(groupsOf('首都は'), [
    ['首都', 1],
    ['都は', 1],
  ]);
  assert.deepEqual(
    groupsOf('วันหยุด').map(([group]) => group.length),
    [3, 3, 3, 3, 3],
  );
});

test('a word without a topic has no letter groups', () => {
  assert.deepEqual([...letterGroups('which bridge', (word) => word !== 'which').keys()], ['brid', 'ridg', 'idge']);
});
