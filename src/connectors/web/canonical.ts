/**
 * Decides whether a page repeats the page at its canonical address. Many templates name one address on all pages of a site, so the
 * address alone says nothing.
 */
import { decodeText } from '../../files/detect/decode.ts';
import { readBytes } from './body.ts';
import type { WebClient } from './client.ts';
import { type PageFacts, readPage } from './html.ts';
import { charsetOf, endingOf } from './types.ts';

/** Words that a repeated page may have for itself: the folders that led to it, the order of a list. A word with a digit counts as all. */
const OWN_WORDS_MAX = 5;
/** A page with fewer than one of so many words of the page at the address is a part of that page, not a copy. */
const SHARE_OF_WORDS = 2;
/** UTF-16 units of a page that are compared. */
const COMPARED_UNITS_MAX = 1_000_000;
/** UTF-16 units of the pages of one crawl that are kept. Other pages are requested again. */
const KEPT_UNITS_MAX = 8_000_000;
/** A sign of a script that writes no spaces counts as a word. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu;
/** The time at which a page was made is not a word of the page. */
const TIME = /(?<!\d)\d{1,2}:\d\d(?::\d\d)?(?!\d)/g;

type Page = Pick<PageFacts, 'title' | 'text'>;

export class CanonicalPages {
  readonly #client: WebClient;
  /** Texts of pages by address, the newest last. Undefined: there is no page. */
  readonly #texts = new Map<string, string | undefined>();
  #units = 0;
  #latest: { text: string; words: ReadonlySet<string> } | undefined;
  readonly #count: { requests: number };

  /** @param count counts the requests for pages that were read before. */
  constructor(client: WebClient, count: { requests: number }) {
    this.#client = client;
    this.#count = count;
  }

  /** Keeps what a page says, for pages that name it. */
  note(address: string, page: Page): void {
    this.#keep(address, textOf(page));
  }

  /** Returns whether the page at the canonical address says what `page` says. Requests that page unless it is kept. */
  async repeats(page: Page, canonical: string): Promise<boolean> {
    const text = this.#texts.has(canonical) ? this.#texts.get(canonical) : await this.#request(canonical);
    this.#keep(canonical, text);
    if (text === undefined) return false;
    if (this.#latest?.text !== text) this.#latest = { text, words: new Set(wordsOf(text)) };
    return addsLittle(new Set(wordsOf(textOf(page))), this.#latest.words);
  }

  #keep(address: string, text: string | undefined): void {
    this.#units += (text?.length ?? 0) - (this.#texts.get(address)?.length ?? 0);
    this.#texts.delete(address);
    this.#texts.set(address, text);
    for (const [oldest, { length } = ''] of this.#texts) {
      if (this.#units <= KEPT_UNITS_MAX) break;
      this.#texts.delete(oldest);
      this.#units -= length;
    }
  }

  async #request(address: string): Promise<string | undefined> {
    this.#count.requests += 1;
    const answer = await this.#client.get(address);
    if (answer.kind !== 'response') return undefined;
    const contentType = answer.response.headers.get('content-type');
    if (answer.response.status !== 200 || endingOf(contentType, address) !== 'html') {
      await answer.response.discard();
      return undefined;
    }
    const bytes = await readBytes(answer.response);
    return 'title' in bytes ? undefined : textOf(readPage(decodeText(bytes, charsetOf(contentType)).text));
  }
}

function addsLittle(own: ReadonlySet<string>, words: ReadonlySet<string>): boolean {
  if (own.size * SHARE_OF_WORDS < words.size) return false;
  const added = [...own].filter((word) => !words.has(word));
  return added.length <= OWN_WORDS_MAX && !added.some((word) => /\p{N}/u.test(word));
}

/** Returns the text without tags, as a string of its own: it does not keep the whole page in memory. */
function textOf({ title = '', text }: Page): string {
  const plain = text.slice(0, COMPARED_UNITS_MAX).replace(/<[^<>]*>/g, ' ');
  return `${title} ${plain}`.toLowerCase().replace(TIME, ' ');
}

function* wordsOf(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) yield word;
}
