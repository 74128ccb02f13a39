/** Reads the footnotes, endnotes and comments of a Word file. */
import { childAt, findElements, localAttribute, readXml, type XmlElement } from '../../xml/tree.ts';
import type { ZipPackage } from '../zip-package.ts';
import { escapeHtml, htmlOf, LineReader } from './lines.ts';
import { partOfType, targetsOf } from './parts.ts';
import type { WordStyles } from './styles.ts';

const KINDS = ['footnote', 'endnote', 'comment'];

/** Returns a function that finds the note of a reference. Notes are numbered in the order of their references. */
export function openNotes(parts: ZipPackage, document: string, styles: WordStyles) {
  const notes = new Map<string, { note: XmlElement; lines: LineReader }>();
  for (const kind of KINDS) {
    const part = partOfType(parts, document, `${kind}s`);
    const targets = targetsOf(parts, part);
    const lines = new LineReader({ styles, targets, note: () => undefined, isRunning: false });
    for (const note of findElements(readXml(parts.text(part)), kind))
      notes.set(`${kind}Reference ${localAttribute(note, 'id')}`, { note, lines });
  }
  let count = 0;
  return (reference: XmlElement) => {
    const { note, lines } = notes.get(`${reference.name} ${localAttribute(reference, 'id')}`) ?? {};
    if (!note || !lines) return undefined;
    const paragraphs = findElements(note, 'p').map((part) => htmlOf(lines.read(part.children, childAt(part, 'pPr'))));
    const text = paragraphs.join(' ').trim();
    if (text === '') return undefined;
    count += 1;
    const author = localAttribute(note, 'author').trim();
    const label = note.name === 'comment' ? `[comment${author && ` by ${escapeHtml(author)}`}] ` : '';
    return { mark: `[^${count}]`, html: `[^${count}]: ${label}${text}` };
  };
}
