/** Writes and reads the line that names the links of a chunk in its context. */

export interface Link {
  /** The text that a reader of the file sees; may be empty. */
  text: string;
  url: string;
}

const LINKS_MAX = 20;
/** Maximum length of the whole line in UTF-8. A longer context would distract models and readers from the content. */
const LINE_BYTES_MAX = 1000;
const TEXT_UNITS_MAX = 80;
const HEAD = 'Links: ';

/**
 * Returns `Links: text <address>; …` in the order of the file; undefined if no link remains. Links whose address is in the content
 * are skipped, and so are links beyond the limits.
 */
export function linksLine(links: readonly Link[], content: string): string | undefined {
  const seen = new Set<string>();
  const parts: string[] = [];
  let bytes = HEAD.length;
  for (const { text, url } of links) {
    if (parts.length === LINKS_MAX) break;
    const address = url.replace(/[\s<>]+/g, '');
    if (address === '' || seen.has(address) || content.includes(url)) continue;
    seen.add(address);
    const label = text
      .replace(/[\s<>;]+/g, ' ')
      .trim()
      .slice(0, TEXT_UNITS_MAX)
      .toWellFormed();
    const part = label === '' ? `<${address}>` : `${label} <${address}>`;
    const size = new TextEncoder().encode(part).length + 2;
    if (bytes + size > LINE_BYTES_MAX) continue;
    bytes += size;
    parts.push(part);
  }
  return parts.length === 0 ? undefined : HEAD + parts.join('; ');
}

/** Returns the context without its line of links; null if no other line remains. */
export function withoutLinks(context: string | null): string | null {
  if (context === null) return null;
  const lines = context.split('\n').filter((line) => !line.startsWith(HEAD));
  return lines.length === 0 ? null : lines.join('\n');
}

/**
 * Returns the context to index. Links keep only the words of their host and path. The content holds the texts of links already, and
 * the common parts of addresses (scheme, `www`, query, fragment, file ending) would only make the chunk longer.
 */
export function indexedContext(context: string | null): string | null {
  if (context === null) return null;
  const lines = context.split('\n').map((line) => (line.startsWith(HEAD) ? addressWords(line) : line));
  return lines.join('\n');
}

function addressWords(line: string): string {
  const words = [...line.matchAll(/<(?:[a-z]+:)?(?:\/\/)?(?:www\.)?([^<>?#]*)[^<>]*>/gi)].map(([, address]) =>
    decoded(address!)
      .replace(/\.(?:[xs]?html?|php|aspx?|jsp)$/i, '')
      .replace(/[/\\._+~%-]+/g, ' '),
  );
  return [...new Set(words.flatMap((text) => text.split(' ').filter(Boolean)))].join(' ');
}

/** Returns the path without percent signs; unchanged if they are wrong. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
