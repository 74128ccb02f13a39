/** Reads the headers and footers of OpenDocument texts and slides, which are part of their styles of pages. */
import { attribute, childElements, findElements, textOf, type XmlElement } from '../../xml/tree.ts';
import { PAGE_MARK } from '../running-text.ts';
import { type OdfStyles, OdfWriter } from './text.ts';

/** Matches headers and footers of all, left and first pages. */
const RUNNING = /^(?:header|footer)(?:-left|-first)?$/;

/** Returns the paragraphs of headers and footers, with marks for page numbers. `root` is the file of styles. */
export function runningParagraphs(root: XmlElement, styles: OdfStyles): string[] {
  const pages = findElements(root, 'master-page').flatMap((page) => childElements(page));
  const shown = pages.filter(
    ({ name, head }) => RUNNING.test(name) && attribute({ head }, 'style:display') !== 'false',
  );
  const writer = new OdfWriter(styles, () => undefined);
  return shown.flatMap((part) => {
    for (const number of ['page-number', 'page-count'].flatMap((name) => findElements(part, name)))
      number.children = [PAGE_MARK];
    return [...findElements(part, 'p'), ...findElements(part, 'h')].map((paragraph) => writer.inline(paragraph));
  });
}

/** Returns the texts of the footers on master slides. */
export function masterFooters(root: XmlElement): string[] {
  const frames = findElements(root, 'master-page').flatMap((page) => childElements(page));
  const footers = frames.filter((frame) => attribute(frame, 'presentation:class') === 'footer');
  // A field without a value may have its name in angle brackets.
  return footers.flatMap((footer) => findElements(footer, 'p').map(textOf)).filter((text) => !/^<[^<>]*>$/.test(text));
}
