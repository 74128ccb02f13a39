/** Reads the text of HTML elements on one line, with its links. */
import type { Link } from '../../../text/link-line.ts';
import { LINK_TEXT_UNITS_MAX, type LinkReader } from '../../links.ts';
import type { DomElement, DomNode } from './dom.ts';
import { alternativeMark, BLOCKS, ELEMENT, ITEM_LABEL, isSkipped, TEXT } from './elements.ts';
import { contactOf, formulaSource, isPermalink, noteMark, raisedMark } from './marks.ts';

/** State of a walk over a page. */
export interface Walk {
  read: LinkReader;
  /** Links since the last block. */
  found: Link[];
  /** Nodes to skip. */
  leftOut: ReadonlySet<DomNode>;
  /** Whether items have labels, which only the reader of Word files writes. */
  labels: boolean;
}

const NO_LINKS: Walk = { read: () => undefined, found: [], leftOut: new Set(), labels: false };

/** Returns the text under a node on one line, for cells, headings and titles. */
export function inlineText(node: DomNode, walk: Walk = NO_LINKS): string {
  return collapse(gather(node, walk));
}

interface OpenLink {
  url: string;
  /** Index of the part at which the text of the link begins. */
  from: number;
}

/** Returns all text under a node, with U+0001 for line breaks and U+0002 at block borders. Not recursive. */
export function gather(root: DomNode, walk: Walk = NO_LINKS, without: ReadonlySet<DomNode> = new Set()): string {
  const parts: string[] = [];
  const stack: (DomNode | string | OpenLink)[] = [root];
  const inHeading = root.nodeType === ELEMENT && /^(?:H[1-6]|DT)$/i.test((root as DomElement).tagName);
  let insideLink = false;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') parts.push(next);
    else if ('url' in next) {
      const text = collapse(parts.slice(next.from).join('')).slice(0, LINK_TEXT_UNITS_MAX);
      walk.found.push({ text, url: next.url });
      insideLink = false;
    } else if (next.nodeType === TEXT) parts.push(next.nodeValue ?? '');
    else if (next.nodeType === ELEMENT && !without.has(next) && !walk.leftOut.has(next)) {
      const tag = (next as DomElement).tagName.toUpperCase();
      if (tag === 'BR') parts.push('\u0001');
      if (tag === 'BR' || (next !== root && isSkipped(next as DomElement))) continue;
      if (next !== root) parts.push(alternativeMark(next as DomElement));
      const mark = tag === 'A' ? noteMark(next as DomElement) : tag === 'MATH' ? formulaSource(next as DomElement) : '';
      if (mark !== '') {
        parts.push(mark);
        continue;
      }
      const raised = tag === 'SUP' ? raisedMark(next as DomElement) : undefined;
      if (raised !== undefined) {
        parts.push(raised);
        continue;
      }
      if (tag === 'A' && isPermalink(next as DomElement, inHeading)) continue;
      if (tag === 'A') stack.push(contactOf(next as DomElement));
      const url = tag === 'A' && !insideLink ? walk.read((next as DomElement).getAttribute('href') ?? '') : undefined;
      if (url !== undefined) {
        stack.push({ url, from: parts.length });
        insideLink = true;
      }
      const block = next !== root && BLOCKS.has(tag);
      if (block) {
        parts.push('\u0002', itemLabel(next as DomElement, walk));
        stack.push('\u0002');
      }
      for (let child = next.lastChild; child; child = child.previousSibling) stack.push(child);
    }
  }
  return parts.join('');
}

/** Returns the label of an item with a blank behind it, or nothing. */
export function itemLabel(element: DomElement, walk: Walk): string {
  const label = walk.labels ? element.getAttribute(ITEM_LABEL) : '';
  return label ? `${label} ` : '';
}

/** Returns the text of an inline element in a paragraph, with backticks around code. */
export function inlineOf(element: DomElement, tag: string, walk: Walk): string {
  if (tag === 'CODE' || tag === 'KBD' || tag === 'SAMP') {
    const text = collapse(gather(element, walk));
    return text === '' || text.includes('`') ? text : `\`${text}\``;
  }
  return gather(element, walk);
}

/** Returns the paragraphs under an element, each on one line. */
export function paragraphsOf(element: DomElement, walk: Walk): string[] {
  return gather(element, walk)
    .split('\u0002')
    .map(collapse)
    .filter((text) => text !== '');
}

/** Turns white space and block borders into single blanks, and marks of line breaks into line feeds. */
export function collapse(raw: string): string {
  return raw
    .replace(/[\u00ad\u200b]/g, '')
    .replace(/[ \t\n\r\f\u00a0\u0002]+/g, ' ')
    .replace(/ ?\u0001 ?/g, '\n')
    .replace(/\n{2,}/g, '\n')
    .trim();
}
