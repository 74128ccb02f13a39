/**
 * Reads the parts of a page that a crawl needs: links, canonical address, directives, title. Pure.
 *
 * Scans tags instead of building a tree, because pages come from strangers and this code runs in the service's own process. Its
 * time is linear.
 */
import { readRefresh } from '../../files/refresh.ts';
import { ROBOTS_NAME } from './robots.ts';

/** More than `max_pages` can be. */
const LINKS_MAX = 20_000;
const TITLE_UNITS_MAX = 300;
/** UTF-16 units of an attribute value; longer values are no addresses. */
const ATTRIBUTE_UNITS_MAX = 4096;
const ATTRIBUTES_MAX = 50;
/** Width of the text of a page that only leads to another one, without its links. */
const NOTICE_WIDTH_MAX = 120;
/** Characters that say about as much as two letters, and are as wide. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
/** UTF-16 units of a page that only leads to another one. */
const REDIRECT_UNITS_MAX = 4_096;

export interface Directives {
  index: boolean;
  follow: boolean;
}

export interface PageFacts extends Directives {
  /** As written, without links that have `nofollow`. */
  links: string[];
  /** Number of links beyond the limit. */
  linksLeftOut: number;
  /** The base address of links, as written. */
  base: string | undefined;
  canonical: string | undefined;
  title: string | undefined;
  /** The address to which a short page sends its reader at once, as written. */
  redirect: string | undefined;
  /** The page without scripts, styles, comments and its title; with the tags. */
  text: string;
}

/** Elements whose content is not markup. */
const RAW_TEXT_ELEMENTS = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'noembed', 'template']);
const LINK_ELEMENTS = new Set(['a', 'area', 'frame', 'iframe']);
const TAG = /<(?:!--|([a-z][a-z0-9-]{0,30})(?=[\s/>]))/gi;
const DOUBLE_QUOTED = `"([^"]{0,${ATTRIBUTE_UNITS_MAX}})"`;
const SINGLE_QUOTED = `'([^']{0,${ATTRIBUTE_UNITS_MAX}})'`;
const UNQUOTED = `([^\\s>"']{1,${ATTRIBUTE_UNITS_MAX}})`;
const ATTRIBUTE = new RegExp(
  `[\\s/]*([^\\s=>"'/]{1,100})(?:\\s{0,20}=\\s{0,20}(?:${DOUBLE_QUOTED}|${SINGLE_QUOTED}|${UNQUOTED}))?`,
  'y',
);

export function readPage(html: string): PageFacts {
  const facts: PageFacts = {
    links: [],
    linksLeftOut: 0,
    base: undefined,
    canonical: undefined,
    title: undefined,
    redirect: undefined,
    text: '',
    index: true,
    follow: true,
  };
  const lower = html.toLowerCase();
  const isSameLength = lower.length === html.length;
  const texts: string[] = [];
  let from = 0;
  let noscriptEnd = 0;
  TAG.lastIndex = 0;
  for (let match = TAG.exec(html); match; match = TAG.exec(html)) {
    const name = match[1]?.toLowerCase();
    if (name === undefined) {
      const end = html.indexOf('-->', TAG.lastIndex);
      if (end === -1) break;
      texts.push(html.slice(from, match.index));
      TAG.lastIndex = from = end + 3;
    } else if (RAW_TEXT_ELEMENTS.has(name)) {
      const start = html.indexOf('>', TAG.lastIndex) + 1;
      const end = (isSameLength ? lower : html).indexOf(`</${name}`, start);
      if (start === 0 || end === -1) break;
      if (name === 'title') facts.title ??= cleanTitle(html.slice(start, end));
      texts.push(html.slice(from, match.index));
      TAG.lastIndex = from = end;
    } else if (name === 'noscript') {
      // The end is looked for once, so that the time stays linear.
      const end =
        match.index < noscriptEnd ? noscriptEnd : (isSameLength ? lower : html).indexOf('</noscript', match.index);
      noscriptEnd = end === -1 ? html.length : end;
    } else if (LINK_ELEMENTS.has(name) || name === 'link' || name === 'meta' || name === 'base') {
      const { attributes, end } = readAttributes(html, TAG.lastIndex);
      readElement(facts, name, attributes, match.index < noscriptEnd);
      TAG.lastIndex = end;
    }
  }
  facts.text = `${texts.join(' ')} ${html.slice(from)}`;
  if (facts.redirect !== undefined && (html.length > REDIRECT_UNITS_MAX || hasOwnText(facts.text)))
    facts.redirect = undefined;
  return facts;
}

/** Returns whether a short page has more text beside its links than a notice that it leads to another one. */
function hasOwnText(html: string): boolean {
  const text = html.replace(/<a\b.*?<\/a\s*>|<[^<>]*>/gis, ' ').replace(/\s+/g, ' ');
  return text.trim().replace(WIDE, '$&$&').length > NOTICE_WIDTH_MAX;
}

/** @param isForOthers true for an element inside `<noscript>`: only readers without scripts see it. */
function readElement(
  facts: PageFacts,
  name: string,
  attributes: ReadonlyMap<string, string>,
  isForOthers: boolean,
): void {
  const relations = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/);
  const address = attributes.get(name === 'frame' || name === 'iframe' ? 'src' : 'href');
  if (name === 'base') facts.base ??= address;
  else if (name === 'link') {
    if (relations.includes('canonical')) facts.canonical ??= address;
  } else if (name === 'meta') readMeta(facts, attributes, isForOthers);
  else if (address && !relations.includes('nofollow')) {
    if (facts.links.length < LINKS_MAX) facts.links.push(address);
    else facts.linksLeftOut += 1;
  }
}

function readMeta(facts: PageFacts, attributes: ReadonlyMap<string, string>, isForOthers: boolean): void {
  const content = attributes.get('content') ?? '';
  const name = attributes.get('name')?.toLowerCase();
  if (name === 'robots' || name === ROBOTS_NAME) applyDirectives(facts, content.split(','));
  if (attributes.get('http-equiv')?.toLowerCase() === 'refresh') {
    const refresh = readRefresh(content);
    if (refresh && facts.links.length < LINKS_MAX) facts.links.push(refresh.target);
    if (refresh?.isAtOnce && !isForOthers) facts.redirect ??= refresh.target;
  }
}

/**
 * Returns the directives of the header `X-Robots-Tag`. A directive applies to all crawlers, or to a crawler whose name stands
 * before it.
 */
export function headerDirectives(header: string | null): Directives {
  const directives: Directives = { index: true, follow: true };
  let isForUs = true;
  for (const part of (header ?? '').split(',')) {
    const [, name, rest] = /^\s*([\w-]+)\s*:(.*)$/s.exec(part) ?? [];
    const isName = name !== undefined && !/^(?:unavailable_after|max-)/i.test(name);
    if (isName) isForUs = name.toLowerCase() === ROBOTS_NAME;
    if (isForUs) applyDirectives(directives, [isName ? (rest ?? '') : part]);
  }
  return directives;
}

/** Returns the canonical address in a `Link` header. */
export function headerCanonical(header: string | null): string | undefined {
  return /<([^<>]{1,4000})>\s*;[^,<]{0,200}\brel\s*=\s*"?canonical\b/i.exec(header ?? '')?.[1];
}

function applyDirectives(directives: Directives, words: readonly string[]): void {
  for (const word of words.map((one) => one.trim().toLowerCase())) {
    if (word === 'noindex' || word === 'none') directives.index = false;
    if (word === 'nofollow' || word === 'none') directives.follow = false;
  }
}

function readAttributes(html: string, start: number): { attributes: Map<string, string>; end: number } {
  const attributes = new Map<string, string>();
  ATTRIBUTE.lastIndex = start;
  let end = start;
  for (let match = ATTRIBUTE.exec(html); match && attributes.size < ATTRIBUTES_MAX; match = ATTRIBUTE.exec(html)) {
    end = ATTRIBUTE.lastIndex;
    const key = match[1]!.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, decodeReferences(match[2] ?? match[3] ?? match[4] ?? ''));
  }
  return { attributes, end };
}

function cleanTitle(raw: string): string | undefined {
  const text = decodeReferences(raw.slice(0, TITLE_UNITS_MAX * 4))
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? undefined : text.slice(0, TITLE_UNITS_MAX).toWellFormed();
}

const NAMED_REFERENCES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Decodes numeric character references and the named ones that are common in addresses and titles. */
function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7});?|#x([0-9a-f]{1,6});?|([a-z]{2,4});)/gi, (whole, decimal, hex, name) => {
    if (name) return NAMED_REFERENCES[name.toLowerCase()] ?? whole;
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) ? String.fromCodePoint(point) : whole;
  });
}
