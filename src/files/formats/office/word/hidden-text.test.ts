import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hiddenStyles, withoutHiddenText } from './hidden-text.ts';

const HIDDEN = '<w:rPr><w:vanish/></w:rPr>';
const run = (text: string, properties = '') => `<w:r>${properties}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (inside: string, properties = '') => `<w:p w:rsidR="1">${properties}${inside}</w:p>`;
const words = (xml: string, styles: string[] = []) =>
  [...withoutHiddenText(xml, new Set(styles)).matchAll(/<w:t[^>]*>([^<]*)/g)].map(([, text]) => text).join('|');

const CASES: readonly (readonly [what: string, xml: string, shown: string])[] = [
  ['a hidden run', run('a') + run('b', HIDDEN) + run('c'), 'a|c'],
  ['a run that is not hidden after all', run('a', '<w:rPr><w:vanish w:val="0"/></w:rPr>'), 'a'],
  ['a run that was hidden before a change', run('a', `<w:rPr><w:rPrChange>${HIDDEN}</w:rPrChange></w:rPr>`), 'a'],
  ['a hidden paragraph mark', run('a').replace('<w:r>', `<w:pPr>${HIDDEN}</w:pPr><w:r>`), 'a'],
  ['a hidden character style', run('a', '<w:rPr><w:rStyle w:val="H"/></w:rPr>') + run('b'), 'b'],
  ['a hidden paragraph style', `<w:pPr><w:pStyle w:val="H"/></w:pPr>${run('a')}`, ''],
  [
    'a text box in a hidden run',
    `<w:r>${HIDDEN}<w:drawing><w:p>${run('a')}<w:r><w:drawing/></w:r></w:p></w:drawing></w:r>${run('b')}`,
    'b',
  ],
  [
    'a hidden run in a text box',
    `<w:r><w:pict><w:p>${run('a', HIDDEN)}${run('b')}</w:p></w:pict></w:r>${run('c')}`,
    'b|c',
  ],
];
for (const [what, xml, shown] of CASES) {
  test(`of ${what} in a Word file, the text is "${shown}"`, () => assert.equal(words(paragraph(xml), ['H']), shown));
}

test('a style of a Word file hides its text if the style that it is based on does', () => {
  const style = (id: string, inside: string) => `<w:style w:type="character" w:styleId="${id}">${inside}</w:style>`;
  const base = (id: string) => `<w:basedOn w:val="${id}"/>`;
  const on = '<w:rPr><w:vanish/></w:rPr>';
  const off = '<w:rPr><w:vanish w:val="false"/></w:rPr>';
  const xml = `<w:styles>${style('C', base('B'))}${style('B', base('A'))}${style('A', on)}${style('D', base('A') + off)}${style('E', '')}</w:styles>`;
  assert.deepEqual([...hiddenStyles(xml)].toSorted(), ['A', 'B', 'C']);
});

test('hidden text of a Word file with markup that is never closed is removed in linear time', () => {
  for (const piece of [
    '<w:r>',
    '<w:p>',
    '</w:r>',
    `<w:r>${HIDDEN}<w:t>`,
    '<w:p ',
    '<w:rPrChange>',
    `${'<w:r>'.repeat(9)}</w:p>`,
  ]) {
    withoutHiddenText(`<w:vanish/>${piece.repeat(100_000)}`, new Set(['H']));
  }
});
