/** Stored pages that only a sitemap names: while it is missing, they are asked before they are deleted. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { htmlPage } from '../../support/fakes/site.ts';
import type { Memory } from '../../support/worlds/read-origin.ts';
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
