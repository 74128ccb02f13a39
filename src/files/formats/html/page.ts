/** Writes the blocks of a page without its navigation, and reports the texts that were left out. */
import type { LinkReader } from '../../links.ts';
import { TextBuilder } from '../text-builder.ts';
import { around, declaredArticle } from './article.ts';
import { writeHtmlBlocks, writeHtmlNode } from './blocks.ts';
import { type DomDocument, type DomElement, type DomNode, rootOf } from './dom.ts';
import { measurePage } from './measure.ts';
import { findNavigation } from './navigation.ts';
import { findTitle, pageName } from './title.ts';

/** A page gets a warning if a larger share of its words was left out. */
const SHARE_WARNED = 0.1;
/** Fewer left-out words give no warning. */
const WORDS_WARNED_MIN = 5;
/** UTF-16 units of left-out text in a warning. */
const SHOWN_UNITS_MAX = 80;

interface WrittenPage {
  builder: TextBuilder;
  /** The texts that were left out, in page order. */
  leftOut: string[];
  warnings: string[];
}

/** Writes a page. `base` is the address of the page, if it is known. */
export function writePage(document: DomDocument, links: LinkReader, base: string | undefined): WrittenPage {
  const body = document.querySelector('body') ?? rootOf(document);
  const host = base === undefined ? undefined : URL.parse(base)?.host;
  const measures = measurePage(body, host);
  const title = findTitle(body, pageName(document), measures);
  const article = declaredArticle(document, body, measures);
  const navigation = article
    ? findNavigation(article, isInside(title, article) ? title : undefined, measurePage(article, host), true)
    : findNavigation(body, title, measures);
  const outside = article ? around(body, article, title) : [];
  const leftOut = new Set<DomNode>([...outside, ...navigation.leftOut]);
  const builder = new TextBuilder();
  writeHtmlBlocks(rootOf(document), builder, { links, leftOut, title });
  const texts = [...leftOut].map(textOf).filter((text) => text !== '');
  return { builder, leftOut: texts, warnings: warningsOf(builder.text(), texts, navigation.onlyLinks) };
}

function textOf(node: DomNode): string {
  const builder = new TextBuilder();
  writeHtmlNode(node, builder);
  return builder.text();
}

function isInside(element: DomElement | undefined, root: DomElement): boolean {
  for (let above = element?.parentElement ?? null; above; above = above.parentElement) if (above === root) return true;
  return false;
}

function warningsOf(text: string, leftOut: readonly string[], onlyLinks: boolean): string[] {
  const warnings: string[] = [];
  const written = wordCount(text);
  const dropped = leftOut.reduce((sum, part) => sum + wordCount(part), 0);
  if (dropped >= WORDS_WARNED_MIN && dropped > (written + dropped) * SHARE_WARNED) {
    const [first] = leftOut.map((part) => part.replace(/\s+/g, ' ').slice(0, SHOWN_UNITS_MAX).toWellFormed());
    warnings.push(
      `${dropped} of ${written + dropped} words of the page were left out as navigation. ` +
        `They begin with: ${JSON.stringify(first)}.`,
    );
  }
  if (onlyLinks) warnings.push('The page holds little but links. They were kept.');
  return warnings;
}

/** Counts runs of letters and digits. */
function wordCount(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}
