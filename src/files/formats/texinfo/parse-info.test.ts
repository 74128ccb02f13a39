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

test('an info file gives sections, terms with their text, examples and lists, without menus and tags', () => {
  const parsed = parseInfo(FILE);
  assert.equal(parsed.title, 'The Heron');
  assert.deepEqual(
    parsed.blocks.map(({ headingPath = [], start, end }) => [
      headingPath.slice(1).join(' > '),
      parsed.text.slice(start, end),
    ]),
    [
      ['', 'This is heron.info, produced by makeinfo version 6.8 from heron.texi.'],
      ['', '# The Heron'],
      ['', 'Words that go on here.'],
      ['1 Options', '## 1 Options'],
      ['1 Options', 'Call it so (see Top), and see the index.'],
      ['1 Options', '```\nheron FILE\n\nheron -q\n```'],
      ['1 Options > ‘-n’, ‘--depth=N’', '‘-n’, ‘--depth=N’: Dives to N.  The default is 3:'],
      ['1 Options > ‘-n’, ‘--depth=N’', '```\nheron -n 4\n```'],
      ['1 Options > ‘-n’, ‘--depth=N’', 'At most 9.\n• a crab\n• a fish\nor two'],
      ['1 Options > Command: dive DEPTH', 'Command: dive DEPTH: Goes down.'],
      ['1 Options', 'Behind.'],
      ['', '# Index'],
    ],
  );
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
