/** Compares what the pages of a crawl say, by hashes of their words. */
import { createHash } from 'node:crypto';
import type { PageFacts } from './html.ts';

/** UTF-16 units of a page that its print stands for. */
const PRINT_UNITS_MAX = 1_000_000;
/** The time at which a page was made is not a word of the page. */
const TIME = /(?<!\d)\d{1,2}:\d\d(?::\d\d)?(?!\d)/g;

/** Returns a hash of the words of a page. It is the same for a page with other tags, another order of a list, or another time. */
export function printOf({ title = '', text }: Pick<PageFacts, 'title' | 'text'>): string {
  const plain = `${title} ${text.slice(0, PRINT_UNITS_MAX).replace(/<[^<>]*>/g, ' ')}`.toLowerCase().replace(TIME, ' ');
  const words = new Set(plain.match(/[\p{L}\p{N}]+/gu));
  return createHash('sha256')
    .update([...words].sort().join(' '))
    .digest('base64')
    .slice(0, 22);
}

/** The prints of one crawl. */
export class Prints {
  readonly #shown = new Map<string, string>();
  /** Prints to which stored pages changed, with the print before. */
  readonly #changedTo = new Map<string, string>();
  /** Prints of stored pages that did not change. */
  readonly #lasting = new Set<string>();

  /**
   * Notes what a page says. Returns whether the site seems to hide the page, as during maintenance or before a sign-in: it changed to
   * words to which another page changed in this crawl. Words that a stored page keeps are believed, so the next crawl reads the page.
   */
  hides(address: string, print: string | undefined, storedPrint: string | undefined): boolean {
    if (print === undefined) return false;
    this.#shown.set(address, print);
    if (print === storedPrint) this.#lasting.add(print);
    if (storedPrint === undefined || this.#lasting.has(print)) return false;
    const before = this.#changedTo.get(print);
    if (before === undefined) this.#changedTo.set(print, storedPrint);
    return before !== undefined && before !== storedPrint;
  }

  /** Returns whether the page at an address says this. */
  isShown(address: string, print: string): boolean {
    return this.#shown.get(address) === print;
  }
}
