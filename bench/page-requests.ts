/** Counts requests and time for a tree of 1,001 pages, at the rate that a page workspace allows: npm run bench:pages */
import { openPageHarness } from '../test/connectors/page/harness.ts';
import { paragraph, says } from '../test/support/fakes/notion-world.ts';

const SECTIONS = 50;
const PAGES_PER_SECTION = 19;
const REQUESTS_PER_SECOND = 3;
const AN_HOUR_MS = 3_600_000;

const harness = await openPageHarness({ perSecond: REQUESTS_PER_SECOND });
const { world } = harness.fake;
const root = world.addPage('Root');
for (let section = 0; section < SECTIONS; section++) {
  const id = world.addPage(`Section ${section}`, [], root);
  for (let page = 0; page < PAGES_PER_SECTION; page++)
    world.addPage(`Page ${section}.${page}`, [paragraph('text'), says('toggle', 'more', [paragraph('text')])], id);
}
harness.advance(AN_HOUR_MS);
console.log('run     pages  bodies  requests  seconds (of the clock that requests wait by)');
for (const name of ['first', 'second']) {
  harness.fake.forget();
  const start = harness.time();
  const { bodies } = await harness.run(root);
  const requests = [...harness.fake.counts.values()].reduce((sum, count) => sum + count, 0);
  const cells = [harness.stored.size, bodies, requests, Math.round((harness.time() - start) / 1000)];
  console.log(`${name.padEnd(7)}${cells.map((cell) => String(cell).padStart(6)).join('  ')}`);
}
await harness.close();
