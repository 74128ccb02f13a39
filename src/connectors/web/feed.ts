/** Reads the addresses of the entries of a feed: RSS, Atom. */
import { decodeText } from '../../files/detect/decode.ts';
import { decodeXml } from '../../files/formats/references.ts';
import { PAGE_BYTES_MAX } from './problems.ts';

/** Bytes in which the root element of a feed begins. */
const ROOT_BYTES_MAX = 65_536;
/** Units before the root element, without comments. */
const PROLOG_UNITS_MAX = 2_048;
const LINKS_MAX = 5_000;
const LINK_UNITS_MAX = 4_000;
const ROOT = /<(?:rss|feed|rdf:RDF)[\s>]/;
const LINK = new RegExp(
  `<(?:\\w{1,20}:)?link(?:\\s([^<>]{0,${LINK_UNITS_MAX}}?))?(?:/>|>((?:\\s{0,99}<!\\[CDATA\\[)?[^<]{0,${LINK_UNITS_MAX}}))`,
  'g',
);

/**
 * Returns the bytes of a file and, if it is a feed, the addresses in it as written. Of other and of large files, the bytes are not
 * read before.
 */
export async function readFeed(
  ending: string,
  body: AsyncIterable<Uint8Array>,
): Promise<{ body: AsyncIterable<Uint8Array>; links: string[]; isBroken: boolean }> {
  if (ending !== 'xml') return { body, links: [], isBroken: false };
  const rest = body[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  let length = 0;
  let isFeed: boolean | undefined;
  try {
    while (isFeed !== false && length <= PAGE_BYTES_MAX) {
      const next = await rest.next();
      if (next.done) break;
      pieces.push(next.value);
      length += next.value.length;
      if (isFeed === undefined && length >= ROOT_BYTES_MAX) isFeed = isFeedText(pieces);
    }
  } catch (error) {
    // Who stores the bytes learns that they are not whole.
    return { body: broken(error), links: [], isBroken: true };
  }
  isFeed ??= isFeedText(pieces);
  const links = isFeed && length <= PAGE_BYTES_MAX ? feedLinks(decodeText(Buffer.concat(pieces)).text) : [];
  return { body: joined(pieces, rest), links, isBroken: false };
}

function isFeedText(pieces: readonly Uint8Array[]): boolean {
  const text = Buffer.concat(pieces).subarray(0, ROOT_BYTES_MAX).toString('latin1');
  return ROOT.test(text.replace(/<!--.*?(?:-->|$)/gs, '').slice(0, PROLOG_UNITS_MAX));
}

/** Returns the addresses to which a feed and its entries link, as written. */
export function feedLinks(text: string): string[] {
  const links = new Set<string>();
  for (const [, attributes = '', content = ''] of text.matchAll(LINK)) {
    const relation = /\brel\s*=\s*["']([^"']*)/.exec(attributes)?.[1] ?? 'alternate';
    const written = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(attributes);
    const link = (written?.[1] ?? written?.[2] ?? content.replace(/^\s*<!\[CDATA\[|\]\]>\s*$/g, '')).trim();
    if (relation === 'alternate' && link !== '' && links.size < LINKS_MAX) links.add(decodeXml(link));
  }
  return [...links];
}

async function* joined(pieces: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

// biome-ignore lint/correctness/useYield: the bytes that came before do not count.
async function* broken(error: unknown): AsyncGenerator<Uint8Array> {
  throw error;
}
