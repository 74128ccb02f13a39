import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordHtml } from '../../../../../test/support/files/word-html.ts';
import { numberLabel } from '../number-label.ts';

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
  kind(
    5,
    level(0, 'decimal', '%1.') + level(1, 'decimal', '%1.%2') + level(2, 'lowerLetter', '(%3)', value('lvlRestart', 1)),
  ),
  kind(6, level(0, 'upperRoman', '') + level(1, 'upperRoman', '%1', '<w:isLgl w:val="0"/>')),
  list(10, 5, `<w:lvlOverride w:ilvl="2">${level(2, 'upperRoman', '{%3}')}</w:lvlOverride>`),
  list(11, 5, `<w:lvlOverride w:ilvl="1">${value('startOverride', 5)}</w:lvlOverride>`),
  list(12, 5),
  list(13, 6),
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
  style('Secret', '<w:rPr><w:vanish/></w:rPr>'),
  style('Off', `${value('basedOn', 'H1')}<w:pPr><w:numPr>${value('numId', 0)}</w:numPr></w:pPr>`),
].join('')}</w:styles>`;

const paragraph = (properties: string, text = '<w:r><w:t>x</w:t></w:r>') =>
  `<w:p><w:pPr>${properties}</w:pPr>${text}</w:p>`;
const item = (id: number, depth: number, text?: string) =>
  paragraph(`<w:numPr>${value('ilvl', depth)}${value('numId', id)}</w:numPr>`, text);
const marked = (id: number, mark: string, text?: string) =>
  paragraph(`<w:numPr>${value('ilvl', 0)}${value('numId', id)}</w:numPr><w:rPr>${mark}</w:rPr>`, text);
const DELETED = '<w:del w:id="1"/>';
const styled = (id: string) => paragraph(value('pStyle', id));
const labels = (...xml: string[]) =>
  [...wordHtml(xml.join(''), { styles: STYLES, numbering: NUMBERING }).matchAll(/<li [^=]*="([^"]*)"/g)].map(
    ([, label]) => label,
  );
const all = (choice: string, fallback = '') =>
  `<mc:AlternateContent><mc:Choice>${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;
const box = (inside: string) => `<w:pict><w:txbxContent>${inside}</w:txbxContent></w:pict>`;

test('a paragraph whose style hides it is not counted, unless its own mark is shown', () => {
  const shown = paragraph(`${value('pStyle', 'Secret')}<w:numPr>${value('ilvl', 0)}${value('numId', 2)}</w:numPr>`, '');
  const own = shown.replace('</w:pPr>', '<w:rPr><w:vanish w:val="0"/></w:rPr></w:pPr>');
  assert.deepEqual(labels(item(2, 0), shown, item(2, 0)), ['1.', '2.']);
  assert.deepEqual(labels(item(2, 0), own, item(2, 0)), ['1.', '3.']);
});

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
      item(
        2,
        0,
        '<w:r><w:drawing><wp:inline><wp:docPr descr="Plan of the house"/><pic:pic/></wp:inline></w:drawing></w:r>',
      ),
    ],
    ['1.', '2.'],
  ],
  ['a list that changes an inner level only', [item(10, 0), item(10, 1), item(10, 2)], ['1.', '1.1', '{I}']],
  ['an inner level that starts anew', [item(11, 0), item(11, 1), item(11, 1)], ['1.', '1.5', '1.6']],
  [
    'a level that begins anew behind the first level only',
    [0, 1, 2, 1, 2, 0, 2].map((depth) => item(12, depth)),
    ['1.', '1.1', '(a)', '1.2', '(b)', '2.', '(a)'],
  ],
  ['a level without a label, and of a property that is off', [item(13, 0), item(13, 1)], ['', 'I']],
  [
    'an item that goes on in the next paragraph',
    [item(2, 0), marked(2, DELETED), marked(2, DELETED, ''), item(2, 0), item(2, 0)],
    ['1.', '2.', '3.'],
  ],
  ['an item that begins in a paragraph that is none', [paragraph(`<w:rPr>${DELETED}</w:rPr>`), item(2, 0, '')], ['1.']],
  ['an item that goes on in a paragraph that is none', [marked(2, DELETED), '<w:p/>', item(2, 0)], ['1.']],
  ['an item with a deleted mark and no text', [marked(2, DELETED, ''), item(2, 0)], ['1.']],
  [
    'an item with a box that goes on in the next paragraph',
    [marked(2, DELETED, `${box(item(3, 0))}<w:t>x</w:t>`), item(2, 0)],
    ['1.', '2.'],
  ],
  [
    'a mark that was changed',
    [marked(2, `<w:rPrChange><w:rPr>${DELETED}<w:vanish/></w:rPr></w:rPrChange>`), item(2, 0)],
    ['1.', '2.'],
  ],
  [
    'hidden items',
    [item(2, 0), marked(2, '<w:vanish/>', ''), marked(2, '<w:vanish w:val="0"/>', ''), marked(2, '<w:vanish/>')],
    ['1.', '3.'],
  ],
  ['alternatives', [item(2, 0, all('<w:t>x</w:t>', ' ')), item(2, 0, all('', '<w:t>x</w:t>'))], ['2.']],
  ['a box before the text of an item', [item(2, 0, `${box(item(3, 0))}<w:t>x</w:t>`)], ['1.', '2.']],
  ['a box in an item without text', [item(2, 0, box(paragraph(''))), item(2, 0)], ['2.']],
  ['an alternative that is not read', [all(item(2, 0), '<w:p/>'), item(2, 0)], ['1.']],
  ['a list that starts with no number', [item(9, 0), item(9, 0)], ['R&amp;D &lt;1>', 'R&amp;D &lt;2>']],
  ['an empty item', [item(2, 0, ''), item(2, 0)], ['2.']],
  [
    'a column of numbers',
    [`<w:tbl><w:tr><w:tc><w:tcPr/>${item(2, 0, '')}</w:tc></w:tr></w:tbl>`, item(2, 0, '')],
    ['1.'],
  ],
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

test('levels of a list that no list has are left out', () => {
  for (const index of [-1, -5, 9]) {
    const numbering = `<w:numbering>${kind(0, level(index, 'decimal', '%1', value('pStyle', 'S')))}${list(1, 0)}</w:numbering>`;
    const styles = `<w:styles>${style('S', `<w:pPr><w:numPr>${value('numId', 1)}</w:numPr></w:pPr>`)}</w:styles>`;
    assert.equal(wordHtml(styled('S'), { styles, numbering }), '<p>x</p>');
  }
});

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
  const styles = STYLES.replace('w:styleId="H1">', `w:styleId="H1">${value('name', 'heading 1')}`);
  assert.equal(
    wordHtml(styled('H1') + item(2, 0), { styles, numbering: NUMBERING }),
    '<h1>1 x</h1><ol><li pinakes-label="1.">x</li></ol>',
  );
  const heading = item(9, 0).replace('<w:numPr>', `${value('pStyle', 'H1')}<w:numPr>`);
  assert.equal(wordHtml(heading, { styles, numbering: NUMBERING }), '<h1>R&amp;D &lt;1> x</h1>');
});
