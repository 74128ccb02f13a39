/**
 * What a crawl knows. It only grows, so each step has what is new since the step before. All steps together restore the crawl in another
 * process.
 */
import { z } from 'zod';
import type { Opaque } from '../../corpus/origin.ts';
import { type HostState, HostStateSchema, type WebClient } from './client.ts';
import { type Entry, EntrySchema } from './frontier.ts';
import { type CrawledPages, HopSchema, Moves } from './moves.ts';

const ProblemSchema = z.object({ title: z.string(), message: z.string(), retryable: z.boolean() });

const ProgressSchema = z.object({
  /** Number of addresses of the queue that were visited. */
  next: z.number(),
  /** Number of them that could be read. */
  readable: z.number(),
  requests: z.number(),
  pages: z.number(),
  /** False after a failure of a page whose links are unknown: then no source may count as gone. */
  isComplete: z.boolean(),
  /** True if there is no sitemap, or none with a page, or one of them is missing. */
  lacksSitemap: z.boolean(),
  firstProblem: ProblemSchema.optional(),
  tooManyLinks: ProblemSchema.optional(),
});

/** Twice what the queue takes. If a crawl finds more, it judges redirects to the others as redirects to pages without a link. */
export const LINKED_MAX = 200_000;

/** After a step of another version, which is not read, the crawl started again. */
const StepSchema = z.object({
  version: z.literal(1),
  progress: ProgressSchema,
  queue: z.array(EntrySchema),
  visited: z.array(z.string()),
  reported: z.array(z.tuple([z.string(), z.string().nullish()])),
  stored: z.array(z.string()),
  linked: z.array(z.string()),
  hops: z.array(z.tuple([z.string(), HopSchema])),
  canonicals: z.array(z.tuple([z.string(), HopSchema])),
  hosts: z.array(z.tuple([z.string(), HostStateSchema])),
});

export class CrawlMemory {
  /** Addresses in the order in which they are visited. The queue grows while the crawl goes through it. */
  readonly queue: Entry[] = [];
  /** Addresses that this crawl reported as sources, with their names if they are new or changed. */
  readonly reported = new Map<string, string | undefined>();
  /** Addresses that were requested. */
  readonly visited = new Set<string>();
  /** Requested addresses with a stored version. */
  readonly stored = new Set<string>();
  /** Addresses to which pages, sitemaps or settings link. A redirect is no link. */
  readonly linked = new Set<string>();
  readonly moves = new Moves();
  readonly progress: z.infer<typeof ProgressSchema> = {
    next: 0,
    readable: 0,
    requests: 0,
    pages: 0,
    isComplete: true,
    lacksSitemap: false,
  };
  readonly #tails = {
    queue: tailOf(this.queue),
    visited: tailOf(this.visited),
    reported: tailOf(this.reported),
    stored: tailOf(this.stored),
    linked: tailOf(this.linked),
    hops: tailOf(this.moves.hops),
    canonicals: tailOf(this.moves.canonicals),
  };

  /** Notes an address to which a page, a sitemap or the settings link. */
  link(address: string): void {
    if (this.linked.size < LINKED_MAX) this.linked.add(address);
  }

  /** Returns what is new since the last call. */
  takeStep(client: WebClient): Opaque {
    const added = Object.entries(this.#tails).map(([name, take]) => [name, take()]);
    const step = { version: 1, progress: { ...this.progress }, hosts: client.takeHosts() };
    return { ...step, ...Object.fromEntries(added) };
  }

  /**
   * Takes the steps of a crawl that was interrupted, block by block: other work goes on between two blocks. Returns false if there are
   * none that can be read.
   */
  async restore(saved: AsyncIterable<readonly Opaque[]>, client: WebClient): Promise<boolean> {
    let last: z.infer<typeof StepSchema> | undefined;
    const hosts = new Map<string, HostState>();
    for await (const block of saved)
      for (const one of block) {
        last = StepSchema.safeParse(one).data;
        if (!last) {
          this.#forget();
          hosts.clear();
          continue;
        }
        this.#add(last);
        for (const [origin, state] of last.hosts) hosts.set(origin, { ...hosts.get(origin), ...state });
      }
    if (!last) return false;
    Object.assign(this.progress, last.progress);
    client.restoreHosts(hosts);
    // What is restored is no news.
    for (const take of Object.values(this.#tails)) take();
    return true;
  }

  #add(step: z.infer<typeof StepSchema>): void {
    for (const entry of step.queue) this.queue.push(entry);
    for (const address of step.visited) this.visited.add(address);
    for (const [address, name] of step.reported) this.reported.set(address, name ?? undefined);
    for (const address of step.stored) this.stored.add(address);
    for (const address of step.linked) this.linked.add(address);
    for (const [from, hop] of step.hops) this.moves.hops.set(from, hop);
    for (const [from, hop] of step.canonicals) this.moves.canonicals.set(from, hop);
  }

  #forget(): void {
    this.queue.length = 0;
    const { reported, visited, stored, linked, moves } = this;
    for (const all of [reported, visited, stored, linked, moves.hops, moves.canonicals]) all.clear();
  }

  crawled(): CrawledPages {
    const seeds = new Set(this.queue.flatMap(({ address, isSeed }) => (isSeed ? [address] : [])));
    return { stored: this.stored, read: this.reported, linked: this.linked, seeds };
  }
}

/** Returns a function that returns what was added since its last call. Its time does not depend on what was there before. */
function tailOf(all: ReadonlySet<unknown> | ReadonlyMap<unknown, unknown> | readonly unknown[]): () => unknown[] {
  const iterator: Iterator<unknown> = all[Symbol.iterator]();
  let taken = 0;
  return () => {
    const size = 'size' in all ? all.size : all.length;
    const added: unknown[] = [];
    // An iterator that has come to its end stays there, so it is asked only for what exists.
    for (; taken < size; taken += 1) added.push(iterator.next().value);
    return added;
  };
}
