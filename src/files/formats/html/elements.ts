/** Classifies HTML elements: elements without text, elements that end a line, hidden elements. */
import type { DomElement, DomNode } from './dom.ts';

export const ELEMENT = 1;
export const TEXT = 3;
const COMMENT = 8;

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
  return SKIPPED.has(element.tagName.toUpperCase()) || isHidden(element) || isDrawnFormula(element);
}

/** True for the signs of a formula that are placed one by one, if the same formula for readers without eyes stands before them. */
function isDrawnFormula(element: DomElement): boolean {
  const isDrawn = element.getAttribute('class') === 'katex-html';
  return isDrawn && element.previousElementSibling?.getAttribute('class') === 'katex-mathml';
}

/** True if no reader sees an element. Panels of tabs, and alternatives of which a script shows one, are texts of the page. */
export function isHidden(element: DomElement): boolean {
  return hidesItself(element) && element.getAttribute('role') !== 'tabpanel' && !isAlternative(element);
}

function hidesItself(element: DomElement): boolean {
  const hidden = element.getAttribute('hidden');
  if (hidden !== null) return hidden.toLowerCase() !== 'until-found';
  const style = element.getAttribute('style');
  return style !== null && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
}

/** Maximum number of nodes at a place with alternatives, blanks between them included. */
const ALTERNATIVE_NODES_MAX = 32;

/**
 * True for hidden words inside a line whose neighbours are all hidden, too. Without a script the place would be empty, so a script shows
 * one of them, such as the key of an operating system. Dialogs and menus are no SPAN.
 */
function isAlternative(element: DomElement): boolean {
  const place = element.parentElement;
  if (!isSpan(element) || !place || !isSpan(place)) return false;
  let nodes = 0;
  for (let node = place.firstChild; node; node = node.nextSibling) {
    nodes += 1;
    const isPart = node.nodeType === ELEMENT && hidesItself(node as DomElement);
    const isBlank = node.nodeType === COMMENT || (node.nodeType === TEXT && node.nodeValue?.trim() === '');
    if (nodes > ALTERNATIVE_NODES_MAX || !(isPart || isBlank)) return false;
  }
  return true;
}

function isSpan(element: DomElement): boolean {
  return element.tagName.toUpperCase() === 'SPAN';
}

/** The class of each value of a property in exported pages, where styles keep the values apart. */
const VALUE_CLASS = /^selected-value(?:\s|$)/;

/** Returns what separates an alternative, or a value of a property, from the one before it, and "" for other elements. */
export function alternativeMark(element: DomElement): string {
  if (isSpan(element) && VALUE_CLASS.test(element.getAttribute('class') ?? ''))
    return VALUE_CLASS.test(element.previousElementSibling?.getAttribute('class') ?? '') ? ', ' : '';
  if (!hidesItself(element) || !isAlternative(element)) return '';
  return element.previousElementSibling?.textContent?.trim() ? ' / ' : '';
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

/** The attribute with the label of an item of a Word file. Other pages may have it, too, but it means nothing there. */
export const ITEM_LABEL = 'pinakes-label';
