/**
 * Decides at the end of a crawl which stored pages have moved to the pages to which their addresses lead now. Pure.
 *
 * A site also redirects for a time: to a notice of maintenance, a sign-in, a question for humans. Then the stored pages must stay.
 */

/** More stored pages that lead to one page for now, by temporary redirects, are taken for a sign-in or maintenance. */
export const TEMPORARY_TO_ONE_MAX = 10;

export interface CrawledPages {
  /** Stored pages that were requested. */
  stored: ReadonlyMap<string, unknown>;
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

interface Hop {
  to: string;
  isPermanent: boolean;
}

interface Lead extends Hop {
  from: string;
}

export class Moves {
  readonly #hops = new Map<string, Hop>();
  readonly #canonicals = new Map<string, Hop>();

  /** Adds a redirect. The refresh of a page counts as a temporary one. */
  redirect(from: string, to: string, isPermanent: boolean): void {
    this.#hops.set(from, { to, isPermanent });
  }

  /** Adds the canonical address of a page: who leads to the page leads there. */
  canonical(from: string, to: string): void {
    this.#canonicals.set(from, { to, isPermanent: true });
  }

  /** Returns whether several addresses lead to one page that is new and not linked: they may have led to stored pages before. */
  hideOthers(crawled: CrawledPages): boolean {
    const pages = this.#withLinked(crawled);
    return this.#groups(pages).some(
      (group) => group.length > 1 && group.some(({ to }) => !pages.stored.has(to) && !pages.linked.has(to)),
    );
  }

  judge(crawled: CrawledPages): Verdict[] {
    const pages = this.#withLinked(crawled);
    return this.#groups(pages).flatMap((group) => {
      const ofStored = group.filter(({ from }) => pages.stored.has(from));
      if (isShared(ofStored, pages)) return group.map((lead) => ({ ...lead, kind: 'shared' as const }));
      return ofStored.map((lead) => ({ ...lead, kind: kindOf(lead, pages) }));
    });
  }

  /** Adds the pages to which linked addresses lead for good, such as those without a slash at their end. */
  #withLinked(pages: CrawledPages): CrawledPages {
    const ends = [...this.#hops].flatMap(([from, { to, isPermanent }]) =>
      isPermanent && pages.linked.has(from) && !pages.stored.has(from) ? [to] : [],
    );
    return { ...pages, linked: new Set([...pages.linked, ...ends]) };
  }

  /** Returns the redirects by the place to which they lead. */
  #groups({ read }: CrawledPages): Lead[][] {
    const leads = [...this.#hops.keys()].map((from) => this.#leadOf(from));
    return [...Map.groupBy(leads, ({ to }) => placeOf(to, read.get(to))).values()];
  }

  /** Follows redirects and canonical addresses to their end. A chain is permanent if all of its redirects are. */
  #leadOf(from: string): Lead {
    const lead: Lead = { from, to: from, isPermanent: true };
    const chain = new Set<string>();
    const nextOf = (address: string) => this.#hops.get(address) ?? this.#canonicals.get(address);
    for (let next = nextOf(from); next && !chain.has(next.to); next = nextOf(next.to)) {
      chain.add(next.to);
      lead.to = next.to;
      lead.isPermanent &&= next.isPermanent;
    }
    return lead;
  }
}

/**
 * Returns whether pages that lead to one place may do so for a time. A page that the crawl knew before may be where pages were joined,
 * unless the first pages of the site lead there, too.
 */
function isShared(group: readonly Lead[], { stored, seeds, read }: CrawledPages): boolean {
  const isEverything = group.some(({ from, to }) => seeds.has(from) || !stored.has(to));
  if (group.filter(({ isPermanent }) => !isPermanent).length > TEMPORARY_TO_ONE_MAX) return true;
  if (group.length < 2 || !isEverything) return false;
  const place = placeOf(group[0]!.to, read.get(group[0]!.to));
  const others = [...stored.keys()].filter((address) => placeOf(address, read.get(address)) !== place);
  return group.length * 2 > others.length;
}

function kindOf({ to, isPermanent }: Lead, { stored, read, linked }: CrawledPages): Verdict['kind'] {
  if (!read.has(to)) return isPermanent ? 'unread' : 'away';
  return isPermanent || stored.has(to) || linked.has(to) ? 'moved' : 'away';
}

/** A sign-in page often has the page that the reader wanted in its query, and always the same title. */
function placeOf(address: string, name: string | undefined): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname} ${name ?? ''}`;
}
