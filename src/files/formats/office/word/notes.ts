/** Reads the footnotes, endnotes and comments of a Word file. */
import { findElements, localAttribute, readXml, type XmlElement } from '../../xml/tree.ts';
import { relations } from '../office-xml.ts';
import type { ZipPackage } from '../zip-package.ts';
import { escapeHtml, htmlOf, LineReader } from './lines.ts';
import { chartLines, partOfType, targetsOf } from './parts.ts';
import type { WordStyles } from './styles.ts';
import { paragraphTexts } from './walk.ts';

const KINDS = ['footnote', 'endnote', 'comment'];

/**
 * Returns a function that finds the mark and the HTML of the note of a reference. Notes are numbered in the order of their references.
 * Further references to a note have its mark and no HTML.
 */
export function openNotes(parts: ZipPackage, document: string, styles: WordStyles) {
  const notes = new Map<string, { note: XmlElement; paragraphs(): string[] }>();
  for (const kind of KINDS) {
    const part = partOfType(parts, document, `${kind}s`);
    const targets = targetsOf(parts, part);
    const charts = chartLines(parts, relations(parts, part));
    for (const note of findElements(readXml(parts.text(part)), kind)) {
      const paragraphs = () => {
        const lines = new LineReader({ styles, targets, note: () => undefined, isRunning: false });
        return paragraphTexts(note, lines, htmlOf, (id) => charts(id).map(escapeHtml));
      };
      notes.set(`${kind}Reference ${localAttribute(note, 'id')}`, { note, paragraphs });
    }
  }
  const marks = new Map<XmlElement, string>();
  return (reference: XmlElement): { mark: string; html: string } | undefined => {
    const { note, paragraphs } = notes.get(`${reference.name} ${localAttribute(reference, 'id')}`) ?? {};
    if (!note || !paragraphs) return undefined;
    const known = marks.get(note);
    if (known !== undefined) return { mark: known, html: '' };
    const text = paragraphs()
      .filter((paragraph) => paragraph !== '')
      .join(' ')
      .trim();
    if (text === '') {
      notes.delete(`${reference.name} ${localAttribute(reference, 'id')}`);
      return undefined;
    }
    const mark = `[^${marks.size + 1}]`;
    marks.set(note, mark);
    const author = localAttribute(note, 'author').trim();
    const label = note.name === 'comment' ? `[comment${author && ` by ${escapeHtml(author)}`}] ` : '';
    return { mark, html: `${mark}: ${label}${text}` };
  };
}
