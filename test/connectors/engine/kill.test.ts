/** kill -9 in the middle of runs of a Drive folder; the long form is `npm run faults:connectors`. */
import { test } from 'node:test';
import { runDriveScenario } from '../../faults/drive-scenario.ts';

test('sources follow a Drive folder although the service is killed', async () => {
  await runDriveScenario({ files: 60, kills: 0, crashPoints: ['origin.item_fetched', 'origin.gone_hidden'] });
});
