/** How people name a page: its id, or the address that the workspace's own "copy link" gives. Pure. */

const ID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;
/** `Title-of-the-page-<id>`: titles may end in anything but a hexadecimal digit that touches the id. */
const SLUG = /(?:^|[^0-9a-f])([0-9a-f]{32}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;

/** The id in its hyphenated form, or undefined when the text names no page. Addresses are read, never asked. */
export function parsePageId(text: string): string | undefined {
  const trimmed = text.trim();
  const plain = hyphenated(trimmed);
  if (plain !== undefined) return plain;
  const address = /^[a-z][a-z+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!['http:', 'https:', 'notion:'].includes(url.protocol)) return undefined;
  // A page that lies open over its database: the path names the database, `p` the page.
  const peeked = url.searchParams.get('p');
  if (peeked !== null) return hyphenated(peeked);
  const last = url.pathname.split('/').findLast((segment) => segment !== '');
  return hyphenated(SLUG.exec(last ?? url.host)?.[1] ?? '');
}

/** The hyphenated form of an id that may have no hyphens. */
export function hyphenated(id: string): string | undefined {
  const parts = ID.exec(id);
  return parts === null ? undefined : parts.slice(1).join('-').toLowerCase();
}

/** Opens a page, a database or a block by its id alone. */
export function pageUrl(id: string, block?: string): string {
  const address = `https://www.notion.so/${id.replaceAll('-', '')}`;
  return block === undefined ? address : `${address}#${block.replaceAll('-', '')}`;
}
