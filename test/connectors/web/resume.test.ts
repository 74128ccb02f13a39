/** A crawl that was interrupted goes on where it was: it asks for no page again, and ends as if nothing had happened. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { WebConnectorOptions } from '../../../src/connectors/web/connector.ts';
import { QUERIES_PER_PATH_MAX } from '../../../src/connectors/web/frontier.ts';
import { toState } from '../../../src/connectors/web/state.ts';
import type { Opaque } from '../../../src/corpus/origin.ts';
import { htmlPage } from '../../support/fakes/site.ts';
import type { Memory } from '../../support/worlds/read-origin.ts';
import { useSite, type WebOrigin } from './harness.ts';

const web = useSite();

interface Options {
  origin?: Partial<WebOrigin>;
  connector?: Partial<WebConnectorOptions>;
  memory?: Memory;
  /** Whether the crawl is interrupted after this step. */
  isCut?: (step: number) => boolean;
  /** The first interruption loses this many steps, as if the service ended before it stored them. */
  lost?: number;
  /** Steps that were stored before; the crawl adds its own. */
  steps?: Opaque[];
}

/** Crawls, with interruptions; returns the changes in words, and the paths that were requested. */
async function crawl({
  origin,
  connector,
  memory = new Map(),
  isCut = () => false,
  lost = 0,
  steps = [],
}: Options): Promise<{
  changes: string[];
  paths: string[];
}> {
  web.site.requests.length = 0;
  const changes: string[] = [];
  for (let parts = 0; parts < 1_000; parts += 1) {
    const listing = web.connector({ delayMinMs: 0, ...connector }).list(web.origin({ maxDepth: 2, ...origin }), null, {
      cursor: null,
      resume: null,
      findStored: async (id) => memory.get(id),
      listStored: async () => [...memory.keys()],
      readSteps: async function* () {
        yield [...steps];
      },
      signal: new AbortController().signal,
    });
    for await (const change of listing) {
      if (change.kind === 'step') {
        steps.push(JSON.parse(JSON.stringify(change.step)));
        if (!isCut(steps.length)) continue;
        if (parts === 0) steps.length -= lost;
        break;
      } else if (change.kind === 'end') {
        changes.push(`end ${change.full} ${change.notice?.message}`);
        return { changes, paths: web.site.paths() };
      } else if (change.kind === 'present') changes.push(`present ${change.item.originId} ${change.item.name}`);
      else if ('originId' in change) changes.push(`${change.kind} ${change.originId}`);
    }
  }
  throw new Error('the crawl does not end');
}

const ALWAYS = () => true;
const sorted = (texts: readonly string[]) => [...texts].sort();

beforeEach(() => {
  const { base, site } = web;
  const queries = Array.from({ length: QUERIES_PER_PATH_MAX + 5 }, (_, i) => `/list?page=${i}`);
  site.set({
    '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /private/\n' },
    '/sitemap.xml': {
      type: 'application/xml',
      body: `<urlset><url><loc>${base}/in-sitemap</loc><lastmod>2026-01-02</lastmod></url></urlset>`,
    },
    '/': htmlPage('Home', [
      '/a',
      '/moved',
      '/for-now',
      '/missing',
      '/private/b',
      '/deep/1',
      '/a',
      ...queries.slice(0, 30),
    ]),
    '/a': htmlPage('A', ['/', '/moved', '/hidden', '/broken', ...queries]),
    '/moved': { to: '/new' },
    '/for-now': { to: '/a', status: 302 },
    '/new': htmlPage('New', ['/deep/2']),
    '/hidden': htmlPage('Hidden', ['/deep/3'], '<meta name="robots" content="noindex">'),
    '/broken': { status: 500, body: 'no' },
    '/in-sitemap': htmlPage('Known', ['/a']),
  });
  for (let i = 1; i < 5; i++) site.set({ [`/deep/${i}`]: htmlPage(`Deep ${i}`, [`/deep/${i + 1}`]) });
  site.invent = (path) => (path.startsWith('/list?') ? htmlPage(path, []) : undefined);
});

describe('a crawl that is interrupted after each page', () => {
  for (const [what, origin] of Object.entries<Partial<WebOrigin>>({
    'within its depth': {},
    'with a sitemap': { useSitemap: true },
    'up to max_pages': { maxPages: 7 },
  }))
    test(`reports the same ${what}, and asks for each page once`, async () => {
      const whole = await crawl({ origin });
      const cut = await crawl({ origin, isCut: ALWAYS });
      assert.deepEqual(cut, whole);
      assert.ok(whole.changes.length > 5);
    });

  test('judges stored pages that moved, vanished or are linked no more as one that is not interrupted', async () => {
    const memory: Memory = new Map();
    const state = toState(new Headers(), []);
    for (const path of ['/moved', '/for-now', '/missing', '/gone', '/unlinked', '/deep/2'])
      memory.set(`${web.base}${path}`, { revision: null, state });
    web.site.set({ '/unlinked': htmlPage('Unlinked', []) });
    for (const useSitemap of [false, true]) {
      const whole = await crawl({ memory, origin: { useSitemap } });
      const cut = await crawl({ memory, origin: { useSitemap }, isCut: ALWAYS });
      assert.deepEqual(sorted(cut.changes), sorted(whole.changes));
      assert.ok(whole.changes.includes(`gone ${web.base}/moved`), whole.changes.join('\n'));
    }
  });
});

test('a crawl asks again only for pages after its last step', async () => {
  const whole = await crawl({});
  const cut = await crawl({ isCut: (step) => step === 5, lost: 2 });
  const repeated = cut.paths.filter((path, at) => cut.paths.indexOf(path) < at && whole.paths.indexOf(path) >= 0);
  assert.deepEqual(sorted([...new Set(cut.changes)]), sorted(whole.changes));
  assert.deepEqual([cut.paths.length - whole.paths.length, repeated.slice(0, 2)], [2, whole.paths.slice(4, 6)]);
});

test('a host that the crawl skips stays skipped, and failures before the interruption count', async () => {
  const paths = Array.from({ length: 30 }, (_, i) => `/down/${i}`);
  web.site.set({ '/': htmlPage('Home', paths) });
  for (const path of paths) web.site.set({ [path]: { status: 503 } });
  const whole = await crawl({});
  assert.ok(whole.paths.length < 20);
  assert.deepEqual(await crawl({ isCut: ALWAYS }), whole);
});

test('the pause between two requests to a host also holds after an interruption', async () => {
  web.site.set({ '/': htmlPage('Home', ['/a']), '/a': htmlPage('A', []) });
  await crawl({ connector: { delayMs: 200 }, isCut: ALWAYS });
  const [home, page] = web.site.requests.filter(({ path }) => path !== '/robots.txt');
  assert.ok(page!.at - home!.at >= 195, `${page!.at - home!.at} ms`);
});

test('a crawl starts again after steps of another version, and goes on from the steps that follow them', async () => {
  const whole = await crawl({});
  const old = { version: 0 };
  const steps: Opaque[] = [old];
  assert.deepEqual(await crawl({ isCut: ALWAYS, steps }), whole);
  assert.deepEqual(await crawl({ steps: [...steps, old] }), whole);
});

test('each step has only what is new', async () => {
  const steps: Opaque[] = [];
  await crawl({ isCut: ALWAYS, steps });
  for (const name of ['queue', 'visited', 'linked']) {
    const all = steps.flatMap((step) => (step[name] as unknown[]).map((one) => JSON.stringify(one)));
    assert.ok(all.length > 5);
    assert.equal(new Set(all).size, all.length, name);
  }
  const uncut: Opaque[] = [];
  await crawl({ steps: uncut });
  const withRules = uncut.filter(({ hosts }) => JSON.stringify(hosts).includes('Disallow'));
  assert.deepEqual(withRules, uncut.slice(0, 1));
});

describe('robots.txt', () => {
  const asked = () => web.site.requests.filter(({ path }) => path === '/robots.txt').length;

  test('is read once in its life, and again when it is older', async () => {
    await crawl({ origin: { maxPages: 3 } });
    assert.equal(asked(), 1);
    await crawl({ origin: { maxPages: 3 }, connector: { robotsLifeMs: 0 } });
    assert.ok(asked() >= 3, String(asked()));
  });

  test('that cannot be read again leaves its rules as they were', async () => {
    const { site } = web;
    const rules = site.pages.get('/robots.txt')!;
    site.pages.clear();
    site.set({ '/': htmlPage('Home', ['/private/b', '/a']), '/a': htmlPage('A', []) });
    site.invent = (path) => (path !== '/robots.txt' ? undefined : asked() > 1 ? { status: 500 } : rules);
    const { paths } = await crawl({ connector: { robotsLifeMs: 0 } });
    assert.ok(asked() > 1);
    assert.deepEqual(paths, ['/', '/a']);
  });

  test('that cannot be read after an interruption leaves its rules as they were', async () => {
    const { site } = web;
    const rules = site.pages.get('/robots.txt')!;
    const whole = await crawl({});
    site.pages.delete('/robots.txt');
    const { invent } = site;
    site.invent = (path) => (path !== '/robots.txt' ? invent(path) : asked() > 1 ? { status: 500 } : rules);
    const cut = await crawl({ isCut: (step) => step === 2 });
    assert.ok(asked() > 1);
    assert.deepEqual(cut, whole);
  });
});
