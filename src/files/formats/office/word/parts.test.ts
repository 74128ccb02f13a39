import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findElements, readXml } from '../../xml/tree.ts';
import type { ZipPackage } from '../zip-package.ts';
import { runningParagraphs } from './headers.ts';
import { openNotes } from './notes.ts';
import { partOfType, readParts } from './parts.ts';

function packageOf(parts: Readonly<Record<string, string>>): ZipPackage {
  const text = (name: string) => parts[name] ?? '';
  return { names: Object.keys(parts), has: (name) => name in parts, text, bytes: () => new Uint8Array() };
}

const links = (...links: (readonly [id: string, type: string, target: string])[]) =>
  `<Relationships>${links.map(([id, type, target]) => `<Relationship Id="${id}" Type="urn:x/${type}" Target="${target}"/>`).join('')}</Relationships>`;

test('parts of a Word file are found by their type, whatever their names are', () => {
  const parts = packageOf({
    '_rels/.rels': links(['a', 'officeDocument', '/text/document2.xml']),
    'text/document2.xml': '',
    'text/_rels/document2.xml.rels': links(['a', 'styles', 'gone.xml'], ['b', 'styles', 'styles2.xml']),
    'text/styles2.xml': '',
  });
  assert.equal(partOfType(parts, '', 'officeDocument', 'document'), 'text/document2.xml');
  assert.equal(partOfType(parts, 'text/document2.xml', 'styles'), 'text/styles2.xml');
  assert.equal(partOfType(parts, 'text/document2.xml', 'numbering'), 'word/numbering.xml');
  assert.equal(partOfType(packageOf({}), '', 'officeDocument', 'document'), 'word/document.xml');
});

test('only the data of a diagram in a Word file are read, not its layout', async () => {
  const diagram = '<d:pt><d:t><a:p><a:r><a:t>Step</a:t></a:r></a:p></d:t></d:pt>';
  const parts = packageOf({
    'word/_rels/document.xml.rels': links(['a', 'data', 'diagrams/data1.xml'], ['b', 'layout', 'diagrams/layout1.xml']),
    'word/diagrams/data1.xml': diagram,
    'word/diagrams/layout1.xml': diagram,
  });
  const read = [...(await readParts(parts, 'word/document.xml')).values()];
  assert.deepEqual(
    read.map(({ html }) => html),
    ['<ul><li>Step</li></ul>', ''],
  );
});

test('notes and comments of a Word file are numbered by their references, and empty notes have no mark', () => {
  const paragraph = (inside: string) => `<w:p>${inside}</w:p>`;
  const t = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
  const note = openNotes(
    packageOf({
      'word/_rels/footnotes.xml.rels': links(['web', 'hyperlink', 'https://a.example']),
      'word/footnotes.xml': `<w:footnotes><w:footnote w:id="1">${paragraph(t(' '))}</w:footnote><w:footnote w:id="2">${paragraph(t('a'))}${paragraph(`<w:hyperlink r:id="web">${t('b')}</w:hyperlink>`)}</w:footnote></w:footnotes>`,
      'word/comments.xml': `<w:comments><w:comment w:id="2" w:author=" Ann &amp; Bo ">${paragraph(t('c'))}</w:comment><w:comment w:id="3">${paragraph(t('d'))}</w:comment></w:comments>`,
    }),
    'word/document.xml',
    new Map(),
  );
  const read = (name: string, id: number) =>
    note(findElements(readXml(`<w:${name}Reference w:id="${id}"/>`), `${name}Reference`)[0]!);
  assert.equal(read('footnote', 1), undefined);
  assert.equal(read('footnote', 9), undefined);
  assert.equal(read('endnote', 2), undefined);
  const comment = { mark: '[^1]', html: '[^1]: [comment by Ann &amp; Bo] c' };
  assert.deepEqual(read('comment', 2), comment);
  assert.deepEqual(read('comment', 2), { ...comment, html: '' });
  assert.deepEqual(read('footnote', 2), { mark: '[^2]', html: '[^2]: a <a href="https://a.example">b</a>' });
  assert.deepEqual(read('comment', 3), { mark: '[^3]', html: '[^3]: [comment] d' });
});

const t = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (inside: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${inside}</w:p>`;
const CHART = '<w:r><w:drawing><wp:inline><c:chart r:id="ch"/></wp:inline></w:drawing></w:r>';
const PARAGRAPHS = [
  p(t('o'), '<w:rPr><w:del/></w:rPr>'),
  p(t('ne')),
  `<mc:AlternateContent><mc:Choice>${p(t('new'))}</mc:Choice><mc:Fallback>${p(t('old'))}</mc:Fallback></mc:AlternateContent>`,
  `<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>${p(t('lost'))}</w:tc></w:tr><w:tr><w:tc>${p(t('cell'))}</w:tc></w:tr></w:tbl>`,
  `<w:moveFrom>${p(t('moved'))}</w:moveFrom>`,
  '<m:oMathPara><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></m:oMathPara>',
  p(`${t('two')}<w:r><w:pict><w:txbxContent>${p(t('box'))}</w:txbxContent></w:pict></w:r>`),
  p(CHART) + p(CHART),
].join('');
const CHARTS = {
  'word/charts/chart1.xml':
    '<c:chartSpace><c:chart><c:plotArea><c:pieChart><c:ser><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>&lt;8</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:pieChart></c:plotArea></c:chart></c:chartSpace>',
};

test('notes of a Word file have the text of tables, boxes, formulas and charts, and not what was deleted', () => {
  const note = openNotes(
    packageOf({
      ...CHARTS,
      'word/_rels/footnotes.xml.rels': links(['ch', 'chart', 'charts/chart1.xml']),
      'word/footnotes.xml': `<w:footnotes><w:footnote w:id="1">${PARAGRAPHS}</w:footnote></w:footnotes>`,
    }),
    'word/document.xml',
    new Map(),
  );
  const [reference] = findElements(readXml('<w:footnoteReference w:id="1"/>'), 'footnoteReference');
  assert.equal(note(reference!)?.html, '[^1]: one old cell $x$ two box Pie chart &lt;8');
});

test('headers of a Word file are found by their type and have the same text as notes', () => {
  const parts = packageOf({
    ...CHARTS,
    'word/_rels/document.xml.rels': links(['h', 'header', 'Kopfzeile.xml'], ['s', 'styles', 'header1.xml']),
    'word/_rels/Kopfzeile.xml.rels': links(['ch', 'chart', 'charts/chart1.xml']),
    'word/Kopfzeile.xml': `<w:hdr>${PARAGRAPHS}</w:hdr>`,
    'word/header1.xml': `<w:hdr>${p(t('styles'))}</w:hdr>`,
  });
  const texts = runningParagraphs(parts, 'word/document.xml', new Map()).filter((text) => text !== '');
  assert.deepEqual(texts, ['one', 'old', 'cell', '$x$', 'two', 'box', 'Pie chart', '<8']);
});

test('a page number of a header whose end was deleted hides only the rest of its paragraph', () => {
  const page = (text: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType="separate"/></w:r>${text}`;
  const parts = packageOf({
    'word/_rels/document.xml.rels': links(['h', 'header', 'header1.xml']),
    'word/header1.xml': `<w:hdr>${p(t('one ') + page(t('3')))}${p(t('two'))}</w:hdr>`,
  });
  assert.deepEqual(runningParagraphs(parts, 'word/document.xml', new Map()), ['one ', 'two']);
});

test('a part of a Word file to which many relationships lead is read and written once', async () => {
  const parts = packageOf({
    ...CHARTS,
    'word/_rels/document.xml.rels': links(['a', 'chart', 'charts/chart1.xml'], ['b', 'chart', 'charts/chart1.xml']),
  });
  const read = await readParts(parts, 'word/document.xml');
  assert.equal(
    read.get('a')?.html,
    '<p>Pie chart</p><table><tr><td></td><td></td></tr><tr><td></td><td>&lt;8</td></tr></table>',
  );
  assert.equal(read.get('a'), read.get('b'));
});
