import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberLabel } from '../number-label.ts';
import { NUMBER_MARK, placeNumbers, withNumbers } from './numbering.ts';

const value = (name: string, of: string | number) => `<w:${name} w:val="${of}"/>`;
const level = (index: number, format: string, pattern: string, more = '', start = '1') =>
  `<w:lvl w:ilvl="${index}">${value('start', start)}${value('numFmt', format)}${more}${value('lvlText', pattern)}</w:lvl>`;
const kind = (id: number, inside: string) => `<w:abstractNum w:abstractNumId="${id}">${inside}</w:abstractNum>`;
const list = (id: number, of: number, more = '') =>
  `<w:num w:numId="${id}">${value('abstractNumId', of)}${more}</w:num>`;
const style = (id: string, inside: string) => `<w:style w:styleId="${id}">${inside}</w:style>`;

const NUMBERING = `<w:numbering>${[
  kind(
    0,
    level(0, 'upperRoman', 'Article %1') + level(1, 'decimal', '%1.%2', '<w:isLgl/>') + level(2, 'lowerLetter', '(%3)'),
  ),
  kind(1, level(0, 'decimal', '%1.') + level(1, 'bullet', '•')),
  kind(2, level(0, 'decimal', '%1', value('pStyle', 'H1')) + level(1, 'decimal', '%1.%2', value('pStyle', 'H2'))),
  kind(3, value('numStyleLink', 'Linked')),
  kind(4, level(0, 'decimal', 'R&amp;D\n&lt;%1&gt;', '', 'first')),
  list(9, 4, `<w:lvlOverride w:ilvl="0">${value('startOverride', 'x')}</w:lvlOverride>`),
  list(1, 0),
  list(2, 1),
  list(3, 1),
  list(4, 1, `<w:lvlOverride w:ilvl="0">${value('startOverride', 7)}</w:lvlOverride>`),
  list(5, 2),
  list(6, 3),
  list(
    8,
    0,
    [2, 3].map((start, i) => `<w:lvlOverride w:ilvl="${i}">${value('startOverride', start)}</w:lvlOverride>`).join(''),
  ),
  list(
    7,
    1,
    `<w:lvlOverride w:ilvl="0">${level(0, 'decimal', 'No. %1').replace(/<w:start[^>]*>/, '')}</w:lvlOverride>`,
  ),
].join('')}</w:numbering>`;
const STYLES = `<w:styles>${[
  style('H1', `<w:pPr><w:numPr>${value('numId', 5)}</w:numPr></w:pPr>`),
  style('H2', `${value('basedOn', 'H1')}<w:pPr><w:numPr>${value('ilvl', 1)}</w:numPr></w:pPr>`),
  style('Special', value('basedOn', 'H1')),
  style('Linked', `<w:pPr><w:numPr>${value('numId', 2)}</w:numPr></w:pPr>`),
  style('Off', `${value('basedOn', 'H1')}<w:pPr><w:numPr>${value('numId', 0)}</w:numPr></w:pPr>`),
].join('')}</w:styles>`;

const paragraph = (properties: string, text = '<w:r><w:t>x</w:t></w:r>') =>
  `<w:p><w:pPr>${properties}</w:pPr>${text}</w:p>`;
const item = (id: number, depth: number, text?: string) =>
  paragraph(`<w:numPr>${value('ilvl', depth)}${value('numId', id)}</w:numPr>`, text);
const styled = (id: string) => paragraph(value('pStyle', id));
const labels = (...xml: string[]) =>
  withNumbers(xml.join(''), NUMBERING, STYLES)
    .split(NUMBER_MARK)
    .filter((_part, i) => i % 2 === 1);

const CASES: readonly (readonly [what: string, xml: string[], labels: string[]])[] = [
  [
    'clauses of several levels',
    [item(1, 0), item(1, 1), item(1, 2), item(1, 2), item(1, 1), item(1, 2), item(1, 0), item(1, 1)],
    ['Article I', '1.1', '(a)', '(b)', '1.2', '(a)', 'Article II', '2.1'],
  ],
  ['a list that goes on after other text', [item(2, 0), paragraph(''), item(2, 0), item(3, 0)], ['1.', '2.', '3.']],
  ['a list that starts anew', [item(2, 0), item(4, 0), item(4, 0)], ['1.', '7.', '8.']],
  ['a level of a list that starts anew', [item(8, 1)], ['2.3']],
  ['a list with its own label', [item(7, 0), item(7, 0)], ['No. 1', 'No. 2']],
  ['bullets', [item(2, 1)], []],
  [
    'headings counted by their styles',
    [styled('H1'), styled('H2'), styled('Special'), styled('H2')],
    ['1', '1.1', '2', '2.1'],
  ],
  ['a style that switches numbers off', [styled('Off')], []],
  [
    'a paragraph that switches numbers off',
    [paragraph(`${value('pStyle', 'H1')}<w:numPr>${value('ilvl', 0)}${value('numId', 0)}</w:numPr>`)],
    [],
  ],
  ['a list that a style describes', [item(6, 0)], ['1.']],
  [
    'a deleted item',
    [item(2, 0), item(2, 0, '<w:del><w:r><w:delText>y</w:delText></w:r></w:del>'), item(2, 0)],
    ['1.', '2.'],
  ],
  [
    'an item that was moved away',
    [item(2, 0), item(2, 0, '<w:moveFrom w:id="1"><w:r><w:t>y</w:t></w:r></w:moveFrom>'), item(2, 0)],
    ['1.', '2.'],
  ],
  [
    'items without letters',
    [
      item(2, 0, '<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>'),
      item(2, 0, '<w:r><w:drawing><wp:docPr descr="Plan of the house"/></w:drawing></w:r>'),
    ],
    ['1.', '2.'],
  ],
  ['a box before the text of an item', [item(2, 0, `<w:pict>${item(3, 0)}</w:pict><w:t>x</w:t>`)], ['1.', '2.']],
  ['a box in an item without text', [item(2, 0, `<w:pict>${paragraph('')}</w:pict>`), item(2, 0)], ['2.']],
  ['the older form of a drawing', [`<mc:Fallback>${item(2, 0)}</mc:Fallback>`, item(2, 0)], ['1.']],
  ['a list that starts with no number', [item(9, 0), item(9, 0)], ['R&amp;D &lt;1>', 'R&amp;D &lt;2>']],
  ['an empty item', [item(2, 0, ''), item(2, 0)], ['2.']],
  ['a column of numbers', [`<w:tc><w:tcPr/>${item(2, 0, '')}</w:tc>`, item(2, 0, '')], ['1.']],
  [
    'properties before a change',
    [
      paragraph(`${value('pStyle', 'H1')}<w:pPrChange><w:pPr>${value('pStyle', 'H2')}</w:pPr></w:pPrChange>`),
      styled('H1'),
    ],
    ['1', '2'],
  ],
];
for (const [what, xml, shown] of CASES) {
  test(`of ${what} in a Word file, the numbers are ${shown.join(' ') || 'none'}`, () =>
    assert.deepEqual(labels(...xml), shown));
}

test('numbers have the formats of Word', () => {
  const shown = (format: string) => [4, 19, 28, 110].map((number) => numberLabel(number, format)).join(' ');
  assert.equal(shown('lowerRoman'), 'iv xix xxviii cx');
  assert.equal(shown('upperLetter'), 'D S BB FFFFF');
  assert.equal(shown('decimalZero'), '04 19 28 110');
  assert.equal(shown('chineseCountingThousand'), '四 十九 二十八 一百一十');
  assert.equal(shown('decimalEnclosedCircle'), '④ ⑲ 28 110');
  assert.equal(numberLabel(103, 'japaneseCounting'), '一百零三');
  assert.equal(numberLabel(2_000_000_000, 'lowerLetter'), '2000000000');
  assert.equal(numberLabel(3, 'none'), '');
});

test('numbers stand before headings as text, and at items as attributes', () => {
  const mark = (label: string) => `${NUMBER_MARK}${label}${NUMBER_MARK}`;
  assert.equal(
    placeNumbers(`<h1>${mark('2.1')}A</h1><ol><li>${mark('"a"')}B</li></ol>`, 'n'),
    '<h1>2.1 A</h1><ol><li n="&quot;a&quot;">B</li></ol>',
  );
});

test('the numbers of a Word file with markup that is never closed are found in linear time', () => {
  for (const piece of [
    '<w:pPr>',
    '<w:pPr></w:pPr>',
    '<w:p ',
    '<w:p>',
    '<w:moveFrom>',
    '<mc:Fallback>',
    `<w:p><w:pPr>${value('pStyle', 'H1')}</w:pPr><w:t>`,
  ])
    assert.ok(withNumbers(piece.repeat(50_000), NUMBERING, STYLES).length > 0);
});
