/** The line that names the links of a chunk beside its content, as it is written and read again. Pure. */

export interface Link {
  /** What the reader of the file sees; may be empty. */
  text: string;
  url: string;
}

const LINKS_MAX = 20;
/** Of the whole line in UTF-8: longer context would drown the content, for a model as for a reader. */
const LINE_BYTES_MAX = 1000;
const TEXT_UNITS_MAX = 80;
const HEAD = 'Links: ';

/**
 * `Links: text <address>; …` in the order of the file; undefined without links. Those whose address the content shows are left
 * out, as is what goes beyond the limits.
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

/** The context without its line of links; null when nothing else is in it. */
export function withoutLinks(context: string | null): string | null {
  if (context === null) return null;
  const lines = context.split('\n').filter((line) => !line.startsWith(HEAD));
  return lines.length === 0 ? null : lines.join('\n');
}

/**
 * The context as it is indexed: of links only the words of host and path. Their texts are in the content already, and what every
 * address has (its scheme, `www`, query, fragment, ending) would only make the chunk longer.
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

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
