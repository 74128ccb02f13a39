/** Parses sitemaps and sitemap indexes, as XML or as lines. Pure. */
import { decodeXml } from '../../files/formats/references.ts';

/** The protocol allows no more in one file. */
const ENTRIES_MAX = 50_000;
const LOCATION_UNITS_MAX = 4000;

export interface Sitemap {
  pages: { location: string; modifiedAt: Date | null }[];
  /** Further sitemaps. */
  sitemaps: string[];
  /** False if the sitemap is truncated. */
  isComplete: boolean;
}

/** Returns undefined if the text is no sitemap, such as a page. */
export function parseSitemap(text: string): Sitemap | undefined {
  const root = /<(?:[\w-]{1,30}:)?(urlset|sitemapindex)[\s>]/.exec(text)?.[1];
  if (root === undefined) return parseLines(text);
  const isIndex = root === 'sitemapindex';
  const entries = entriesOf(text, isIndex ? 'sitemap' : 'url');
  return {
    pages: isIndex ? [] : entries,
    sitemaps: isIndex ? entries.map(({ location }) => location) : [],
    isComplete: new RegExp(`</(?:[\\w-]{1,30}:)?${root}\\s*>`).test(text.slice(-1000)),
  };
}

function entriesOf(text: string, element: string): Sitemap['pages'] {
  const entries: Sitemap['pages'] = [];
  const opening = new RegExp(`<(?:[\\w-]{1,30}:)?${element}[\\s>]`, 'g');
  let start = opening.exec(text)?.index;
  while (start !== undefined && entries.length < ENTRIES_MAX) {
    const next = opening.exec(text)?.index;
    const entry = text.slice(start, Math.min(next ?? text.length, start + LOCATION_UNITS_MAX * 4));
    const location = textOf(entry, 'loc');
    const modified = Date.parse(textOf(entry, 'lastmod') ?? '');
    if (location !== undefined && location.length <= LOCATION_UNITS_MAX)
      entries.push({ location, modifiedAt: Number.isNaN(modified) ? null : new Date(modified) });
    start = next;
  }
  return entries;
}

function textOf(entry: string, element: string): string | undefined {
  const opening = new RegExp(`<(?:[\\w-]{1,30}:)?${element}>`).exec(entry);
  if (!opening) return undefined;
  const start = opening.index + opening[0].length;
  const end = entry.indexOf('</', start);
  if (end === -1) return undefined;
  const text = entry.slice(start, end).trim();
  return decodeXml(text.replace(/^<!\[CDATA\[(.*)\]\]>$/s, '$1').trim());
}

/** Parses a text file with one address per line. */
function parseLines(text: string): Sitemap | undefined {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/, ENTRIES_MAX)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0 || !lines.every((line) => /^https?:\/\/\S+$/.test(line))) return undefined;
  return { pages: lines.map((location) => ({ location, modifiedAt: null })), sitemaps: [], isComplete: true };
}
