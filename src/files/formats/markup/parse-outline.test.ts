import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOutline } from './parse-outline.ts';

/** Returns the blocks of a source: their heading paths and their texts. */
async function blocksOf(type: 'rst' | 'asciidoc', source: string): Promise<[path: string, text: string][]> {
  const { text, blocks } = await parseOutline(type, source);
  return blocks
    .filter(({ kind }) => kind !== 'heading')
    .map(({ headingPath = [], term, start, end }) => [term ?? headingPath.join(' > '), text.slice(start, end)]);
}

test('reStructuredText: options, functions, definitions and fields are in one block with their text', async () => {
  const source = `
Heron
=====

.. program:: heron
.. option:: -n <depth>
            --depth <depth>

   Dives to *depth*, as :func:\`~birds.dive\` does.

   .. versionchanged:: 2.1
      At most 9.

.. py:function:: dive(depth, \\
                      speed=1)
   :async:

   :param depth: in metres
   :returns: a fish

crab : animal
    Not a fish.

-q, --quiet  Says nothing,
             but errors.

Behind.
`;
  assert.deepEqual(await blocksOf('rst', source), [
    ['Heron > -n <depth>, --depth <depth>', '-n <depth>, --depth <depth>: Dives to *depth*, as dive does.'],
    ['Heron > -n <depth>, --depth <depth>', 'Changed in version 2.1: At most 9.'],
    ['Heron > dive(depth, speed=1)', 'dive(depth, speed=1): param depth: in metres'],
    ['Heron > dive(depth, speed=1)', 'returns: a fish'],
    ['Heron > crab : animal', 'crab : animal: Not a fish.'],
    ['Heron > -q, --quiet', '-q, --quiet: Says nothing,\nbut errors.'],
    ['Heron', 'Behind.'],
  ]);
});

test('reStructuredText: notes stay in their section, code and tables keep their form, substitutions are replaced', async () => {
  const source = `
.. |bird| replace:: heron

.. note:: The |bird| is
   grey.

.. warning::

   Wet \`\`feet\`\`, see \`the site\`_.

.. list-table:: Depths
   :header-rows: 1

   * - Sea
     - Depth
   * - north
     - 9

+------+-----+
| lake | a   |
|      | b   |
+------+-----+

.. code-block:: sh
   :linenos:

   heron -n \\
     4

.. toctree::
   :maxdepth: 2

   other

.. include:: more.rst
.. literalinclude:: code.py
.. _the site: https://example.org
.. A comment
   of two lines.
`;
  assert.deepEqual(
    (await blocksOf('rst', source)).map(([, text]) => text),
    [
      'Note: The heron is\ngrey.',
      'Warning: Wet `feet`, see the site.',
      'Depths',
      '| Sea | Depth |\n| --- | --- |\n| north | 9 |',
      '| lake | a b |\n| --- | --- |',
      '```sh\nheron -n \\\n  4\n```',
    ],
  );
  assert.deepEqual(
    (await parseOutline('rst', source)).warnings.map((warning) => /includes (\S+),/.exec(warning)?.[1]),
    ['more.rst', 'code.py'],
  );
});

test('AsciiDoc: terms are in one block with their text and attached blocks', async () => {
  const source = `= Heron
Ada Lovelace <ada@example.org>
v2.1, 2024-05-01
:depth: 9

== Options

*-n*, *--depth*=_n_::
  Dives to _n_, at most {depth}.
+
[source,sh]
----
heron -n {depth}
----
+
NOTE: Wet feet.
-q::
-s:: Says nothing.
  * a crab
  * a fish

Behind, see <<_other_things>> and https://example.org[the site^].

[WARNING]
====
Deep kbd:[Ctrl+C] water.
====

////
Never.
////
include::more.adoc[]
`;
  const parsed = await parseOutline('asciidoc', source);
  assert.deepEqual(await blocksOf('asciidoc', source), [
    ['-n, --depth=n', '-n, --depth=n — Dives to n, at most 9.'],
    ['-n, --depth=n', '```sh\nheron -n {depth}\n```'],
    ['-n, --depth=n', 'Note: Wet feet.'],
    ['-q, -s', '-q, -s — Says nothing.'],
    ['-q, -s', '- a crab\n- a fish'],
    ['', 'Behind, see [_other_things] and the site.'],
    ['', 'Warning: Deep Ctrl+C water.'],
  ]);
  assert.equal(parsed.title, 'Heron');
  assert.equal(parsed.metadata['author']?.val, 'Ada Lovelace');
  assert.match(parsed.warnings[0]!, /includes more\.adoc/);
  assert.deepEqual(
    parsed.blocks.flatMap(({ links = [] }) => links.map(({ url }) => url)),
    ['https://example.org'],
  );
});

test('a source that only includes other files names them', async () => {
  assert.equal((await parseOutline('rst', '.. include:: a.rst\n')).text, 'See a.rst.');
  assert.equal((await parseOutline('asciidoc', 'include::a.adoc[]\n')).text, 'See a.adoc.');
});

test('hostile reStructuredText and AsciiDoc are read in linear time', async () => {
  const pieces = [
    '- a\n\n  ',
    '.. note::\n\n   ',
    'a\n b\n',
    ':a: b\n',
    '-a  b\n',
    '`a <',
    '|a',
    'a_ ',
    '+--+\n|',
    '== =\n',
    '.. py:function:: a\n',
    '* a\n',
    'a::\n',
    '{a',
    '+a',
    '#a',
    '|===\n|',
    '<<a',
    '[a]\n',
    '((a',
    '`+a',
    'kbd:[',
    '.. |a| replace:: |a|\n',
  ];
  for (const type of ['rst', 'asciidoc'] as const) {
    for (const piece of pieces)
      assert.ok((await parseOutline(type, piece.repeat(5_000))).text.length < 10_000_000, piece);
    const deep = Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}a\n`).join('');
    assert.ok((await parseOutline(type, deep)).text.length > 0);
  }
});

test('reStructuredText: rows of csv-table and list-table are read in linear time', async () => {
  const wide = ' '.repeat(100_000);
  assert.deepEqual(
    await blocksOf('rst', `.. csv-table::\n\n   a , "b, ""c""" ,d\n   ,"e" f,g "h"\n   "i, j\n   a${wide}"b"c\n`),
    [['', '| a | b, "c" | d |\n| --- | --- | --- |\n|  | e f | g "h" |\n| i, j |  |  |\n| a "b"c |  |  |']],
  );
  assert.deepEqual(await blocksOf('rst', `.. list-table::\n\n   * - a\n     -  b\n${wide}c\n   * -\n     - d\n`), [
    ['', '| a | b c |\n| --- | --- |\n|  | d |'],
  ]);
});

test('AsciiDoc: text that depends on an attribute is kept, and footnotes stand at their place', async () => {
  const source =
    'Herons.footnote:[Grey\nones.]\n\nifdef::sea[]\nCrabs.\nendif::[]\n\nifndef::lake[A fish.]\n\n* a\n** b\n';
  assert.deepEqual(
    (await blocksOf('asciidoc', source)).map(([, text]) => text),
    ['Herons. (Grey ones.)', 'Crabs.', 'A fish.', '- a\n  - b'],
  );
});

test('AsciiDoc: a literal block may have very many lines', async () => {
  const { text } = await parseOutline('asciidoc', `  a\n${'   b\n'.repeat(20_000)}`);
  assert.ok(text.startsWith('```\na\n b\n b\n'));
});

test('AsciiDoc: descriptions of pictures are read, unless they are names of files', async () => {
  const source =
    'image::pump.png[Pressure at "50 Hz" & more]\n\nSee image:x.png[The bell of the alarm] now.\n\n' +
    '.A fish\nimage::img/no_two-three four.png[]\n\n----\n<img src="a" alt="b c">\n----\n';
  assert.deepEqual(
    (await blocksOf('asciidoc', source)).map(([, text]) => text),
    ['Pressure at "50 Hz" & more', 'See The bell of the alarm now.', 'A fish', '```\n<img src="a" alt="b c">\n```'],
  );
});

test('AsciiDoc: all authors are read as they are written', async () => {
  for (const [line, author] of [
    ['Alice & Bob', 'Alice & Bob'],
    ["Kim O'Brien <k@example.org>; Ann B. Lee", "Kim O'Brien; Ann B. Lee"],
  ] as const)
    assert.equal((await parseOutline('asciidoc', `= T\n${line}\n\nText.\n`)).metadata['author']?.val, author);
});

test('AsciiDoc: a horizontal list is a list of terms, also in a cell', async () => {
  const source = '[horizontal]\nA:: b\nC:: d\nE::\n+\n----\ncode\n----\n\n|===\na|\n[horizontal]\nQ:: r\nS:: t\n|===\n';
  assert.deepEqual(await blocksOf('asciidoc', source), [
    ['', '- A — b\n- C — d'],
    ['E', 'E'],
    ['E', '```\ncode\n```'],
    ['', '- Q — r\n- S — t'],
  ]);
});

test('AsciiDoc: attributes and cross references may add only a limited amount of text', async () => {
  const long = 'x '.repeat(2_000);
  const sources = [
    `:a: ${long}\n\n{a}\n\n${'{a} '.repeat(2_000)}`,
    `:A: x \\\n  ${long}\n\n{A}\n\n${'{A} '.repeat(2_000)}`,
    `{set:a:${long}}\n\n{a}\n\n${'{a} '.repeat(2_000)}`,
    `= ${long}\n\n{doctitle}\n\n${'{doctitle} '.repeat(2_000)}`,
    `[[a,${long}]]\nwords\n\n<<a>>\n\n${'<<a>> '.repeat(2_000)}`,
  ];
  for (const source of sources) {
    const { text } = await parseOutline('asciidoc', source);
    assert.ok(text.length > 800_000 && text.length < 1_100_000, source.slice(0, 20));
    assert.match(text.slice(-20), /\{\w+\}$|<<a>>$/);
  }
});

test('AsciiDoc: very many sections of one title are read in linear time', async () => {
  const used = process.cpuUsage();
  const { text } = await parseOutline('asciidoc', '== Example\n\nText.\n\n'.repeat(16_000));
  assert.equal(text.match(/^## Example$/gm)?.length, 16_000);
  assert.ok(process.cpuUsage(used).user < 10e6);
});

test('reStructuredText: a style of Docutils is not read as a class', async () => {
  const source =
    '.. class:: wide dark\n\nText.\n\n.. py:class:: heron\n\n.. class:: Crab\n\n.. class:: crab(x)\n\n.. class:: fish\n\n   Swims.\n';
  const { text } = await parseOutline('rst', source);
  assert.doesNotMatch(text, /wide/);
  for (const kept of ['Text.', 'heron', 'Crab', 'crab(x)', 'fish', 'Swims.']) assert.ok(text.includes(kept), kept);
});

test('reStructuredText: names of object properties such as "constructor" have no meaning', async () => {
  assert.equal((await parseOutline('rst', '.. constructor:: x\n\n   y\n')).text, 'x\n\ny');
});
