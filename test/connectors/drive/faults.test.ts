/** Every fault on every call to Google: a listing reports its end only after it was complete. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type Change, OriginError } from '../../../src/connectors/connector.ts';
import type { Opaque } from '../../../src/corpus/origin.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { DriveFault, DriveRoute } from '../../support/fakes/drive.ts';
import { withLongerLimits } from '../../support/time-limits.ts';
import { type DriveWorld, openDriveWorld, textOf } from '../../support/worlds/drive-world.ts';

let world: DriveWorld;
let cursor: Opaque;
let linked: string;
before(async () => {
  world = await openDriveWorld({ pageSizeMax: 2 });
  const { state } = world.fake;
  const outside = state.addFolder('0AFakeMyDriveRootPVA', 'Outside');
  linked = state.addFile(outside, 'linked.txt', 'linked text, long enough to be cut');
  state.addShortcut(state.root, 'linked', linked);
  for (let i = 0; i < 5; i++) state.addFile(state.root, `f${i}.txt`, `text ${i} of some length, to be cut off`);
  state.addGoogle(state.root, 'Plan', 'document', { 'text/markdown': '# Plan, long enough to be cut' });
  cursor = (await world.list()).end?.cursor ?? {};
  for (let i = 0; i < 5; i++) state.touch(linked);
});
after(() => world[Symbol.asyncDispose]());
beforeEach(() => {
  world.fake.heal();
  world.fake.expireTokens();
  world.fake.requests.length = 0;
  world.setTimeoutMs(null);
});

/** Lists the folder, by the change log if that is the failing call, and fetches one file of each kind. */
async function everything(route: DriveRoute): Promise<{ ended: boolean; error: unknown }> {
  const changes: Change[] = [];
  try {
    for await (const change of world.changes(route === 'changes' ? cursor : null)) changes.push(change);
    const present = changes.flatMap((change) => (change.kind === 'present' ? [change.item] : []));
    assert.equal(present.length, route === 'changes' ? 1 : 7, 'a listing that ends is whole');
    for (const name of ['linked.txt', 'Plan.md']) {
      const item = present.find((one) => one.name === name);
      const answer = item && (await world.fetch(item));
      if (answer) assert.equal(answer.kind, 'content');
      if (answer?.kind === 'content') assert.match(await textOf(answer.content), /long enough/);
    }
    return { ended: true, error: undefined };
  } catch (error) {
    return { ended: changes.at(-1)?.kind === 'end', error };
  }
}

/** Checks the text for people: a sentence without an address, a token or a word of the response. */
function assertReadable(error: unknown): void {
  const message = error instanceof OriginError || error instanceof ServiceError ? error.message : undefined;
  assert.ok(message !== undefined, `${error}`);
  assert.match(message, /\.$/);
  assert.ok(!/scripted|ya29|Bearer|assertion|PRIVATE/.test(message), message);
}

const ROUTES: DriveRoute[] = ['token', 'startPageToken', 'changes', 'list', 'get', 'media', 'export'];
const PASSING: [string, DriveFault][] = [
  ['429', { status: 429, reason: 'rateLimitExceeded', retryAfter: '0' }],
  ['500', { status: 500, reason: 'internalError' }],
  ['503 of a proxy', { status: 503, body: '<html>no' }],
  ['a reset', 'reset'],
];

for (const route of ROUTES) {
  describe(`faults of ${route}`, () => {
    for (const [name, fault] of PASSING)
      test(`a temporary ${name} of ${route} does not change the result`, async () => {
        world.fake.fail(route, fault, 2);
        assert.deepEqual(await everything(route), { ended: true, error: undefined });
      });

    test(`a truncated response of ${route} is requested again, or fails if it has the bytes of a file`, async () => {
      world.fake.fail(route, 'truncated', 2);
      const { ended, error } = await everything(route);
      assert.equal(ended, true);
      if (route === 'media' || route === 'export') assertReadable(error);
      else assert.equal(error, undefined);
    });

    test(`faults of ${route} that stay end the listing with a reason`, async () => {
      const lasting: [DriveFault, RegExp | undefined][] = [
        [{ status: 500, reason: 'internalError' }, /failed/],
        [{ status: 429, reason: 'rateLimitExceeded', retryAfter: '0' }, /limits the requests/],
        [{ status: 403, reason: 'accessNotConfigured' }, /not enabled/],
        [{ status: 401, reason: 'authError' }, /does not accept the service account key/],
        ['reset', undefined],
      ];
      for (const [fault, message] of lasting) {
        world.fake.expireTokens();
        world.fake.fail(route, fault, Number.POSITIVE_INFINITY, (url) => !url.pathname.includes(linked));
        if (['get', 'media'].includes(route)) world.fake.fail(route, fault, Number.POSITIVE_INFINITY);
        const { ended, error } = await everything(route);
        world.fake.heal();
        assertReadable(error);
        if (message) assert.match(String(error), message, JSON.stringify(fault));
        assert.equal(ended, ['media', 'export'].includes(route), 'no end without a whole listing');
      }
    });

    test(`a request to ${route} without response ends at its timeout`, async () => {
      await withLongerLimits(100, async (limitMs) => {
        world.fake.heal();
        world.fake.expireTokens();
        world.setTimeoutMs(limitMs);
        world.fake.fail(route, 'silence', Number.POSITIVE_INFINITY);
        const { ended, error } = await everything(route);
        assert.ok(error instanceof ServiceError && error.code === 'upstream_timeout', `${error}`);
        assert.equal(ended, ['media', 'export'].includes(route));
      });
    });

    test(`an abort ends a request to ${route} at once`, async () => {
      world.fake.fail(route, 'silence', Number.POSITIVE_INFINITY);
      const abort = new AbortController();
      const reason = new Error('enough');
      const findStored = async () => undefined;
      const origin = { kind: 'drive' as const, folderUrl: world.fake.state.root };
      const { connector, fake } = world;
      const useAll = async () => {
        const items = [];
        const request = { cursor: route === 'changes' ? cursor : null, resume: null, findStored, signal: abort.signal };
        for await (const change of connector.list(origin, fake.key, request))
          if (change.kind === 'present') items.push(change.item);
        for (const item of items) await connector.fetch(origin, fake.key, item, undefined, abort.signal);
      };
      const used = assert.rejects(useAll(), (error) => error === reason);
      while (fake.count(route) === 0) await new Promise((resolve) => setImmediate(resolve));
      abort.abort(reason);
      await used;
    });
  });
}

test('status 403 with a rate limit is retried like 429, after the time in Retry-After', async () => {
  const started = performance.now();
  world.fake.fail('list', { status: 403, reason: 'userRateLimitExceeded', retryAfter: '1' });
  assert.equal((await everything('list')).error, undefined);
  // A timer may end up to a millisecond early.
  assert.ok(performance.now() - started >= 999, 'the wait is never shorter');
});

test('an abort ends the wait for Retry-After', async () => {
  world.fake.fail('list', { status: 429, reason: 'rateLimitExceeded', retryAfter: '50' });
  const abort = new AbortController();
  const reason = new Error('enough');
  const origin = { kind: 'drive' as const, folderUrl: world.fake.state.root };
  const request = { cursor: null, resume: null, findStored: async () => undefined, signal: abort.signal };
  const listed = assert.rejects(
    Array.fromAsync(world.connector.list(origin, world.fake.key, request)),
    (error) => error === reason,
  );
  while (world.fake.count('list') === 0) await new Promise((resolve) => setImmediate(resolve));
  abort.abort(reason);
  await listed;
});

test('an endless list of Drive ends with an error', async () => {
  for (const route of ['list', 'changes'] as const) {
    world.fake.requests.length = 0;
    world.fake.fail(route, 'loop', Number.POSITIVE_INFINITY);
    const { ended, error } = await everything(route);
    assert.match(String(error), /did not come to an end/);
    assert.equal(ended, false);
    assert.ok(world.fake.count(route) <= 3);
  }
});

test('an incomplete search of Drive is an error', async () => {
  world.fake.fail('list', 'incomplete');
  const { ended, error } = await everything('list');
  assert.match(String(error), /could not search everything/);
  assert.equal(ended, false);
});

test('a page token that Drive refuses in the middle restarts the query', async () => {
  const isLater = (url: URL) => url.searchParams.has('pageToken');
  world.fake.fail('list', { status: 400, reason: 'invalid', location: 'pageToken' }, 1, isLater);
  assert.equal((await everything('list')).error, undefined);
  world.fake.fail('list', { status: 400, reason: 'invalid', location: 'pageToken' }, Number.POSITIVE_INFINITY, isLater);
  assertReadable((await everything('list')).error);
});

test('unusable responses of Drive are errors', async () => {
  const nonsense: [DriveRoute, string][] = [
    ['token', '{"access_token": 5}'],
    ['list', '{"files": [{"name": "without id"}]}'],
    ['list', '[]'],
    ['startPageToken', '{}'],
    ['changes', '{"changes": []}'],
    ['get', '"text"'],
  ];
  for (const [route, body] of nonsense) {
    world.fake.expireTokens();
    world.fake.fail(route, { status: 200, body }, Number.POSITIVE_INFINITY);
    const { ended, error } = await everything(route);
    world.fake.heal();
    assertReadable(error);
    assert.equal(ended, false, `${route} ${body}`);
  }
});

test('a service account key that Google refuses is reported and not tried again', async () => {
  await using other = await openDriveWorld();
  const origin = { kind: 'drive' as const, folderUrl: world.fake.state.root };
  const request = {
    cursor: null,
    resume: null,
    findStored: async () => undefined,
    signal: new AbortController().signal,
  };
  await assert.rejects(
    Array.fromAsync(world.connector.list(origin, other.fake.key, request)),
    (error) =>
      error instanceof OriginError &&
      error.problem.title === 'Google does not accept the service account key' &&
      !error.problem.retryable,
  );
  assert.equal(world.fake.count('token'), 1, 'and is not tried again');
});

test('invalid ids in a response never become part of a path or a query', async () => {
  const { state } = world.fake;
  const folder = state.addFolder(state.root, 'Odd');
  const shortcut = state.addShortcut(folder, 'odd', "x' or trashed = true or '");
  const listing = await world.list(null, null, folder);
  assert.deepEqual([listing.present, listing.failed.length], [[], 1]);
  const read = world.fake.requests.filter(({ route }) => route === 'get').map(({ url }) => url.pathname);
  assert.deepEqual([...new Set(read)], [`/drive/v3/files/${folder}`]);
  state.remove(shortcut);
});
