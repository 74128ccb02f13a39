/**
 * What a crawl knows. It only grows, so each step has what is new since the step before. All steps together restore the crawl in another
 * process.
 */
import { z } from 'zod';
import type { Opaque } from '../../corpus/origin.ts';
import { HostStateSchema, type WebClient } from './client.ts';
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

/** A step of another version is not read: the crawl then starts again. */
const StepSchema = z.object({
  version: z.literal(1),
  /** Of a crawl that starts: the steps before are of no use. */
  isFirst: z.boolean(),
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
  #isFirst = true;

  /** Returns what is new since the last call. */
  takeStep(client: WebClient): Opaque {
    const added = Object.entries(this.#tails).map(([name, take]) => [name, take()]);
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const step = { version: 1, isFirst, progress: { ...this.progress }, hosts: client.takeHosts() };
    return { ...step, ...Object.fromEntries(added) };
  }

  /** Takes the steps of a crawl that was interrupted. Returns false if there are none that can be read. */
  restore(saved: readonly Opaque[], client: WebClient): boolean {
    const last = saved.slice(
      Math.max(
        0,
        saved.findLastIndex(({ isFirst }) => isFirst),
      ),
    );
    const steps = z.array(StepSchema).safeParse(last).data ?? [];
    for (const step of steps) {
      Object.assign(this.progress, step.progress);
      for (const entry of step.queue) this.queue.push(entry);
      for (const address of step.visited) this.visited.add(address);
      for (const [address, name] of step.reported) this.reported.set(address, name ?? undefined);
      for (const address of step.stored) this.stored.add(address);
      for (const address of step.linked) this.linked.add(address);
      for (const [from, hop] of step.hops) this.moves.hops.set(from, hop);
      for (const [from, hop] of step.canonicals) this.moves.canonicals.set(from, hop);
      client.restoreHosts(step.hosts);
    }
    // What is restored is no news.
    if (steps.length > 0) this.takeStep(client);
    return steps.length > 0;
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
