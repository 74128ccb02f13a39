/** The queue of addresses that a crawl will visit, in the order in which they were found. */
import { z } from 'zod';
import { isTrap, isUnreadable, normalizeUrl, type Scope } from './urls.ts';

/** Maximum addresses with a query for one path: filters and sort orders of lists give endless combinations. */
export const QUERIES_PER_PATH_MAX = 50;
const QUEUE_MAX = 100_000;
/** Requests for each page that may become a source: redirects, duplicates and dead links cost requests too. */
const REQUESTS_PER_PAGE_MAX = 5;
const REQUESTS_FREE = 100;

export const EntrySchema = z.object({
  address: z.string(),
  /** Number of links between one of the first addresses and this address. */
  depth: z.number(),
  /** One of the first addresses, which is visited whatever the paths of the crawl are. */
  isSeed: z.boolean(),
  /** The time in the sitemap. */
  modifiedAt: z.coerce.date().nullable(),
  /** A sitemap names the page, or did so when it was read. */
  inSitemap: z.boolean().optional(),
  /** Another page names this address, so what this page names is ignored. */
  isCanonical: z.boolean().optional(),
});
export type Entry = z.infer<typeof EntrySchema>;

/** Returns how many requests for pages a crawl sends. */
export function maxRequests(maxPages: number): number {
  return maxPages * REQUESTS_PER_PAGE_MAX + REQUESTS_FREE;
}

export class Frontier {
  readonly queue: Entry[];
  /** Addresses that must not be added again. */
  readonly seen = new Set<string>();
  readonly #scope: Scope;
  readonly #maxDepth: number;
  readonly #now: Date;
  readonly #queriesOfPath = new Map<string, number>();

  constructor(scope: Scope, maxDepth: number, now: Date, queue: Entry[]) {
    this.queue = queue;
    this.#scope = scope;
    this.#maxDepth = maxDepth;
    this.#now = now;
  }

  /** Adds an address unless it was seen, is out of scope or looks like a trap. */
  add(
    reference: string,
    base: string | undefined,
    details: Omit<Entry, 'address' | 'modifiedAt'> & Partial<Entry>,
  ): void {
    const address = normalizeUrl(reference, base);
    if (address === undefined || this.seen.has(address) || this.queue.length >= QUEUE_MAX) return;
    if (!details.isSeed && !this.#isWanted(address, details.depth)) return;
    this.seen.add(address);
    this.queue.push({ modifiedAt: null, ...details, address });
  }

  /** Adds an address that no page links, unless it was seen. Links of its page are not followed. */
  addUnlinked(address: string, inSitemap: boolean | undefined): void {
    if (!this.seen.has(address)) this.add(address, undefined, { depth: this.#maxDepth, isSeed: false, inSitemap });
  }

  /** Notes what was added to the queue, and visited, before the crawl was interrupted. */
  restore(visited: ReadonlySet<string>): void {
    for (const address of visited) this.seen.add(address);
    for (const { address, isSeed } of this.queue) {
      this.seen.add(address);
      if (!isSeed) this.#countQuery(address);
    }
  }

  #isWanted(address: string, depth: number): boolean {
    if (depth > this.#maxDepth || !this.#scope.hasHost(address) || !this.#scope.includes(address)) return false;
    if (isTrap(address, this.#now) || isUnreadable(address)) return false;
    return this.#countQuery(address) <= QUERIES_PER_PATH_MAX;
  }

  /** Returns how many addresses with a query were wanted for this path; 0 for an address without a query. */
  #countQuery(address: string): number {
    const { origin, pathname, search } = new URL(address);
    if (search === '') return 0;
    const queries = (this.#queriesOfPath.get(origin + pathname) ?? 0) + 1;
    this.#queriesOfPath.set(origin + pathname, queries);
    return queries;
  }
}
