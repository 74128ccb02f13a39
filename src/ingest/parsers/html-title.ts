/** Where on a page its title stands. */
import type { DomDocument, DomElement, DomNode } from './dom.ts';
import { BLOCKS, ELEMENT, isSkipped } from './html-elements.ts';
import { inlineText } from './html-inline.ts';
import type { Measures } from './html-measure.ts';

/** Elements with text that are compared with the name of the page. */
const LOOKED_AT_MAX = 300;
const TITLE_UNITS_MAX = 300;
/** Shorter names are found everywhere. */
const NAME_UNITS_MIN = 3;

/**
 * The element that holds the page's title: the heading that the page's name (`<title>`) holds, else an element that says
 * just a part of that name, else the first `<h1>`.
 */
export function findTitle(body: DomElement, name: string, measures: Measures): DomElement | undefined {
  const headings = Array.from(body.querySelectorAll('h1, h2, h3')).filter((heading) => measures.get(heading)?.units);
  const firsts = headings.filter((heading) => heading.tagName.toUpperCase() === 'H1');
  const wanted = folded(name);
  if (firsts.length > 0) {
    const content = firsts.filter(isInMain);
    return earliestIn(content, wanted) ?? content[0] ?? earliestIn(firsts, wanted) ?? firsts[0];
  }
  return earliestIn(headings, wanted) ?? elementNamed(body, name, measures);
}

/** Names of pages begin with the page's own and end with that of the site. */
function earliestIn(headings: readonly DomElement[], name: string): DomElement | undefined {
  const places = headings.map((heading) => {
    const text = folded(inlineText(heading).slice(0, TITLE_UNITS_MAX));
    return text.length >= NAME_UNITS_MIN ? name.indexOf(text) : -1;
  });
  const found = places.filter((place) => place !== -1);
  return headings[places.indexOf(Math.min(...found))];
}

function isInMain(element: DomElement): boolean {
  for (let above: DomElement | null = element; above; above = above.parentElement) {
    if (/^(?:MAIN|ARTICLE)$/i.test(above.tagName) || above.getAttribute('role') === 'main') return true;
  }
  return false;
}

/** The first element whose own text is the page's name, or one of the parts that signs separate. */
function elementNamed(body: DomElement, name: string, measures: Measures): DomElement | undefined {
  const parts = [name, ...name.split(/\s[-–—|·»:]\s|:\s/)].map(folded).filter((part) => part.length >= NAME_UNITS_MIN);
  const longest = parts.reduce((most, part) => Math.max(most, part.length), 0);
  let left = LOOKED_AT_MAX;
  const look = (element: DomElement): DomElement | undefined => {
    for (let node: DomNode | null = element.firstChild; node && left > 0; node = node.nextSibling) {
      if (node.nodeType !== ELEMENT || isSkipped(node as DomElement)) continue;
      const child = node as DomElement;
      const measure = measures.get(child);
      if (!measure || measure.units === 0) continue;
      left -= 1;
      if (measure.units - measure.linked <= longest && parts.includes(folded(ownText(child)))) return child;
      const found = look(child);
      if (found) return found;
    }
    return undefined;
  };
  return parts.length > 0 ? look(body) : undefined;
}

/** Text that is in no block inside the element, and in no link. */
function ownText(element: DomElement): string {
  let text = '';
  for (let node = element.firstChild; node; node = node.nextSibling) {
    const tag = node.nodeType === ELEMENT ? (node as DomElement).tagName.toUpperCase() : '';
    if (tag !== 'A' && !BLOCKS.has(tag)) text += tag === '' ? (node.nodeValue ?? '') : inlineText(node);
  }
  return text;
}

function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

/** The words of `<title>`, "" without one. */
export function pageName(document: DomDocument): string {
  const element = document.querySelector('title');
  return element ? inlineText(element) : '';
}
