/** The article of a page that says which of its elements that is. */
import type { DomDocument, DomElement, DomNode } from './dom.ts';
import { type Measures, proseOf } from './measure.ts';

/** Elements of a page that are looked at for it. */
const DECLARED_MAX = 200;
/** An article with fewer units counts only when it is half of the page. */
const ARTICLE_UNITS_MIN = 800;
/** Shorter paragraphs do not show where an article is. */
const PARAGRAPH_UNITS_MIN = 60;
/** What an article and what stands close to it may hold, as a multiple of the article. */
const LEAD_SHARE_MAX = 1.1;
/** The share that one of several articles has of all: with less, they are a list of articles. */
const SHARE_MIN = 0.6;

/**
 * The element that a page marks as its article, with the body of the article where that is marked. Undefined for pages
 * with several articles, and where the article is only a small part.
 */
export function declaredArticle(document: DomDocument, body: DomElement, measures: Measures): DomElement | undefined {
  for (const selector of ['[itemprop="articleBody"]', 'article']) {
    const marked = Array.from(document.querySelectorAll(selector)).slice(0, DECLARED_MAX);
    const all = new Set(marked);
    const outermost = marked.filter((element) => measures.has(element) && !hasAbove(element, all));
    const prose = outermost.map((element) => proseOf(measures.get(element)!));
    const most = Math.max(0, ...prose);
    const found = outermost[prose.indexOf(most)];
    const together = prose.reduce((sum, units) => sum + units, 0);
    const large = most >= ARTICLE_UNITS_MIN || most * 2 >= proseOf(measures.get(body)!);
    if (found && large && most >= together * SHARE_MIN) return found;
  }
  const type = document.querySelector('meta[property="og:type"]')?.getAttribute('content') ?? '';
  return /^article$/i.test(type) ? mostParagraphs(body, measures) : undefined;
}

/** The element with most of the page's paragraphs directly in it. */
function mostParagraphs(body: DomElement, measures: Measures): DomElement | undefined {
  const prose = new Map<DomElement, number>();
  let all = 0;
  for (const paragraph of Array.from(body.querySelectorAll('p'))) {
    const measure = measures.get(paragraph);
    const units = measure ? proseOf(measure) : 0;
    if (units < PARAGRAPH_UNITS_MIN || !paragraph.parentElement) continue;
    all += units;
    prose.set(paragraph.parentElement, (prose.get(paragraph.parentElement) ?? 0) + units);
  }
  const most = Math.max(0, ...prose.values());
  const found = [...prose.keys()].find((element) => prose.get(element) === most);
  if (!found || most < Math.max(ARTICLE_UNITS_MIN, all * SHARE_MIN)) return undefined;
  return withLead(found, measures);
}

/** The first element around `article` that also holds what stands close to it, as its lead. */
function withLead(article: DomElement, measures: Measures): DomElement {
  let found = article;
  for (let above = article.parentElement; above; above = above.parentElement) {
    const measure = measures.get(above);
    if (!measure || proseOf(measure) > proseOf(measures.get(article)!) * LEAD_SHARE_MAX) break;
    found = above;
  }
  return found;
}

function hasAbove(element: DomElement, marked: ReadonlySet<DomNode>): boolean {
  for (let above = element.parentElement; above; above = above.parentElement) {
    if (marked.has(above)) return true;
  }
  return false;
}

/** What is around `article` on a page, except for `title`: in page order, none inside another. */
export function around(body: DomElement, article: DomElement, title: DomElement | undefined): DomNode[] {
  const above = new Set<DomNode>();
  for (const element of [article, title]) {
    for (let node = element?.parentElement ?? null; node; node = node.parentElement) above.add(node);
  }
  const found: DomNode[] = [];
  const look = (parent: DomElement): void => {
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      if (node === article || node === title) continue;
      if (above.has(node)) look(node as DomElement);
      else found.push(node);
    }
  };
  if (body !== article) look(body);
  return found;
}
