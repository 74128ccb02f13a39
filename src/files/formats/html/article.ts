/** Finds the article of a page that marks its article. */
import type { DomDocument, DomElement, DomNode } from './dom.ts';
import { type Measures, proseOf } from './measure.ts';

/** Maximum number of marked elements that are compared. */
const DECLARED_MAX = 200;
/** An article with fewer units counts only if it is half of the page. */
const ARTICLE_UNITS_MIN = 800;
/** Shorter paragraphs are ignored in the search for an article. */
const PARAGRAPH_UNITS_MIN = 60;
/** Maximum prose of an article with its lead, as a multiple of the prose of the article. */
const LEAD_SHARE_MAX = 1.1;
/** Minimum share of the largest article in the prose of all articles. With less, the page is a list of articles. */
const SHARE_MIN = 0.6;

/**
 * Returns the element that a page marks as its article, or as the body of its article. Returns undefined for a page with
 * several articles, and if the article is only a small part of the page.
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

/** Returns the element that is the parent of most prose of the page, with its lead. */
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

/** Returns the outermost element around `article` with little other prose, so that the lead of the article is included. */
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

/** Returns the nodes around `article` except `title`, in page order. No returned node is inside another. */
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
