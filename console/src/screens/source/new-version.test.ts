import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateOfVersion } from './new-version.ts';

test('a new version of a file that failed is not called failed before it is read', () => {
  const sent = { unchanged: 0 };
  assert.equal(stateOfVersion({ status: 'failed', update_status: 'pending' }, sent), 'waiting');
  assert.equal(stateOfVersion({ status: 'pending', update_status: null }, sent), 'waiting');
  assert.equal(stateOfVersion({ status: 'failed', update_status: null }, sent), 'failed');
  assert.equal(stateOfVersion({ status: 'ready', update_status: 'failed' }, sent), 'failed');
  assert.equal(stateOfVersion({ status: 'ready', update_status: null }, sent), 'ready');
  assert.equal(stateOfVersion({ status: 'failed', update_status: 'failed' }, { unchanged: 1 }), 'same');
});
