/**
 * Notices when a site hides its pages: it answers all addresses with status 200 and one page, as a notice of maintenance or a sign-in.
 *
 * Only stored pages whose words changed are judged. A site hides them if other stored pages, and an address that does not exist, have the
 * same words now. All else is read as it is: a page that says "not found", a single page application, a first page for any address.
 */
import { createHash, randomUUID } from 'node:crypto';
import { decodeText } from '../../files/detect/decode.ts';
import type { HttpResponse } from '../../net/http-client.ts';
import type { ListRequest, OriginProblem } from '../connector.ts';
import { readBytes } from './body.ts';
import type { WebClient } from './client.ts';
import { type PageFacts, readPage } from './html.ts';
import { readState } from './state.ts';
import { charsetOf, endingOf } from './types.ts';

/** Prints for which a crawl sends requests. */
const JUDGED_MAX = 10;
/** Other stored pages that are requested to learn whether the site hides them. */
const WITNESSES_MAX = 5;
/** Pages with fewer letters are not compared. */
const LETTERS_MIN = 20;
const ENOUGH_LETTERS = new RegExp(`(?:\\p{L}\\P{L}*){${LETTERS_MIN}}`, 'u');
/** What a page may say of the request: addresses and numbers. Many languages have no spaces between words. */
const RUN_OR_NUMBER = /[!-;=?-~]+|\p{N}+/gu;
const NUMBER = /\p{N}+/gu;

/** Of a stored page. */
export const HIDDEN: OriginProblem = {
  title: 'The site answers many addresses with one page',
  message:
    'Other stored pages and an address that does not exist get the same answer, as during maintenance or before a sign-in. ' +
    'The stored page stays. If this is how the site is now, delete the source.',
  retryable: true,
};

/** A stored page that this crawl has read. */
export interface ReadPage {
  address: string;
  print: string | undefined;
  storedPrint: string | undefined;
  /** One of the addresses of the settings. It says nothing of others: a first page is often shown before a sign-in. */
  isSeed: boolean;
}

export type StoredPages = Pick<ListRequest, 'findStored' | 'listStored'>;

/** Returns what stays the same when a site answers several addresses with one page; undefined for a page of few letters. */
export function printOf({ title = '', text }: Pick<PageFacts, 'title' | 'text'>): string | undefined {
  const plain = `${title} ${text.replace(/<[^<>]*>/g, ' ')}`;
  // Looking for the slash in the pattern itself would read a run of many letters again from each of them.
  const fixed = plain.replace(RUN_OR_NUMBER, (run) => (run.includes('/') ? ' ' : run.replace(NUMBER, ' ')));
  const words = fixed.replace(/\s+/g, ' ').trim();
  if (!ENOUGH_LETTERS.test(words)) return undefined;
  return createHash('sha256').update(words).digest('base64').slice(0, 22);
}

export class Substitutes {
  readonly #client: WebClient;
  readonly #request: StoredPages;
  /** When this crawl met a changed page first, by site and print, and whether it hides others; undefined until that is asked. */
  readonly #sights = new Map<string, { at: number; before: string | undefined; hides: boolean | undefined }>();
  /** The last page of a site, other than its first ones, and when it was read. */
  readonly #last = new Map<string, { address: string; print: string | undefined; at: number }>();
  #addresses: Promise<readonly string[]> | undefined;
  #at = 0;
  #judged = 0;

  constructor(client: WebClient, request: StoredPages) {
    this.#client = client;
    this.#request = request;
  }

  /** Returns whether the site hides the page. Sends requests only for a changed page that may be shown in place of others. */
  async hides(page: ReadPage): Promise<boolean> {
    this.#at += 1;
    const { address, print, storedPrint } = page;
    const { origin, pathname } = new URL(address);
    const last = this.#last.get(origin);
    if (!page.isSeed && pathname !== '/') this.#last.set(origin, { address, print, at: this.#at });
    if (print === undefined || print === storedPrint) return false;
    const key = `${origin} ${print}`;
    const known = this.#sights.get(key);
    const sight = known ?? { at: this.#at, before: last?.address, hides: undefined };
    this.#sights.set(key, sight);
    // The first changed page of a site is asked for at once, others when they are met again.
    if (sight.hides !== undefined || (!known && last)) return sight.hides ?? false;
    // A page with other words, read since, proves that the site shows its pages.
    if (known && last && last.at > known.at && last.print !== print) sight.hides = false;
    else if (this.#judged < JUDGED_MAX) {
      this.#judged += 1;
      sight.hides = (await this.#isShownFor(address, print)) && (await this.#isShownForOthers(page, sight.before));
    }
    return sight.hides ?? false;
  }

  /** Returns whether an address that does not exist, beside this one, is answered with the page. */
  async #isShownFor(address: string, print: string): Promise<boolean> {
    const folder = new URL(/^\/[^/]+\//.exec(new URL(address).pathname)?.[0] ?? '/', address).href;
    return (await this.#printAt(`${folder}no-such-page-${randomUUID()}`)) === print;
  }

  /** Returns whether other stored pages, which had other words than this one, have the same now, and none that is asked has others. */
  async #isShownForOthers({ address, print, storedPrint }: ReadPage, before: string | undefined): Promise<boolean> {
    const { origin } = new URL(address);
    this.#addresses ??= this.#request.listStored?.() ?? Promise.resolve([]);
    const others = (await this.#addresses).filter((one) => {
      const url = one !== address && URL.parse(one);
      return url && url.origin === origin && url.pathname !== '/';
    });
    // Spread over the list: neighbours may be pages of one section that was removed. First the one that was read before this one.
    const step = Math.max(1, others.length / WITNESSES_MAX);
    const spread = Array.from({ length: WITNESSES_MAX }, (_, i) => others[Math.floor((i + 0.5) * step)] ?? []).flat();
    let isShown = false;
    for (const other of new Set([before ?? [], ...spread].flat())) {
      const found = await this.#printAt(other);
      if (found !== undefined && found !== print) return false;
      const stored = readState(await this.#request.findStored(other))?.print;
      isShown ||= found === print && stored !== print && stored !== storedPrint;
    }
    return isShown;
  }

  /** Returns an empty text for a page of few letters, and undefined if there is no page at the address. */
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
  return 'title' in bytes ? undefined : (printOf(readPage(decodeText(bytes, charsetOf(contentType)).text)) ?? '');
}
