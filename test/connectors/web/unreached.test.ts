/** Stored pages that only a sitemap names: while it is missing, they are asked before they are deleted. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { htmlPage } from '../../support/fakes/site.ts';
import { type Memory, readOrigin } from '../../support/worlds/read-origin.ts';
import { useSite } from './harness.ts';

const web = useSite();
const sitemap = (...paths: string[]) =>
  `<urlset>${paths.map((path) => `<url><loc>${web.base}${path}</loc></url>`).join('')}</urlset>`;

describe('stored pages that only a sitemap named', () => {
  const memory: Memory = new Map();
  const crawl = (options = {}) => web.crawl({ useSitemap: true, ...options }, { memory });
  beforeEach(async () => {
    web.site.set({ '/': htmlPage('Home', []), '/a': htmlPage('A', []), '/b': htmlPage('B', []) });
    web.site.set({ '/sitemap.xml': { type: 'text/xml', body: sitemap('/a', '/b') } });
    memory.clear();
    await crawl();
    assert.equal(memory.size, 3);
    web.site.requests.length = 0;
  });

  for (const [what, answer] of [
    ['is missing for now', null],
    ['is a page for now', htmlPage('Not found', [])],
    ['is empty for now', { type: 'text/xml', body: '<urlset></urlset>' }],
    ['is forbidden for now', { status: 403 }],
  ] as const)
    test(`stay while they answer, and go when they do not, if the sitemap ${what}`, async () => {
      web.site.set({ '/sitemap.xml': answer });
      const first = await crawl();
      assert.deepEqual([web.pathsOf(first.unchanged), first.gone, first.full], [['/', '/a', '/b'], [], true]);
      web.site.set({ '/b': { status: 404 } });
      const second = await crawl();
      assert.deepEqual([web.pathsOf(second.unchanged), web.pathsOf(second.gone)], [['/', '/a'], ['/b']]);
      assert.deepEqual(web.pathsOf((await crawl()).unchanged), ['/', '/a'], 'a page that is gone is asked no more');
    });

  test('go without a request when a sitemap with other pages, or other settings, no longer lead to them', async () => {
    for (const options of [{ useSitemap: false }, { maxDepth: 0 }, { urls: [`${web.base}/b`], useSitemap: false }]) {
      web.site.requests.length = 0;
      const { unchanged, full } = await crawl(options);
      assert.deepEqual([unchanged.length, full], [1, true]);
      assert.equal(web.site.paths().length, 1, JSON.stringify(options));
    }
    web.site.set({ '/sitemap.xml': { type: 'text/xml', body: sitemap('/a') } });
    const { unchanged, full } = await crawl();
    assert.deepEqual([web.pathsOf(unchanged), full], [['/', '/a'], true]);
  });

  test('stay with new content, too', async () => {
    for (const text of ['B, changed', 'B, changed again']) {
      web.site.set({ '/sitemap.xml': null, '/b': htmlPage(text, []) });
      const { stored: read, gone } = await crawl();
      assert.deepEqual([Object.keys(read).length, gone], [1, []]);
    }
  });

  test('are asked after all others, within the limit of pages', async () => {
    web.site.set({ '/sitemap.xml': null, '/': htmlPage('Home', ['/new']), '/new': htmlPage('New', []) });
    await crawl({ maxPages: 3 });
    assert.deepEqual(web.site.paths(), ['/sitemap.xml', '/', '/new', '/a']);
  });
});

describe('an index of sitemaps', () => {
  const index = (count: number) => {
    const maps = Array.from({ length: count }, (_, i) => `<sitemap><loc>${web.base}/map-${i}.xml</loc></sitemap>`);
    return `<sitemapindex>${maps.join('')}</sitemapindex>`;
  };

  test('of 200 files is read to its end, and pages stay while one of the files is missing', async () => {
    const memory: Memory = new Map();
    const crawl = () => web.crawl({ useSitemap: true, maxPages: 300 }, { memory });
    web.site.set({ '/': htmlPage('Home', []), '/sitemap.xml': { type: 'text/xml', body: index(200) } });
    for (let i = 0; i < 200; i += 1)
      web.site.set({
        [`/map-${i}.xml`]: { type: 'text/xml', body: sitemap(`/p${i}`) },
        [`/p${i}`]: htmlPage(`Page ${i}`, []),
      });
    const first = await crawl();
    assert.deepEqual([memory.size, first.notice], [201, undefined]);
    web.site.set({ '/map-199.xml': null });
    const second = await crawl();
    assert.deepEqual([second.unchanged.length, second.gone, second.full], [201, [], true]);
    web.site.set({ '/map-199.xml': { type: 'text/xml', body: sitemap('/p0') } });
    const third = await crawl();
    assert.deepEqual([third.unchanged.length, third.full], [200, true], 'no sitemap names the page any more');
  });

  test('of more files than a crawl reads says how many were left out', async () => {
    web.site.set({ '/': htmlPage('Home', []), '/sitemap.xml': { type: 'text/xml', body: index(1_005) } });
    for (let i = 0; i < 1_005; i += 1) web.site.set({ [`/map-${i}.xml`]: { type: 'text/xml', body: sitemap('/a') } });
    const { notice } = await web.crawl({ useSitemap: true });
    assert.match(`${notice?.title}: ${notice?.message}`, /too many sitemaps: The crawl left 6 sitemaps out/);
  });

  for (const [what, answer] of [
    ['a page', htmlPage('Sorry, this page does not exist', [])],
    ['the first page', { to: '/' }],
  ] as const)
    test(`keeps the pages of a file that is ${what} for now`, async () => {
      const memory: Memory = new Map();
      const crawl = () => web.crawl({ useSitemap: true }, { memory });
      web.site.set({
        '/': htmlPage('Home', []),
        '/sitemap.xml': { type: 'text/xml', body: index(2) },
        '/map-0.xml': { type: 'text/xml', body: sitemap('/a', '/b', '/c') },
        '/map-1.xml': { type: 'text/xml', body: sitemap('/d', '/e') },
        ...Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`/${name}`, htmlPage(`Page ${name}`, [])])),
      });
      await crawl();
      assert.equal(memory.size, 6);
      web.site.set({ '/map-1.xml': answer });
      const { unchanged, gone, failed, full } = await crawl();
      assert.deepEqual([unchanged.length, gone, failed, full], [6, [], {}, true]);
    });

  test('is read only until there are more pages than the crawl can request, wherever the wanted ones are', async () => {
    web.site.set({ '/': htmlPage('Home', []), '/sitemap.xml': { type: 'text/xml', body: index(300) } });
    for (let i = 0; i < 300; i += 1) {
      const path = i < 10 ? `/other/p${i}` : `/wanted/p${i}`;
      web.site.set({
        [`/map-${i}.xml`]: { type: 'text/xml', body: sitemap(path) },
        [path]: htmlPage(`Page ${i}`, []),
      });
    }
    const { stored, notice } = await web.crawl({ useSitemap: true, maxPages: 5, includePaths: ['/wanted/*'] });
    assert.equal(Object.keys(stored).length, 5);
    assert.ok(web.site.requests.length < 150, `${web.site.requests.length} requests`);
    assert.match(notice?.message ?? '', /known addresses were not read/);
  });

  test('is given up after ten files of a host that never end, and the pages of the host are read', async () => {
    web.site.set({ '/': htmlPage('Home', []), '/sitemap.xml': { type: 'text/xml', body: index(60) } });
    for (let i = 0; i < 60; i += 1)
      web.site.set({
        [`/map-${i}.xml`]: { type: 'text/xml', body: '<urlset>', headers: { 'content-length': '9999' } },
      });
    const connector = web.connector({ timeoutMs: 100 });
    const { stored, failed } = await readOrigin(connector, web.origin({ useSitemap: true }));
    assert.deepEqual([Object.keys(stored).length, Object.keys(failed).length], [1, 60]);
    assert.equal(web.site.paths().filter((path) => path.startsWith('/map-')).length, 10);
  });
});
