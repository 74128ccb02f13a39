/** Reads lists of HTML pages: items as lines, and terms with their definitions. */
import { isItem } from '../../../text/sentences.ts';
import type { DomElement, DomNode } from './dom.ts';
import { ELEMENT, ITEM_LABEL, isSkipped, TEXT } from './elements.ts';
import { collapse, gather, inlineText, itemLabel, type Walk } from './inline.ts';
import { taskMark } from './marks.ts';

/** Maximum depth of lists within lists. */
const DEPTH_MAX = 200;

/** A list with one of these elements is not written as lines. */
export const LIST_BREAKERS: ReadonlySet<string> = new Set('TABLE PRE DL H1 H2 H3 H4 H5 H6 ARTICLE SECTION'.split(' '));

/** True if a list contains only items and lists. */
export function isPlainList(list: DomElement): boolean {
  for (let node = list.firstChild; node; node = node.nextSibling) {
    const tag = node.nodeType === ELEMENT ? (node as DomElement).tagName.toUpperCase() : '';
    if (node.nodeType === TEXT && (node.nodeValue ?? '').trim() !== '') return false;
    if (tag !== '' && !/^(?:LI|UL|OL)$/.test(tag) && !isSkipped(node as DomElement)) return false;
  }
  return true;
}

/** Returns the items of a list as lines of Markdown. Inner lists are indented. */
export function listLines(list: DomElement, indent: number, walk: Walk): string[] {
  const lines: string[] = [];
  const labels = Array.from(list.children, (child) => itemLabel(child, walk)).filter((label) => label !== '');
  // A label such as `1.1` does not tell that its line is an item. The mark is one that may stand before a numbered part.
  const sign = labels.every((label) => isItem(`${label}x`)) ? '' : '* ';
  let number = Number(list.getAttribute('start') ?? 1) || 1;
  for (let node = list.firstChild; node; node = node.nextSibling) {
    const item = node as DomElement;
    const tag = node.nodeType === ELEMENT ? item.tagName.toUpperCase() : '';
    if (walk.leftOut.has(node) || (tag !== '' && isSkipped(item))) continue;
    if (tag === 'UL' || tag === 'OL') lines.push(...listLines(item, indent + 1, walk));
    else if (tag !== 'LI') {
      const text = collapse(gather(node, walk));
      if (text !== '') lines.push('  '.repeat(indent) + text.replaceAll('\n', `\n${'  '.repeat(indent)}`));
    }
    if (tag !== 'LI') continue;
    const label = itemLabel(item, walk).trimEnd();
    // An item with an empty label has no number in Word.
    const isCounted = list.tagName.toUpperCase() === 'OL' && !(walk.labels && item.hasAttribute(ITEM_LABEL));
    const mark = label !== '' ? `${sign}${label}` : isCounted ? `${number}.` : '-';
    number += 1;
    const nested = indent < DEPTH_MAX ? Array.from(item.children).flatMap((child) => innerList(child) ?? []) : [];
    const words = collapse(gather(item, walk, new Set(nested)));
    const text = words === '' ? '' : taskMark(item) + words;
    if (text !== '') {
      lines.push(`${'  '.repeat(indent)}${mark} ${text.replaceAll('\n', `\n${'  '.repeat(indent + 1)}`)}`);
    }
    for (const inner of nested) if (!walk.leftOut.has(inner)) lines.push(...listLines(inner, indent + 1, walk));
  }
  return lines;
}

/** Returns a list, also the only element of a `<div>`: Asciidoctor writes such lists. */
function innerList(element: DomElement): DomElement | undefined {
  if (/^(?:UL|OL)$/i.test(element.tagName)) return element;
  const isFrame = /^DIV$/i.test(element.tagName) && element.children.length === 1;
  return isFrame ? Array.from(element.children).find((child) => /^(?:UL|OL)$/i.test(child.tagName)) : undefined;
}

/** One term, or several terms with one meaning, and the elements that define them. */
export interface Definition {
  terms: DomElement[];
  parts: DomElement[];
}

/** Returns the definitions of a `<dl>`, also inside `<div>`s. Returns undefined if the list contains anything else. */
export function definitionsOf(list: DomElement, walk: Walk): Definition[] | undefined {
  const found: Definition[] = [];
  const add = (parent: DomElement, level: number): boolean =>
    Array.from(parent.children).every((child) => {
      const tag = child.tagName.toUpperCase();
      if (walk.leftOut.has(child) || isSkipped(child)) return true;
      if (tag === 'DIV' && level === 0) return add(child, 1);
      if (tag !== 'DT' && tag !== 'DD') return false;
      const last = found.at(-1);
      const open = last && (tag === 'DD' || isTermBefore(child)) ? last : undefined;
      const entry = open ?? { terms: [], parts: [] };
      if (!open) found.push(entry);
      (tag === 'DT' ? entry.terms : entry.parts).push(child);
      return true;
    });
  return add(list, 0) ? found : undefined;
}

/** True if this term shares a definition with the term before it: a term precedes and a definition follows. */
function isTermBefore(term: DomElement): boolean {
  return (
    /^DT$/i.test(term.previousElementSibling?.tagName ?? '') && /^DD$/i.test(term.nextElementSibling?.tagName ?? '')
  );
}

/** Returns the text before a definition: its terms and a dash, unless the terms end with a colon. */
export function leadOf(terms: readonly DomNode[], walk: Walk): string {
  const text = termText(terms, walk);
  return text === '' || /[:：]$/.test(text) ? text : `${text} —`;
}

/** Returns the terms of a definition on one line. */
export function termText(terms: readonly DomNode[], walk: Walk): string {
  return terms
    .map((term) => inlineText(term, walk).replace(/\s+/g, ' '))
    .filter((text) => text !== '')
    .join(', ');
}
