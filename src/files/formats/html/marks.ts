/** Reads single elements of HTML: the language of code, marks of notes, contacts behind links. */

import { CARRIER_UNITS, RAISED_UNITS_MAX, raisedText } from '../raised-text.ts';
import type { DomElement, DomNode } from './dom.ts';
import { countInside, HEADINGS, TEXT } from './elements.ts';

/** Matches classes with a language, as pages and highlighters write them: `language-js`, `brush: js`. */
const LANGUAGE_CLASS = /(?:^|\s)(?:language-|lang-|highlight-source-|sourceCode |brush:\s?)([\w+#.-]{1,30})/;
/** Number of elements around the code that may have the class, because highlighters wrap the code. */
const LANGUAGE_STEPS = 3;

/** Returns the language of a `<pre>`, or "" if the page does not name it. */
export function codeLanguage(pre: DomElement): string {
  const named = pre.getAttribute(CODE_LANGUAGE) ?? pre.querySelector('code')?.getAttribute(CODE_LANGUAGE);
  if (named) return /^[\w+#.-]{1,30}$/.test(named) ? named : '';
  const around: (DomElement | null)[] = [pre.querySelector('code')];
  for (
    let element: DomElement | null = pre;
    element && around.length <= LANGUAGE_STEPS;
    element = element.parentElement
  )
    around.push(element);
  for (const element of around) {
    const found = LANGUAGE_CLASS.exec(element?.getAttribute('class') ?? '')?.[1];
    if (found && !/^(?:none|plaintext|text)$/.test(found)) return found;
  }
  return '';
}

/** Another attribute with the language of code. */
const CODE_LANGUAGE = 'data-lang';

/** Returns the mark of a footnote as `[^1]`, or "". A bare number would become part of the word before it. */
export function noteMark(link: DomElement): string {
  if (!(link.getAttribute('href') ?? '').includes('#')) return '';
  const number = /^\s*\[?(\d{1,3})\]?\s*$/.exec(link.textContent ?? '')?.[1];
  if (number === undefined) return '';
  const raised = /^SUP$/i.test(link.parentElement?.tagName ?? '') || link.querySelector('sup') !== null;
  const named = link.getAttribute('epub:type') === 'noteref' || link.getAttribute('role') === 'doc-noteref';
  return raised || named ? `[^${number}]` : '';
}

/** Nodes inside a `<sup>` that are looked at. */
const RAISED_NODES_MAX = 16;

/** Returns the text of a `<sup>` with its mark (raised-text.ts); undefined if it needs none. Links inside have marks of their own. */
export function raisedMark(element: DomElement): string | undefined {
  let raised = '';
  const stack: DomNode[] = [element];
  for (let seen = 0, node = stack.pop(); node; node = stack.pop(), seen += 1) {
    if (seen > RAISED_NODES_MAX || raised.length > RAISED_UNITS_MAX) return undefined;
    if (node.nodeType === TEXT) raised += node.nodeValue ?? '';
    else if (/^(?:A|BR|IMG)$/i.test((node as DomElement).tagName ?? '')) return undefined;
    // The last child is pushed first, so that the first child is read next.
    for (let child = node.lastChild; child; child = child.previousSibling) {
      if (stack.push(child) > RAISED_NODES_MAX) return undefined;
    }
  }
  const { previousSibling: before, nextSibling: after } = element;
  const next = after?.nodeType === TEXT ? (after.nodeValue ?? '') : '';
  const low = after?.nextSibling as DomElement | null | undefined;
  const lowered = low?.tagName === 'SUB' ? (low.firstChild?.nodeValue ?? '') : '';
  return raisedText(endOf(before), raised.replace(/\s+/g, ' ').trim(), next.slice(0, CARRIER_UNITS), lowered);
}

/** Returns the end of the text in a node. */
function endOf(node: DomNode | null): string {
  let last = node;
  while (last && last.nodeType !== TEXT && last.lastChild) last = last.lastChild;
  return last?.nodeType === TEXT ? (last.nodeValue ?? '').slice(-CARRIER_UNITS) : '';
}

const NO_CONTACT = /[^\p{L}\p{N}@.]/gu;

/** Returns the mail address or telephone number behind a link, unless its text contains it. Links to pages are read elsewhere. */
export function contactOf(link: DomElement): string {
  const [, contact = ''] = /^\s*(?:mailto|tel):([^?\s]{3,100})/i.exec(link.getAttribute('href') ?? '') ?? [];
  if (contact === '') return '';
  const [label, wanted] = [link.textContent ?? '', contact].map((text) => text.replace(NO_CONTACT, '').toLowerCase());
  return label!.includes(wanted!) ? '' : ` (${contact})`;
}

/** Matches the signs that pages use as a link from a heading to itself. */
const PERMALINK_SIGN = /^(?:[\s¶#§◆⚓🔗∞☍¤⁋🔖\u200b]|\ufe0f)*$/u;
const PERMALINK_WORDS = /^\s*(?:permanent link|permalink|(?:direct )?link|anchor)(?: to this (?:\w+ ?){1,3})?\W*$/i;
const PERMALINK_UNITS_MAX = 40;

/** True if a link leads only to its own place: `¶`, or in a heading any text without letters. */
export function isPermalink(link: DomElement, inHeading: boolean): boolean {
  const href = link.getAttribute('href') ?? '';
  if (!href.includes('#') && !/action=edit|\/edit\//.test(href)) return false;
  const text = link.textContent ?? '';
  if (text.length > PERMALINK_UNITS_MAX || (link.querySelector('img') && text.trim() === '')) return false;
  if (!href.includes('#')) return inHeading;
  return PERMALINK_SIGN.test(text) || (inHeading && (PERMALINK_WORDS.test(text) || !/[\p{L}\p{N}]/u.test(text)));
}

const NOTE_NAME = new RegExp(
  `(?:^|\\s)(?:${[
    'admonition(?:block)?|note|warning|tip|caution|important|danger|hint|attention|callout',
    'sidebar(?:block)?|infobox|example(?:block)?|alert',
  ].join('|')})(?:[-_][\\w-]+)?(?:\\s|$)`,
  'i',
);
/** An element with more headings is a section. */
const NOTE_HEADINGS_MAX = 2;

/** True if an element is apart from the text: a note, a warning, a box at the side. */
export function isNote(element: DomElement): boolean {
  const named = NOTE_NAME.test(element.getAttribute('class') ?? '') || element.getAttribute('role') === 'note';
  if (!named && !/^ASIDE$/i.test(element.tagName)) return false;
  return countInside(element, HEADINGS, NOTE_HEADINGS_MAX + 1) <= NOTE_HEADINGS_MAX;
}

/** Returns the LaTeX of a formula, which many pages have behind its signs, or "". */
export function formulaSource(math: DomElement): string {
  return math.querySelector('annotation[encoding="application/x-tex"]')?.textContent?.trim() ?? '';
}

/** Returns the box of a task in a list, or "". Boxes that a reader of the page can check are a form. */
export function taskMark(item: DomElement): string {
  const className = item.getAttribute('class') ?? '';
  const box = item.querySelector(
    'input[type="checkbox"][disabled], .task-list-item-checkbox, .checkbox-on, .checkbox-off',
  );
  const isOwn = box !== null && [box.parentElement, box.parentElement?.parentElement].includes(item);
  if (!isOwn && item.parentElement?.getAttribute('class') !== 'inline-task-list') return '';
  const isDone =
    box?.hasAttribute('checked') || /checkbox-on/.test(box?.getAttribute('class') ?? '') || className === 'checked';
  return isDone ? '☒ ' : '☐ ';
}
