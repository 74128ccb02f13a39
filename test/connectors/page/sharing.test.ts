/** What a page workspace no longer shares is removed, also where its lists still name it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { paragraph } from '../../support/fakes/notion-world.ts';
import { openPageHarness, type PageHarness } from './harness.ts';

let harness: PageHarness;
beforeEach(async () => {
  harness = await openPageHarness();
});
afterEach(() => harness.close());

test('a page without pages below it that loses sharing is removed, although its parent lists it with the same time', async () => {
  const { fake, stored } = harness;
  const root = fake.world.addPage('Handbook');
  const leave = fake.world.addPage('Leave', [paragraph('25 days a year.')], root);
  const hidden = fake.world.addPage('Not indexed', [paragraph('words')], root);
  harness.advance(3_600_000);
  await harness.run(root);
  fake.hideFromSearch.add('Not indexed');
  fake.forget();
  const unchanged = await harness.run(root);
  assert.deepEqual([...unchanged.outcome.values()], ['unchanged', 'unchanged', 'unchanged']);
  // One for the root, and one for the page that the search does not find.
  assert.equal(fake.counts.get('GET /v1/pages/:id'), 2);
  assert.equal(fake.counts.get('POST /v1/search'), 1);

  fake.world.page(leave).shared = false;
  const run = await harness.run(root);
  assert.equal(run.outcome.get(leave), 'deleted');
  assert.deepEqual([...stored.keys()], [root, hidden]);
  const next = await harness.run(root);
  assert.equal(next.outcome.get(leave), 'skipped');
});

test('a search that fails removes no page', async () => {
  const { fake } = harness;
  const root = fake.world.addPage('Handbook');
  for (const name of ['One', 'Two']) fake.world.addPage(name, [paragraph(name)], root);
  harness.advance(3_600_000);
  await harness.run(root);
  fake.faults(({ route }) => (route === 'POST /v1/search' ? { status: 500 } : undefined));
  const run = await harness.run(root);
  assert.deepEqual([...run.outcome.values()], ['unchanged', 'unchanged', 'unchanged']);
});
