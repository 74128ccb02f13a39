/**
 * Decides at the end of a crawl which stored pages have moved to the pages to which their addresses lead now. Pure.
 *
 * A site also redirects for a time: to a notice of maintenance, a sign-in, a question for humans. Then the stored pages must stay.
 */
import { z } from 'zod';

/** More stored pages that lead to one page for now may hide others, as for maintenance: the crawl deletes nothing that it did not reach. */
export const TEMPORARY_TO_ONE_MAX = 10;

export interface CrawledPages {
  /** Stored pages that were requested. */
  stored: ReadonlySet<string>;
  /** Pages that were read, with their names; undefined for those that did not change. */
  read: ReadonlyMap<string, string | undefined>;
  /** Addresses to which pages, sitemaps or settings link. */
  linked: ReadonlySet<string>;
  /** The addresses of the settings. */
  seeds: ReadonlySet<string>;
}

export interface Verdict {
  /** The address of a stored page; with `shared`, also of other pages. */
  from: string;
  /** Where it leads in the end. */
  to: string;
  /**
   * - `moved`: its source goes.
   * - `away`: the page stays. It leads somewhere for now.
   * - `shared`: the page stays. Too many pages lead to the same one.
   * - `unread`: it leads for good to a page that was not read.
   */
  kind: 'moved' | 'away' | 'shared' | 'unread';
}

export const HopSchema = z.object({ to: z.string(), isPermanent: z.boolean() });
type Hop = z.infer<typeof HopSchema>;

interface Lead extends Hop {
  from: string;
}

export class Moves {
  readonly hops = new Map<string, Hop>();
  readonly canonicals = new Map<string, Hop>();

  /** Adds a redirect. The refresh of a page counts as a temporary one. */
  redirect(from: string, to: string, isPermanent: boolean): void {
    this.hops.set(from, { to, isPermanent });
  }

  /** Adds the canonical address of a page: who leads to the page leads there. */
  canonical(from: string, to: string): void {
    this.canonicals.set(from, { to, isPermanent: true });
  }

  /** Returns whether several addresses lead to one page that is new and not linked: they may have led to stored pages before. */
  hideOthers(crawled: CrawledPages): boolean {
    const pages = this.#withLinked(crawled);
    return [...this.#groups(pages).values()].some(
      (group) => group.length > 1 && group.some(({ to }) => !pages.stored.has(to) && !pages.linked.has(to)),
    );
  }

  judge(crawled: CrawledPages): Verdict[] {
    const pages = this.#withLinked(crawled);
    const storedAt = countPlaces(pages);
    return [...this.#groups(pages)].flatMap(([place, group]) => {
      const ofStored = group.filter(({ from }) => pages.stored.has(from));
      const others = pages.stored.size - (storedAt.get(place) ?? 0);
      if (isShared(ofStored, others, pages)) return group.map((lead) => ({ ...lead, kind: 'shared' as const }));
      const forNow = group.filter(
        ({ from, isPermanent }) => !isPermanent && (pages.stored.has(from) || pages.linked.has(from)),
      );
      return ofStored.map((lead) => ({ ...lead, kind: kindOf(lead, forNow.length > 1, pages) }));
    });
  }

  /** Adds the pages to which linked addresses lead for good, such as those without a slash at their end. */
  #withLinked(pages: CrawledPages): CrawledPages {
    const ends = [...this.hops].flatMap(([from, { to, isPermanent }]) =>
      isPermanent && pages.linked.has(from) && !pages.stored.has(from) ? [to] : [],
    );
    return { ...pages, linked: new Set([...pages.linked, ...ends]) };
  }

  /** Returns the redirects by the place to which they lead. */
  #groups({ read }: CrawledPages): Map<string, Lead[]> {
    const ends = new Map<string, Hop>();
    const leads = [...this.hops.keys()].map((from) => this.#leadOf(from, ends));
    return Map.groupBy(leads, ({ to }) => placeOf(to, read.get(to)));
  }

  /**
   * Follows redirects and canonical addresses to their end. A chain is permanent if all of its redirects are.
   *
   * @param ends where addresses lead that were followed before.
   */
  #leadOf(from: string, ends: Map<string, Hop>): Lead {
    const chain = new Map<string, Hop>();
    const nextOf = (address: string) => this.hops.get(address) ?? this.canonicals.get(address);
    let last = from;
    for (let next = nextOf(from); next && !ends.has(last) && !chain.has(next.to); next = nextOf(last)) {
      chain.set(last, next);
      last = next.to;
    }
    let end = ends.get(last) ?? { to: last, isPermanent: true };
    for (const [address, { isPermanent }] of [...chain].reverse()) {
      end = { to: end.to, isPermanent: end.isPermanent && isPermanent };
      ends.set(address, end);
    }
    return { from, ...end };
  }
}

/**
 * Returns whether pages that lead to one place may do so for a time. A page that the crawl knew before may be where pages were joined,
 * unless the first pages of the site lead there, too.
 *
 * @param others number of stored pages at other places.
 */
function isShared(group: readonly Lead[], others: number, { stored, seeds }: CrawledPages): boolean {
  const isEverything = group.some(({ from, to }) => seeds.has(from) || !stored.has(to));
  if (group.filter(({ isPermanent }) => !isPermanent).length > TEMPORARY_TO_ONE_MAX) return true;
  return group.length >= 2 && isEverything && group.length * 2 > others;
}

/** @param isOneOfSeveral other stored or linked addresses lead to the same place for now: it may be a sign-in. */
function kindOf({ to, isPermanent }: Lead, isOneOfSeveral: boolean, pages: CrawledPages): Verdict['kind'] {
  if (!pages.read.has(to)) return isPermanent ? 'unread' : 'away';
  if (isPermanent) return 'moved';
  return !isOneOfSeveral && (pages.stored.has(to) || pages.linked.has(to)) ? 'moved' : 'away';
}

/** Returns the number of stored pages at each place. */
function countPlaces({ stored, read }: CrawledPages): Map<string, number> {
  const counts = new Map<string, number>();
  for (const address of stored.keys()) {
    const place = placeOf(address, read.get(address));
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return counts;
}

/** A sign-in page often has the page that the reader wanted in its query, and always the same title. */
function placeOf(address: string, name: string | undefined): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname} ${name ?? ''}`;
}
