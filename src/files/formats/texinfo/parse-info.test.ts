import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInfo } from './parse-info.ts';

const FILE = `This is heron.info, produced by makeinfo version 6.8 from heron.texi.

INFO-DIR-SECTION Birds
START-INFO-DIR-ENTRY
* Heron: (heron).   Catches fish.
END-INFO-DIR-ENTRY

\x1f
File: heron.info,  Node: Top,  Next: Options,  Up: (dir)

The Heron
*********

Words that go
on here.

* Menu:

* Options::       How to call it.
                    With all options.

More places

* Index::         All words.

\x1f
File: heron.info,  Node: Options,  Prev: Top,  Up: Top

1 Options
=========

   Call it so (*note Top::), and see *note the index: Index.

     heron FILE

     heron -q

‘-n’
‘--depth=N’
     Dives to N.  The default
     is 3:

          heron -n 4

     At most 9.
        • a crab
        • a fish
          or two

 -- Command: dive DEPTH
     Goes down.

   Behind.

\x1f
File: heron.info,  Node: Index,  Prev: Options,  Up: Top

Index
*****

\ufffd\b[index\ufffd\b]
* Menu:

* depth:                                 Options.             (line  7)
* a very long entry that goes on in the next line of the file:
                                         Options.             (line 12)

\x1f
Tag Table:
Node: Top\x7f100
\x1f
End Tag Table
`;

test('an info file gives text below its headings, without menus, tables of nodes and tags', () => {
  const { title, text, blocks } = parseInfo(FILE);
  assert.equal(title, 'The Heron');
  const headings = blocks.filter(({ kind }) => kind === 'heading');
  assert.deepEqual(
    headings.map(({ title, level }) => [title, level]),
    [
      ['The Heron', 1],
      ['1 Options', 2],
      ['Index', 1],
    ],
  );
  assert.match(
    text,
    /\*\n\nWords that go\non here\.\n\nMore places\n\n1 Options\n=+\n\n {3}Call it so \(see Top\), and see the/,
  );
  assert.match(text, /3:\n\n {10}heron -n 4\n[\s\S]*\n {3}Behind\.\n\nIndex\n\*{5}$/);
  assert.doesNotMatch(text, /Catches|With all|All words|::|File:|a very long entry|Tag Table|index\ufffd/);
});

test('hostile info files are parsed in linear time', () => {
  for (const piece of [
    '\x1f\nFile: a,  Node: b\n',
    'a\n     b\n\n',
    `${' '.repeat(50)}a\n\n`,
    '* Menu:\n\n',
    '*note a',
    'START-INFO-DIR-ENTRY\n',
    'a\n*\n',
  ]) {
    assert.ok(parseInfo(piece.repeat(20_000)).text.length < 5_000_000);
  }
  assert.ok(parseInfo(Array.from({ length: 2_000 }, (_, i) => `${' '.repeat(i * 5)}a\n`).join('')).text.length > 0);
});
