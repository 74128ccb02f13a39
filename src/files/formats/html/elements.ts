/** Classifies HTML elements: elements without text, elements that end a line, hidden elements. */
import type { DomElement, DomNode } from './dom.ts';

export const ELEMENT = 1;
export const TEXT = 3;

/** Elements whose content is not text of the page. */
const SKIPPED = new Set(
  (
    'SCRIPT STYLE NOSCRIPT TEMPLATE HEAD TITLE META LINK IFRAME OBJECT EMBED CANVAS SVG AUDIO VIDEO MAP SELECT ' +
    'DATALIST BUTTON TEXTAREA INPUT DIALOG PROGRESS METER'
  ).split(' '),
);

/** Elements that begin and end a line. */
export const BLOCKS: ReadonlySet<string> = new Set(
  (
    'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY HTML CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM ' +
    'H1 H2 H3 H4 H5 H6 HEADER HGROUP HR LI MAIN MENU NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL ' +
    'CAPTION'
  ).split(' '),
);

export const HEADINGS: ReadonlySet<string> = new Set(['H1', 'H2', 'H3', 'H4', 'H5', 'H6']);
export const HEADING_TAG = /^H([1-6])$/;

/** True if an element is hidden, or if its content is not text of the page. */
export function isSkipped(element: DomElement): boolean {
  return SKIPPED.has(element.tagName.toUpperCase()) || isHidden(element);
}

export function isHidden(element: DomElement): boolean {
  if (element.hasAttribute('hidden')) return true;
  const style = element.getAttribute('style');
  return style !== null && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
}

/** True if an element with one of `tags` is below `element`. */
export function hasBlockInside(element: DomElement, tags: ReadonlySet<string> = BLOCKS): boolean {
  return countInside(element, tags, 1) > 0;
}

/** Counts the elements with one of `tags` below `element`, up to `enough`. */
export function countInside(element: DomElement, tags: ReadonlySet<string>, enough: number): number {
  let found = 0;
  const stack: DomNode[] = [];
  for (let child = element.firstChild; child; child = child.nextSibling) stack.push(child);
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.nodeType !== ELEMENT) continue;
    if (tags.has((node as DomElement).tagName.toUpperCase())) found += 1;
    if (found >= enough) return found;
    for (let child = node.firstChild; child; child = child.nextSibling) stack.push(child);
  }
  return found;
}
