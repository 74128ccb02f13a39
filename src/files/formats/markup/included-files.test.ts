import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWithIncludes } from './parse-outline.ts';

/** Parses the file at `path`, with these files in its group. */
async function parse(type: 'rst' | 'asciidoc', path: string, group: Record<string, string>) {
  const asked: string[] = [];
  const parsed = await parseWithIncludes(type, group[path]!, path, {
    include: async (name) => {
      asked.push(name);
      const text = group[name];
      return text === undefined ? 'which is not in its source group' : new TextEncoder().encode(text);
    },
  });
  const headings = parsed.blocks.flatMap(({ kind, level, title, headingPath }) =>
    kind === 'heading' ? [[level, title ?? headingPath?.at(-1)]] : [],
  );
  return { ...parsed, asked, headings };
}

test('AsciiDoc: regions, lines and the offset of levels are taken, and paths are relative to the including file', async () => {
  const { text, headings, warnings } = await parse('asciidoc', 'modules/ROOT/pages/a.adoc', {
    'modules/ROOT/pages/a.adoc': `= Manual
:dir: parts

include::{dir}/b.adoc[leveloffset=+1]

== Last

[source,ts]
----
include::example$c.ts[tag=dive]
include::example$c.ts[lines=1..2;6]
----
include::partial$none.adoc[]
`,
    'modules/ROOT/pages/parts/b.adoc': '= Depths\n\ninclude::d.adoc[]\n\n== More\n',
    'modules/ROOT/pages/parts/d.adoc': 'At most 9.\n',
    'modules/ROOT/examples/c.ts': 'one\ntwo\n// tag::dive[]\ndive();\n// end::dive[]\nsix\n',
  });
  assert.deepEqual(headings, [
    [1, 'Manual'],
    [2, 'Depths'],
    [3, 'More'],
    [2, 'Last'],
  ]);
  assert.match(text, /At most 9\./);
  assert.match(text, /```ts\ndive\(\);\none\ntwo\nsix\n```/);
  assert.deepEqual(warnings, ['The file includes partial$none.adoc, which is not in its source group.']);
});

test('reStructuredText: parts of files are taken, names of links come from included files, titles keep their level', async () => {
  const { text, headings, warnings } = await parse('rst', 'doc/guide/a.rst', {
    'doc/guide/a.rst': `Guide
=====

.. include:: /names.txt
.. include::
   b.rst
   :start-after: .. begin
   :end-before: .. end

A |bird|.

.. note::

   .. literalinclude:: c.py
      :language: python
      :lines: 2, 4-

.. code-block:: rst

   .. include:: shown.rst
`,
    'doc/names.txt': '.. |bird| replace:: heron\n',
    'doc/guide/b.rst': 'Nothing\n=======\n\n.. begin\n\nDepths\n------\n\nAt most 9.\n\n.. end\n\nNever.\n',
    'doc/guide/c.py': 'one\ntwo\nthree\nfour\nfive\n',
  });
  assert.deepEqual(headings, [
    [1, 'Guide'],
    [2, 'Depths'],
  ]);
  assert.match(text, /At most 9\.\n\nA heron\./);
  assert.match(text, /```python\ntwo\nfour\nfive\n```/);
  assert.match(text, /\.\. include:: shown\.rst/);
  assert.doesNotMatch(text, /Never|Nothing/);
  assert.deepEqual(warnings, []);
});

test('a file is looked up once, and includes of a sample of code are not followed', async () => {
  const { asked } = await parse('rst', 'a.rst', {
    'a.rst': '.. include:: b.rst\n.. include:: b.rst\n\n::\n\n  .. include:: c.rst\n',
    'b.rst': 'B.\n',
  });
  assert.deepEqual(asked, ['b.rst']);
});

test('files that include themselves many times are bounded in text and time', async () => {
  const group: Record<string, string> = {};
  for (let i = 0; i < 12; i += 1) group[`${i}.adoc`] = `Line ${i}.\n\n${`include::${i + 1}.adoc[]\n\n`.repeat(10)}`;
  for (let i = 0; i < 12; i += 1) group[`${i}.rst`] = `Line ${i}.\n\n${`.. include:: ${i + 1}.rst\n\n`.repeat(10)}`;
  for (const type of ['asciidoc', 'rst'] as const) {
    const { text, warnings } = await parse(type, `0.${type === 'rst' ? 'rst' : 'adoc'}`, group);
    assert.ok(text.length < 100_000, `${text.length}`);
    assert.match(warnings.join('\n'), /too many, too deep or too long/);
  }
});
