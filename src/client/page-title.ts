/** The title in the address of a page of a workspace. Pure. */

const NAMED = /^(.+)-(?:[0-9a-f]{32}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;

/** Returns `Leave policy` for `https://www.notion.so/acme/Leave-policy-<id>`; undefined for an address without a title, or an id alone. */
export function titleInAddress(address: string): string | undefined {
  const [path = '', query = ''] = address.trim().split(/[?#]/);
  // If a page is open over its database, the path names the database.
  if (new URLSearchParams(query).has('p')) return undefined;
  const words = NAMED.exec(path.split('/').findLast((segment) => segment !== '') ?? '')?.[1];
  if (words === undefined) return undefined;
  try {
    return decodeURIComponent(words).replaceAll('-', ' ').trim() || undefined;
  } catch {
    // Wrong percent-encoding.
    return undefined;
  }
}
