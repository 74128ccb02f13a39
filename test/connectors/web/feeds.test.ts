/** Web crawls: feeds, and pages with more links than are followed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { feedLinks, readFeed } from '../../../src/connectors/web/feed.ts';
import { htmlPage } from '../../support/fakes/site.ts';
import { useSite } from './harness.ts';

const web = useSite();
const rss = (...links: string[]) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${links
    .map((link) => `<item><title>One</title><link>${link}</link></item>`)
    .join('')}</channel></rss>`;

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('a feed', () => {
  test('as the first address leads to its entries, also when it did not change', async () => {
    for (const type of ['application/rss+xml', 'text/xml']) {
      web.site.set({
        '/feed': { body: rss('/a', '<![CDATA[/b?x=1&y=2]]>', '/c?x=1&amp;y=2'), type },
        '/a': htmlPage('A', []),
        '/b?x=1&y=2': htmlPage('B', []),
        '/c?x=1&y=2': htmlPage('C', []),
      });
      const urls = [`${web.base}/feed`];
      const memory = new Map();
      const first = await web.crawl({ urls }, { memory });
      const all = ['/a', '/b?x=1&y=2', '/c?x=1&y=2', '/feed'];
      assert.deepEqual(web.pathsOf(Object.keys(first.stored)).sort(), all);
      assert.equal(first.stored[`${web.base}/feed`], rss('/a', '<![CDATA[/b?x=1&y=2]]>', '/c?x=1&amp;y=2'));
      const again = await web.crawl({ urls }, { memory });
      assert.deepEqual([web.pathsOf(again.unchanged).sort(), again.full], [all, true]);
    }
  });

  test('that breaks off fails, and its entries stay', async () => {
    web.site.set({ '/feed': { body: rss('/a'), type: 'text/xml' }, '/a': htmlPage('A', []) });
    const urls = [`${web.base}/feed`];
    const memory = new Map();
    await web.crawl({ urls }, { memory });
    web.site.set({ '/feed': { body: rss('/a', '/b'), type: 'text/xml' } });
    web.site.faults.add(/\/feed/, { truncateAfter: 60 }, 9);
    const again = await web.crawl({ urls }, { memory });
    assert.deepEqual(Object.keys(again.failed), urls);
  });

  test('is read for its links also if it is not stored itself, unless it says nofollow', async () => {
    const comment = `<!-- ${'made by a program '.repeat(200)} -->`;
    const body = rss('/posts/a').replace('<rss', `${comment}<rss`);
    const urls = [`${web.base}/feed.xml`];
    const read = async (robots: string, includePaths: string[] = []) => {
      web.site.set({
        '/feed.xml': { body, type: 'text/xml', ...(robots && { headers: { 'x-robots-tag': robots } }) },
        '/posts/a': htmlPage('A', []),
      });
      return web.pathsOf(Object.keys((await web.crawl({ urls, includePaths })).stored)).sort();
    };
    assert.deepEqual(await read('', ['/posts/**']), ['/posts/a']);
    assert.deepEqual(await read('noindex, follow'), ['/posts/a']);
    assert.deepEqual(await read('nofollow'), ['/feed.xml']);
  });

  test('that is not stored and breaks off fails, so nothing is deleted', async () => {
    web.site.set({ '/feed.xml': { body: rss('/posts/a'), type: 'text/xml' }, '/posts/a': htmlPage('A', []) });
    web.site.faults.add(/\/feed/, { truncateAfter: 60 }, 9);
    const urls = [`${web.base}/feed.xml`, `${web.base}/posts/a`];
    const { failed, full } = await web.crawl({ urls, includePaths: ['/posts/**'] });
    assert.deepEqual([Object.keys(failed), full], [[urls[0]], false]);
  });

  test('of Atom links its entries, not itself or its enclosures', () => {
    const text = `<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/atom"/><link href='/' />
      <entry><link rel="alternate" type="text/html" href="/a?b=1&amp;c=2"/><link rel="enclosure" href="/a.mp3"/></entry></feed>`;
    assert.deepEqual(feedLinks(text), ['/', '/a?b=1&c=2']);
  });

  test('with hostile text is read in linear time', async () => {
    assert.equal((await readFeed('xml', pieces('<!--'.repeat(100_000)))).links.length, 0);
    for (const piece of ['<link ', '<link>', '<link><![CDATA[', '<link rel="', '<x:link href="'])
      assert.ok(feedLinks(piece.repeat(200_000)).length <= 5_000);
  });
});

test('a crawl says how many links of a page it did not follow', async () => {
  const links = Array.from({ length: 20_003 }, (_, i) => `http://other.example/${i}`);
  web.site.set({ '/': htmlPage('All', links) });
  const { notice } = await web.crawl();
  assert.equal(notice?.title, 'A page has too many links');
  assert.match(notice!.message, /the first 20000 links of http.*, and left 3 out/);
});
