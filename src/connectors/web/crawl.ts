/** Crawls page after page, breadth first, until nothing is left within the limits. */
import { Readable } from 'node:stream';
import type { Origin } from '../../corpus/origin.ts';
import { decodeText } from '../../files/detect/decode.ts';
import type { HttpResponse } from '../../net/http-client.ts';
import type { Change, ListRequest, OriginProblem } from '../connector.ts';
import { readBytes } from './body.ts';
import { CanonicalPages } from './canonical.ts';
import { FILE_BYTES_MAX, type WebClient } from './client.ts';
import { readFeed } from './feed.ts';
import { type Entry, Frontier, maxRequests } from './frontier.ts';
import { headerCanonical, headerDirectives, type PageFacts, readPage } from './html.ts';
import { toItem } from './item.ts';
import { CrawlMemory } from './memory.ts';
import {
  AWAY,
  CIRCLE,
  EMPTY,
  elsewhere,
  FORBIDDEN,
  missing,
  NOT_WHOLE,
  noSeed,
  refused,
  shared,
  stopped,
  tooManyLinks,
  tooManySitemaps,
} from './problems.ts';
import { readSitemaps } from './sitemaps.ts';
import { type PageState, readState, toState, validatorsOf } from './state.ts';
import { HIDDEN, printOf, type StoredPages, Substitutes } from './substitutes.ts';
import { charsetOf, endingOf, fileName, pageName, typeOf } from './types.ts';
import { compileScope, isTrap, isUnreadable, normalizeUrl, type Scope } from './urls.ts';

const REDIRECTS_MAX = 5;
/** If a crawl reaches fewer than half of the stored pages, and misses this many, a page may have lost its links for a time. */
const UNREACHED_MIN = 3;

type CrawlRequest = StoredPages & Pick<ListRequest, 'readSteps'>;
type WebOrigin = Extract<Origin, { kind: 'web' }>;

/** The result of a visit, for the caller that started it. */
type Outcome = 'indexed' | 'passed' | 'failed' | 'gone';

export class Crawl {
  readonly #client: WebClient;
  readonly #origin: WebOrigin;
  readonly #scope: Scope;
  readonly #request: CrawlRequest;
  readonly #now: Date;
  readonly #known = new CrawlMemory();
  readonly #progress = this.#known.progress;
  readonly #reported = this.#known.reported;
  readonly #visited = this.#known.visited;
  readonly #stored = this.#known.stored;
  readonly #linked = this.#known.linked;
  readonly #moves = this.#known.moves;
  readonly #frontier: Frontier;
  readonly #substitutes: Substitutes;
  readonly #canonicals: CanonicalPages;
  readonly #failedSites = new Set<string>();

  constructor(client: WebClient, origin: WebOrigin, request: CrawlRequest, now: Date) {
    this.#client = client;
    this.#origin = origin;
    this.#scope = compileScope(origin);
    this.#frontier = new Frontier(this.#scope, origin.maxDepth, now, this.#known.queue);
    this.#request = request;
    this.#now = now;
    this.#substitutes = new Substitutes(client, request);
    this.#canonicals = new CanonicalPages(client, this.#progress);
  }

  /** Reports the changes. @throws OriginError when none of the first addresses could be read. */
  async *changes(): AsyncGenerator<Change> {
    const { queue, progress } = this.#known;
    const steps = this.#request.readSteps?.();
    if (steps && (await this.#known.restore(steps, this.#client))) this.#frontier.restore(this.#visited);
    else yield* this.#begin();
    const seeds = queue.filter(({ isSeed }) => isSeed).length;
    const requestsMax = maxRequests(this.#origin.maxPages);
    let unread = 0;
    while (progress.next < queue.length) {
      if (progress.pages >= this.#origin.maxPages || progress.requests >= requestsMax) {
        unread = queue.slice(progress.next).filter(({ address }) => !this.#visited.has(address)).length;
        break;
      }
      const entry = queue[progress.next]!;
      const outcome: Outcome = this.#visited.has(entry.address) ? 'passed' : yield* this.#visit(entry);
      progress.next += 1;
      if (outcome === 'indexed' || outcome === 'passed') progress.readable += 1;
      if (progress.next === seeds && progress.readable === 0) break;
      const left = queue.length - progress.next;
      yield { kind: 'outlook', waiting: Math.min(left, this.#origin.maxPages - progress.pages) };
      if (progress.readable === 0) continue;
      if (left === 0) await this.#addUnreached();
      yield { kind: 'step', step: this.#known.takeStep(this.#client) };
    }
    if (progress.readable === 0) throw noSeed(progress.firstProblem);
    yield* this.#settleRedirects();
    const notice = unread > 0 ? stopped(progress.pages, unread) : progress.tooManyLinks;
    yield { kind: 'end', full: progress.isComplete, cursor: null, ...(notice && { notice }) };
  }

  async *#begin(): AsyncGenerator<Change> {
    for (const url of this.#origin.urls) this.#frontier.add(url, undefined, { depth: 0, isSeed: true });
    for (const { address } of this.#frontier.queue) this.#known.link(address);
    if (this.#origin.useSitemap && this.#origin.maxDepth > 0) yield* this.#readSitemaps();
  }

  async *#readSitemaps(): AsyncGenerator<Change> {
    const sites = new Map(this.#frontier.queue.map(({ address }) => [new URL(address).origin, address]));
    const reading = await readSitemaps(this.#client, [...sites.values()], {
      hasHost: this.#scope.hasHost,
      add: ({ location, modifiedAt }) => {
        this.#frontier.add(location, undefined, { depth: 1, isSeed: false, modifiedAt, inSitemap: true });
        this.#known.link(location);
      },
      isFull: () => this.#frontier.queue.length >= maxRequests(this.#origin.maxPages),
    });
    this.#progress.lacksSitemap = !reading.isWhole;
    if (reading.leftOut > 0) this.#progress.tooManyLinks = tooManySitemaps(reading.leftOut);
    for (const { address, problem } of reading.failed) yield this.#failed(address, problem, undefined, 0);
  }

  /** Adds stored pages that the crawl has not reached, to ask whether they are still there: see `docs/connectors.md`. */
  async #addUnreached(): Promise<void> {
    const stored = (await this.#request.listStored?.()) ?? [];
    const unreached = stored.filter((one) => !this.#frontier.seen.has(one) && !this.#client.isRefused(one));
    const areMany = unreached.length >= UNREACHED_MIN && unreached.length * 2 > stored.length;
    const all = areMany || !this.#progress.isComplete || this.#moves.hideOthers(this.#known.crawled());
    if (!all && !this.#progress.lacksSitemap) return;
    for (const address of unreached) {
      const inSitemap = readState(await this.#request.findStored(address))?.inSitemap;
      if (all || inSitemap) this.#frontier.addUnlinked(address, inSitemap);
    }
  }

  /** Reports what became of the stored pages whose addresses lead elsewhere. */
  async *#settleRedirects(): AsyncGenerator<Change> {
    const withdrawn = new Set<string>();
    for (const { from, to, kind } of this.#moves.judge(this.#known.crawled())) {
      if (kind === 'moved') yield { kind: 'gone', originId: from };
      if (kind === 'away') yield await this.#failedStored(from, AWAY);
      if (kind !== 'shared') continue;
      // What the redirects hide is unknown, and the page to which they lead is not one of the site.
      this.#progress.isComplete = false;
      if (this.#stored.has(from)) yield await this.#failedStored(from, shared(to));
      if (this.#reported.has(to) && !this.#stored.has(to) && !this.#linked.has(to)) withdrawn.add(to);
    }
    for (const originId of withdrawn) yield { kind: 'gone', originId };
  }

  async #failedStored(address: string, problem: OriginProblem): Promise<Change> {
    const state = readState(await this.#request.findStored(address));
    return this.#failed(address, problem, state, this.#origin.maxDepth);
  }

  /** Visits one address and follows its redirects. */
  async *#visit(entry: Entry): AsyncGenerator<Change, Outcome> {
    let { address } = entry;
    const chain = new Set<string>();
    for (;;) {
      chain.add(address);
      this.#visited.add(address);
      const robots = await this.#client.robots(address);
      if ('title' in robots) {
        const { origin } = new URL(address);
        if (!this.#failedSites.has(origin)) yield this.#failed(`${origin}/robots.txt`, robots, undefined, 0);
        this.#failedSites.add(origin);
        return 'failed';
      }
      if (!robots.allows(address)) {
        this.#progress.firstProblem ??= FORBIDDEN;
        yield this.#skipped(address, 'robots.txt does not allow it');
        return 'failed';
      }
      const stored = await this.#request.findStored(address);
      const state = readState(stored);
      if (stored) this.#stored.add(address);
      this.#progress.requests += 1;
      const answer = await this.#client.get(address, validatorsOf(state));
      if (answer.kind === 'failed') {
        yield this.#failed(address, answer.problem, state, entry.depth);
        return 'failed';
      }
      if (answer.kind === 'response') return yield* this.#read({ ...entry, address }, answer.response, state);
      const target = normalizeUrl(answer.location, address);
      if (target === undefined || chain.has(target) || chain.size > REDIRECTS_MAX) {
        yield this.#failed(address, CIRCLE, state, entry.depth);
        return 'failed';
      }
      if (!this.#scope.hasHost(target)) {
        this.#progress.firstProblem ??= elsewhere(target);
        // A temporary redirect may lead to a sign-in page or to a notice of maintenance.
        if (stored && !answer.isPermanent) yield this.#failed(address, elsewhere(target), state, entry.depth);
        else yield this.#skipped(address, `the address leads to another site: ${new URL(target).host}`);
        return 'failed';
      }
      this.#moves.redirect(address, target, answer.isPermanent);
      if (state) this.#follow(state.links, address, entry.depth);
      const isWanted = entry.isSeed || this.#scope.includes(target);
      if (!isWanted || this.#visited.has(target) || isTrap(target, this.#now) || isUnreadable(target)) return 'passed';
      this.#frontier.seen.add(target);
      address = target;
    }
  }

  async *#read(entry: Entry, response: HttpResponse, state: PageState | undefined): AsyncGenerator<Change, Outcome> {
    const { address, depth } = entry;
    const { status } = response;
    if (status >= 200 && status < 300) return yield* this.#readContent(entry, response, state);
    await response.discard();
    if (status === 304 && state) {
      await this.#substitutes.hides({ address, print: state.print, storedPrint: state.print, isSeed: entry.isSeed });
      this.#progress.pages += 1;
      this.#follow(state.links, address, depth);
      yield this.#report({ kind: 'unchanged', originId: address });
      return 'indexed';
    }
    if (status === 404 || status === 410) {
      this.#progress.firstProblem ??= missing(status);
      yield this.#report({ kind: 'gone', originId: address });
      return 'gone';
    }
    if (state) yield this.#failed(address, refused(status), state, depth);
    else yield this.#skipped(address, `the site answered with status ${status}`);
    this.#progress.firstProblem ??= refused(status);
    return 'failed';
  }

  async *#readContent(
    entry: Entry,
    response: HttpResponse,
    state: PageState | undefined,
  ): AsyncGenerator<Change, Outcome> {
    const { address } = entry;
    const contentType = response.headers.get('content-type');
    const ending = endingOf(contentType, address);
    if (ending === undefined || Number(response.headers.get('content-length') ?? 0) > FILE_BYTES_MAX) {
      await response.discard();
      yield this.#skipped(address, ending === undefined ? `nothing to read in ${typeOf(contentType)}` : 'too large');
      return 'passed';
    }
    if (ending === 'html') return yield* this.#readPage(entry, response, state);
    try {
      // A page that has become a file.
      if (state?.print !== undefined && (yield* this.#isHidden(entry, ending, state))) return 'failed';
      const { index, follow } = headerDirectives(response.headers.get('x-robots-tag'));
      const feed = await readFeed(ending, response.body);
      const links = follow ? this.#ownLinks(feed.links, address) : [];
      this.#follow(links, address, entry.depth);
      const isWanted = index && this.#scope.includes(address);
      if (isWanted && !this.#reported.has(address))
        yield this.#present(entry, fileName(address, ending), response, feed.body, { links });
      else if (feed.isBroken) yield this.#failed(address, NOT_WHOLE, state, entry.depth);
      else if (!index) yield this.#skipped(address, 'noindex');
      return isWanted ? 'indexed' : 'passed';
    } finally {
      await response.discard();
    }
  }

  async *#readPage(
    entry: Entry,
    response: HttpResponse,
    state: PageState | undefined,
  ): AsyncGenerator<Change, Outcome> {
    const { address, depth } = entry;
    const bytes = await readBytes(response);
    this.#client.noteBody(address, bytes);
    if ('title' in bytes || bytes.length === 0) {
      if (!('title' in bytes) && !state) yield this.#skipped(address, 'an empty page');
      else yield this.#failed(address, 'title' in bytes ? bytes : EMPTY, state, depth);
      return 'title' in bytes || state ? 'failed' : 'passed';
    }
    const page = readPage(decodeText(bytes, charsetOf(response.headers.get('content-type'))).text);
    const header = headerDirectives(response.headers.get('x-robots-tag'));
    const base = (page.base !== undefined && normalizeUrl(page.base, address)) || address;
    if (page.linksLeftOut > 0) this.#progress.tooManyLinks ??= tooManyLinks(address, page);
    const target = page.redirect === undefined ? undefined : normalizeUrl(page.redirect, base);
    const links = header.follow && page.follow ? this.#ownLinks(page.links, base) : [];
    if (target !== undefined && target !== address) return yield* this.#refresh(entry, target, links, state);
    const print = printOf(page);
    if (yield* this.#isHidden(entry, print, state)) return 'failed';
    this.#follow(links, base, depth);
    if (!entry.isCanonical && (yield* this.#isDuplicate(entry, page, response, base))) return 'passed';
    if (!header.index || !page.index) {
      yield this.#skipped(address, 'noindex');
      return 'passed';
    }
    if (!this.#scope.includes(address) || this.#reported.has(address)) return 'passed';
    this.#canonicals.note(address, page);
    yield this.#present(entry, pageName(page.title, address), response, Readable.from([bytes]), { links, print });
    return 'indexed';
  }

  /** Reports a stored page that the site hides for now. */
  async *#isHidden(
    { address, depth, isSeed }: Entry,
    print: string | undefined,
    state: PageState | undefined,
  ): AsyncGenerator<Change, boolean> {
    const isHidden = state && (await this.#substitutes.hides({ address, print, storedPrint: state.print, isSeed }));
    if (!isHidden) return false;
    this.#progress.isComplete = false;
    yield this.#failed(address, HIDDEN, state, depth);
    return true;
  }

  /** Notes a page that only sends its readers to another one. The other one is visited as if this address were its own. */
  async *#refresh(
    { address, depth }: Entry,
    target: string,
    links: readonly string[],
    state: PageState | undefined,
  ): AsyncGenerator<Change, Outcome> {
    this.#frontier.add(target, undefined, { depth, isSeed: false });
    this.#follow(
      [...links, ...(state?.links ?? [])].filter((link) => link !== target),
      address,
      depth,
    );
    const isOfSite = this.#scope.hasHost(target);
    if (isOfSite) this.#moves.redirect(address, target, false);
    if (!this.#stored.has(address)) yield this.#skipped(address, `the page leads to ${target}`);
    else if (!isOfSite) yield this.#failed(address, elsewhere(target), state, depth);
    return 'passed';
  }

  /** Returns whether the page names another canonical address and the crawl found a page there that says the same. */
  async *#isDuplicate(
    entry: Entry,
    page: PageFacts,
    response: HttpResponse,
    base: string,
  ): AsyncGenerator<Change, boolean> {
    const canonical = normalizeUrl(
      headerCanonical(response.headers.get('link')) ?? page.canonical ?? entry.address,
      base,
    );
    if (canonical === undefined || canonical === entry.address) return false;
    if (!this.#scope.hasHost(canonical) || !this.#scope.includes(canonical)) return false;
    if (!this.#reported.has(canonical)) {
      if (this.#visited.has(canonical) || isTrap(canonical, this.#now) || isUnreadable(canonical)) return false;
      this.#frontier.seen.add(canonical);
      if ((yield* this.#visit({ ...entry, address: canonical, isSeed: false, isCanonical: true })) !== 'indexed')
        return false;
    }
    if (!(await this.#canonicals.repeats(page, canonical))) return false;
    this.#moves.canonical(entry.address, canonical);
    if (!this.#stored.has(entry.address)) yield this.#skipped(entry.address, `the page says the same as ${canonical}`);
    return true;
  }

  /** Returns the links that may be followed, in their order. */
  #ownLinks(written: readonly string[], base: string): string[] {
    const links = written.flatMap((link) => normalizeUrl(link, base) ?? []);
    return [...new Set(links)].filter((link) => this.#scope.hasHost(link) && !isUnreadable(link));
  }

  #follow(links: readonly string[], base: string, depth: number): void {
    for (const link of links) {
      this.#frontier.add(link, base, { depth: depth + 1, isSeed: false });
      this.#known.link(link);
    }
  }

  #present(
    { address, modifiedAt, inSitemap }: Entry,
    name: string,
    response: HttpResponse,
    body: AsyncIterable<Uint8Array>,
    { links, print }: { links: readonly string[]; print?: string | undefined },
  ): Change {
    this.#progress.pages += 1;
    const item = toItem(address, name, response.headers, { now: this.#now, modifiedAt });
    const state = { ...toState(response.headers, links, { inSitemap, print }) };
    return this.#report({ kind: 'present', item, content: { body, state } });
  }

  #skipped(address: string, reason: string): Change {
    return this.#report({ kind: 'skipped', originId: address, name: fileName(address, 'html'), reason });
  }

  /** Reports a failed page. Its stored version stays, its stored links are followed. If its links are unknown, no source counts as gone. */
  #failed(address: string, problem: OriginProblem, state: PageState | undefined, depth: number): Change {
    this.#progress.firstProblem ??= problem;
    if (state) this.#follow(state.links, address, depth);
    if (!state?.isWhole) this.#progress.isComplete = false;
    return this.#report({ kind: 'failed', originId: address, name: fileName(address, 'html'), problem });
  }

  #report<T extends Change>(change: T): T {
    if (change.kind === 'present') this.#reported.set(change.item.originId, change.item.name);
    else if (change.kind === 'unchanged') this.#reported.set(change.originId, undefined);
    return change;
  }
}
