import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHtml } from './html.ts';

const page = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`;

test('headings, paragraphs, lists, tables, code and quotes of a page become Markdown', () => {
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

test('labels of items are no text of a page: only converted Word files have them', () => {
  const item = '<li pinakes-label="-&#10;&#10;# New section&#10;&#10;x">a</li>';
  assert.equal(parseHtml(page(`<ul>${item}</ul>`), []).text, '- a');
  assert.equal(
    parseHtml(page(`<table>${`<tr><td>x</td><td><ul>${item}</ul></td></tr>`.repeat(2)}</table>`), []).text,
    '| x | a |\n| --- | --- |\n| x | a |',
  );
  assert.equal(parseHtml(page(`<ul>${item}<li><table><tr><td>b</td></tr></table></li></ul>`), []).text, 'a\n\nb');
});

test('scripts, styles, hidden elements and forms are not text of a page', () => {
  const body =
    '<script>alert(1)</script><style>p{}</style><p hidden>no</p><p style="display: none">no</p><select><option>no</option></select><p>yes</p>';
  assert.equal(parseHtml(page(body), []).text, 'yes');
});

test('tabs and alternatives that a script of the page shows are kept, and dialogs, menus and templates are not', () => {
  const keys =
    '<span class="switch"><span hidden="true" class="MAC">Command</span><span hidden="true">Ctrl</span></span>';
  const body = `<h1>Moving a <span><span hidden>slide</span> <span style="display:none">page</span></span></h1><p>Press ${keys}+M.</p>
    <div><div role="tabpanel"><p>Run the shell script.</p></div><div role="tabpanel" hidden><p>Run the batch file.</p></div></div>
    <section hidden="until-found"><p>A folded section.</p></section>
    <div role="dialog" hidden><p>no</p></div><ul role="menu" hidden><li>no</li></ul><div><div hidden>no</div></div>
    <p>A line <span hidden>no</span> with <span><span hidden>no</span> words.</span></p>`;
  assert.deepEqual(parseHtml(page(body), []).text.split('\n\n'), [
    '# Moving a slide / page',
    'Press Command / Ctrl+M.',
    'Run the shell script.',
    'Run the batch file.',
    'A folded section.',
    'A line with words.',
  ]);
});

test('a page with an article and navigation gives its article with its tables', () => {
  const nav = Array.from({ length: 60 }, (_, i) => `<li><a href="/${i}">Menu entry number ${i}</a></li>`).join('');
  const words = 'The history of the library is long and full of events that matter to its readers today. ';
  const body = `<nav><ul>${nav}</ul></nav><main><article><h1>History</h1>${`<p>${words.repeat(6)}</p>`.repeat(6)}
    <table><tr><th>Year</th><th>Event</th></tr><tr><td>1901</td><td>Opened</td></tr></table>
    <div><table><tr><td><a href="/a">Reading</a></td><td>1</td></tr><tr><td><a href="/b">Music</a></td><td>2</td></tr></table></div></article></main><footer>Imprint</footer>`;
  const { text } = parseHtml(page(body, '<title>History</title>'), []);
  assert.match(text, /The history of the library/);
  assert.match(text, /\| 1901 \| Opened \|/);
  assert.match(text, /\| Reading \| 1 \|\n.*\n\| Music \| 2 \|/);
  assert.doesNotMatch(text, /Menu entry/);
});

test('a spanning cell is repeated in each row and column, unless its row has no other cell', () => {
  const table = `<table><tr><th>Group</th><th>from</th><th>to</th></tr><tr><td rowspan="2">small</td><td colspan="2">none</td></tr>
    <tr><td>1</td><td>2</td></tr><tr><td colspan="3">Sizes</td></tr></table>`;
  const rows = parseHtml(page(table), []).text.split('\n');
  assert.deepEqual(rows.slice(2), ['| small | none | none |', '| small | 1 | 2 |', '| Sizes |  |  |']);
  const wide = `<table>${'<tr><td colspan="1000" rowspan="1000">wide</td><td>x</td></tr>'.repeat(50)}</table>`;
  assert.ok(parseHtml(page(wide), []).text.length < 500_000);
});

const WORDS = 'The history of the library is long and full of events that matter to its readers today. ';
const NAV = `<nav>${Array.from({ length: 60 }, (_, i) => `<a href="/${i}">Menu entry number ${i}</a>`).join(' ')}</nav>`;

test('an article body that a page marks is read without the teasers beside it', () => {
  const teaser = `<div>${`<p>${'Another story that many people read this week. '.repeat(6)}</p>`.repeat(2)}</div>`;
  const body = `${NAV}<article><h1>History</h1><div itemprop="articleBody">${`<p>${WORDS.repeat(4)}</p>`.repeat(6)}</div>${teaser}</article>`;
  const { text } = parseHtml(page(body), []);
  assert.match(text, /The history of the library/);
  assert.doesNotMatch(text, /Another story|Menu entry/);
});

test('a box with much prose inside an article is kept, whatever its class says', () => {
  const hidden = `<div class="related-sidebar promo">${`<p>${WORDS.replace('library', 'archive').repeat(4)}</p>`.repeat(8)}</div>`;
  const body = `${NAV}<div><article><h1>History</h1>${`<p>${WORDS.repeat(4)}</p>`.repeat(6)}${hidden}</article></div>`;
  const { text } = parseHtml(page(body), []);
  assert.match(text, /history of the library/);
  assert.match(text, /history of the archive/);
  assert.doesNotMatch(text, /Menu entry/);
});

test('the mail address or telephone number behind a link is added to its text', () => {
  const links = [
    '<a href="mailto:info@example.org?subject=x">Write</a>',
    '<a href="tel:+49-30-1234">call</a>',
    '<a href="tel:+49301234">+49 30 1234</a>',
    '<a href="mailto:info@example.org">info@example.org</a>',
    '<a href="https://example.org/a">read on</a>',
  ].join(', ');
  const text = 'Write (info@example.org), call (+49-30-1234), +49 30 1234, info@example.org, read on';
  assert.equal(parseHtml(page(`<p>${links}</p><ul><li>${links}</li></ul>`), []).text, `${text}\n\n- ${text}`);
});

test('the meta tags of a page become metadata and declared chunk metadata', () => {
  const head = '<title> The  page </title><meta name="author" content="Ann"><meta name="Price" content="3">';
  const parsed = parseHtml(page('<p>x</p>', head), [{ key: 'price', type: 'integer' }]);
  assert.equal(parsed.title, 'The page');
  assert.deepEqual(parsed.metadata['author'], { val: 'Ann', type: 'string' });
  assert.deepEqual(parsed.chunkMetadata, { price: { val: '3', type: 'integer' } });
});

test('a page that is nested too deeply becomes plain text with a warning', () => {
  const depth = 50_000;
  const parsed = parseHtml(`${'<div>'.repeat(depth)}deep text &#233;${'</div>'.repeat(depth)}`, []);
  assert.equal(parsed.text.trim(), 'deep text é');
  assert.equal(parsed.warnings.length, 1);
});

test('text after the end tag of a page is read', () => {
  assert.equal(parseHtml(`${page('<p>one</p>')}<p>two</p></body></html>`, []).text, 'one\n\ntwo');
});

test('HTML without html and body elements is read', () => {
  assert.equal(parseHtml('<p>one<p>two', []).text, 'one\n\ntwo');
});

test('links of headings, lists, tables and paragraphs are recorded apart from the text', () => {
  const body = `<h2><a href="/h">Head</a></h2><p>Read <a href="b"><b>the</b> guide</a> or <a href="javascript:x()">run</a>.</p>
    <ul><li><a href="l">one</a><ul><li><a href="m">two</a></li></ul></li></ul>
    <table><caption><a href="k">cap</a></caption><tr><td>x</td><td><a href="t">cell</a></td></tr><tr><td>1</td><td>2</td></tr></table>
    <blockquote><a href="q">said</a></blockquote><a href="card"><div>Card</div><div>more</div></a>`;
  const { text, blocks } = parseHtml(page(body, '<base href="/docs/">'), [], 'https://ex.example/other/');
  assert.ok(!text.includes('ex.example'));
  const links = blocks.flatMap((block) => (block.links ?? []).map((link) => [block.kind, link] as const));
  assert.deepEqual(
    links.map(([kind, { url, at, text: shown }]) => [
      kind,
      url.replace('https://ex.example/', ''),
      shown,
      text.slice(at, at + 3),
    ]),
    [
      ['heading', 'h', 'Head', 'Hea'],
      ['paragraph', 'docs/b', 'the guide', 'the'],
      ['list', 'docs/l', 'one', 'one'],
      ['list', 'docs/m', 'two', 'two'],
      ['paragraph', 'docs/k', 'cap', 'cap'],
      ['table', 'docs/t', 'cell', 'cel'],
      ['quote', 'docs/q', 'said', 'sai'],
      ['paragraph', 'docs/card', 'Card more', 'Car'],
    ],
  );
});

test('code keeps the language that the page names, inside and outside of articles', () => {
  const code = (open: string, close = '</pre>') => `${open}x = 1${close}`;
  const body = [
    code('<pre><code class="language-python hljs">', '</code></pre>'),
    code('<div class="highlight highlight-source-js"><div><pre>', '</pre></div></div>'),
    code('<pre class="brush: sql; toolbar: false">'),
    code('<pre class="plain">'),
    code('<pre data-lang="go">'),
  ].join('<p>and then</p>');
  const languages = (html: string) =>
    Array.from(parseHtml(html, []).text.matchAll(/```(\w*)\nx = 1/g), ([, language]) => language);
  assert.deepEqual(languages(page(body)), ['python', 'js', 'sql', '', 'go']);
  const text = `<p>${'The keeper wrote a long letter, and nobody answered it, in all the years. '.repeat(12)}</p>`;
  assert.deepEqual(languages(page(`<nav><a href="/">Home</a></nav><article>${text}${body}${text}</article>`)), [
    'python',
    'js',
    'sql',
    '',
    'go',
  ]);
});

test('the mark of a footnote does not become part of the word before it', () => {
  const { text } = parseHtml(
    page(
      '<p>A claim<sup><a href="#fn1">1</a></sup>, one more<a href="p.html#n2" epub:type="noteref">2</a>, H<sub>2</sub>O, <a href="#s3">3</a>, x<sup>2</sup>.</p>',
    ),
    [],
  );
  assert.equal(text, 'A claim[^1], one more[^2], H2O, 3, x^2.');
});

test('raised cents, units, fractions and abbreviations do not become marks of notes', () => {
  const { text } = parseHtml(
    page(
      '<p>19,<sup>99</sup> EUR, 5 inch<sup>2</sup>, 2<sup>1</sup>/<sub>2</sub> cups, D<sup>r</sup> Bo, 2<sup>1</sup>⁄<sub>2</sub></p>',
    ),
    [],
  );
  assert.equal(text, '19,99 EUR, 5 inch^2, 2 1/2 cups, Dr Bo, 2 1⁄2');
});

test('the mark of a note behind a number does not become its decimals', () => {
  const { text } = parseHtml(page('<p>5,400 people in 2019.<sup>12</sup> It grew by 40,<sup>13</sup></p>'), []);
  assert.equal(text, '5,400 people in 2019.[^12] It grew by 40,[^13]');
});

test('a page is read whole where scripts and messages of programs stand before <html>', () => {
  const before = '<script>if (1 < 2) { go(); }</script>\n<br><b>Warning</b>: x.php<br>';
  const parsed = parseHtml(
    `${before}<html lang="de"><head><title>T</title></head><body><p>Words of the page.</p></body></html>`,
    [],
  );
  assert.match(parsed.text, /Words of the page\.$/);
  assert.doesNotMatch(parsed.text, /go\(/);
  assert.equal(parsed.title, 'T');
  assert.equal(parsed.metadata.language?.val, 'de');
  const commented = '<!--[if lt IE 7]> <html class="ie6"> <![endif]-->';
  assert.equal(
    parseHtml(`<!doctype html>${commented}<html lang="de"><body><p>Words</p></body></html>`, []).text,
    'Words',
  );
});

test('pages that begin with many blanks, comments or declarations take no long work', () => {
  const words = '<div>words</div>';
  for (const before of [' '.repeat(100_000), '<!-- a -->\n'.repeat(10_000), '<!x>\n'.repeat(10_000)])
    assert.equal(parseHtml(`${before}${words}`, []).text, 'words');
  assert.equal(parseHtml('<!-- '.repeat(100_000) + words, []).text, '');
  const lang = '<!--[if gt IE 8]><!--> <html lang="de"> <!--<![endif]-->';
  assert.equal(parseHtml(`<?xml version="1.0"?>\n${lang}<body>${words}`, []).metadata.language?.val, 'de');
});

test('the root of a page is no tag in a comment or script, and may follow a document type with entities', () => {
  const languageOf = (html: string) => parseHtml(html, []).metadata.language?.val;
  const words = '<p>Body words</p>';
  const entities = parseHtml(`<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "b">]><html lang="de">${words}`, []);
  assert.equal(entities.text, 'Body words');
  assert.equal(entities.metadata.language?.val, 'de');
  assert.notEqual(languageOf(`<!doctype html><script>document.write("<html lang=q>")</script>${words}`), 'q');
  assert.equal(languageOf(`<div>a</div> <!-- <html lang="xx"> --> <html lang="de">${words}`), 'de');
  for (const open of ['<!--', '<script>', '<![ ', '<!a>'])
    assert.doesNotThrow(() => parseHtml(`<br>${open.repeat(100_000)}`, []));
});

test('tasks in a list have their boxes, and boxes of a form have none', () => {
  const text = (html: string) => parseHtml(`<main>${html}</main>`, []).text;
  const exported = (state: string) =>
    `<ul><li><div class="checkbox checkbox-${state}"></div> <span>Move</span></li></ul>`;
  assert.equal(text(exported('on') + exported('off')), '- ☒ Move\n\n- ☐ Move');
  const tasks = '<ul class="inline-task-list"><li class="checked">Move</li><li>Clean</li></ul>';
  assert.equal(text(tasks), '- ☒ Move\n- ☐ Clean');
  const box = (more: string) => `<input type="checkbox" ${more}>`;
  const inner = `<ul><li><p>${box('disabled checked')} Move</p></li></ul>`;
  assert.equal(
    text(`<ul><li>${box('class="task-list-item-checkbox"')} Plan${inner}</li></ul>`),
    '- ☐ Plan\n  - ☒ Move',
  );
  assert.equal(text(`<ul><li>All${inner}</li></ul>`), '- All\n  - ☒ Move');
  assert.equal(text(`<ul><li>${box('checked')} Only news</li></ul>`), '- Only news');
});

test('a formula that is drawn sign by sign is written once, as LaTeX', () => {
  const math =
    '<math><semantics><mi>E</mi><mo>=</mo><mi>m</mi><annotation encoding="application/x-tex">E=m</annotation></semantics></math>';
  const drawn = '<span class="katex-html" aria-hidden="true"><span>E</span><span>=</span><span>m</span></span>';
  const formula = `<span class="katex"><span class="katex-mathml">${math}</span>${drawn}</span>`;
  assert.equal(parseHtml(`<main><p>We have ${formula} here.</p></main>`, []).text, 'We have E=m here.');
  const alone = `<main><p>We have <span class="katex">${drawn}</span> here.</p></main>`;
  assert.equal(parseHtml(alone, []).text, 'We have E=m here.');
});

test('values of a property that only styles keep apart are separated', () => {
  const cell = '<span class="selected-value a">data</span><span class="selected-value">disk</span>';
  const table = `<table><tr><th>Tags</th><td>${cell}</td></tr><tr><th>x</th><td><span>da</span><span>ta</span></td></tr></table>`;
  assert.match(parseHtml(`<main>${table}</main>`, []).text, /\| data, disk \|[\s\S]*\| data \|/);
});
