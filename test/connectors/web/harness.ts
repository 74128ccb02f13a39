/** Opens a crawler and a fake site for one test file. */
import { after, before, beforeEach } from 'node:test';
import type { Connector } from '../../../src/connectors/connector.ts';
import { openWebConnector, type WebConnectorOptions } from '../../../src/connectors/web/connector.ts';
import type { Origin } from '../../../src/corpus/origin.ts';
import { type HttpClient, openHttpClient } from '../../../src/net/http-client.ts';
import { type FakeSite, openFakeSite } from '../../support/fakes/site.ts';
import { type Reading, type ReadOptions, readOrigin } from '../../support/worlds/read-origin.ts';

export type WebOrigin = Extract<Origin, { kind: 'web' }>;

export interface WebHarness {
  site: FakeSite;
  /** Address of the site under the name that most tests use. */
  base: string;
  connector(options?: Partial<WebConnectorOptions>): Connector<'web'>;
  origin(options?: Partial<WebOrigin>): WebOrigin;
  crawl(options?: Partial<WebOrigin>, read?: ReadOptions): Promise<Reading>;
  /** Converts origin ids to paths. */
  pathsOf(ids: Iterable<string>): string[];
}

/** Starts the site; all names resolve to this machine. */
export function useSite(): WebHarness {
  let http: HttpClient;
  const harness = {} as WebHarness;
  before(async () => {
    http = openHttpClient({ allow: ['127.0.0.0/8'], lookup: async () => [{ address: '127.0.0.1' }] });
    harness.site = await openFakeSite();
    harness.base = `http://site.example:${harness.site.port}`;
  });
  after(async () => {
    await http.close();
    await harness.site.close();
  });
  beforeEach(() => {
    const { site } = harness;
    site.pages.clear();
    site.requests.length = 0;
    site.invent = () => undefined;
    site.mask = undefined;
    site.faults.clear();
    site.atOnceMax = 0;
  });
  harness.connector = (options = {}) =>
    openWebConnector({
      http,
      clock: { now: () => new Date('2026-06-01T12:00:00Z') },
      delayMs: 0,
      retryBaseMs: 1,
      timeoutMs: 5000,
      ...options,
    });
  harness.origin = (options = {}) => ({
    kind: 'web',
    urls: [`${harness.base}/`],
    maxDepth: 3,
    maxPages: 100,
    includePaths: [],
    excludePaths: [],
    sameHost: true,
    useSitemap: false,
    ...options,
  });
  harness.crawl = (options, read) => readOrigin(harness.connector(), harness.origin(options), read);
  harness.pathsOf = (ids) => [...ids].map((id) => (id.startsWith(harness.base) ? id.slice(harness.base.length) : id));
  return harness;
}
