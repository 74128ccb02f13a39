import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSitemap, type Sitemap } from './sitemap.ts';

function sitemapOf(text: string): Sitemap {
  const sitemap = parseSitemap(text);
  assert.ok(sitemap);
  return sitemap;
}

test('a sitemap gives pages with their dates', () => {
  const { pages, isComplete } =
    sitemapOf(`<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <url><loc> https://example.com/a?x=1&#38;y=2&amp;z=3 </loc><lastmod>2025-03-04T05:06:07+02:00</lastmod><priority>0.5</priority></url>
    <url><lastmod>soon</lastmod><loc><![CDATA[https://example.com/b]]></loc></url><url></url></urlset>`);
  assert.deepEqual(
    pages.map(({ location, modifiedAt }) => [location, modifiedAt?.toISOString()]),
    [
      ['https://example.com/a?x=1&y=2&z=3', '2025-03-04T03:06:07.000Z'],
      ['https://example.com/b', undefined],
    ],
  );
  assert.equal(isComplete, true);
});

test('the location ends at the next closing tag, whatever stands before it', () => {
  const { pages } = sitemapOf(`<urlset><url><loc>${' '.repeat(150)}<![CDATA[https://a/x<y]]></loc></url>
    <url><loc><!-- none --></loc><image:loc>https://a/i</image:loc></url></urlset>`);
  assert.deepEqual(
    pages.map(({ location }) => location),
    ['https://a/x<y', '<!-- none -->'],
  );
});

test('a sitemap index gives its sitemaps, with and without a namespace prefix', () => {
  const index = sitemapOf(
    '<s:sitemapindex xmlns:s="x"><s:sitemap><s:loc>https://example.com/1.xml</s:loc></s:sitemap></s:sitemapindex>',
  );
  assert.deepEqual([index.sitemaps, index.pages, index.isComplete], [['https://example.com/1.xml'], [], true]);
});

test('a truncated sitemap is reported as incomplete', () => {
  const cut = sitemapOf('<urlset><url><loc>https://example.com/a</loc></url><url><loc>https://exam');
  assert.deepEqual([cut.pages.length, cut.isComplete], [1, false]);
});

test('lines of addresses are a sitemap, and other texts are none', () => {
  assert.equal(parseSitemap('\ufeffhttps://example.com/a\r\nhttps://example.com/b\r\n')?.pages.length, 2);
  for (const text of ['', '<html><a href="https://example.com/">x</a></html>', 'https://example.com/a\nhello'])
    assert.equal(parseSitemap(text), undefined);
});

test('a hostile sitemap is parsed in little time', () => {
  for (const shape of ['<url>', '<url><loc>', '<url><loc><![CDATA['])
    assert.ok(sitemapOf(`<urlset>${shape.repeat(200_000)}`).pages.length <= 50_000);
  const entry = `<url>${'<loc>'.repeat(3_000)}`;
  assert.equal(sitemapOf(`<urlset>${entry.repeat(2_000)}`).pages.length, 0);
});
