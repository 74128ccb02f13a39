import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mathText } from '../omml.ts';
import { PART_MARK, plainDocument } from './source.ts';

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
  [`<m:func>${e('sin', 'fName')}${e('x')}</m:func>`, 'sin x'],
] as const) {
  test(`an Office formula is written as the LaTeX ${latex}`, () =>
    assert.equal(mathText(`<m:oMath>${xml}</m:oMath>`), latex));
}

test('a drop cap in a Word file joins its word, whatever is between them', () => {
  const letter = '<w:p w:a="1"><w:pPr><w:framePr w:dropCap="drop"/></w:pPr><w:r><w:t>D</w:t></w:r></w:p>';
  const word = '<w:p w:b="2"><w:pPr><w:jc/></w:pPr><w:r><w:t>rop</w:t></w:r></w:p>';
  assert.match(plainDocument(letter + word), /<w:t>D<\/w:t><\/w:r><w:r><w:t>rop/);
  assert.equal(plainDocument(`${letter}<w:tbl/>`), `${letter}<w:tbl/>`);
  assert.equal(plainDocument(letter.replace('drop"', 'none"') + word).includes('</w:p><w:p'), true);
});

test('a chart in a Word file is replaced by its mark, and other drawings stay', () => {
  const drawing = (inside: string) => `<w:r><w:drawing><a>${inside}</a></w:drawing></w:r>`;
  const plain = plainDocument(drawing('<c:chart xmlns:c="x" r:id="rId4"/>') + drawing('<pic/>'));
  assert.equal(plain, `<w:r><w:t>${PART_MARK}rId4${PART_MARK}</w:t></w:r>${drawing('<pic/>')}`);
});

test('diagrams and included files in a Word file are replaced by their marks', () => {
  const diagram = '<w:r><w:drawing><dgm:relIds xmlns:dgm="d" r:dm="rId7" r:lo="rId8"/></w:drawing></w:r>';
  const mark = (id: string) => `${PART_MARK}${id}${PART_MARK}`;
  assert.equal(plainDocument(diagram), `<w:r><w:t>${mark('rId7')}</w:t></w:r>`);
  const chunk = `<w:p><w:r><w:t xml:space="preserve">${mark('a1')}</w:t></w:r></w:p>`;
  assert.equal(plainDocument('<w:altChunk r:id="a1"/>'), chunk);
  assert.equal(
    plainDocument('<w:altChunk xmlns:r="r" r:id="a1"><w:altChunkPr/></w:altChunk>'),
    `${chunk}<w:altChunkPr/>`,
  );
});

test('a word with a reading above it keeps the word and loses the reading', () => {
  const ruby =
    '<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:rPr/><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r>';
  assert.equal(plainDocument(ruby), '<w:r><w:t>東京</w:t></w:r>');
});

test('of the alternatives in a Word file, only the first one with a box is read instead of the older form', () => {
  const all = (...choices: string[]) =>
    `<mc:AlternateContent>${choices.map((inside) => `<mc:Choice Requires="x">${inside}</mc:Choice>`).join('')}<mc:Fallback>old</mc:Fallback></mc:AlternateContent>`;
  const tag = '<w:smartTag>';
  const read = (inside: string) => `${tag}<w:smartTag Requires="x">${inside}</w:smartTag>`;
  const rest = '<mc:Choice>old</mc:Choice></w:smartTag>';
  const box = '<wps:txbx>1</wps:txbx>';
  const other = all('<w16se:symEx/>', box);
  assert.equal(plainDocument(other + all(box)), other + read(box) + rest);
  assert.equal(plainDocument(all(box, '2')), `${read(box)}<mc:Choice Requires="x">2</mc:Choice>${rest}`);
  assert.equal(plainDocument(all(all(box) + all('3'))), read(read(box) + rest + all('3')) + rest);
  assert.equal(plainDocument(box + all('<wps:txbx/>')), box + all('<wps:txbx/>'));
  const empty =
    '<mc:AlternateContent/><mc:AlternateContent><mc:Choice/><mc:Choice><wps:txbx></mc:Choice></mc:AlternateContent>';
  assert.equal(plainDocument(empty), empty);
});

test('the text of shapes in a locked canvas is read', () => {
  const canvas = (inside: string) =>
    `<w:drawing><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/lockedCanvas">${inside}</a:graphicData></w:drawing>`;
  const shapes =
    '<a:p><a:r><a:t>School</a:t></a:r><a:r><a:t> 14</a:t></a:r></a:p><a:p/><a:p><a:r><a:t>North</a:t></a:r></a:p>';
  assert.equal(plainDocument(canvas(shapes)), '<w:t xml:space="preserve"> School 14 North </w:t>');
  assert.equal(plainDocument(canvas('<pic/>')), canvas('<pic/>'));
});

test('drawings of a Word file before a long tag are read in linear time', () => {
  const long = '/wordprocessingX'.repeat(80_000);
  const begin = process.cpuUsage();
  plainDocument(`<wps:txbx>${'<w:drawing>'.repeat(16_000)}<a:graphicData uri="${long}`);
  assert.ok(process.cpuUsage(begin).user < 10_000_000);
});

test('a Word file with markup that is never closed is read in linear time', () => {
  for (const piece of [
    '<m:oMath>',
    '<w:drawing><c:chart ',
    '<w:drawing><a:graphicData uri="/lockedCanvas"><a:t>',
    'w:dropCap="',
    '<w:p><w:framePr w:dropCap="drop"/>',
    '<w:ruby>',
    '<w:altChunk ',
    '<w:drawing><wps:txbx>',
    '<mc:AlternateContent><mc:Choice><wps:txbx>',
  ]) {
    assert.ok(plainDocument(piece.repeat(50_000)).length > 0);
  }
});
