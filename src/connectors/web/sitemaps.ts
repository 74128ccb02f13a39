/** Reads the sitemaps of sites: those that robots.txt names, otherwise the one at the usual address. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { HttpResponse } from '../../net/http-client.ts';
import { readStart } from '../../net/response-body.ts';
import type { OriginProblem } from '../connector.ts';
import { HOST_FAILURES_MAX, type WebClient } from './client.ts';
import { parseSitemap, type Sitemap } from './sitemap.ts';
import { normalizeUrl } from './urls.ts';

/** Bytes of one unpacked sitemap: the protocol allows no more. */
const SITEMAP_BYTES_MAX = 50 * 1024 * 1024;
/** Sitemap files that one crawl reads. Large sites have an index of hundreds. */
const SITEMAPS_MAX = 1_000;
/** Sitemaps that wait to be read, or are only counted. */
const QUEUE_MAX = 100_000;
const PAGES_MAX = 100_000;
/** The protocol has indexes of sitemaps, but no indexes of indexes; some sites have them. */
const NESTING_MAX = 2;
const REDIRECTS_MAX = 5;

/** Takes the pages of the sitemaps. */
interface Taker {
  /** Whether a sitemap may be at an address; the addresses of pages are not checked. */
  hasHost(address: string): boolean;
  add(page: Sitemap['pages'][number]): void;
  /** Whether there are more pages than the crawl can request. */
  isFull(): boolean;
}

interface SitemapReading {
  /** Sitemaps that exist and could not be read. */
  failed: { address: string; problem: OriginProblem }[];
  /** False if a sitemap is not there, or was left out: pages that earlier runs found in it are still there, perhaps. */
  isWhole: boolean;
  /** Number of sitemaps beyond a limit. */
  leftOut: number;
}

/** Reads the sitemaps of some sites. `sites`: one address of each. */
export async function readSitemaps(client: WebClient, sites: readonly string[], taker: Taker): Promise<SitemapReading> {
  const { hasHost } = taker;
  let pages = 0;
  /** Consecutive sitemaps of a host whose bodies broke off: each may cost the whole timeout. */
  const broken = new Map<string, number>();
  const reading: SitemapReading = { failed: [], isWhole: true, leftOut: 0 };
  const queue: { address: string; nesting: number }[] = [];
  for (const site of sites) {
    const robots = await client.robots(site);
    if ('title' in robots) continue;
    const listed = robots.sitemaps.flatMap((reference) => normalizeUrl(reference, site) ?? []).filter(hasHost);
    for (const address of listed.length > 0 ? listed : [new URL('/sitemap.xml', site).href])
      queue.push({ address, nesting: 0 });
  }
  const seen = new Set<string>();
  for (const { address, nesting } of queue) {
    if (seen.has(address)) continue;
    seen.add(address);
    if (seen.size > SITEMAPS_MAX || pages >= PAGES_MAX || taker.isFull()) {
      reading.leftOut += 1;
      continue;
    }
    const { host } = new URL(address);
    const inARow = broken.get(host) ?? 0;
    const sitemap = inARow >= HOST_FAILURES_MAX ? BROKEN_OFF : await readSitemap(client, address, hasHost);
    broken.set(host, sitemap === BROKEN_OFF ? inARow + 1 : 0);
    if ('title' in sitemap) {
      reading.failed.push({ address, problem: sitemap });
      continue;
    }
    if (sitemap === NO_SITEMAP) reading.isWhole = false;
    for (const page of sitemap.pages) {
      const location = normalizeUrl(page.location, address);
      if (location === undefined) continue;
      pages += 1;
      taker.add({ ...page, location });
    }
    if (nesting < NESTING_MAX)
      for (const reference of sitemap.sitemaps) {
        const inner = normalizeUrl(reference, address);
        if (inner !== undefined && hasHost(inner) && queue.length < QUEUE_MAX)
          queue.push({ address: inner, nesting: nesting + 1 });
      }
  }
  reading.isWhole &&= pages > 0 && reading.leftOut === 0;
  return reading;
}

const NO_SITEMAP: Sitemap = { pages: [], sitemaps: [], isComplete: true };

async function readSitemap(
  client: WebClient,
  start: string,
  hasHost: (address: string) => boolean,
): Promise<Sitemap | OriginProblem> {
  let address = start;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const robots = await client.robots(address);
    if ('title' in robots) return robots;
    if (!robots.allows(address)) return NO_SITEMAP;
    const answer = await client.get(address);
    if (answer.kind === 'failed') return answer.problem;
    if (answer.kind === 'response') return read(answer.response);
    const target = normalizeUrl(answer.location, address);
    if (target === undefined || !hasHost(target)) return NO_SITEMAP;
    address = target;
  }
  return NO_SITEMAP;
}

async function read(response: HttpResponse): Promise<Sitemap | OriginProblem> {
  if (response.status < 200 || response.status >= 300) {
    await response.discard();
    return NO_SITEMAP;
  }
  const bytes = await readStart(response.body, SITEMAP_BYTES_MAX).catch(() => undefined);
  if (bytes === undefined) return BROKEN_OFF;
  try {
    if (bytes.length > SITEMAP_BYTES_MAX) return unreadable();
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const plain = isPacked ? await promisify(gunzip)(bytes, { maxOutputLength: SITEMAP_BYTES_MAX }) : bytes;
    // Some sites answer with a page, or with their first page, instead of status 404.
    const sitemap = parseSitemap(plain.toString('utf8')) ?? NO_SITEMAP;
    return sitemap.isComplete ? sitemap : unreadable();
  } catch {
    return unreadable();
  }
}

function unreadable(): OriginProblem {
  return {
    title: 'The sitemap could not be read',
    message: 'The sitemap is damaged, incomplete or too large. What earlier runs read stays as it is.',
    retryable: true,
  };
}

const BROKEN_OFF = unreadable();
