/** Repositories: faults of GitHub, and settings that can never work. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { beforeEach, describe, test } from 'node:test';
import { RATE_LIMIT_WAIT_MS_MAX } from '../../src/connectors/repo/api.ts';
import { SINGLE_FETCHES_MAX } from '../../src/connectors/repo/connector.ts';
import { ServiceError } from '../../src/errors.ts';
import { problemOf } from '../support/worlds/read-origin.ts';
import {
  fake,
  files,
  origin,
  type RepoOrigin,
  repo,
  run,
  setUpRepository,
  site,
} from '../support/worlds/repo-world.ts';

setUpRepository();

describe('an error of the listing', () => {
  beforeEach(() => site.git.commit(files(3)));

  const cases: [what: string, title: string, prepare: () => void, credential?: string][] = [
    ['an unknown repository', 'The repository was not found', () => fake.repositories.clear()],
    ['a private one without a token', 'The repository was not found', () => (site.privateTo = 'secret-1')],
    ['a wrong token', 'GitHub does not accept the access token', () => (site.privateTo = 'secret-1'), 'secret-2'],
    ['an empty repository', 'The repository is empty', () => fake.add('ada/site')],
    [
      'a blocked repository',
      'The repository is blocked',
      () => fake.faults.add(/ada\/site$/, { status: 451, body: '{"message":"Repository access blocked"}' }),
    ],
    [
      'a token without the permission',
      'No permission',
      () =>
        fake.faults.add(/./, { status: 403, body: '{"message":"Resource not accessible by personal access token"}' }),
    ],
    ['an API that is not there', 'upstream_failed', () => fake.faults.add(/./, 'drop', 9)],
    ['an API that fails', 'GitHub failed', () => fake.faults.add(/\/git\/trees\//, { status: 502 }, 9)],
    [
      'an answer of something else',
      'GitHub sent an unusable response',
      () => fake.faults.add(/\/git\/trees\//, { status: 200, body: '{"tree":[]}' }, 9),
    ],
    [
      'a tree without entries',
      'GitHub sent an unusable response',
      () => fake.faults.add(/\/git\/trees\//, { status: 200, body: '{"tree":[],"truncated":false}' }, 9),
    ],
  ];
  for (const [what, title, prepare, credential] of cases) {
    test(`the listing of a repository explains ${what}`, async () => {
      prepare();
      const found = await problemOf(run(origin(), credential === undefined ? {} : { credential }));
      assert.equal(found.title, title);
      assert.doesNotMatch(found.message, /127\.0\.0\.1|secret-/);
    });
  }
});

describe('temporary faults', () => {
  beforeEach(() => site.git.commit(files(SINGLE_FETCHES_MAX + 5)));
  const all = files(SINGLE_FETCHES_MAX + 5);

  for (const [what, fault] of [
    ['500', { status: 500 }],
    ['a closed connection', 'drop'],
    ['an answer that is cut off', { truncateAfter: 20 }],
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '0' } }],
    [
      'a secondary rate limit',
      { status: 403, headers: { 'retry-after': '0' }, body: '{"message":"secondary rate limit"}' },
    ],
  ] as const) {
    for (const place of [/site$/, /\/commits\/heads/, /\/git\/commits\//, /\/git\/trees\//, /\/tarball\//, /legacy/]) {
      test(`a temporary fault (${what} at ${place.source}) does not change the result`, async () => {
        fake.faults.add(place, fault);
        const { stored, full } = await run(origin());
        assert.deepEqual(Object.entries(stored).sort(), Object.entries(all).sort());
        assert.equal(full, true);
      });
    }
  }

  test('files that are missing from a truncated tarball are fetched one by one', async () => {
    site.git.commit({ 'large.txt': Buffer.alloc(300_000, 'a b c d e f g h i j\n') });
    fake.faults.add(/legacy/, { truncateAfter: 700 });
    const { stored } = await run(origin());
    assert.equal(Object.keys(stored).length, SINGLE_FETCHES_MAX + 6);
    assert.ok(fake.count(/\/git\/blobs\//) > 0);
  });
});

test('a run without a tarball fails if too many files would be fetched one by one', async () => {
  site.git.commit(files(1001));
  fake.faults.add(/tarball/, { status: 500 }, 9);
  assert.equal((await problemOf(run(origin()))).title, 'GitHub failed');
  assert.equal(fake.count(/\/git\/blobs\//), 0);
});

test('a file of a repository that is truncated fails alone', async () => {
  site.git.commit({ 'a.md': 'a\n', 'b.md': 'text that is long enough to be cut\n' });
  const { sha } = site.git.allEntries(site.git.resolve('main')!.tree).find((entry) => entry.path === 'b.md')!;
  fake.faults.add(new RegExp(sha), { truncateAfter: 4 }, 9);
  const cut = await run(origin());
  assert.deepEqual(Object.keys(cut.stored), ['a.md']);
  assert.deepEqual(cut.failed, { 'b.md': 'GitHub did not answer, or its answer was interrupted. Try again later.' });
  fake.faults.clear();
  fake.faults.add(new RegExp(sha), { status: 200, body: 'text that is long enough to be CUT\n' });
  const other = await run(origin());
  assert.match(other.failed['b.md']!, /bytes that do not match/);
});

describe('the rate limit', () => {
  beforeEach(() => site.git.commit(files(3)));

  test('a long rate limit of GitHub is an error that says until when it lasts', async () => {
    fake.rate.remaining = 2;
    fake.rate.resetAt = Math.floor(Date.parse('2100-01-02T03:04:05Z') / 1000);
    const { title, message, retryable } = await problemOf(run(origin()));
    assert.equal(title, 'The rate limit of GitHub is used up');
    assert.match(message, /2100-01-02 03:04:05 UTC.*access token/);
    assert.equal(retryable, true);
    assert.equal(fake.requests.length, 3, 'no request was sent after the refusal');
  });

  test('a rate limit of GitHub applies to all clients with the same credential', async () => {
    fake.add('ada/other', { privateTo: 'token-2' }).git.commit(files(1));
    fake.rate.remaining = 0;
    await problemOf(run(origin()));
    fake.rate.remaining = 5000;
    fake.requests.length = 0;
    assert.equal((await problemOf(run(origin()))).title, 'The rate limit of GitHub is used up');
    assert.deepEqual(fake.requests, []);
    const other = await run(origin({ repository: 'ada/other' }), { credential: 'token-2' });
    assert.equal(Object.keys(other.stored).length, 1);
  });

  test('a client waits for a short rate limit of GitHub', async () => {
    fake.faults.add(/\/git\/trees\//, {
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.floor(Date.now() / 1000)) },
      body: '{"message":"API rate limit exceeded"}',
    });
    assert.equal(Object.keys((await run(origin())).stored).length, 3);
  });

  test('a client does not wait for a long Retry-After of GitHub', async () => {
    const seconds = String(RATE_LIMIT_WAIT_MS_MAX / 1000 + 1);
    fake.faults.add(/\/git\/trees\//, { status: 429, headers: { 'retry-after': seconds } });
    assert.equal((await problemOf(run(origin()))).title, 'The rate limit of GitHub is used up');
  });
});

test('a listing of a repository stops when its signal aborts', async () => {
  site.git.commit(files(3));
  fake.faults.add(/\/git\/trees\//, 'stall');
  const stop = new AbortController();
  const request = { cursor: null, resume: null, findStored: async () => undefined, signal: stop.signal };
  const listed = Array.fromAsync(repo.list(origin(), null, request));
  setImmediate(() => stop.abort(new Error('stopped')));
  await assert.rejects(listed, /stopped|abort/i);
});

describe('settings that can never work', () => {
  const refused = (options: Partial<RepoOrigin>, credential: string | null = null) =>
    assert.throws(
      () => repo.check(origin(options), credential),
      (error) => error instanceof ServiceError && error.code === 'invalid_request',
      JSON.stringify(options),
    );

  test('invalid names of repositories are refused', () => {
    repo.check(origin({ repository: 'Ada-1/my.repo_x' }), 'ghp_abc');
    const names = [
      'site',
      'ada/',
      '/site',
      'a/b/c',
      'ada/..',
      'https://github.com/ada/site',
      'ada/site.git',
      'a b/c',
      'ada/s?x',
    ];
    for (const repository of names) refused({ repository });
  });

  test('invalid references of a repository are refused', () => {
    repo.check(origin({ referenceType: 'branch', referenceParam: 'feature/x-1' }), null);
    repo.check(origin({ referenceType: 'commit', referenceParam: 'abcdef0' }), null);
    refused({ referenceType: 'default', referenceParam: 'main' });
    refused({ referenceType: 'commit', referenceParam: 'main' });
    for (const referenceParam of [
      '',
      '..',
      'a..b',
      'a b',
      '/a',
      'a/',
      'a//b',
      'a.lock',
      'a~1',
      'a^',
      'a:b',
      '-x',
      'a@{1}',
    ])
      for (const referenceType of ['branch', 'tag'] as const) refused({ referenceType, referenceParam });
  });

  test('invalid path filters and credentials of a repository are refused', () => {
    refused({ pathFilters: Array.from({ length: 101 }, () => 'a') });
    refused({ pathFilters: ['a'.repeat(501)] });
    refused({ pathFilters: ['a\nb'] });
    for (const credential of ['', 'a b', 'a\r\nx: y', 'ä']) refused({}, credential);
  });
});
