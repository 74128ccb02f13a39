import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinkMarks } from './formats/markup/link-marks.ts';
import { LINK_TEXT_UNITS_MAX, outsideLinks, pageLinks, placeLinks } from './links.ts';

test('links of a page become absolute; scripts, data, mail addresses and links within the page are dropped', () => {
  const read = pageLinks('https://ex.example/docs/a.html');
  const cases: [string, string | undefined][] = [
    ['b.html', 'https://ex.example/docs/b.html'],
    ['//cdn.example/x', 'https://cdn.example/x'],
    [' /c\n', 'https://ex.example/c'],
    ['http://o.example/p#part', 'http://o.example/p#part'],
    ['#top', undefined],
    ['a.html#top', undefined],
    ['', undefined],
    ['javascript:alert(1)', undefined],
    ['java\nscript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['mailto:a@b.example', undefined],
    ['http://', undefined],
    [`/${'x'.repeat(600)}`, undefined],
  ];
  for (const [href, url] of cases) assert.equal(read(href), url, href);
});

test('relative links stay relative on a page without an address, and are dropped in other files', () => {
  assert.equal(pageLinks(undefined)('docs/x.html'), 'docs/x.html');
  assert.equal(pageLinks('no address')('docs/x.html'), 'docs/x.html');
  assert.deepEqual(['chapter2.xhtml', 'https://a.example/', 'javascript:x'].map(outsideLinks), [
    undefined,
    'https://a.example/',
    undefined,
  ]);
});

test('links are placed at their texts in order, and a link whose text is missing at the end of the link before', () => {
  const links = ['here', 'here', 'gone', 'there'].map((text) => ({ text, url: 'u' }));
  assert.deepEqual(
    placeLinks('here, or here, and there', links).map(({ at }) => at),
    [0, 9, 13, 19],
  );
});

test('a long link text is truncated, whether it comes from a mark or from the block', () => {
  const long = 'word '.repeat(1000);
  const marks = new LinkMarks();
  const marked = marks.take(`see ${marks.mark(long, 'https://a.example/')}`).links;
  for (const links of [marked, placeLinks(`see ${long}`, [{ text: long, url: 'u' }])])
    assert.deepEqual(
      links.map(({ text, at }) => [text, at]),
      [[long.slice(0, LINK_TEXT_UNITS_MAX), 4]],
    );
});
