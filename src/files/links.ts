/** Links of a file, which stand beside its text: in it, addresses would drown the words. Pure. */
import type { Link } from '../text/link-line.ts';
import type { BlockLink } from './parsed.ts';

/** UTF-16 units of an address that is kept, and of a link's text. */
const URL_UNITS_MAX = 500;
export const LINK_TEXT_UNITS_MAX = 200;
/** Links of a block whose text is not found in it, after which none is looked for: each costs a pass over the block. */
const MISSES_MAX = 100;

/** The address of a link as it is kept; undefined for what leads nowhere outside the file. */
export type LinkReader = (href: string) => string | undefined;

/** For pages: relative addresses are made absolute where the page's own is known, and stay as they are where it is not. */
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

/** For files whose relative addresses lead to parts of themselves, or nowhere. */
export function outsideLinks(href: string): string | undefined {
  const url = clean(href);
  return /^(?:https?|ftp):\/\/[^\s/]/i.test(url) ? bounded(url) : undefined;
}

/** Browsers pass over these in addresses. */
function clean(href: string): string {
  return href.replace(/[\t\r\n]+/g, '').trim();
}

function bounded(url: string): string | undefined {
  return url.length <= URL_UNITS_MAX ? url.toWellFormed().replaceAll('\0', '') : undefined;
}

function isSamePage(url: string, here: string | undefined): boolean {
  return here !== undefined && url.split('#', 1)[0] === here.split('#', 1)[0];
}

/** Where each link of a block stands in it: at its text, one behind the other. Long texts are kept to their limit. */
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
