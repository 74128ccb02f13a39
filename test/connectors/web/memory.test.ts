/** What a crawl knows, and how it is restored. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebClient } from '../../../src/connectors/web/client.ts';
import { type Entry, Frontier } from '../../../src/connectors/web/frontier.ts';
import { CrawlMemory, LINKED_MAX } from '../../../src/connectors/web/memory.ts';

const client = () => new WebClient({ http: {} as never }, new Map(), new AbortController().signal, null);

test('a step restores all that a crawl knows', async () => {
  const memory = new CrawlMemory();
  const address = 'https://origin.example/a';
  const modifiedAt = new Date(0);
  memory.queue.push({ address, depth: 1, isSeed: true, modifiedAt, inSitemap: true, isCanonical: true });
  memory.reported.set(address, 'A').set(`${address}/unchanged`, undefined);
  memory.visited.add(address);
  memory.stored.add(address);
  memory.link(address);
  memory.moves.redirect(address, `${address}/to`, false);
  memory.moves.canonical(address, `${address}/same`);
  memory.progress.firstProblem = { title: 'Title', message: 'Message', retryable: true };
  const step = JSON.parse(JSON.stringify(memory.takeStep(client())));
  const restored = new CrawlMemory();
  const saved = async function* () {
    yield [step];
  };
  assert.equal(await restored.restore(saved(), client()), true);
  assert.deepEqual({ ...restored }, { ...memory });
});

test('a crawl remembers a limited number of linked addresses', () => {
  const memory = new CrawlMemory();
  for (let i = 0; i <= LINKED_MAX; i += 1) memory.link(String(i));
  assert.equal(memory.linked.size, LINKED_MAX);
});

test('an address that was visited before an interruption is not added again, though the queue never had it', () => {
  const queue: Entry[] = [];
  const scope = { hasHost: () => true, includes: () => true };
  const frontier = new Frontier(scope, 3, new Date(0), queue);
  frontier.restore(new Set(['https://origin.example/target']));
  for (const path of ['target', 'other'])
    frontier.add(`https://origin.example/${path}`, undefined, { depth: 1, isSeed: false });
  assert.deepEqual(
    queue.map(({ address }) => address),
    ['https://origin.example/other'],
  );
});
