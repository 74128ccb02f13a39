/** kill -9 in the middle of runs of a Drive folder; the long form is `npm run faults:connectors`. */
import { test } from 'node:test';
import { runDriveScenario } from '../../faults/drive-scenario.ts';
import { TEST_SEED } from '../../support/random.ts';

test(`sources follow a Drive folder although the service is killed (seed ${TEST_SEED})`, async () => {
  await runDriveScenario({
    files: 40,
    kills: 0,
    crashPoints: ['origin.item_fetched', 'origin.gone_hidden'],
    seed: TEST_SEED,
    env: { PINAKES_PARSER_PROCESSES: '1' },
  });
});
