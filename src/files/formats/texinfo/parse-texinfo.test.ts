import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTexinfo } from './parse-texinfo.ts';

const SOURCE = `\\input texinfo
@settitle The Heron @c a comment
@set VERSION 2.1
@titlepage
@author Ada Lovelace
@end titlepage
@menu
* Options:: All of them.
@end menu
@node Options
@chapter Options of @command{heron}
@cindex options
Version @value{VERSION}, see @ref{Top,,The start}, @dots{} caf@'e@{@}
and @uref{https://example.org, the site}.

@table @option
@item -n
@itemx --depth=@var{n}
Dives to @var{n}@footnote{At most 9.}.

@itemize
@item a crab
@item @emph{a fish}
@end itemize

@example
heron @{-n@} 4  @result{} fish
@end example
@end table

@multitable @columnfractions .5 .5
@headitem Sea @tab Depth
@item north
@tab 9
@end multitable

@deffn {Shell Command} dive depth
Goes down.
@end deffn
@iftex
Only on paper.
@end iftex
@include more.texi
Behind.
@bye
Never.
`;

test('a Texinfo source gives sections, terms with their text, examples, tables and definitions', () => {
  const parsed = parseTexinfo(SOURCE);
  assert.equal(parsed.title, 'The Heron');
  assert.match(parsed.warnings[0]!, /includes more\.texi/);
  assert.deepEqual(
    parsed.blocks.map(({ headingPath = [], start, end }) => [
      headingPath.slice(1).join(' > '),
      parsed.text.slice(start, end),
    ]),
    [
      ['', '# Options of heron'],
      ['', 'Version 2.1, see The start, … café{} and the site <https://example.org>.'],
      ['-n, --depth=n', '-n, --depth=n: Dives to n (At most 9.).'],
      ['-n, --depth=n', '- a crab\n- a fish'],
      ['-n, --depth=n', '```\nheron {-n} 4  ⇒ fish\n```'],
      ['', '| Sea | Depth |\n| --- | --- |\n| north | 9 |'],
      ['Shell Command: dive depth', 'Shell Command: dive depth: Goes down.'],
      ['', 'Behind.'],
    ],
  );
});

test('hostile Texinfo is parsed in linear time', () => {
  const pieces = [
    '@code{',
    '{',
    '@verb{|',
    '@table @code\n@item a\n',
    '@itemize\n@item a\n',
    '@menu\n',
    '@ifset a\n',
    '@deffn {a',
    "@'",
    '@multitable\n@item a\n',
  ];
  for (const piece of pieces) assert.ok(parseTexinfo(piece.repeat(20_000)).text.length < 5_000_000, piece);
});

test('values of Texinfo may add only a limited amount of text', () => {
  const { text } = parseTexinfo(`@set a ${'x'.repeat(1000)}\n@value{a}\n\n${'@value{a}'.repeat(20_000)}\n`);
  assert.ok(text.startsWith('xxx') && text.endsWith('aaa'));
  assert.ok(text.length < 1_100_000);
});

test('a quotation of Texinfo keeps its label', () => {
  const source =
    '@quotation Note @c why\nIt @emph{dives}.\n\nTwice.\n@end quotation\n\n@quotation\nBare.\n@end quotation\n';
  assert.equal(parseTexinfo(source).text, 'Note: It dives.\n\nTwice.\n\nBare.');
});

test('names of object properties such as "constructor" are no commands of Texinfo', () => {
  assert.equal(parseTexinfo('See @constructor{a} b.\n').text, 'See a b.');
  assert.doesNotMatch(parseTexinfo('@constructor x\n').text, /function/);
});
