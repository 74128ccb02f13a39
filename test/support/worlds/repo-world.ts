/** A repository `ada/site` on a fake GitHub, new for every test, and the connector that reads it. */
import { after, before, beforeEach } from 'node:test';
import type { Connector } from '../../../src/connectors/connector.ts';
import { openRepoConnector } from '../../../src/connectors/repo/connector.ts';
import type { Origin } from '../../../src/corpus/origin.ts';
import { type HttpClient, openHttpClient } from '../../../src/net/http-client.ts';
import { systemClock } from '../../../src/util/time.ts';
import { type FakeGitHub, type FakeRepository, openFakeGitHub } from '../fakes/github.ts';
import { type Reading, type ReadOptions, readOrigin } from './read-origin.ts';

export type RepoOrigin = Extract<Origin, { kind: 'repo' }>;

export let fake: FakeGitHub;
export let http: HttpClient;
export let repo: Connector<'repo'>;
export let site: FakeRepository;

/** Registers the hooks of a test file. */
export function setUpRepository(): void {
  before(async () => {
    // The tarballs are on another host, which the operator has not allowed.
    http = openHttpClient({ allow: ['127.0.0.0/8'] });
    fake = await openFakeGitHub();
  });
  after(async () => {
    await http.close();
    await fake.close();
  });
  beforeEach(() => {
    fake.repositories.clear();
    fake.requests.length = 0;
    fake.faults.clear();
    Object.assign(fake.rate, { remaining: 5000, resetAt: Math.floor(Date.now() / 1000) + 3600 });
    fake.treeEntriesMax = 100_000;
    repo = openRepoConnector({ http, baseUrl: fake.url, clock: systemClock, retryBaseMs: 1 });
    site = fake.add('ada/site');
  });
}

export function origin(options: Partial<RepoOrigin> = {}): RepoOrigin {
  return {
    kind: 'repo',
    repository: 'ada/site',
    pathFilters: [],
    referenceType: 'default',
    referenceParam: '',
    ...options,
  };
}

export function run(given: RepoOrigin, options: ReadOptions = {}): Promise<Reading> {
  return readOrigin(repo, given, options);
}

export function files(count: number, text = (i: number) => `text ${i}\n`): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`notes/${i}.md`, text(i)]));
}
