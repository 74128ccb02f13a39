/** Writes out what the markup of papers and books says without words: signs between keywords, raised text, dates. */
import { CARRIER_UNITS, raisedText } from '../raised-text.ts';
import { attribute, childAt, childElements, hasOwnText, textOf, type XmlElement } from './tree.ts';

const CITATIONS = /^(?:(?:element-|mixed-|nlm-)?citation|bibl)$/i;

/** Changes the tree of a text in place. */
export function writeOut(top: XmlElement): void {
  const stack = [top];
  for (let next = stack.pop(); next; next = stack.pop()) {
    withLabel(next);
    next.children = keywordsOf(next) ?? dateOf(next) ?? separated(next);
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
  if (title && /^(?:fig|figure|table-wrap|caption)$/i.test(element.name)) title.name = 'p';
}

/** Returns keywords with signs between them, but not behind their title. */
function keywordsOf(element: XmlElement): XmlElement['children'] | undefined {
  if (!/^(?:kwd-group|keywordset|keywords)$/i.test(element.name) || hasOwnText(element)) return undefined;
  return childElements(element).flatMap((word, i, words) =>
    i === 0 || /^(?:title|head|label)$/i.test(words[i - 1]!.name) ? [word] : [', ', word],
  );
}

/** Returns the day of a date that has only its parts as numbers, such as 2011-08-02. A day needs its month. */
function dateOf(date: XmlElement): string[] | undefined {
  if (!/^(?:pub-)?date$/i.test(date.name) || hasOwnText(date)) return undefined;
  const parts = childElements(date).map(({ name }) => name);
  if (!/^(?:(?:day,)?month,)?year$/.test(parts.sort().join())) return undefined;
  const day = ['year', 'month', 'day']
    .flatMap((name) => childAt(date, name) ?? [])
    .map(textOf)
    .join('-');
  return /^\d{4}(?:-\d{1,2}){0,2}$/.test(day) ? [day.replace(/\b\d\b/g, '0$&')] : undefined;
}

function separated(element: XmlElement): XmlElement['children'] {
  const textAt = (child: XmlElement['children'][number] = '') => (typeof child === 'string' ? child : textOf(child));
  let behind = '';
  return element.children.flatMap((child, i, children) => {
    const before = behind;
    behind = (behind + textAt(child)).slice(-CARRIER_UNITS);
    if (typeof child === 'string') return [child];
    const after = textAt(children[i + 1]).slice(0, CARRIER_UNITS);
    const raised = /^sup(?:erscript)?$/i.test(child.name) ? raisedText(before, textOf(child).trim(), after) : undefined;
    if (raised !== undefined) return [raised];
    if (/^lb$/i.test(child.name)) return attribute(child, 'break') === 'no' ? [] : [' '];
    const touches = CITATIONS.test(element.name) && typeof children[i - 1] === 'object';
    return touches && !/^(?:su[bp]|italic|bold|sc|hi|emphasis)$/i.test(child.name) ? [' ', child] : [child];
  });
}
