import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestOf } from './edit-distance.ts';

test('the nearest name is the one with the fewest edits, if they are at most a third of the text', () => {
  const names = ['search', 'serve', 'ls', 'tables'];
  assert.equal(nearestOf('serch', names), 'search');
  assert.equal(nearestOf('srve', names), 'serve');
  assert.equal(nearestOf('lss', names), 'ls');
  assert.equal(nearestOf('stop', ['show']), undefined);
  assert.equal(nearestOf('--verison', ['--help', '--version']), '--version');
  assert.equal(nearestOf('prot', ['port']), 'port');
  assert.equal(nearestOf('up', names), undefined);
  assert.equal(nearestOf('zzzzzzzz', names), undefined);
  assert.equal(nearestOf(`${'s'.repeat(100)}`, ['s'.repeat(99)]), undefined);
});
