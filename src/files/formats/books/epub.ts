/** Parses EPUB books: chapters in the order of the spine. The table of contents names chapters without a heading. */
import { decoded } from '../../../text/link-line.ts';
import { badFile } from '../../failure.ts';
import type { ParsedFile } from '../../parsed.ts';
import { writeHtml } from '../html/blocks.ts';
import { expandEmptyTags, stripTags } from '../html/dom.ts';
import { folderOf, openPackage, resolvePart, type ZipPackage } from '../office/zip-package.ts';
import { TextBuilder } from '../text-builder.ts';
import { attribute, childAt, childElements, findElements, readXml, textOf, type XmlElement } from '../xml/tree.ts';

interface Item {
  part: string;
  type: string;
  properties: string;
}

/** Parses a book. @throws FileError for a book that is damaged, encrypted or over a limit. */
export function parseEpub(bytes: Uint8Array): ParsedFile {
  const parts = openPackage(bytes);
  const rootFile = findElements(readXml(parts.text('META-INF/container.xml')), 'rootfile')[0];
  const opf = rootFile ? attribute(rootFile, 'full-path') : '';
  const book = findElements(readXml(parts.text(opf)), 'package')[0];
  if (!book) throw badFile('parse', 'Damaged book', 'The EPUB file names no content.');
  const items = itemsOf(book, folderOf(opf));
  const encrypted = encryptedParts(parts);
  const labels = chapterLabels(parts, items);
  const builder = new TextBuilder();
  for (const reference of findElements(book, 'itemref')) {
    const item = items.get(attribute(reference, 'idref'));
    if (!item || item.properties.split(' ').includes('nav') || !/html/.test(item.type)) continue;
    if (encrypted.has(item.part)) throw badFile('parse', 'Encrypted book', 'The book is protected against copying.');
    writeChapter(parts.text(item.part), labels.get(item.part), builder);
  }
  const metadata = childAt(book, 'metadata');
  const values = (name: string) => (metadata ? childElements(metadata, name) : []).map((value) => textOf(value).trim());
  const title = values('title')[0] || undefined;
  return builder.file('epub', {
    title,
    author: values('creator').join(', '),
    created: values('date')[0],
    language: values('language')[0],
    description: values('description').map(stripTags)[0],
    publisher: values('publisher')[0],
  });
}

function itemsOf(book: XmlElement, folder: string): Map<string, Item> {
  const manifest = childAt(book, 'manifest');
  return new Map(
    (manifest ? childElements(manifest, 'item') : []).map((item) => [
      attribute(item, 'id'),
      {
        part: resolvePart(folder, decoded(attribute(item, 'href'))),
        type: attribute(item, 'media-type'),
        properties: attribute(item, 'properties'),
      },
    ]),
  );
}

/** Returns the encrypted parts. Encrypted fonts are common; encrypted chapters occur only in books that need a licence. */
function encryptedParts(parts: ZipPackage): Set<string> {
  const references = findElements(readXml(parts.text('META-INF/encryption.xml')), 'CipherReference');
  return new Set(references.map((reference) => decoded(attribute(reference, 'URI'))));
}

/** Returns, for each part, the first name in the tables of contents. */
function chapterLabels(parts: ZipPackage, items: ReadonlyMap<string, Item>): Map<string, string> {
  const labels = new Map<string, string>();
  const add = (source: string, target: string, label: string) => {
    const part = resolvePart(folderOf(source), decoded(target.split('#')[0]!));
    const text = label.replace(/\s+/g, ' ').trim();
    if (text !== '' && !labels.has(part)) labels.set(part, text);
  };
  for (const { part, type, properties } of items.values()) {
    const isNav = properties.split(' ').includes('nav');
    if (!isNav && type !== 'application/x-dtbncx+xml') continue;
    const contents = readXml(parts.text(part));
    for (const link of isNav ? findElements(contents, 'a') : []) add(part, attribute(link, 'href'), textOf(link));
    // Points are nested, but each label is followed by its own target.
    const labelled = findElements(contents, 'navLabel');
    const targets = findElements(contents, 'content');
    for (const [index, label] of labelled.entries()) {
      const target = targets[index];
      if (target && labelled.length === targets.length) add(part, attribute(target, 'src'), textOf(label));
    }
  }
  return labels;
}

function writeChapter(source: string, label: string | undefined, builder: TextBuilder): void {
  const html = expandEmptyTags(source);
  const heading = /<h[1-6][\s>]/i.test(html) ? undefined : label;
  if (heading !== undefined) builder.add({ kind: 'heading', level: 1 }, `# ${heading}`);
  writeHtml(html, builder);
}
