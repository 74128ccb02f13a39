/** Reads the headers and footers of a Word file. */
import { childElements, readXml } from '../../xml/tree.ts';
import { relations } from '../office-xml.ts';
import type { ZipPackage } from '../zip-package.ts';
import { type Line, LineReader } from './lines.ts';
import { chartLines, partsOfTypes } from './parts.ts';
import type { WordStyles } from './styles.ts';
import { paragraphTexts } from './walk.ts';

/** Maximum number of headers and footers that are read. */
const PARTS_MAX = 300;

/** Returns the paragraphs of headers and footers, with marks for page numbers. */
export function runningParagraphs(parts: ZipPackage, document: string, styles: WordStyles): string[] {
  const names = new Set(partsOfTypes(parts, document, ['header', 'footer']));
  return [...names].slice(0, PARTS_MAX).flatMap((name) => {
    const lines = new LineReader({ styles, targets: new Map(), note: () => undefined, isRunning: true });
    const charts = chartLines(parts, relations(parts, name));
    const textOf = ({ pieces }: Line) => pieces.map(({ text }) => text).join('');
    return childElements(readXml(parts.text(name))).flatMap((root) => paragraphTexts(root, lines, textOf, charts));
  });
}
