/** kill -9 at random in runs of every kind of origin, in short form. The long form is `npm run faults:origins`. */
import { test } from 'node:test';
import { TEST_SEED } from '../support/random.ts';
import { runKilledCrawl, runKilledOrigins } from './origins.ts';

test(`sources equal their origins although the service is killed (seed ${TEST_SEED})`, async () => {
  await runKilledOrigins({ kills: 2, seed: TEST_SEED, env: { PINAKES_PARSER_PROCESSES: '1' } });
});

test(`a crawl that is killed goes on where it was (seed ${TEST_SEED})`, async () => {
  await runKilledCrawl({ pages: 150, kills: 1, seed: TEST_SEED });
});
