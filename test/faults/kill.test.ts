/** kill -9 at random under load, in short form. The long form is `npm run faults:kill -- --cycles 50`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEST_SEED } from '../support/random.ts';
import { runKillCycles } from './kill-cycles.ts';

const CYCLES = 2;

test('after kill -9 no acknowledged upload is lost, no deleted content returns and no run is stuck', async (t) => {
  const report = await runKillCycles(CYCLES, TEST_SEED, { PINAKES_PARSER_PROCESSES: '1' });
  t.diagnostic(
    `seed ${report.seed}, ${JSON.stringify(report.figures)}, ready after ${report.readyMs.map(Math.round)} ms`,
  );
  assert.deepEqual(report.problems, [], `repeat with: npm run faults:kill -- --cycles ${CYCLES} --seed ${report.seed}`);
  assert.equal(report.kills, CYCLES);
  assert.ok(report.figures.searches > 0, 'something was checked');
});
