/** Writes out what the markup of papers and books says without words: signs between keywords, brackets of notes, raised text, dates. */
import { CARRIER_UNITS, raisedText } from '../raised-text.ts';
import { attribute, childAt, childElements, textOf, type XmlElement } from './tree.ts';

const KEYWORDS = /^(?:kwd-group|keywordset|keywords)$/i;
const RAISED = /^(?:sup|superscript)$/i;
const NOTES = /^(?:note|fn|footnote)$/i;
const CITATIONS = /^(?:(?:element-|mixed-|nlm-)?citation|bibl)$/i;
const STYLES = /^(?:sup|sub|italic|bold|sc|hi|emphasis)$/i;
const FIGURES = /^(?:fig|figure|table-wrap|caption)$/i;

/** Changes the tree of a text in place. */
export function writeOut(top: XmlElement): void {
  const stack = [top];
  for (let next = stack.pop(); next; next = stack.pop()) {
    withLabel(next);
    if (KEYWORDS.test(next.name))
      next.children = childElements(next).flatMap((word, i) => (i === 0 ? [word] : [', ', word]));
    else if (/^(?:pub-)?date$/i.test(next.name)) next.children = dateOf(next) ?? next.children;
    else next.children = separated(next);
    stack.push(...childElements(next));
  }
}

/** Puts the label of a section or figure before its title. The title of a figure is no heading of what follows it. */
function withLabel(element: XmlElement): void {
  const label = childAt(element, 'label');
  const inside = childAt(element, 'caption') ?? element;
  const title = childAt(inside, 'title') ?? (inside === element ? undefined : childAt(inside, 'p'));
  if (label && title) {
    title.children.unshift(`${textOf(label).trim()} `);
    element.children = element.children.filter((child) => child !== label);
  }
  if (title && FIGURES.test(element.name)) title.name = 'p';
}

function dateOf(date: XmlElement): string[] | undefined {
  const parts = ['year', 'month', 'day'].map((name) => textOf(childAt(date, name) ?? date).trim());
  const known = parts.slice(0, childAt(date, 'month') ? (childAt(date, 'day') ? 3 : 2) : 1);
  return known.every((part) => /^\d{1,4}$/.test(part))
    ? [known.map((part) => part.padStart(2, '0')).join('-')]
    : undefined;
}

function separated(element: XmlElement): XmlElement['children'] {
  const { children } = element;
  let before = '';
  return children.flatMap((child, i) => {
    const text = typeof child === 'string' ? child : textOf(child);
    const ahead = before;
    before = (before + text).slice(-CARRIER_UNITS);
    if (typeof child === 'string') return [child];
    const next = children[i + 1] ?? '';
    const after = (typeof next === 'string' ? next : textOf(next)).slice(0, CARRIER_UNITS);
    const raised = RAISED.test(child.name) ? raisedText(ahead, text.trim(), after) : undefined;
    if (raised !== undefined) return [raised];
    if (NOTES.test(child.name) && ahead.trim() !== '' && hasWords(children))
      return [' (', child, /^[\p{L}\p{N}]/u.test(after) ? ') ' : ')'];
    if (/^lb$/i.test(child.name)) return attribute(child, 'break') === 'no' ? [] : [' '];
    const touches = CITATIONS.test(element.name) && typeof children[i - 1] === 'object';
    return touches && !STYLES.test(child.name) ? [' ', child] : [child];
  });
}

function hasWords(children: XmlElement['children']): boolean {
  return children.some((child) => typeof child === 'string' && child.trim() !== '');
}
