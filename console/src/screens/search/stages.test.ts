import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOf, readStages } from './stages.ts';

test('stages have their start and their duration, also when they overlap', () => {
  const stages = readStages('web;dur=30.0;start=1.5, analyze;dur=4.5;start=2.0, proxy, edge;dur=2');
  assert.deepEqual(stages, [
    { name: 'web', start: 1.5, ms: 30 },
    { name: 'analyze', start: 2, ms: 4.5 },
  ]);
  assert.equal(endOf(stages), 31.5);
  assert.deepEqual([readStages(''), endOf([])], [[], 0]);
});
