/**
 * Notices pages with which a site answers instead of the wanted ones, with status 200: a notice of maintenance, a sign-in, "not found".
 *
 * The site answers addresses that do not exist with the same page. Whether it hides its pages for now, or only this one is gone, other
 * stored pages tell. Pages are the same if they have the same words, without words that have digits or slashes (times, numbers, addresses).
 */
import { createHash, randomUUID } from 'node:crypto';
import { decodeText } from '../../files/detect/decode.ts';
import type { HttpResponse } from '../../net/http-client.ts';
import type { ListRequest, OriginProblem } from '../connector.ts';
import { readBytes } from './body.ts';
import type { WebClient } from './client.ts';
import { type PageFacts, readPage } from './html.ts';
import { charsetOf, endingOf } from './types.ts';

/** Addresses that do not exist and are requested in one crawl. */
const PROBES_MAX = 50;
/** Other stored pages that are requested to learn whether the site hides them. */
const WITNESSES_MAX = 3;

/** Of a stored page. */
export const HIDDEN: OriginProblem = {
  title: 'The site answers many addresses with one page',
  message:
    'Other stored pages and an address that does not exist get the same answer, as during maintenance or before a sign-in. ' +
    'The stored page stays. If this is how the site is now, delete the source.',
  retryable: true,
};

export interface Judged {
  address: string;
  print: string;
  /** The print of the stored version; undefined without such a version, or one that has none. */
  storedPrint: string | undefined;
  isStored: boolean;
  /** One of the addresses of the settings. */
  isSeed: boolean;
}

export interface Substitute {
  /** `hidden`: other stored pages are answered so, too. `missing`: other pages are there. */
  kind: 'hidden' | 'missing';
  /** The address where this crawl met the same page first. */
  first: string;
}

/** Returns what stays the same when a site answers several addresses with one page. */
export function printOf({ title = '', text }: Pick<PageFacts, 'title' | 'text'>): string {
  const words = `${title} ${text.replace(/<[^<>]*>/g, ' ')}`.split(/\s+/).filter((word) => !/[\d/]/.test(word));
  return createHash('sha256').update(words.join(' ').trim()).digest('base64').slice(0, 22);
}

export class Substitutes {
  readonly #client: WebClient;
  readonly #request: Pick<ListRequest, 'listStored'>;
  /** Where and when this crawl met a page first, by print. */
  readonly #sights = new Map<string, { address: string; at: number }>();
  /** The print of an address that does not exist, by top folder. */
  readonly #probes = new Map<string, { print: string | undefined; at: number }>();
  /** Prints of pages that hide others. */
  readonly #hiding = new Set<string>();
  #at = 0;
  #probed = 0;

  constructor(client: WebClient, request: Pick<ListRequest, 'listStored'>) {
    this.#client = client;
    this.#request = request;
  }

  /** Returns undefined for a page that is what its address stands for. Sends requests only for a page that may be none. */
  async judge({ address, print, storedPrint, isStored, isSeed }: Judged): Promise<Substitute | undefined> {
    this.#at += 1;
    const sight = this.#sights.get(print) ?? { address, at: this.#at };
    this.#sights.set(print, sight);
    if (print === storedPrint || !this.#request.listStored) return undefined;
    if (!isStored && (isSeed || sight.address === address)) return undefined;
    if (!this.#hiding.has(print)) {
      if ((await this.#probe(address, print, sight.at)) !== print) return undefined;
      if (isStored && (await this.#isHiding(address, print))) this.#hiding.add(print);
    }
    if (this.#hiding.has(print)) return { kind: 'hidden', first: sight.address };
    // Some sites show their first page at addresses that do not exist.
    return isSeed || new URL(address).pathname === '/' ? undefined : { kind: 'missing', first: sight.address };
  }

  /** Returns the print of an address that does not exist beside `address`, requested after the page was met first. */
  async #probe(address: string, print: string, metAt: number): Promise<string | undefined> {
    const folder = new URL(/^\/[^/]+\//.exec(new URL(address).pathname)?.[0] ?? '/', address).href;
    const known = this.#probes.get(folder);
    if (known && (known.at > metAt || known.print === print || this.#probed >= PROBES_MAX)) return known.print;
    if (this.#probed >= PROBES_MAX) return undefined;
    this.#probed += 1;
    const found = await this.#printAt(`${folder}no-such-page-${randomUUID()}`);
    this.#probes.set(folder, { print: found, at: ++this.#at });
    return found;
  }

  /** Returns whether the site answers other stored pages with this page. */
  async #isHiding(address: string, print: string): Promise<boolean> {
    const { origin } = new URL(address);
    const stored = (await this.#request.listStored?.()) ?? [];
    const others = stored.filter((one) => one !== address && URL.canParse(one) && new URL(one).origin === origin);
    const witnesses = others.filter((one) => new URL(one).pathname !== '/').slice(0, WITNESSES_MAX);
    let isHiding = false;
    for (const witness of witnesses) {
      const found = await this.#printAt(witness);
      if (found !== undefined && found !== print) return false;
      isHiding ||= found === print;
    }
    return isHiding;
  }

  /** Returns undefined if there is no page at the address. */
  async #printAt(address: string): Promise<string | undefined> {
    const robots = await this.#client.robots(address);
    if ('title' in robots || !robots.allows(address)) return undefined;
    const answer = await this.#client.get(address);
    return answer.kind === 'response' ? printOfResponse(answer.response, address) : undefined;
  }
}

async function printOfResponse(response: HttpResponse, address: string): Promise<string | undefined> {
  const contentType = response.headers.get('content-type');
  const ending = endingOf(contentType, address);
  if (response.status < 200 || response.status > 299 || ending !== 'html') {
    await response.discard();
    return response.status < 300 ? ending : undefined;
  }
  const bytes = await readBytes(response);
  return 'title' in bytes ? undefined : printOf(readPage(decodeText(bytes, charsetOf(contentType)).text));
}
