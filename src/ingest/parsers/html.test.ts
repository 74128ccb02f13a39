import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHtml } from './html.ts';

const page = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`;

test('headings, paragraphs, lists, tables, code and quotes become Markdown', () => {
  const parsed = parseHtml(
    page(`<h1>Guide &amp; more</h1><p>One <b>bold</b>
      <a href="/x">link</a>.<br>Next line.</p><ul><li>a<ul><li>b</li></ul></li><li>c</li></ul><ol start="3"><li>d</li></ol>
      <table><caption>Prices</caption><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2 | 3</td></tr></table>
      <pre>let a = 1;\n  b();</pre><blockquote><p>said</p><p>twice</p></blockquote>`),
    [],
  );
  assert.equal(
    parsed.text,
    [
      '# Guide & more',
      'One bold link.\nNext line.',
      '- a\n  - b\n- c',
      '3. d',
      'Prices',
      '| x | y |\n| --- | --- |\n| 1 | 2 \\| 3 |',
      '```\nlet a = 1;\n  b();\n```',
      '> said\n>\n> twice',
    ].join('\n\n'),
  );
});

test('scripts, styles, hidden elements and forms are not text', () => {
  const body =
    '<script>alert(1)</script><style>p{}</style><p hidden>no</p><p style="display: none">no</p><select><option>no</option></select><p>yes</p>';
  assert.equal(parseHtml(page(body), []).text, 'yes');
});

test('a page with navigation gives its article, tables included', () => {
  const nav = Array.from({ length: 60 }, (_, i) => `<li><a href="/${i}">Menu entry number ${i}</a></li>`).join('');
  const words = 'The history of the library is long and full of events that matter to its readers today. ';
  const body = `<nav><ul>${nav}</ul></nav><main><article><h1>History</h1>${`<p>${words.repeat(6)}</p>`.repeat(6)}
    <table><tr><th>Year</th><th>Event</th></tr><tr><td>1901</td><td>Opened</td></tr></table></article></main><footer>Imprint</footer>`;
  const { text } = parseHtml(page(body, '<title>History</title>'), []);
  assert.match(text, /The history of the library/);
  assert.match(text, /\| 1901 \| Opened \|/);
  assert.doesNotMatch(text, /Menu entry/);
});

test('meta tags give metadata and the declared keys', () => {
  const head = '<title> The  page </title><meta name="author" content="Ann"><meta name="Price" content="3">';
  const parsed = parseHtml(page('<p>x</p>', head), [{ key: 'price', type: 'integer' }]);
  assert.equal(parsed.title, 'The page');
  assert.deepEqual(parsed.metadata['author'], { val: 'Ann', type: 'string' });
  assert.deepEqual(parsed.chunkMetadata, { price: { val: '3', type: 'integer' } });
});

test('a page that is nested too deeply gives its text', () => {
  const depth = 50_000;
  const parsed = parseHtml(`${'<div>'.repeat(depth)}deep text &#233;${'</div>'.repeat(depth)}`, []);
  assert.equal(parsed.text.trim(), 'deep text é');
  assert.equal(parsed.warnings.length, 1);
});

test('fragments without html and body are read', () => {
  assert.equal(parseHtml('<p>one<p>two', []).text, 'one\n\ntwo');
});
