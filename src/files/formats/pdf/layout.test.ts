import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextBuilder } from '../text-builder.ts';
import { layoutPages } from './layout.ts';
import type { PdfLine } from './line.ts';

const lines = (text: string, size = 10): PdfLine[] => text.split('\n').map((line) => ({ text: line, size }));

function layout(pages: PdfLine[][]) {
  const builder = new TextBuilder();
  layoutPages(
    pages.map((lines) => ({ lines, notes: [] })),
    builder,
  );
  const text = builder.text();
  return builder.blocks.map((block) => [block.kind, text.slice(block.start, block.end), block.pages?.[0]]);
}

test('full lines are joined into paragraphs, and short lines end them', () => {
  const page = lines(
    'This line is as long as the lines of this text are\nand this one goes on until it ends here.\nA new paragraph starts with this line of the text.',
  );
  assert.deepEqual(layout([page]), [
    [
      'paragraph',
      'This line is as long as the lines of this text are and this one goes on until it ends here. A new paragraph starts with this line of the text.',
      1,
    ],
  ]);
  const broken = lines(
    'This line is as long as the lines of this text are\nand ends here.\nA new paragraph starts with this line of the text.',
  );
  assert.equal(layout([broken]).length, 2);
});

test('words hyphenated at the end of a line are joined, unless the text hyphenates them elsewhere', () => {
  const page = lines('A well-known word and an ef\ufffefect, and a well\ufffeknown one too.');
  assert.deepEqual(layout([page]), [['paragraph', 'A well-known word and an effect, and a well-known one too.', 1]]);
});

test('lines in larger type become headings, with levels by size', () => {
  const body = lines('Body text that is long enough to be the most common size of all.\n'.repeat(8).trim());
  const page = [...lines('The Title', 20), ...body, ...lines('A Part', 14), ...body];
  assert.deepEqual(
    layout([page]).filter(([kind]) => kind === 'heading'),
    [
      ['heading', '# The Title', 1],
      ['heading', '## A Part', 1],
    ],
  );
});

test('a title of two lines is one heading, without a blank between lines of a script without blanks', () => {
  const body = lines('Body text that is long enough to be the most common size of all.\n'.repeat(8).trim());
  const headings = (title: string) => layout([[...lines(title, 20), ...body]]).filter(([kind]) => kind === 'heading');
  assert.deepEqual(headings('A Framework for Tests\nof Permutation'), [
    ['heading', '# A Framework for Tests of Permutation', 1],
  ]);
  assert.deepEqual(headings('数字技术、拟社会互动与商业模式内容创新的共演\n与商业模式'), [
    ['heading', '# 数字技术、拟社会互动与商业模式内容创新的共演与商业模式', 1],
  ]);
  assert.equal(headings('Part One\nThe Tests').length, 2);
});

test('running headers and page numbers are removed', () => {
  const page = (n: number) =>
    lines(`Annual Report 2024\nText of page ${'abc'[n - 1]} that is unlike the others in words.\n${n}`);
  const text = JSON.stringify(layout([page(1), page(2), page(3)]));
  assert.doesNotMatch(text, /Annual Report/);
  assert.match(text, /Text of page a .*Text of page b .*Text of page c /s);
});

test('lines with bullets become a list', () => {
  const page = lines('• first point of the list that fills its line entirely\nand goes on\n• second point');
  assert.deepEqual(layout([page]), [
    ['list', '• first point of the list that fills its line entirely and goes on\n• second point', 1],
  ]);
});

test('comments follow the text of their page', () => {
  const builder = new TextBuilder();
  const page = (text: string, notes: string[]) => ({ lines: lines(text), notes });
  layoutPages([page('One.', ['[comment] odd']), page('Two.', [])], builder);
  assert.deepEqual(
    builder.blocks.map(({ pages }) => pages?.[0]),
    [1, 1, 2],
  );
  assert.equal(builder.text(), 'One.\n\n[comment] odd\n\nTwo.');
});

test('authors on a title page and lines of a table of contents do not become headings', () => {
  const words = 'The heron nests by the river and catches fish in the shallow water of its bank. '.repeat(3);
  const pages = [
    [...lines('The Heron Manual', 20), ...lines('Ada Lovelace and Bob Dyke', 14), ...lines('May 2024', 14)],
    [
      ...lines('Contents', 14),
      ...lines('1 Sea 4', 14),
      ...lines(
        '1.1 North Sea . . . . . . . . . 4\n1.2 South Sea . . . . . . . . . 7\n1.3 East Sea . . . . . . . . . 9',
      ),
      ...lines('2 Lakes . . . . . 12', 14),
    ],
    [
      ...lines('Concept Index . . . . . . . 50', 14),
      ...lines('1 Sea', 14),
      ...Array.from({ length: 9 }, () => lines(words)).flat(),
    ],
  ];
  const headings = layout(pages).flatMap(([kind, text]) => (kind === 'heading' ? [text] : []));
  assert.deepEqual(headings, ['# The Heron Manual', '## Contents', '## 1 Sea']);
});

test('large lines without a word are parts of formulas and drawings, and no headings', () => {
  const body = lines(`${'Running text of the page that is long enough.\n'.repeat(12)}End.`);
  for (const heading of ['HO CH3', 'Iq 0'])
    assert.ok(!layout([[...lines(heading, 16), ...body]]).some(([kind]) => kind === 'heading'), heading);
  for (const heading of ['FAQ', '引言'])
    assert.deepEqual(layout([[...lines(heading, 16), ...body]])[0], ['heading', `# ${heading}`, 1]);
});
