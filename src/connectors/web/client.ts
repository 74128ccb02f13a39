/** Sends the requests of one crawl: one at a time per host, with pauses, and only where robots.txt allows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { type HttpClient, type HttpResponse, REDIRECT_STATUSES } from '../../net/http-client.ts';
import { readStart } from '../../net/response-body.ts';
import { retryAfterMs, retryWait } from '../../net/retry-wait.ts';
import type { OriginProblem } from '../connector.ts';
import { NOT_WHOLE } from './problems.ts';
import { parseRobots, ROBOTS_BYTES_MAX, type Robots } from './robots.ts';

/**
 * Pause between the end of a response and the next request to the same host. The crawl, its site or the operator may change it.
 */
const CRAWL_DELAY_MS_DEFAULT = 250;
/** The shortest pause, also used after a page that did not change. */
export const CRAWL_DELAY_MS_MIN_DEFAULT = 50;
/** Timeout until the last byte of a response. */
const RESPONSE_TIMEOUT_MS = 2 * 60_000;
const ROBOTS_TIMEOUT_MS = 30_000;
/** The standard asks to use rules that are older no more. */
const ROBOTS_LIFE_MS = 24 * 3_600_000;
const ATTEMPTS_MAX = 2;
/** A host that asks for a longer wait with status 429, or for two pages in a row, is skipped for the rest of the crawl. */
const RETRY_AFTER_MS_MAX = 60_000;
/** Consecutive failures after which a host is skipped for the rest of the crawl. */
export const HOST_FAILURES_MAX = 10;
/** How often these failures are forgiven in a crawl, because the rest of the host can be read. */
export const HOST_RESETS_MAX = 3;
export const FILE_BYTES_MAX = 100 * 1024 * 1024;
const ACCEPT = 'text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,application/*;q=0.8,*/*;q=0.1';

export interface WebClientOptions {
  http: HttpClient;
  /** The operator's pause for crawls without a pause of their own. */
  delayMs?: number;
  /** The operator's lower bound for the pause of every crawl. */
  delayMinMs?: number;
  retryBaseMs?: number;
  timeoutMs?: number;
  robotsLifeMs?: number;
}

export type WebResult =
  | { kind: 'response'; response: HttpResponse }
  /** The caller decides whether to follow the redirect. */
  | { kind: 'redirect'; location: string; isPermanent: boolean }
  | { kind: 'failed'; problem: OriginProblem };

/** The time of the next allowed request (`performance.now()`) by scheme, name and port of a host, also for crawls with one own pause. */
export type NextRequestTimes = Map<string, number>;
const HOSTS_REMEMBERED_MAX = 10_000;

export const HostStateSchema = z.object({
  /** Consecutive ones. */
  failures: z.number(),
  /** Consecutive pages that asked for a wait that is too long. */
  longWaits: z.number(),
  /** Each of the consecutive failures may be one of a single page. */
  isForgivable: z.boolean(),
  /** Consecutive bodies that broke off, or did not end in time. */
  brokenBodies: z.number(),
  /** How often consecutive failures were forgiven. */
  resets: z.number(),
  /** The last address that did not fail. */
  lastGood: z.string().optional(),
  /** Why the host is skipped. */
  refused: z.object({ title: z.string(), message: z.string(), retryable: z.boolean() }).optional(),
  /** The text of robots.txt, if it was read since the last `takeHosts`. */
  rules: z.string().optional(),
});
export type HostState = z.infer<typeof HostStateSchema>;

interface Host extends HostState {
  /** An earlier process may have sent a request a moment ago. */
  isRestored: boolean;
  robots: Promise<Robots | OriginProblem> | undefined;
  /** When robots.txt is read again (`performance.now()`). */
  robotsUntil: number;
}

interface Unreachable {
  problem: OriginProblem;
  isTimeout: boolean;
}

interface Pauses {
  usual: number;
  /** Pause after a response without a body, which costs a site little. */
  unchanged: number;
  /** Pause that other crawls of the host keep. A tenant's long pause must not hold up the crawls of others. */
  shared: number;
}

/** The client of one crawl, which requests one page after the other. */
export class WebClient {
  readonly #options: WebClientOptions;
  readonly #nextTimes: NextRequestTimes;
  readonly #signal: AbortSignal;
  readonly #crawlDelayMs: number | null;
  readonly #hosts = new Map<string, Host>();
  /** Hosts that were asked for since the last `takeHosts`. */
  readonly #touched = new Set<string>();

  /**
   * @param nextTimes shared by all crawls of the process, because a site does not distinguish crawls.
   * @param crawlDelayMs the crawl's own pause between requests to one host; null: the pause of the service.
   */
  constructor(
    options: WebClientOptions,
    nextTimes: NextRequestTimes,
    signal: AbortSignal,
    crawlDelayMs: number | null,
  ) {
    this.#options = options;
    this.#nextTimes = nextTimes;
    this.#signal = signal;
    this.#crawlDelayMs = crawlDelayMs;
  }

  /**
   * Returns the rules of the site of an address. Returns a problem if the rules cannot be read; then every address is
   * forbidden.
   */
  robots(address: string): Promise<Robots | OriginProblem> {
    const { origin } = new URL(address);
    const host = this.#host(address);
    const before = host.robots;
    if (before && performance.now() < host.robotsUntil) return before;
    host.robotsUntil = performance.now() + (this.#options.robotsLifeMs ?? ROBOTS_LIFE_MS);
    // Rules that were read before hold until they can be read again.
    host.robots = this.#readRobots(`${origin}/robots.txt`).then((rules) => {
      if (typeof rules !== 'string') return before ?? rules;
      host.rules = rules;
      return parseRobots(rules);
    });
    return host.robots;
  }

  /** Returns the state of the hosts that were asked for since the last call. */
  takeHosts(): [origin: string, HostState][] {
    const taken = [...this.#touched].map((origin): [string, HostState] => {
      const host = this.#hosts.get(origin)!;
      const { robots: _, robotsUntil: _until, isRestored: _restored, ...state } = host;
      delete host.rules;
      return [origin, state];
    });
    this.#touched.clear();
    return taken;
  }

  /** Takes the state of hosts from an earlier process, which may have sent a request to them a moment ago. */
  restoreHosts(hosts: Iterable<[origin: string, state: HostState]>): void {
    for (const [origin, { rules, ...state }] of hosts) {
      const host = Object.assign(this.#host(origin), state, { isRestored: true });
      // They are read again before the first page. Until then, and if that fails, the old ones hold.
      if (rules !== undefined) host.robots = Promise.resolve(parseRobots(rules));
    }
  }

  /** Requests an address, with pauses and one retry. @throws only the signal's reason. */
  async get(address: string, validators: Record<string, string> = {}): Promise<WebResult> {
    const host = this.#host(address);
    const robots = await this.robots(address);
    const pauses = this.#pauses('crawlDelayMs' in robots ? robots.crawlDelayMs : 0);
    if (host.isRestored) this.#setNext(address, pauses.usual, pauses.shared);
    host.isRestored = false;
    for (let attempt = 0; ; attempt++) {
      if (host.refused) return { kind: 'failed', problem: host.refused };
      const reserved = await this.#waitForTurn(address, pauses);
      const response = await this.#send(address, { accept: ACCEPT, ...validators });
      const isUnchanged = 'status' in response && response.status === 304;
      this.#setNext(address, isUnchanged ? pauses.unchanged : pauses.usual, pauses.shared, reserved);
      const problem = 'problem' in response ? response.problem : problemOf(response.status);
      if (!problem?.retryable) {
        host.failures = 0;
        host.longWaits = 0;
        host.isForgivable = true;
        if ('status' in response && response.status < 400) host.lastGood = address;
        if (!('status' in response)) return { kind: 'failed', problem: response.problem };
        return resultOf(response);
      }
      const retryAfter = 'status' in response ? response.headers.get('retry-after') : null;
      if ('status' in response) await response.discard();
      host.failures += 1;
      host.isForgivable &&= isOfPage(response);
      const wait = retryWait(attempt, retryAfterMs(retryAfter), { baseMs: this.#options.retryBaseMs });
      // retryWait returns the requested wait up to its own limit.
      const isTooLong = wait >= RETRY_AFTER_MS_MAX;
      host.longWaits += isTooLong ? 1 : 0;
      // With 503, one page may be closed for long: the pages after it would never be read.
      const isOfSite = isTooLong && (host.longWaits > 1 || ('status' in response && response.status === 429));
      if (host.failures >= HOST_FAILURES_MAX && !isTooLong) await this.#forgive(host, pauses);
      if (isOfSite || host.failures >= HOST_FAILURES_MAX) host.refused = skipped(address);
      if (isTooLong || attempt >= ATTEMPTS_MAX - 1 || host.refused) return { kind: 'failed', problem };
      this.#setNext(address, Math.max(wait, pauses.usual), Math.max(wait, pauses.shared));
    }
  }

  /** Notes how the body of a page ended. A site whose bodies never end costs the whole timeout for each page. */
  noteBody(address: string, body: Uint8Array | OriginProblem): void {
    const host = this.#host(address);
    host.brokenBodies = body === NOT_WHOLE ? host.brokenBodies + 1 : 0;
    if (host.brokenBodies >= HOST_FAILURES_MAX) host.refused = skipped(address);
  }

  /** Returns whether the site is skipped for the rest of the crawl. */
  isRefused(address: string): boolean {
    return this.#host(address).refused !== undefined;
  }

  /** Part of a site may be broken for good. The rest of it is read if a page that was read before can be read again. */
  async #forgive(host: Host, pauses: Pauses): Promise<void> {
    if (!host.isForgivable || host.resets >= HOST_RESETS_MAX || !(await this.#isAlive(host, pauses))) return;
    host.failures = 0;
    host.resets += 1;
  }

  async #isAlive({ lastGood }: Host, pauses: Pauses): Promise<boolean> {
    if (lastGood === undefined) return false;
    const reserved = await this.#waitForTurn(lastGood, pauses);
    const response = await this.#send(lastGood, { accept: ACCEPT });
    this.#setNext(lastGood, pauses.usual, pauses.shared, reserved);
    if (!('status' in response)) return false;
    await response.discard();
    return problemOf(response.status) === undefined;
  }

  /** Returns the pauses for one site. @param siteDelayMs the delay in robots.txt; 0: none. */
  #pauses(siteDelayMs: number): Pauses {
    const { delayMs = CRAWL_DELAY_MS_DEFAULT, delayMinMs = CRAWL_DELAY_MS_MIN_DEFAULT } = this.#options;
    const crawlPauseMs = this.#crawlDelayMs === null ? delayMs : Math.max(this.#crawlDelayMs, delayMinMs);
    const usual = Math.max(crawlPauseMs, siteDelayMs);
    const isAsked = this.#crawlDelayMs !== null || siteDelayMs > 0;
    const shared = Math.max(Math.min(crawlPauseMs, delayMs), siteDelayMs);
    return { usual, unchanged: isAsked ? usual : Math.min(delayMinMs, usual), shared };
  }

  #host(address: string): Host {
    // Rules and pauses apply to a scheme, name and port.
    const { origin } = new URL(address);
    this.#touched.add(origin);
    const existing = this.#hosts.get(origin);
    if (existing) return existing;
    const host: Host = {
      failures: 0,
      longWaits: 0,
      isForgivable: true,
      brokenBodies: 0,
      resets: 0,
      isRestored: false,
      robots: undefined,
      robotsUntil: 0,
    };
    this.#hosts.set(origin, host);
    return host;
  }

  async #send(address: string, headers: Record<string, string>): Promise<HttpResponse | Unreachable> {
    try {
      return await this.#options.http.request(address, {
        headers,
        trust: 'tenant',
        signal: this.#signal,
        followRedirects: false,
        timeoutMs: this.#options.timeoutMs ?? RESPONSE_TIMEOUT_MS,
        responseBytesMax: FILE_BYTES_MAX,
      });
    } catch (error) {
      this.#signal.throwIfAborted();
      return {
        problem: unreachable(error),
        isTimeout: error instanceof ServiceError && error.code === 'upstream_timeout',
      };
    }
  }

  /** Reads robots.txt as RFC 9309 defines: a missing file, like an empty one, allows everything; an unreachable file allows nothing. */
  async #readRobots(address: string): Promise<string | OriginProblem> {
    try {
      const response = await this.#options.http.request(address, {
        trust: 'tenant',
        signal: this.#signal,
        timeoutMs: this.#options.timeoutMs ?? ROBOTS_TIMEOUT_MS,
        retriesMax: 1,
        responseBytesMax: 16 * ROBOTS_BYTES_MAX,
      });
      if (response.status >= 200 && response.status < 300) {
        const bytes = await readStart(response.body, ROBOTS_BYTES_MAX);
        return bytes.subarray(0, ROBOTS_BYTES_MAX).toString('utf8');
      }
      await response.discard();
      if (response.status >= 400 && response.status < 500 && response.status !== 429) return '';
      return robotsProblem(address, `The site answered with status ${response.status}.`);
    } catch (error) {
      this.#signal.throwIfAborted();
      return robotsProblem(address, unreachable(error).message);
    }
  }

  /**
   * Reserves the host's next request time, waits for it, and returns the times reserved for the requests after it. Other crawls
   * wait for later times.
   */
  async #waitForTurn(address: string, { usual, shared }: Pauses): Promise<ReadonlyMap<string, number>> {
    const reserved = new Map<string, number>();
    for (const [key, pauseMs] of this.#turns(address, usual, shared)) {
      const now = performance.now();
      const at = Math.max(now, this.#nextTimes.get(key) ?? 0);
      if (this.#nextTimes.size >= HOSTS_REMEMBERED_MAX)
        for (const [other, next] of this.#nextTimes) if (next <= now) this.#nextTimes.delete(other);
      this.#nextTimes.set(key, at + pauseMs);
      reserved.set(key, at + pauseMs);
      if (at > now) await sleep(at - now, undefined, { signal: this.#signal });
    }
    this.#signal.throwIfAborted();
    return reserved;
  }

  /**
   * @param reserved what `#waitForTurn` returned. If no other crawl has reserved a later time, the next request may come
   * earlier.
   */
  #setNext(address: string, ownMs: number, sharedMs: number, reserved?: ReadonlyMap<string, number>): void {
    for (const [key, waitMs] of this.#turns(address, ownMs, sharedMs)) {
      const latest = this.#nextTimes.get(key) ?? 0;
      const next = performance.now() + waitMs;
      this.#nextTimes.set(key, latest === reserved?.get(key) ? next : Math.max(latest, next));
    }
  }

  /** Returns the turns of a request with the pauses after it: first that of crawls with the same own pause, then that of all crawls. */
  #turns(address: string, ownMs: number, sharedMs: number): [key: string, pauseMs: number][] {
    const { origin } = new URL(address);
    const own: [string, number][] = this.#crawlDelayMs === null ? [] : [[`${origin} ${this.#crawlDelayMs}`, ownMs]];
    return [...own, [origin, Math.min(ownMs, sharedMs)]];
  }
}

function resultOf(response: HttpResponse): WebResult {
  const location = response.headers.get('location');
  if (location !== null && REDIRECT_STATUSES.includes(response.status)) {
    void response.discard();
    return { kind: 'redirect', location, isPermanent: response.status === 301 || response.status === 308 };
  }
  return { kind: 'response', response };
}

function skipped(address: string): OriginProblem {
  return {
    title: 'The site is skipped for now',
    message: `${new URL(address).host} fails or asks for a long wait. The next run tries again.`,
    retryable: true,
  };
}

/** Returns whether a failure may be one of a single page. The status 503, like 429, asks to leave the whole host alone. */
function isOfPage(response: HttpResponse | Unreachable): boolean {
  return 'status' in response ? response.status >= 500 && response.status !== 503 : response.isTimeout;
}

/** Returns undefined for a status that the crawl can work with. */
function problemOf(status: number): OriginProblem | undefined {
  if (status !== 429 && status !== 408 && status < 500) return undefined;
  return {
    title: 'The site failed',
    message: `The site answered with status ${status}. What earlier runs read stays as it is.`,
    retryable: true,
  };
}

/** The client's error names only the host that the tenant gave. */
function unreachable(error: unknown): OriginProblem {
  const message = error instanceof ServiceError ? error.message : 'It could not be reached.';
  return { title: 'The page could not be read', message, retryable: true };
}

function robotsProblem(address: string, what: string): OriginProblem {
  return {
    title: 'robots.txt could not be read',
    message: `${what} Without ${address} no page of the site is requested. What earlier runs read stays as it is.`,
    retryable: true,
  };
}
