import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutRepeats } from './speech.ts';

test('very long cues that follow each other at once are compared in linear time', () => {
  const cues = [0, 1].map((start) => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `${start} ${i}`);
    return { start, end: start + 1, speaker: '', lines: [...lines, 'again'] };
  });
  const used = process.cpuUsage();
  assert.deepEqual(
    [...withoutRepeats(cues)].map(({ lines }) => lines.length),
    [100_001, 100_000],
  );
  assert.ok(process.cpuUsage(used).user < 4e6);
});
