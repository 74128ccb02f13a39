/** Requests to the sites of one crawl: one at a time for a host, with pauses, as far as robots.txt allows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { type HttpClient, type HttpResponse, REDIRECT_STATUSES } from '../../net/http-client.ts';
import { retryAfterMs, retryWait } from '../../net/retry-wait.ts';
import type { OriginProblem } from '../connector.ts';
import { allowAll, parseRobots, ROBOTS_BYTES_MAX, type Robots } from './robots.ts';

/** Between the end of an answer and the next request to the same host, unless a crawl, its site or the operator says otherwise. */
export const CRAWL_DELAY_MS_DEFAULT = 250;
/** The least pause, and the one after a page that did not change. */
export const CRAWL_DELAY_MS_MIN_DEFAULT = 50;
/** For an answer up to its last byte. */
const ANSWER_TIMEOUT_MS = 2 * 60_000;
const ROBOTS_TIMEOUT_MS = 30_000;
const ATTEMPTS_MAX = 2;
/** A site that asks to wait longer is left alone for this crawl. */
export const RETRY_AFTER_MS_MAX = 60_000;
/** Failures one after the other, after which a host is left alone for this crawl. */
export const HOST_FAILURES_MAX = 10;
export const FILE_BYTES_MAX = 100 * 1024 * 1024;
const ACCEPT = 'text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,application/*;q=0.8,*/*;q=0.1';

export interface WebClientOptions {
  http: HttpClient;
  /** The operator's, for crawls that say nothing. */
  delayMs?: number;
  /** The operator's bound: no crawl asks faster. */
  delayMinMs?: number;
  retryBaseMs?: number;
  timeoutMs?: number;
}

export type Answer =
  | { kind: 'response'; response: HttpResponse }
  /** Somebody else's decision where it leads. */
  | { kind: 'redirect'; location: string; isPermanent: boolean }
  | { kind: 'failed'; problem: OriginProblem };

/** Scheme, name and port of a host -> when the next request may be sent to it; of `performance.now()`. */
export type Paces = Map<string, number>;
const PACES_MAX = 10_000;

interface Host {
  failures: number;
  /** Why it is left alone. */
  refused: OriginProblem | undefined;
  robots: Promise<Robots | OriginProblem> | undefined;
}

interface Pauses {
  usual: number;
  /** After an answer without a body: it costs a site little. */
  unchanged: number;
}

/** For one crawl, which asks for one page after the other. */
export class WebClient {
  readonly #options: WebClientOptions;
  readonly #paces: Paces;
  readonly #signal: AbortSignal;
  readonly #ownDelayMs: number | null;
  readonly #hosts = new Map<string, Host>();

  /**
   * @param paces shared by all crawls of the process: a site does not care whose crawl it is.
   * @param ownDelayMs the crawl's own pause between requests to one host; null: the service's.
   */
  constructor(options: WebClientOptions, paces: Paces, signal: AbortSignal, ownDelayMs: number | null) {
    this.#options = options;
    this.#paces = paces;
    this.#signal = signal;
    this.#ownDelayMs = ownDelayMs;
  }

  /** What the site of an address allows; a problem where that cannot be known, which forbids everything. */
  robots(address: string): Promise<Robots | OriginProblem> {
    const { origin } = new URL(address);
    const host = this.#host(address);
    host.robots ??= this.#readRobots(`${origin}/robots.txt`);
    return host.robots;
  }

  /** @throws the signal's reason only. */
  async get(address: string, validators: Record<string, string> = {}): Promise<Answer> {
    const host = this.#host(address);
    const robots = await this.robots(address);
    const pauses = this.#pauses('crawlDelayMs' in robots ? robots.crawlDelayMs : 0);
    for (let attempt = 0; ; attempt++) {
      if (host.refused) return { kind: 'failed', problem: host.refused };
      const turn = await this.#turn(address, pauses.usual);
      const response = await this.#send(address, { accept: ACCEPT, ...validators });
      const isUnchanged = 'status' in response && response.status === 304;
      this.#setNext(address, isUnchanged ? pauses.unchanged : pauses.usual, turn);
      const problem = 'problem' in response ? response.problem : problemOf(response.status);
      if (!problem?.retryable) {
        host.failures = 0;
        if (!('status' in response)) return { kind: 'failed', problem: response.problem };
        return answerOf(response);
      }
      const retryAfter = 'status' in response ? response.headers.get('retry-after') : null;
      if ('status' in response) await response.discard();
      host.failures += 1;
      const wait = retryWait(attempt, retryAfterMs(retryAfter), { baseMs: this.#options.retryBaseMs });
      // retryWait gives what it was asked for up to its own limit.
      if (wait >= RETRY_AFTER_MS_MAX || host.failures >= HOST_FAILURES_MAX)
        host.refused = {
          title: 'The site is left alone for now',
          message: `${new URL(address).host} fails or asks to wait. The next run tries again.`,
          retryable: true,
        };
      if (attempt >= ATTEMPTS_MAX - 1 || host.refused) return { kind: 'failed', problem };
      this.#setNext(address, Math.max(wait, pauses.usual));
    }
  }

  /** @param siteDelayMs as robots.txt asks; 0: it does not. */
  #pauses(siteDelayMs: number): Pauses {
    const { delayMs = CRAWL_DELAY_MS_DEFAULT, delayMinMs = CRAWL_DELAY_MS_MIN_DEFAULT } = this.#options;
    const own = this.#ownDelayMs === null ? delayMs : Math.max(this.#ownDelayMs, delayMinMs);
    const usual = Math.max(own, siteDelayMs);
    const isAsked = this.#ownDelayMs !== null || siteDelayMs > 0;
    return { usual, unchanged: isAsked ? usual : Math.min(delayMinMs, usual) };
  }

  #host(address: string): Host {
    // Rules and pauses are of a scheme, name and port.
    const { origin } = new URL(address);
    const known = this.#hosts.get(origin);
    if (known) return known;
    const host: Host = { failures: 0, refused: undefined, robots: undefined };
    this.#hosts.set(origin, host);
    return host;
  }

  async #send(address: string, headers: Record<string, string>): Promise<HttpResponse | { problem: OriginProblem }> {
    try {
      return await this.#options.http.request(address, {
        headers,
        trust: 'tenant',
        signal: this.#signal,
        followRedirects: false,
        timeoutMs: this.#options.timeoutMs ?? ANSWER_TIMEOUT_MS,
        responseBytesMax: FILE_BYTES_MAX,
      });
    } catch (error) {
      this.#signal.throwIfAborted();
      return { problem: unreachable(error) };
    }
  }

  /** As RFC 9309 asks: without one everything is allowed; where it cannot be had nothing is. */
  async #readRobots(address: string): Promise<Robots | OriginProblem> {
    try {
      const response = await this.#options.http.request(address, {
        trust: 'tenant',
        signal: this.#signal,
        timeoutMs: this.#options.timeoutMs ?? ROBOTS_TIMEOUT_MS,
        retriesMax: 1,
        responseBytesMax: 16 * ROBOTS_BYTES_MAX,
      });
      if (response.status >= 200 && response.status < 300) return parseRobots(await beginning(response));
      await response.discard();
      if (response.status >= 400 && response.status < 500 && response.status !== 429) return allowAll;
      return robotsProblem(address, `It answered with status ${response.status}.`);
    } catch (error) {
      this.#signal.throwIfAborted();
      return robotsProblem(address, unreachable(error).message);
    }
  }

  /** Waits until the host may be asked, and takes that place, which it returns: another crawl has to wait for the next. */
  async #turn(address: string, delayMs: number): Promise<number> {
    const { origin } = new URL(address);
    const now = performance.now();
    const at = Math.max(now, this.#paces.get(origin) ?? 0);
    if (this.#paces.size >= PACES_MAX) for (const [key, next] of this.#paces) if (next <= now) this.#paces.delete(key);
    this.#paces.set(origin, at + delayMs);
    if (at > now) await sleep(at - now, undefined, { signal: this.#signal });
    this.#signal.throwIfAborted();
    return at + delayMs;
  }

  /** @param turn the place that the request took. While nobody took a later one, the next may be earlier than it said. */
  #setNext(address: string, waitMs: number, turn?: number): void {
    const { origin } = new URL(address);
    const taken = this.#paces.get(origin) ?? 0;
    const next = performance.now() + waitMs;
    this.#paces.set(origin, taken === turn ? next : Math.max(taken, next));
  }
}

function answerOf(response: HttpResponse): Answer {
  const location = response.headers.get('location');
  if (location !== null && REDIRECT_STATUSES.includes(response.status)) {
    void response.discard();
    return { kind: 'redirect', location, isPermanent: response.status === 301 || response.status === 308 };
  }
  return { kind: 'response', response };
}

/** Undefined for an answer that can be worked with. */
function problemOf(status: number): OriginProblem | undefined {
  if (status !== 429 && status !== 408 && status < 500) return undefined;
  return {
    title: 'The site failed',
    message: `It answered with status ${status}. What was read before stays as it is.`,
    retryable: true,
  };
}

/** The client's words name the host that the tenant gave, and nothing else. */
function unreachable(error: unknown): OriginProblem {
  const message = error instanceof ServiceError ? error.message : 'It could not be reached.';
  return { title: 'The page could not be read', message, retryable: true };
}

function robotsProblem(address: string, what: string): OriginProblem {
  return {
    title: 'robots.txt could not be read',
    message: `${what} Without ${address} no page of the site is asked for. What was read before stays as it is.`,
    retryable: true,
  };
}

async function beginning(response: HttpResponse): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body) {
    pieces.push(piece);
    length += piece.length;
    if (length >= ROBOTS_BYTES_MAX) break;
  }
  return Buffer.concat(pieces).subarray(0, ROBOTS_BYTES_MAX).toString('utf8');
}
