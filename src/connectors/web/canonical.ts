/**
 * Decides whether a page repeats the page at its canonical address. Many templates name one address on all pages of a site, so the
 * address alone says nothing.
 */
import { decodeText } from '../../files/detect/decode.ts';
import { readBytes } from './body.ts';
import type { WebClient } from './client.ts';
import { type PageFacts, readPage } from './html.ts';
import { charsetOf, endingOf } from './types.ts';

/** Words that a repeated page may have for itself: the folders that led to it, a time, the order of a list. */
const OWN_WORDS_MAX = 5;
/** UTF-16 units of a page that are compared. */
const COMPARED_UNITS_MAX = 1_000_000;
/** A sign of a script that writes no spaces counts as a word. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu;

type Page = Pick<PageFacts, 'title' | 'text'>;

export class CanonicalPages {
  readonly #client: WebClient;
  readonly #words = new Map<string, ReadonlySet<string> | undefined>();

  constructor(client: WebClient) {
    this.#client = client;
  }

  /** Keeps what a page says that another page has named. */
  note(address: string, page: Page): void {
    this.#words.set(address, new Set(wordsOf(page)));
  }

  /** Returns whether the page at the canonical address says what `page` says. Requests it once in a crawl, unless it was noted. */
  async repeats(page: Page, canonical: string): Promise<boolean> {
    if (!this.#words.has(canonical)) this.#words.set(canonical, await this.#wordsAt(canonical));
    const words = this.#words.get(canonical);
    return words !== undefined && addsLittle(page, words);
  }

  async #wordsAt(address: string): Promise<ReadonlySet<string> | undefined> {
    const answer = await this.#client.get(address);
    if (answer.kind !== 'response') return undefined;
    const contentType = answer.response.headers.get('content-type');
    if (answer.response.status !== 200 || endingOf(contentType, address) !== 'html') {
      await answer.response.discard();
      return undefined;
    }
    const bytes = await readBytes(answer.response);
    return 'title' in bytes ? undefined : new Set(wordsOf(readPage(decodeText(bytes, charsetOf(contentType)).text)));
  }
}

function addsLittle(page: Page, words: ReadonlySet<string>): boolean {
  const own = new Set<string>();
  for (const word of wordsOf(page)) if (!words.has(word) && own.add(word).size > OWN_WORDS_MAX) return false;
  return true;
}

function* wordsOf({ title = '', text }: Page): Generator<string> {
  const plain = `${title} ${text.slice(0, COMPARED_UNITS_MAX).replace(/<[^<>]*>/g, ' ')}`.toLowerCase();
  for (const [word] of plain.matchAll(WORD)) yield word;
}
