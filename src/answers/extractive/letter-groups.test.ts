import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letterGroups } from './letter-groups.ts';

const groupsOf = (text: string) => [...letterGroups(text, () => true)];

test('words between blanks fall into groups of four letters that weigh one together', () => {
  assert.deepEqual(groupsOf('Rates'), [
    ['rate', 0.5],
    ['ates', 0.5],
  ]);
  assert.deepEqual(groupsOf('of the 12'), [['12', 1]]);
});

test('other scripts fall into shorter groups, each with its own weight', () => {
  assert.deepEqual(groupsOf('首都は'), [
    ['首都', 1],
    ['都は', 1],
  ]);
  assert.deepEqual(
    groupsOf('วันหยุด').map(([group]) => group.length),
    [3, 3, 3, 3, 3],
  );
});

test('a word that carries no topic has no groups', () => {
  assert.deepEqual([...letterGroups('which bridge', (word) => word !== 'which').keys()], ['brid', 'ridg', 'idge']);
});
