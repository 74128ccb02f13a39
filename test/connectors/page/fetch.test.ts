/** Fetches one page without a listing, as a run does when the listing did not bring its content. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Fetched, OriginItem } from '../../../src/connectors/connector.ts';
import { OriginError } from '../../../src/connectors/connector.ts';
import { paragraph } from '../../support/fakes/notion-world.ts';
import { openPageHarness, type PageHarness } from './harness.ts';

let harness: PageHarness;
before(async () => {
  harness = await openPageHarness();
});
after(() => harness.close());

function fetchItem(item: OriginItem, credential: string | null = harness.fake.token): Promise<Fetched> {
  const { signal } = new AbortController();
  return harness.connector.fetch({ kind: 'page', pageId: item.originId }, credential, item, undefined, signal);
}

test('a fetched page or row equals the one that the listing brings', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Root', [paragraph('text')]);
  const child = world.addPage('Child', [paragraph('words')], root);
  const database = world.addDatabase('Tasks', root);
  const row = world.addRow(database, 'Task', { Size: { id: 'n', type: 'number', number: 3 } }, [paragraph('do it')]);
  harness.advance(600_000);
  await harness.run(root);
  for (const id of [root, child, row]) {
    const { item, text, revision, state } = harness.stored.get(id)!;
    const fetched = await fetchItem(item);
    assert.ok(fetched.kind === 'content');
    const { body, state: given, changes } = fetched.content;
    assert.equal(Buffer.concat(await Array.fromAsync(body)).toString(), text);
    assert.deepEqual([changes?.revision, given], [revision, state]);
    assert.deepEqual(changes?.metadata, item.metadata);
    assert.deepEqual([changes?.name, changes?.modifiedAt], [item.name, item.modifiedAt]);
  }
});

test('a fetch reports a page that is gone and a page that may not be read', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Root', [paragraph('text')]);
  await harness.run(root);
  const { item } = harness.stored.get(root)!;
  await assert.rejects(fetchItem(item, 'wrong'), (error) => error instanceof OriginError && !error.problem.retryable);
  await assert.rejects(fetchItem(item, null), /There is no token/);
  world.page(root).shared = false;
  assert.deepEqual(await fetchItem(item), { kind: 'gone' });
  world.page(root).shared = true;
  world.trash(root);
  assert.deepEqual(await fetchItem(item), { kind: 'gone' });
});
