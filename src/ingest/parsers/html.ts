/** Web pages: the article where there is one, else the whole body. */
import { Readability } from '@mozilla/readability';
import { type LinkReader, pageLinks } from '../links.ts';
import { KeyPicker, originMetadata } from '../metadata-values.ts';
import type { ChunkMetadataKey, ParsedFile } from '../parsed.ts';
import {
  buildTree,
  type DomDocument,
  type DomElement,
  expandEmptyTags,
  rootOf,
  stripTags,
  type TreeShape,
  treeShape,
} from './dom.ts';
import { inlineText, writeHtmlBlocks } from './html-blocks.ts';
import { CODE_LANGUAGE, codeLanguage } from './html-marks.ts';
import { TextBuilder } from './text-builder.ts';
import { parseTxt } from './txt.ts';

/** Pages with less text are taken whole. */
const ARTICLE_PAGE_UNITS_MIN = 1200;
/** An article shorter than this counts only when it is half of the page … */
const ARTICLE_UNITS_MIN = 1000;
/** … and one that is a smaller share of the page than this is taken for a teaser. */
const ARTICLE_SHARE_MIN = 0.1;
/** A page with a smaller share of linked text has no navigation to be freed from … */
const LINKED_SHARE_MIN = 0.04;
/** … but what little stands around an article that is this share of its page is left out all the same. */
const FRINGE_ARTICLE_SHARE = 0.85;
/** Between what a page names its article and what was found: less of one than this share of the other is another text. */
const DECLARED_SHARE_MIN = 0.7;
/** Elements of a page that are looked at for it. */
const DECLARED_MAX = 20;
/** Larger pages are taken whole: looking for the article takes time by their tags, and by how deep these stand. */
const ARTICLE_TAGS_MAX = 50_000;
const ARTICLE_TAG_LEVELS_MAX = 2_400_000;

/** UTF-16 units in which a page says that it is XHTML. */
const PROLOG_UNITS = 2048;

/**
 * Never fails for bad markup: a page that is too large or nested too deeply becomes plain text, with a warning.
 *
 * @param url where the page was found, when it is known; the page may name another base for its links.
 */
export function parseHtml(source: string, keys: readonly ChunkMetadataKey[], url?: string): ParsedFile {
  const html = /^\s*<\?xml|<html[^<>]{1,500}1999\/xhtml/.test(source.slice(0, PROLOG_UNITS))
    ? expandEmptyTags(source)
    : source;
  const shape = treeShape(html);
  if (!shape) {
    const parsed = parseTxt(stripTags(html), 'html');
    parsed.warnings.push('The page is nested too deeply or too large: its text was taken without structure.');
    return parsed;
  }
  const document = buildTree(html);
  const meta = metaTags(document);
  const reader = pageLinks(baseOf(document, meta, url));
  const builder = writeBody(document, reader);
  const picker = new KeyPicker(keys);
  const chunkMetadata = picker.pick((key) => meta.get(key.toLowerCase()));
  const titleElement = document.querySelector('title');
  const title = meta.get('og:title') ?? (titleElement ? inlineText(titleElement) || undefined : undefined);
  const language = document.documentElement?.getAttribute('lang') ?? meta.get('content-language');
  const page = { builder: mayHoldArticle(shape, builder) ? article(document, builder, reader) : builder };
  return {
    fileType: 'html',
    text: page.builder.text(),
    blocks: page.builder.blocks,
    ...(title === undefined ? {} : { title }),
    metadata: originMetadata({
      title,
      author: meta.get('author') ?? meta.get('article:author'),
      created: meta.get('article:published_time') ?? meta.get('date') ?? meta.get('dc.date'),
      modified: meta.get('article:modified_time') ?? meta.get('last-modified'),
      language,
      description: meta.get('description') ?? meta.get('og:description'),
    }),
    ...(picker.active ? { chunkMetadata } : {}),
    warnings: picker.warnings(),
  };
}

/** What relative addresses of a page begin with: the base it names, the address it was found at, the one it gives itself. */
function baseOf(document: DomDocument, meta: ReadonlyMap<string, string>, url: string | undefined): string | undefined {
  const own = [url, document.querySelector('link[rel="canonical"]')?.getAttribute('href'), meta.get('og:url')];
  const found = own.find((address) => /^https?:\/\//i.test(address ?? '')) ?? undefined;
  const named = document.querySelector('base[href]')?.getAttribute('href');
  return (named ? URL.parse(named, found)?.href : undefined) ?? found;
}

function writeBody(document: DomDocument, reader: LinkReader): TextBuilder {
  const builder = new TextBuilder();
  writeHtmlBlocks(rootOf(document), builder, reader);
  return builder;
}

/** Short pages are all content; in very long ones the article is not looked for. */
function mayHoldArticle({ tags, depth }: TreeShape, body: TextBuilder): boolean {
  const fits = tags <= ARTICLE_TAGS_MAX && tags * depth <= ARTICLE_TAG_LEVELS_MAX;
  return fits && body.text().length >= ARTICLE_PAGE_UNITS_MIN;
}

/** The article of a page, or its whole body. */
function article(document: DomDocument, body: TextBuilder, reader: LinkReader): TextBuilder {
  const whole = body.text().length;
  let linked = 0;
  for (const link of Array.from(document.querySelectorAll('a[href]'))) linked += inlineText(link).length;
  const declared = declaredArticle(document, reader);
  let builder = new TextBuilder();
  const found = findArticle(document);
  if (found) writeHtmlBlocks(found, builder, reader);
  if (linked < whole * LINKED_SHARE_MIN) {
    return builder.text().length >= whole * FRINGE_ARTICLE_SHARE ? builder : body;
  }
  if (declared && isCloser(declared.text().length, builder.text().length)) builder = declared;
  const size = builder.text().length;
  const good = size >= whole / 2 || (size >= ARTICLE_UNITS_MIN && size >= whole * ARTICLE_SHARE_MIN);
  return good ? builder : body;
}

/** What a page itself names its article counts when the one that was found lacks much of it, or has a little around it. */
function isCloser(declared: number, found: number): boolean {
  if (declared < ARTICLE_UNITS_MIN) return false;
  return found < declared * DECLARED_SHARE_MIN || (declared < found && declared >= found * DECLARED_SHARE_MIN);
}

/** The longest text that the page marks as an article's body, or else as an article. */
function declaredArticle(document: DomDocument, reader: LinkReader): TextBuilder | undefined {
  for (const selector of ['[itemprop="articleBody"]', 'article']) {
    const marked = Array.from(document.querySelectorAll(selector)).slice(0, DECLARED_MAX);
    const texts = marked.map((element) => {
      const builder = new TextBuilder();
      writeHtmlBlocks(element, builder, reader);
      return builder;
    });
    texts.sort((a, b) => b.text().length - a.text().length);
    if (texts[0]) return texts[0];
  }
  return undefined;
}

/** As reader views of browsers find it, but with all tables that are more than layout. Changes the document. */
function findArticle(document: DomDocument): DomElement | undefined {
  try {
    for (const table of Array.from(document.querySelectorAll('table'))) {
      if (isTable(table)) table.setAttribute('summary', 'data');
    }
    // What is found loses its classes.
    for (const code of Array.from(document.querySelectorAll('pre'))) {
      const language = codeLanguage(code);
      if (language !== '') code.setAttribute(CODE_LANGUAGE, language);
    }
    const serializer = (node: unknown) => node as DomElement;
    const reader = new Readability<DomElement>(document as never, { serializer, disableJSONLD: true });
    return reader.parse()?.content ?? undefined;
  } catch {
    return undefined; // The body is there to fall back to.
  }
}

function isTable(table: DomElement): boolean {
  const rows = Array.from(table.querySelectorAll('tr'));
  return (
    rows.length > 1 && rows.some((row) => row.children.length > 1) && !table.querySelector('table, h1, h2, h3, form')
  );
}

/** `<meta name|property content>` by lower-case name; the first of a name counts. */
function metaTags(document: DomDocument): Map<string, string> {
  const tags = new Map<string, string>();
  for (const tag of Array.from(document.querySelectorAll('meta'))) {
    const name = (
      tag.getAttribute('name') ??
      tag.getAttribute('property') ??
      tag.getAttribute('http-equiv')
    )?.toLowerCase();
    const content = tag.getAttribute('content')?.trim();
    if (name && content && !tags.has(name)) tags.set(name, content);
  }
  return tags;
}
