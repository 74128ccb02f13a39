/**
 * The connector of web sites: follows links and sitemaps from a few addresses, and makes one source for each canonical address.
 */

import type { Origin } from '../../corpus/origin.ts';
import { invalidRequest } from '../../errors.ts';
import type { Clock } from '../../util/time.ts';
import {
  type Change,
  type Connector,
  type Fetched,
  OriginError,
  type OriginItem,
  type StoredVersion,
} from '../connector.ts';
import { GLOB_UNITS_MAX } from '../repo/glob.ts';
import { CRAWL_DELAY_MS_MIN_DEFAULT, type NextRequestTimes, WebClient, type WebClientOptions } from './client.ts';
import { Crawl } from './crawl.ts';
import { readOneFile } from './one-file.ts';
import { LEADS_ELSEWHERE } from './problems.ts';
import { normalizeUrl } from './urls.ts';

const SEEDS_MAX = 100;
const CRAWL_DEPTH_MAX = 20;
const CRAWL_PAGES_MAX = 10_000;
/** Longest pause between two requests of a crawl to one host. */
const CRAWL_DELAY_MS_MAX = 60_000;
const PATHS_MAX = 100;

type WebOrigin = Extract<Origin, { kind: 'web' }>;

export interface WebConnectorOptions extends WebClientOptions {
  clock: Clock;
}

export function openWebConnector(options: WebConnectorOptions): Connector<'web'> {
  const nextTimes: NextRequestTimes = new Map();
  const now = () => options.clock.now();
  return {
    kind: 'web',
    list: (origin, _credential, request) => {
      const client = new WebClient(options, nextTimes, request.signal, crawlDelay(origin));
      if (origin.oneFile) return readOneFile(client, origin, request.findStored, now());
      return onceReadable(new Crawl(client, origin, request, now()).changes());
    },
    fetch: (origin, _credential, item, stored, signal) =>
      fetchPage(new WebClient(options, nextTimes, signal, crawlDelay(origin)), origin, item, stored, now()),
    check: (origin) => check(origin, options.delayMinMs ?? CRAWL_DELAY_MS_MIN_DEFAULT),
  };
}

/** Passes changes on when a page could be read: if the crawl throws before, no page is reported. */
async function* onceReadable(changes: AsyncIterable<Change>): AsyncGenerator<Change> {
  let unreported: Change[] = [];
  for await (const change of changes) {
    unreported.push(change);
    if (!['present', 'unchanged', 'step', 'end'].includes(change.kind)) continue;
    yield* unreported;
    unreported = [];
  }
}

/** Returns the crawl's own pause. Origins stored by older versions have no `delayMs`. */
function crawlDelay({ delayMs }: WebOrigin): number | null {
  return delayMs ?? null;
}

function check(origin: WebOrigin, delayMinMs: number): void {
  if (origin.urls.length < 1 || origin.urls.length > SEEDS_MAX)
    throw invalidRequest(`urls must have 1 to ${SEEDS_MAX} elements.`);
  if (!origin.urls.every((url) => normalizeUrl(url) !== undefined))
    throw invalidRequest('urls must be addresses that begin with https:// or http://, without a user name.');
  if (!isWithin(origin.maxDepth, 0, CRAWL_DEPTH_MAX))
    throw invalidRequest(`max_depth must be a whole number from 0 to ${CRAWL_DEPTH_MAX}.`);
  if (!isWithin(origin.maxPages, 1, CRAWL_PAGES_MAX))
    throw invalidRequest(`max_pages must be a whole number from 1 to ${CRAWL_PAGES_MAX}.`);
  const delayMs = crawlDelay(origin);
  if (delayMs !== null && !isWithin(delayMs, delayMinMs, CRAWL_DELAY_MS_MAX))
    throw invalidRequest(
      `delay_ms must be a whole number from ${delayMinMs}, the shortest pause of this service, to ${CRAWL_DELAY_MS_MAX}.`,
    );
  for (const paths of [origin.includePaths, origin.excludePaths]) {
    if (paths.length > PATHS_MAX)
      throw invalidRequest(`include_paths and exclude_paths have at most ${PATHS_MAX} elements.`);
    if (paths.some((path) => path.length > GLOB_UNITS_MAX || /[\u0000-\u001f]/.test(path)))
      throw invalidRequest(`A path is one line of at most ${GLOB_UNITS_MAX} characters.`);
  }
}

function isWithin(value: number, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max;
}

/** Fetches one page by a crawl of this page alone. @throws OriginError, also if the address of a stored page leads to another one. */
async function fetchPage(
  client: WebClient,
  origin: WebOrigin,
  item: OriginItem,
  stored: StoredVersion | undefined,
  now: Date,
): Promise<Fetched> {
  const onlyThisPage: WebOrigin = {
    ...origin,
    urls: [item.originId],
    maxDepth: 0,
    maxPages: 1,
    includePaths: [],
    excludePaths: [],
  };
  const changes = new Crawl(client, onlyThisPage, { findStored: async () => stored }, now).changes();
  const { value: change } = await changes.next();
  const fetched = change && toFetched(change);
  // Only a whole crawl can tell whether the page has moved, or leads to a sign-in for now.
  if (stored && change && originIdOf(change) !== item.originId) {
    await changes.return(undefined);
    throw new OriginError(LEADS_ELSEWHERE);
  }
  if (fetched?.kind !== 'content') {
    await changes.return(undefined);
    return fetched ?? { kind: 'gone' };
  }
  const { content } = fetched;
  async function* body(): AsyncGenerator<Uint8Array> {
    yield* content.body;
    await changes.return(undefined);
  }
  return { kind: 'content', content: { ...content, body: body() } };
}

function originIdOf(change: Change): string | undefined {
  if (change.kind === 'present') return change.item.originId;
  return 'originId' in change ? change.originId : undefined;
}

function toFetched(change: Change): Fetched | undefined {
  switch (change.kind) {
    case 'present':
      return change.content && { kind: 'content', content: change.content };
    case 'skipped':
      return { kind: 'skipped', reason: change.reason };
    case 'unchanged':
    case 'gone':
      return { kind: change.kind };
    case 'failed':
      throw new OriginError(change.problem);
    default:
      return undefined;
  }
}
