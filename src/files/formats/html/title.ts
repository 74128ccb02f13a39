/** Finds the title of a page. */
import type { DomDocument, DomElement, DomNode } from './dom.ts';
import { BLOCKS, ELEMENT, hasBlockInside, isSkipped } from './elements.ts';
import { inlineText } from './inline.ts';
import type { Measures } from './measure.ts';

/** Maximum number of elements that are compared with the name of the page. */
const COMPARED_MAX = 300;
const TITLE_UNITS_MAX = 300;
/** Shorter names are ignored, because most texts contain them. */
const NAME_UNITS_MIN = 3;

/**
 * Returns the element with the title of a page: a heading that the page's name (`<title>`) contains, else the first heading of the highest
 * level, else an element whose text is a part of that name. The name of the site does not count.
 */
export function findTitle(body: DomElement, name: string, measures: Measures): DomElement | undefined {
  const wanted = folded(name);
  const site = siteOf(wanted);
  const headings = Array.from(body.querySelectorAll('h1, h2, h3')).filter(
    (heading) => measures.get(heading)?.units && (isInMain(heading) || folded(inlineText(heading)) !== site),
  );
  const firsts = headings.filter((heading) => heading.tagName.toUpperCase() === 'H1');
  const content = headings.filter(isInMain);
  const contentFirsts = firsts.filter(isInMain);
  return (
    earliestIn(contentFirsts, wanted) ??
    earliestIn(firsts, wanted) ??
    contentFirsts[0] ??
    firsts[0] ??
    earliestIn(headings.slice(0, 1), wanted) ??
    lineOf(elementNamed(body, wanted, site, measures), measures) ??
    content[0]
  );
}

/** Returns the name of the site: the last of the parts that dashes or bars separate. */
function siteOf(name: string): string | undefined {
  const parts = name.split(/\s[-–—|·»]\s/);
  return parts.length > 1 ? parts.at(-1) : undefined;
}

/** Returns the heading that occurs first in the page's name. The name begins with the page and ends with the site. */
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

/** Returns the element whose own text is the page's name, or the longest part of the name. */
function elementNamed(
  body: DomElement,
  name: string,
  site: string | undefined,
  measures: Measures,
): DomElement | undefined {
  const parts = [name, ...name.split(/\s[-–—|·»:]\s|:\s/)].filter(
    (part) => part.length >= NAME_UNITS_MIN && part !== site,
  );
  const longest = parts.reduce((most, part) => Math.max(most, part.length), 0);
  let remaining = COMPARED_MAX;
  let found: DomElement | undefined;
  let size = 0;
  const look = (element: DomElement): void => {
    for (let node: DomNode | null = element.firstChild; node && remaining > 0; node = node.nextSibling) {
      if (node.nodeType !== ELEMENT || isSkipped(node as DomElement)) continue;
      const child = node as DomElement;
      const measure = measures.get(child);
      if (!measure || measure.units === 0) continue;
      remaining -= 1;
      const text = measure.units - measure.linked <= longest ? folded(ownText(child)) : '';
      if (text.length > size && parts.includes(text)) {
        found = child;
        size = text.length;
      } else look(child);
    }
  };
  if (parts.length > 0) look(body);
  return found;
}

/** Returns the line of an inline title, if all other words of the line are links: they say where the page belongs. */
function lineOf(title: DomElement | undefined, measures: Measures): DomElement | undefined {
  let line = title;
  while (line && !BLOCKS.has(line.tagName.toUpperCase())) line = line.parentElement ?? undefined;
  const [own, whole] = [measures.get(title as DomNode), measures.get(line as DomNode)];
  if (!line || !own || !whole || hasBlockInside(line)) return title;
  const isTitleLine = whole.units <= TITLE_UNITS_MAX && whole.units - own.units === whole.linked - own.linked;
  return isTitleLine ? line : title;
}

/** Returns the text of the element outside of inner blocks and links. */
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

/** Returns the text of `<title>`, or "". */
export function pageName(document: DomDocument): string {
  const element = document.querySelector('title');
  return element ? inlineText(element) : '';
}
