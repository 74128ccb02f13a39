/** kill -9 at boundaries of a background run, in short form. The long form is `npm run faults:agents`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAgentFaults } from './agent-runs.ts';

test('a run that lost its process goes on after its last complete step, and its events have no gap and no repetition', async () => {
  // Each run is answered once, also after the kill. After the kill at the answer, no step is left.
  const boundaries = ['agent.called:2', 'agent.answered:2', 'agent.stepped:2'];
  const { kills, problems } = await runAgentFaults(3, boundaries, { continues: true });
  assert.deepEqual(problems, []);
  assert.equal(kills, 3);
});
