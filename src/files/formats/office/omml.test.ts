import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readXml } from '../xml/tree.ts';
import { latexText } from './omml.ts';

const r = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
const e = (text: string, name = 'e') => `<m:${name}>${r(text)}</m:${name}>`;

for (const [xml, latex] of [
  [`<m:f><m:fPr/>${e('1', 'num')}${e('x', 'den')}</m:f>`, '\\frac{1}{x}'],
  [`<m:sSubSup>${e('a')}${e('i', 'sub')}${e('2', 'sup')}</m:sSubSup>`, 'a_{i}^{2}'],
  [`<m:rad><m:deg/>${e('2')}</m:rad>`, '\\sqrt{2}'],
  [`<m:rad>${e('3', 'deg')}${e('2')}</m:rad>`, '\\sqrt[3]{2}'],
  [`<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>${e('i', 'sub')}<m:sup/>${e('a')}</m:nary>`, '∑_{i} a'],
  [`<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>${e('a')}${e('b')}</m:d>`, '[a|b]'],
  [
    `<m:m><m:mr>${e('a')}${e('b')}</m:mr><m:mr>${e('c')}${e('d')}</m:mr></m:m>`,
    '\\begin{matrix}a & b \\\\ c & d\\end{matrix}',
  ],
  [`<m:r><w:rPr><w:vanish/></w:rPr><m:t>a</m:t></m:r>${r('b')}`, 'b'],
  [`<m:r><w:rPr><w:vanish w:val="0"/></w:rPr><m:t>a</m:t></m:r>`, 'a'],
  [`<w:del>${r('a')}</w:del><w:moveFrom>${r('b')}</w:moveFrom><w:ins>${r('c')}</w:ins>`, 'c'],
  [`<m:func>${e('sin', 'fName')}${e('x')}</m:func>`, 'sin x'],
] as const) {
  test(`an Office formula is written as the LaTeX ${latex}`, () =>
    assert.equal(latexText(readXml(`<m:oMath>${xml}</m:oMath>`)), latex));
}
