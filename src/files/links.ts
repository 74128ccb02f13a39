/** Reads the links of a file. They are stored apart from the text, because long addresses would dominate its words. Pure. */
import type { Link } from '../text/link-line.ts';
import type { BlockLink } from './parsed.ts';

/** Links with a longer address are dropped. */
const URL_UNITS_MAX = 500;
/** The text of a link is truncated to this length. */
export const LINK_TEXT_UNITS_MAX = 200;
/** After so many link texts that a block does not contain, the search ends: each of them costs a pass over the block. */
const MISSES_MAX = 100;

/** Returns the address to store for a link, or undefined if the link does not lead outside the file. */
export type LinkReader = (href: string) => string | undefined;

/**
 * Returns a reader for the links of a page. It makes relative addresses absolute if the address of the page (`base`) is
 * known. Otherwise relative addresses stay as they are.
 */
export function pageLinks(base: string | undefined): LinkReader {
  const here = base === undefined ? undefined : URL.parse(base)?.href;
  return (href) => {
    const url = clean(href);
    if (url === '' || url.startsWith('#')) return undefined;
    if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return outsideLinks(url);
    const absolute = here === undefined ? url : URL.parse(url, here)?.href;
    return absolute === undefined || isSamePage(absolute, here) ? undefined : bounded(absolute);
  };
}

/** Reads a link of a file in which relative addresses lead to the file's own parts, or nowhere. */
export function outsideLinks(href: string): string | undefined {
  const url = clean(href);
  return /^(?:https?|ftp):\/\/[^\s/]/i.test(url) ? bounded(url) : undefined;
}

/** Removes the control characters that browsers ignore in addresses. */
function clean(href: string): string {
  return href.replace(/[\t\r\n]+/g, '').trim();
}

function bounded(url: string): string | undefined {
  return url.length <= URL_UNITS_MAX ? url.toWellFormed().replaceAll('\0', '') : undefined;
}

function isSamePage(url: string, here: string | undefined): boolean {
  return here !== undefined && url.split('#', 1)[0] === here.split('#', 1)[0];
}

/**
 * Returns the links of a block with the places of their texts in the block, in order. A link whose text is not found gets the
 * end of the link before it. Long link texts are truncated.
 */
export function placeLinks(body: string, links: readonly Link[]): BlockLink[] {
  let at = 0;
  let misses = 0;
  return links.map(({ text: whole, url }) => {
    const text = whole.slice(0, LINK_TEXT_UNITS_MAX);
    const line = text.split('\n', 1)[0]!;
    const found = line === '' || misses === MISSES_MAX ? -1 : body.indexOf(line, at);
    if (found === -1) misses += 1;
    const place = { text, url, at: found === -1 ? at : found };
    if (found !== -1) at = found + line.length;
    return place;
  });
}
