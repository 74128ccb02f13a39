/** The request rate of a crawl: its own pause, the operator's bounds, robots.txt, and pages that did not change. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../../src/errors.ts';
import { htmlPage } from '../../support/fakes/site.ts';
import { type Memory, readOrigin } from '../../support/worlds/read-origin.ts';
import { useSite } from './harness.ts';

const web = useSite();
beforeEach(() => {
  web.site.set({ '/': htmlPage('Home', ['/a', '/b']), '/a': htmlPage('A', []), '/b': htmlPage('B', []) });
});

/** Returns the milliseconds between requests for pages. */
function gaps(): number[] {
  const times = web.site.requests.filter(({ path }) => path !== '/robots.txt').map(({ at }) => at);
  return times.slice(1).map((at, index) => at - times[index]!);
}

/** Crawls twice, the second time with other options; returns the requests of the second crawl. */
async function crawlTwice(second: Parameters<typeof web.connector>[0], origin = web.origin()): Promise<string[]> {
  const memory: Memory = new Map();
  await readOrigin(web.connector(), web.origin(), { memory });
  web.site.requests.length = 0;
  const { unchanged } = await readOrigin(web.connector(second), origin, { memory });
  assert.ok(web.site.requests.filter(({ path }) => path !== '/robots.txt').every(({ status }) => status === 304));
  return web.pathsOf(unchanged).sort();
}

test('pages that did not change are requested with the shortest pause', { timeout: 30_000 }, async () => {
  // With the usual pause the crawl would exceed the time limit of this test.
  assert.deepEqual(await crawlTwice({ delayMs: 60_000, delayMinMs: 0 }), ['/', '/a', '/b']);
});

test('a page that changed is followed by the usual pause', async () => {
  const memory: Memory = new Map();
  await readOrigin(web.connector(), web.origin(), { memory });
  web.site.requests.length = 0;
  web.site.set({ '/': htmlPage('Home, edited', ['/a', '/b']) });
  const { stored } = await readOrigin(web.connector({ delayMs: 150, delayMinMs: 0 }), web.origin(), { memory });
  assert.deepEqual(web.pathsOf(Object.keys(stored)), ['/']);
  assert.ok(gaps()[0]! >= 145, String(gaps()));
});

test('a crawl with its own pause uses it also after pages that did not change', async () => {
  await crawlTwice({ delayMs: 0, delayMinMs: 0 }, web.origin({ delayMs: 100 }));
  assert.ok(
    gaps().every((gap) => gap >= 95),
    String(gaps()),
  );
});

test('a longer Crawl-delay of robots.txt applies also after pages that did not change', async () => {
  web.site.set({ '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nCrawl-delay: 0.15\n' } });
  await crawlTwice({ delayMs: 0, delayMinMs: 0 }, web.origin({ delayMs: 1 }));
  assert.ok(
    gaps().every((gap) => gap >= 145),
    String(gaps()),
  );
});

test('no crawl, old or new, sends requests faster than the operator allows', async () => {
  await readOrigin(web.connector({ delayMs: 200, delayMinMs: 100 }), web.origin({ delayMs: 1 }));
  assert.ok(
    gaps().every((gap) => gap >= 95),
    String(gaps()),
  );
});

test('the long pause of one crawl does not hold up another crawl of the host', { timeout: 30_000 }, async () => {
  const connector = web.connector({ delayMinMs: 0 });
  const stop = new AbortController();
  const slow = readOrigin(connector, web.origin({ delayMs: 60_000 }), { signal: stop.signal }).catch(() => undefined);
  while (web.site.requests.every(({ path }) => path === '/robots.txt')) await pause(5);
  // With the pause of the other crawl, this crawl would exceed the time limit of this test.
  const { stored } = await readOrigin(connector, web.origin());
  assert.deepEqual(web.pathsOf(Object.keys(stored)).sort(), ['/', '/a', '/b']);
  stop.abort(new Error('the test is over'));
  await slow;
});

test('a pause outside the bounds is refused with a message that names the bounds', () => {
  const connector = web.connector({ delayMs: 250, delayMinMs: 100 });
  for (const delayMs of [100, 60_000, null]) connector.check(web.origin({ delayMs }), null);
  for (const delayMs of [99, -1, 60_001, 100.5])
    assert.throws(
      () => connector.check(web.origin({ delayMs }), null),
      (error) =>
        error instanceof ServiceError &&
        error.message.startsWith(
          'delay_ms must be a whole number from 100, the shortest pause of this service, to 60000',
        ),
      String(delayMs),
    );
});

test('a page that asks for too long a pause with 503 is skipped alone, and a site that does so for two in a row is skipped', async () => {
  const closed = { status: 503, headers: { 'retry-after': new Date(Date.now() + 86_400_000).toUTCString() } };
  web.site.set({
    '/': htmlPage('Home', ['/a', '/b', '/c', '/d', '/e']),
    '/b': htmlPage('B', []),
    '/e': htmlPage('E', []),
  });
  web.site.set({ '/a': closed, '/c': closed, '/d': closed });
  const { stored, failed } = await web.crawl();
  assert.deepEqual(web.pathsOf(Object.keys(stored)), ['/', '/b']);
  assert.deepEqual(web.pathsOf(Object.keys(failed)), ['/a', '/c', '/d', '/e']);
  assert.deepEqual(web.site.paths(), ['/', '/a', '/b', '/c', '/d']);
});
