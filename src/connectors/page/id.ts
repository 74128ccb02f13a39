/** Parses how people name a page: by its id, or by the address that "copy link" gives. Pure. */

const ID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;
/** `Title-of-the-page-<id>`: the character before the id is not a hexadecimal digit. */
const SLUG = /(?:^|[^0-9a-f])([0-9a-f]{32}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;

/** Returns the id in its hyphenated form, or undefined if the text names no page. No request is sent to the address. */
export function parsePageId(text: string): string | undefined {
  const trimmed = text.trim();
  const plain = hyphenated(trimmed);
  if (plain !== undefined) return plain;
  const address = /^[a-z][a-z+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!['http:', 'https:', 'notion:'].includes(url.protocol)) return undefined;
  // If a page is open over its database, the path names the database and `p` names the page.
  const openPage = url.searchParams.get('p');
  if (openPage !== null) return hyphenated(openPage);
  const last = url.pathname.split('/').findLast((segment) => segment !== '');
  return hyphenated(SLUG.exec(last ?? url.host)?.[1] ?? '');
}

/** Returns the hyphenated form of an id with or without hyphens, or undefined if the text is no id. */
export function hyphenated(id: string): string | undefined {
  const parts = ID.exec(id);
  return parts === null ? undefined : parts.slice(1).join('-').toLowerCase();
}

/** Returns the address of a page, a database or a block. */
export function pageUrl(id: string, block?: string): string {
  const address = `https://www.notion.so/${id.replaceAll('-', '')}`;
  return block === undefined ? address : `${address}#${block.replaceAll('-', '')}`;
}
