import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findElements, readXml, textOf } from '../../xml/tree.ts';
import { numberParagraphs } from './heading-numbers.ts';

const level = (at: number, format: string, more = '') =>
  `<text:outline-level-style text:level="${at}" style:num-format="${format}" ${more}/>`;
const OUTLINE = `<text:outline-style>${[
  level(1, 'I', 'style:num-prefix="Part " style:num-suffix=":"'),
  level(2, '1', 'text:display-levels="2"'),
  level(3, 'a', 'loext:num-list-format="%2%(%3%)"'),
  level(4, ''),
  level(5, '1', 'text:display-levels="2"'),
].join('')}</text:outline-style>`;
const STYLES = `<styles>${OUTLINE}<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="." text:start-value="5"/></text:list-style>
<style:style style:family="paragraph" style:name="Plain" style:list-style-name=""/><style:style style:family="paragraph" style:name="P1" style:parent-style-name="Plain"/>
<style:style style:family="paragraph" style:name="Own" style:list-style-name="L"/></styles>`;

const h = (outline: number, more = '') => `<text:h text:outline-level="${outline}" ${more}>x</text:h>`;
const list = (inside: string, more = '') =>
  `<text:list text:style-name="L" ${more}><text:list-item>${inside}</text:list-item></text:list>`;

const CASES: readonly (readonly [what: string, body: string, numbers: string[]])[] = [
  [
    'levels',
    [h(1), h(2), h(3), h(3), h(2), h(3), h(1), h(2)].join(''),
    ['Part I:', 'I.1', '1(a)', '1(b)', 'I.2', '2(a)', 'Part II:', 'II.1'],
  ],
  ['a level without a number', h(4), ['']],
  ['a level below one without a number', h(5), ['1']],
  ['an outer level that is left out', h(2) + h(2), ['I.1', 'I.2']],
  [
    'a style that takes the number away, and one with its own list',
    h(1, 'text:style-name="P1"') + h(1, 'text:style-name="Own"') + h(1),
    ['', '5.', 'Part I:'],
  ],
  [
    'a heading that starts anew, and one without a number',
    h(1) + h(1, 'text:restart-numbering="true" text:start-value="7"') + h(1, 'text:is-list-header="true"') + h(1),
    ['Part I:', 'Part VII:', '', 'Part VIII:'],
  ],
  [
    'headings in lists',
    list(h(1)) + list(h(1), 'text:continue-numbering="true"') + list(h(1)) + list(h(1), 'text:continue-list="a"'),
    ['5.', '6.', '5.', '6.'],
  ],
  ['headings that were deleted', `<text:tracked-changes>${h(1)}</text:tracked-changes>${h(1)}`, ['', 'Part I:']],
];
for (const [what, source, numbers] of CASES) {
  test(`headings of OpenDocument texts have their numbers: ${what}`, () => {
    const body = readXml(`<body>${source}</body>`);
    numberParagraphs(body, [readXml(STYLES)]);
    assert.deepEqual(
      findElements(body, 'h').map((heading) => textOf(heading).replace(/ ?x$/, '')),
      numbers,
    );
  });
}
