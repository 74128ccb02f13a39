/** Tests of nested formulas. A parser that reads a part twice doubles its work with each level and never ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mathmlText } from '../xml/mathml.ts';
import { findElements, readXml } from '../xml/tree.ts';
import { latexText } from './omml.ts';

/** With the elements around each part, both numbers stay below the maximum depth of XML. */
const LEVELS = 200;
const WRAPPED_LEVELS = 80;

function nested(levels: number, before: string, behind: string): string {
  return `${before.repeat(levels)}${behind.repeat(levels)}`;
}

function ends(latex: string): void {
  assert.match(latex, /[a-z]/);
}

const MATHML = 'mrow mfrac msqrt mroot msup msub munder msubsup munderover mover mstyle'.split(' ');
for (const name of MATHML) {
  test(`a MathML formula with ${LEVELS} levels of ${name} is read in linear time`, () => {
    for (const place of [0, 1, 2]) {
      const [before, behind] = [
        `<${name}>${'<mi>a</mi>'.repeat(place)}`,
        `${'<mi>a</mi>'.repeat(2 - place)}</${name}>`,
      ];
      const xml = `<math>${nested(LEVELS, before, `<mi>b</mi>${behind}`)}</math>`;
      ends(mathmlText(findElements(readXml(xml), 'math')[0]!));
    }
  });
}

test(`a MathML formula with ${WRAPPED_LEVELS} levels of tables is read in linear time`, () => {
  const xml = `<math>${nested(WRAPPED_LEVELS, '<mtr><mtd><mi>a</mi></mtd><mtd>', '</mtd></mtr>')}</math>`;
  ends(mathmlText(findElements(readXml(xml), 'math')[0]!));
});

const OMML = {
  f: 'num den',
  sSup: 'e sup',
  sSub: 'e sub',
  sSubSup: 'e sub sup',
  sPre: 'sub sup e',
  rad: 'deg e',
  nary: 'sub sup e',
  limLow: 'e lim',
  limUpp: 'e lim',
  bar: 'e',
  func: 'fName e',
  d: 'e',
  eqArr: 'e',
  m: 'mr/e',
  box: 'e',
};
for (const [name, parts] of Object.entries(OMML)) {
  test(`an Office formula with ${WRAPPED_LEVELS} levels of m:${name} is read in linear time`, () => {
    for (const part of parts.split(' ')) {
      const others = parts.split(' ').filter((other) => other !== part);
      const around = others.map((other) => `<m:${other}><m:r><m:t>a</m:t></m:r></m:${other}>`).join('');
      const steps = part.split('/').map((step) => `m:${step}`);
      const before = `<m:${name}>${around}<${steps.join('><')}><m:r><m:t>b</m:t></m:r>`;
      const behind = `</${steps.toReversed().join('></')}></m:${name}>`;
      ends(latexText(readXml(`<m:oMath>${nested(WRAPPED_LEVELS, before, behind)}</m:oMath>`)));
    }
  });
}
