/** The addresses that a crawl still goes to, in the order in which they were found. */
import { isTrap, isUnreadable, normalizeUrl, type Scope } from './urls.ts';

/** Addresses with a query that are taken of one path: filters and orders of lists multiply without end. */
export const QUERIES_PER_PATH_MAX = 50;
const QUEUE_MAX = 100_000;

export interface Entry {
  address: string;
  /** Links away from the first addresses. */
  depth: number;
  /** One of the first addresses: asked for whatever the paths of the crawl say. */
  isSeed: boolean;
  /** As a sitemap says. */
  modifiedAt: Date | null;
}

export class Frontier {
  /** Grows while it is walked through. */
  readonly queue: Entry[] = [];
  /** Addresses that are not to be added again. */
  readonly seen = new Set<string>();
  readonly #scope: Scope;
  readonly #maxDepth: number;
  readonly #now: Date;
  readonly #queriesOfPath = new Map<string, number>();

  constructor(scope: Scope, maxDepth: number, now: Date) {
    this.#scope = scope;
    this.#maxDepth = maxDepth;
    this.#now = now;
  }

  /** Adds an address unless it is known, out of scope or one of endlessly many. */
  add(reference: string, base: string | undefined, how: Omit<Entry, 'address' | 'modifiedAt'> & Partial<Entry>): void {
    const address = normalizeUrl(reference, base);
    if (address === undefined || this.seen.has(address) || this.queue.length >= QUEUE_MAX) return;
    if (!how.isSeed && !this.#isWanted(address, how.depth)) return;
    this.seen.add(address);
    this.queue.push({ address, depth: how.depth, isSeed: how.isSeed, modifiedAt: how.modifiedAt ?? null });
  }

  #isWanted(address: string, depth: number): boolean {
    if (depth > this.#maxDepth || !this.#scope.hasHost(address) || !this.#scope.takes(address)) return false;
    if (isTrap(address, this.#now) || isUnreadable(address)) return false;
    const { origin, pathname, search } = new URL(address);
    if (search === '') return true;
    const queries = (this.#queriesOfPath.get(origin + pathname) ?? 0) + 1;
    this.#queriesOfPath.set(origin + pathname, queries);
    return queries <= QUERIES_PER_PATH_MAX;
  }
}
