/** Parses HTML to a tree within limits, and declares the few members of the DOM that parsers use. */
import { parseHTML } from 'linkedom';
import { decodeHtml } from '../references.ts';

export interface DomNode {
  nodeType: number;
  nodeValue: string | null;
  textContent: string | null;
  firstChild: DomNode | null;
  lastChild: DomNode | null;
  nextSibling: DomNode | null;
  previousSibling: DomNode | null;
}

export interface DomElement extends DomNode {
  tagName: string;
  innerHTML: string;
  parentElement: DomElement | null;
  children: ArrayLike<DomElement>;
  nextElementSibling: DomElement | null;
  previousElementSibling: DomElement | null;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  setAttribute(name: string, value: string): void;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): ArrayLike<DomElement>;
}

export interface DomDocument extends DomElement {
  documentElement: DomElement | null;
}

/** Maximum depth of a tree: the tree builder takes quadratic time in the depth. */
const DOM_DEPTH_MAX = 256;
/** Maximum length of HTML for a tree: a tree takes up to 60 times as much memory as its source. */
const DOM_UNITS_MAX = 4 * 1024 * 1024;
/** Maximum number of `<` in HTML for a tree: the tree builder takes quadratic time in stray `<`. */
const DOM_TAGS_MAX = 400_000;

/** Elements that add no depth: they have no content, or the next element of their kind closes them. */
const NOT_NESTING = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot option ' +
    'optgroup path circle ellipse line polyline polygon rect use stop image'
  ).split(' '),
);
/** Elements without content. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Matches a page in which only declarations, comments and white space stand before <html>. No text matches a part in two ways. */
const BEGINS_WITH_ROOT = /^(?:\s|<!--(?:(?!-->)[\s\S])*-->|<\?[^<>]*>|<!(?!--)[^<>[]*(?:\[[^\]]*\]\s*)?>)*<html[\s>]/i;
/** Matches <html>, and comments and raw text, which may contain one. Without an end they go on to the end of the page. */
const ROOT_TAG =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title)(?=[\s/>])[\s\S]*?(?:<\/\1|$)|<html(?:\s[^<>]*)?>/gi;
/** Elements whose content is not markup. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title']);

/** True if `html` is within the limits of a tree. */
export function fitsTree(html: string): boolean {
  return html.length <= DOM_UNITS_MAX && countTags(html) <= DOM_TAGS_MAX && depthOf(html) <= DOM_DEPTH_MAX;
}

/** Counts `<`, with or without a tag behind it. */
function countTags(html: string): number {
  let count = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) count += 1;
  return count;
}

/** Parses `html`, for which the caller has called `fitsTree`. */
export function buildTree(html: string): DomDocument {
  // Elements after the end of the page belong to the page, as in browsers.
  const open = html.replace(/<\/(?:html|body)\s*>/gi, '');
  // The first element becomes the root. Scripts and messages of programs may stand before <html>, which may also be missing.
  const full = BEGINS_WITH_ROOT.test(open) ? open : withRootInFront(open);
  return parseHTML(full).document as unknown as DomDocument;
}

function withRootInFront(html: string): string {
  const found = html.matchAll(ROOT_TAG).find(([tag]) => /^<html/i.test(tag));
  if (!found) return `<html>${html}</html>`;
  return `${found[0]}${html.slice(0, found.index)}${html.slice(found.index + found[0].length)}</html>`;
}

/** Writes empty elements of XHTML as HTML. In HTML, `<title/>` is an open tag and would contain the rest of the page. */
export function expandEmptyTags(xhtml: string): string {
  return xhtml.replace(/<([a-z][a-z0-9:-]{0,30})((?:\s[^<>]*)?)\/>/gi, (tag, name: string, rest: string) =>
    VOID.has(name.toLowerCase()) ? tag : `<${name}${rest}></${name}>`,
  );
}

/** Returns the element at which walks begin: the document's own list of children may end at its doctype. */
export function rootOf(document: DomDocument): DomElement {
  return document.documentElement ?? document;
}

/** Returns an upper bound of the depth, in one pass. A closing tag counts only if an element of its name is open. */
function depthOf(html: string): number {
  const open = new Map<string, number>();
  let depth = 0;
  let deepest = 0;
  const tags = /<(\/?)([a-z][a-z0-9:-]{0,30})(?=[\s/>])|<!--/gi;
  for (let match = tags.exec(html); match; match = tags.exec(html)) {
    const name = match[2]?.toLowerCase();
    const end = name === undefined ? '-->' : match[1] === '' && RAW_TEXT.has(name) ? `</${name}` : undefined;
    if (end !== undefined) {
      // Without an end, the tree builder also reads the rest as text.
      const close = new RegExp(end, 'gi');
      close.lastIndex = tags.lastIndex;
      if (!close.test(html)) break;
      tags.lastIndex = close.lastIndex;
    } else if (name !== undefined && !NOT_NESTING.has(name)) {
      const count = open.get(name) ?? 0;
      const step = match[1] === '' ? 1 : count > 0 ? -1 : 0;
      open.set(name, count + step);
      depth += step;
      if (depth > deepest) deepest = depth;
    }
  }
  return deepest;
}

/** Returns the text of HTML without tags, for HTML over the limits of a tree. Block elements end lines. Linear. */
export function stripTags(html: string): string {
  const text = html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/<(script|style|template|noscript|svg|head)\b[^<>]*>[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<\/?(?:p|div|li|ul|ol|tr|table|section|article|h[1-6]|blockquote|pre|br)\b[^<>]*>/gi, '\n\n')
    .replace(/<\/?[a-z!?][^<>]*>/gi, ' ');
  return decodeHtml(text)
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{2,}/g, '\n\n')
    .trim();
}
