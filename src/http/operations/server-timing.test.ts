import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverTiming } from './server-timing.ts';

test('stages are listed by their starts, which count from the arrival of the request', () => {
  const stages = [
    { name: 'analyze', startedAt: 1_012, ms: 4 },
    { name: 'web', startedAt: 1_002.25, ms: 300.06 },
    { name: 'lexical', startedAt: 1_016, ms: 20 },
  ];
  assert.equal(
    serverTiming(stages, 1_000),
    'web;dur=300.1;start=2.3, analyze;dur=4.0;start=12.0, lexical;dur=20.0;start=16.0',
  );
  assert.equal(serverTiming([], 1_000), '');
});
