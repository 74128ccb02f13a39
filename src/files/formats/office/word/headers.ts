/** Reads the headers and footers of a Word file. */
import { childAt, findElements, localAttribute, readXml, type XmlElement } from '../../xml/tree.ts';
import { chartText } from '../chart-text.ts';
import { relations } from '../office-xml.ts';
import type { ZipPackage } from '../zip-package.ts';
import { LineReader } from './lines.ts';
import type { WordStyles } from './styles.ts';

const RUNNING = /^word\/(?:header|footer)[^/]*\.xml$/;
/** Maximum number of headers and footers that are read. */
const PARTS_MAX = 300;

/** Returns the paragraphs of headers and footers, with marks for page numbers. */
export function runningParagraphs(parts: ZipPackage, document: string, styles: WordStyles): string[] {
  const names = [...relations(parts, document).values()].filter((name) => RUNNING.test(name));
  return [...new Set(names)].slice(0, PARTS_MAX).flatMap((name) => {
    const lines = new LineReader({ styles, targets: new Map(), note: () => undefined, isRunning: true });
    const links = relations(parts, name);
    const textsIn = (parent: XmlElement): string[] =>
      findElements(parent, 'p').flatMap((paragraph) => {
        const { pieces, boxes } = lines.read(paragraph.children, childAt(paragraph, 'pPr'));
        const inside = boxes.flatMap((box) =>
          box.name === 'chart' ? chartLines(parts.text(links.get(localAttribute(box, 'id')) ?? '')) : textsIn(box),
        );
        return [pieces.map(({ text }) => text).join(''), ...inside];
      });
    return textsIn(readXml(parts.text(name)));
  });
}

function chartLines(xml: string): string[] {
  const { caption, rows } = chartText(xml);
  return [caption, ...rows.map((row) => row.filter((cell) => cell !== '').join(' '))];
}
