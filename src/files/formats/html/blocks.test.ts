import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkFile } from '../../chunk/chunker.ts';
import { parseHtml } from './html.ts';

const parse = (body: string) => parseHtml(`<!doctype html><html><body>${body}</body></html>`, []);
const textOf = (body: string) => parse(body).text;
const paths = (body: string) => chunkFile(parse(body)).map(({ headingPath }) => headingPath.join(' > '));

test('a term and its short definition become one line of a list', () => {
  const list = `<dl><dt><code>--depth</code> &lt;n&gt;</dt><dd><p>How deep it goes.</p></dd>
    <dt>-v</dt><dt>--verbose</dt><dd>Says more.</dd><dt>Since:</dt><dd>2.0</dd></dl>`;
  assert.equal(textOf(list), '- --depth <n> — How deep it goes.\n- -v, --verbose — Says more.\n- Since: 2.0');
});

test('a long definition begins with its term, and every chunk of it names the term', () => {
  const long = Array.from(
    { length: 160 },
    (_, i) => `<p>Sentence number ${i} says what the depot does about it.</p>`,
  ).join('');
  const parsed = parse(
    `<h1>Options</h1><dl><dt>--depth</dt><dd>${long}<pre>depot --depth 3</pre></dd><dt>--quiet</dt><dd>Nothing.</dd></dl>`,
  );
  assert.match(parsed.text, /\n\n--depth — Sentence number 0 says/);
  const chunks = chunkFile(parsed);
  const inside = chunks.filter(({ content }) => /Sentence number|--depth 3/.test(content));
  assert.ok(inside.length > 1);
  assert.ok(inside.every(({ content, context }) => content.includes('--depth —') || context?.includes('--depth')));
  assert.ok(chunks.every(({ content, context }) => !content.startsWith('- --quiet') || !context?.includes('--depth')));
});

test('a term and its definition share a chunk if both fit', () => {
  const entry = (name: string) =>
    `<dt>${name}</dt><dd><p>${`The ${name} of the depot is wide. `.repeat(25)}</p><p>Its default is ${name}-7.</p></dd>`;
  const names = ['gate', 'yard', 'hall', 'shed', 'tower'];
  const chunks = chunkFile(parse(`<h1>Parts</h1><dl>${names.map(entry).join('')}</dl>`));
  assert.ok(chunks.length > 1);
  for (const name of names) {
    const [chunk, ...others] = chunks.filter(({ content }) => content.includes(`default is ${name}-7`));
    assert.equal(others.length, 0);
    assert.ok(chunk!.content.includes(`${name} — The`), name);
  }
});

test('inline markup never splits a sentence', () => {
  const sentence = `<p>Use <code>--stdin-<wbr>name</code> <b>or</b> <span class="pre">the</span> <a href="x">long<sub>2</sub></a> <kbd>form</kbd>.</p>`;
  assert.equal(textOf(sentence), 'Use `--stdin-name` or the long2 `form`.');
});

test('headings and heading paths keep their signs and lose permalinks', () => {
  const headings = [
    '<h1>C++ <a class="headerlink" href="#c" title="Link to this heading">¶</a></h1><p>one</p>',
    '<h2><a href="#x">◆ </a>libusb_open()</h2><p>two</p>',
    '<h2>__init__ and *args<a href="#y">Link to this heading</a></h2><p>three</p>',
    '<h2><code>--depth</code>, $! §<a href="#z">#</a></h2><p>four</p>',
    '<h2><a href="#w">Whole link</a> <a href="/edit?action=edit">edit</a></h2><p>five</p>',
  ];
  const long = headings.map((heading) => heading.replaceAll('</p>', ` ${'word '.repeat(120)}</p>`)).join('');
  assert.deepEqual(paths(long), [
    'C++',
    'C++ > libusb_open()',
    'C++ > __init__ and *args',
    'C++ > --depth, $! §',
    'C++ > Whole link',
  ]);
});

test('a heading in a note, a quote or a table begins no section', () => {
  const words = 'word '.repeat(150);
  const body = `<h1>Depot</h1><h2>Hours</h2><p>${words}</p><div class="note"><h3>Note</h3><p>Bring a light.</p></div>
    <blockquote><h3>Said</h3><p>by Ann</p></blockquote><table><tr><td colspan="2"><h2>Gates</h2></td></tr><tr><td>a</td><td>1</td></tr>
    <tr><td>b</td><td>2</td></tr></table><p>behind ${words}</p>`;
  assert.deepEqual([...new Set(paths(body))], ['Depot', 'Depot > Hours'].slice(1));
  assert.match(textOf(body), /\n\nNote: Bring a light\.\n\nSaid: by Ann\n\nGates\n\n\| a \| 1 \|/);
});

test('a note that is laid out as a table or in lines becomes its label and its text', () => {
  const table = `<div class="note"><table><tr><td rowspan="2"><img alt="x"></td><th>Warning</th></tr><tr><td><p>Mind the gap.</p><p>Twice.</p></td></tr></table></div>`;
  const row = `<div class="admonitionblock tip"><table><tr><td class="icon"><div class="title">Tip</div></td><td class="content">Ask <b>first</b>.</td></tr></table></div>`;
  const lines = '<div class="admonition warning"><p class="admonition-title">Danger</p><p>Keep out.</p></div>';
  assert.equal(textOf(table + row + lines), 'Warning: Mind the gap.\n\nTwice.\n\nTip: Ask first.\n\nDanger: Keep out.');
});

test('a table of one column with short texts stays a table', () => {
  assert.equal(
    textOf('<table><tr><th>Name</th></tr><tr><td>gate</td></tr><tr><td>yard</td></tr></table>'),
    '| Name |\n| --- |\n| gate |\n| yard |',
  );
});

test('a line of code that is laid out as a table becomes one line', () => {
  const table = `<table><tr><td>int depot_open</td><td>(</td><td>const char *&nbsp;</td><td><em>name</em>, </td></tr>
    <tr><td></td><td></td><td>int&nbsp;</td><td><em>mode</em></td></tr><tr><td></td><td>)</td><td></td><td></td></tr></table>`;
  assert.equal(textOf(table), 'int depot_open ( const char * name, int mode )');
});

test('a cell that spans a table without head cells names the rows below it', () => {
  const table = `<table><tr><td colspan="3"><p><b>options</b></p></td></tr><tr><td></td><td>-n</td><td>do nothing</td></tr>
    <tr><td></td><td>-s</td><td>say more</td></tr><tr><td colspan="3">filters</td></tr><tr><td></td><td>-e X</td><td>leave X out</td></tr></table>`;
  assert.equal(textOf(table), 'options\n\n- -n — do nothing\n- -s — say more\n\nfilters\n\n- -e X — leave X out');
});

test('a grid of elements that are named by their columns becomes a table', () => {
  const cells = [
    ['col-first head', 'Type'],
    ['col-last head', 'Method'],
    ['col-first', 'int'],
    ['col-last', '<code>size()</code>'],
  ];
  const grid = cells.map(([name, text]) => `<div class="${name}">${text}</div>`).join('');
  assert.equal(textOf(`<div>${grid}</div>`), '| Type | Method |\n| --- | --- |\n| int | size() |');
});

test('text between the items of a list is kept', () => {
  const list = '<ol><p><b>Changes:</b></p><li>one</li>between<li>two<ul>loose<li>three</li></ul></li></ol>';
  for (const words of ['Changes:', 'one', 'between', 'two', 'loose', 'three'])
    assert.ok(textOf(list).includes(words), words);
});

test('code of one element per line keeps its line breaks', () => {
  assert.equal(textOf('<pre>a<br>b</pre>'), '```\na\nb\n```');
  assert.equal(
    textOf('<div class="fragment"><div class="line">int a;</div><div class="line">int b;</div></div>'),
    '```\nint a;\nint b;\n```',
  );
});

test('two versions of the same code in one block are separated by a blank line', () => {
  const code = '<pre><code>import a from "a";</code><code>const a =\n  1;\n</code><button>copy</button></pre>';
  assert.equal(textOf(code), '```\nimport a from "a";\n\nconst a =\n  1;\n```');
  assert.equal(textOf('<pre><code>a</code>\n<code>b</code></pre>'), '```\na\nb\n```');
  for (const mixed of [
    'x <code>a</code><code>b</code>',
    '<code>x a</code><i></i><code>b</code> c',
    '<code>x </code><i>a</i><code>b</code>',
  ])
    assert.match(textOf(`<pre>${mixed}</pre>`), /^```\nx ab(?: c)?\n```$/);
});

test('the fence around code is longer than any fence inside the code', () => {
  const runs = '```\nx\n'.repeat(200_000).trimEnd();
  assert.equal(textOf(`<pre>${runs}</pre>`), `\`\`\`\`\n${runs}\n\`\`\`\``);
});
