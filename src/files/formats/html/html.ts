/** Parses web pages: all their text without navigation, or only the article if the page marks its article. */

import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import { pageLinks } from '../../links.ts';
import { KeyPicker } from '../../metadata-values.ts';
import type { ParsedFile } from '../../parsed.ts';
import { readRefresh } from '../../refresh.ts';
import { parseTxt } from '../txt.ts';
import { buildTree, type DomDocument, expandEmptyTags, fitsTree, rootOf, stripTags } from './dom.ts';
import { measurePage } from './measure.ts';
import { writePage } from './page.ts';
import { pageName } from './title.ts';

/** UTF-16 units at the start of a page in which XHTML is declared. */
const PROLOG_UNITS = 2048;
/** Letters and digits outside links of a page that only leads to another one. Such pages of manuals have up to 60. */
const LEADING_UNITS_MAX = 60;

/**
 * Parses a page. Bad markup is no failure: a page that is too large or nested too deeply becomes plain text, with a warning.
 *
 * @param url address of the page, if it is known. The page may name another base for its links.
 * @param name file name of the page, if it is known.
 */
export function parseHtml(source: string, keys: readonly ChunkMetadataKey[], url?: string, name?: string): ParsedFile {
  const html = /^\s*<\?xml|<html[^<>]{1,500}1999\/xhtml/.test(source.slice(0, PROLOG_UNITS))
    ? expandEmptyTags(source)
    : source;
  if (!fitsTree(html)) {
    const parsed = parseTxt(stripTags(html), 'html');
    parsed.warnings.push('The page is nested too deeply or too large: its text was taken without structure.');
    return parsed;
  }
  const document = buildTree(html);
  const meta = metaTags(document);
  const base = baseOf(document, meta, url);
  const picker = new KeyPicker(keys);
  const chunkMetadata = picker.pick((key) => meta.get(key.toLowerCase()));
  const title = meta.get('og:title') ?? (pageName(document) || undefined);
  const language = document.documentElement?.getAttribute('lang') ?? meta.get('content-language');
  const page = writePage(document, pageLinks(base), base);
  const { builder, leftOut } = page;
  const facts = {
    title,
    author: meta.get('author') ?? meta.get('article:author'),
    created: meta.get('article:published_time') ?? meta.get('date') ?? meta.get('dc.date'),
    modified: meta.get('article:modified_time') ?? meta.get('last-modified'),
    language,
    description: meta.get('description') ?? meta.get('og:description'),
  };
  const own = picker.active ? { chunkMetadata } : {};
  if (!leadsElsewhere(document, base, url, name))
    return builder.file('html', facts, { ...own, warnings: [...picker.warnings(), ...page.warnings], leftOut });
  const away = { text: '', blocks: [], leadsAway: true, leftOut: [...leftOut, builder.text()] };
  return builder.file('html', facts, { ...own, ...away, warnings: ['The page only leads to another page.'] });
}

/**
 * True for a page of few words that sends its reader to another page at once. A refresh inside `<noscript>` is only for readers without
 * scripts. A page that loads itself again has content.
 */
function leadsElsewhere(document: DomDocument, base?: string, url?: string, name?: string): boolean {
  const forOthers = new Set(Array.from(document.querySelectorAll('noscript meta')));
  const tag = Array.from(document.querySelectorAll('meta[http-equiv]')).find(
    (meta) => meta.getAttribute('http-equiv')?.toLowerCase() === 'refresh' && !forOthers.has(meta),
  );
  const refresh = tag && readRefresh(tag.getAttribute('content') ?? '');
  if (!refresh?.isAtOnce) return false;
  const [target] = refresh.target.split('#', 1);
  if (target === name || (url !== undefined && URL.parse(target!, base)?.href === url)) return false;
  const body = document.querySelector('body') ?? rootOf(document);
  const { units, linked } = measurePage(body, undefined).get(body)!;
  return units - linked <= LEADING_UNITS_MAX;
}

/** Returns the base of relative addresses: the base that the page names, else `url`, else the page's canonical address. */
function baseOf(document: DomDocument, meta: ReadonlyMap<string, string>, url: string | undefined): string | undefined {
  const addresses = [url, document.querySelector('link[rel="canonical"]')?.getAttribute('href'), meta.get('og:url')];
  const found = addresses.find((address) => /^https?:\/\//i.test(address ?? '')) ?? undefined;
  const named = document.querySelector('base[href]')?.getAttribute('href');
  return (named ? URL.parse(named, found)?.href : undefined) ?? found;
}

/** Returns the contents of `<meta name|property content>` by lower-case name. The first tag of a name counts. */
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
