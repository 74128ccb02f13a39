import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findElements, readXml } from '../../xml/tree.ts';
import type { ZipPackage } from '../zip-package.ts';
import { openNotes } from './notes.ts';
import { partOfType, partsHtml } from './parts.ts';

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
  assert.deepEqual([...(await partsHtml(parts, 'word/document.xml')).values()], ['<ul><li>Step</li></ul>', '']);
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
  assert.deepEqual(read('footnote', 2), { mark: '[^2]', html: '[^2]: a <a href="https://a.example">b</a>' });
  assert.deepEqual(read('comment', 3), { mark: '[^3]', html: '[^3]: [comment] d' });
});
