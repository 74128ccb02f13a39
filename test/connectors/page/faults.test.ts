/**
 * Every fault on every call to the page API: the listing either ends or reports the fault, and no source counts as gone by
 * mistake.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { OriginError } from '../../../src/connectors/connector.ts';
import type { Fault } from '../../support/fakes/notion.ts';
import { block, paragraph } from '../../support/fakes/notion-world.ts';
import { withLongerLimits } from '../../support/time-limits.ts';
import { type HarnessOptions, openPageHarness, type PageHarness, type Run } from './harness.ts';

const MINUTE_MS = 60_000;
let harness: PageHarness;

/** A fault without an answer needs a short time limit, which other requests of a busy machine may exceed. */
function withFault(fault: Fault, run: () => Promise<void>): Promise<void> {
  if (fault !== 'hang') return run();
  return withLongerLimits(250, async (timeoutMs) => {
    await reopen({ timeoutMs });
    await run();
  });
}

async function reopen(options: HarnessOptions = {}): Promise<void> {
  await harness?.close();
  harness = await openPageHarness(options);
}
beforeEach(() => reopen());
afterEach(() => harness.close());

function workspace(): string {
  const { world } = harness.fake;
  const root = world.addPage('Root', [block('file', world.hostedFile('Notes.txt', 'minutes'))]);
  const section = world.addPage('Section', [paragraph('text')], root);
  world.addPage('Leaf', [paragraph('text')], section);
  const database = world.addDatabase('Tasks', root);
  world.addRow(database, 'Task', {}, [paragraph('do it')]);
  return root;
}

/** Returns the error of a run as people read it, or undefined when the run came to its end. */
async function outcomeOf(root: string): Promise<{ run?: Run; error?: OriginError }> {
  try {
    return { run: await harness.run(root) };
  } catch (error) {
    assert.ok(error instanceof OriginError, String(error));
    return { error };
  }
}

function assertReadable({ title, message }: { title: string; message: string }): void {
  assert.ok(title.length > 10 && title.length < 80, title);
  assert.ok(message.length > 20 && message.length < 300, message);
  assert.doesNotMatch(`${title} ${message}`, /127\.0\.0\.1|localhost|ntn_|undefined|\[object/);
}

const ROUTES = [
  'GET /v1/pages/:id',
  'GET /v1/users',
  'POST /v1/search',
  'GET /v1/blocks/:id/children',
  'GET /v1/databases/:id',
  'POST /v1/data_sources/:id/query',
  'GET /v1/blocks/:id',
  'GET /files/:key',
];

const LASTING: Record<string, Fault> = {
  '429': { status: 429, code: 'rate_limited', headers: { 'retry-after': '3' } },
  '429 for an hour': { status: 429, code: 'rate_limited', headers: { 'retry-after': '3600' } },
  '500': { status: 500 },
  '502 of a gateway': { status: 502, html: true },
  '503': { status: 503, code: 'service_unavailable' },
  '529': { status: 529, code: 'service_overload' },
  '401': { status: 401, code: 'unauthorized' },
  '403': { status: 403, code: 'restricted_resource' },
  '404 of something else': { status: 404, html: true },
  '418': { status: 418, code: 'teapot' },
  'no answer': 'hang',
  'a truncated body': 'cut',
  'a page of HTML': 'html',
  'a list in circles': 'loop',
};

/**
 * Returns whether a call ignores a fault. Names of users and results of the search are dropped when refused. Only lists can be
 * endless. A file may have any bytes.
 */
function isHarmless(route: string, fault: Fault): boolean {
  if (fault === 'loop') return !/children|query|users|search/.test(route);
  if (route.includes('files')) return fault === 'html';
  if (typeof fault !== 'object' || !/users|search/.test(route)) return false;
  if ([403, 418].includes(fault.status)) return true;
  return route.includes('search') && [500, 502, 503].includes(fault.status);
}

describe('a fault that stays', () => {
  for (const [name, fault] of Object.entries(LASTING))
    test(`${name} that stays is reported, and no source counts as gone by mistake`, () =>
      withFault(fault, async () => {
        const root = workspace();
        harness.advance(5 * MINUTE_MS);
        await harness.run(root);
        const before = [...harness.stored.keys()];
        assert.equal(before.length, 5);
        for (const route of ROUTES) {
          // Forces the run to read everything again.
          for (const [id, entry] of harness.stored) harness.stored.set(id, { ...entry, revision: null });
          harness.fake.faults((call) => (call.route === route ? fault : undefined));
          const { run, error } = await outcomeOf(root);
          harness.fake.faults(undefined);
          const failed = run?.changes.filter((change) => change.kind === 'failed') ?? [];
          for (const problem of [error?.problem, ...failed.map((change) => change.problem)])
            if (problem) assertReadable(problem);
          if (!isHarmless(route, fault)) {
            assert.ok(error || failed.length > 0, `${name} on ${route} passed unseen`);
            const end = run?.changes.at(-1);
            assert.ok(end?.kind !== 'end' || !end.full, `${name} on ${route}: it did not see everything`);
          }
          assert.deepEqual([...harness.stored.keys()], before, `${name} on ${route}`);
        }
        // After the fault, the next run works as if nothing had happened.
        const { run } = await outcomeOf(root);
        assert.equal(
          run?.changes.some(({ kind }) => kind === 'failed'),
          false,
        );
        assert.deepEqual([...harness.stored.keys()], before);
      }));
});

describe('a temporary fault', () => {
  for (const [name, fault] of Object.entries({
    '429': { status: 429, code: 'rate_limited', headers: { 'retry-after': '7' } },
    '500': { status: 500 },
    '409': { status: 409, code: 'conflict_error' },
    'no answer': 'hang' as const,
    'a truncated body': 'cut' as const,
    'a page of HTML': 'html' as const,
  }))
    test(`${name} that is temporary does not change the result`, () =>
      withFault(fault, async () => {
        const root = workspace();
        for (const route of ROUTES.filter((one) => !one.includes('files'))) {
          harness.stored.clear();
          harness.fake.forget();
          harness.fake.faults((call) => (call.route === route && call.before === 0 ? fault : undefined));
          const { run, error } = await outcomeOf(root);
          assert.equal(error, undefined, `${name} on ${route}: ${error?.message}`);
          assert.equal(harness.stored.size, 5, `${name} on ${route}`);
          assert.deepEqual(new Set(run!.outcome.values()), new Set(['added']));
        }
      }));
});

test('Retry-After delays all requests with the same credential', async () => {
  const root = workspace();
  harness.fake.faults(({ route, before }) =>
    route === 'GET /v1/databases/:id' && before === 0
      ? { status: 429, code: 'rate_limited', headers: { 'retry-after': '40' } }
      : undefined,
  );
  const start = harness.time();
  await harness.run(root);
  assert.ok(harness.time() - start >= 40_000);
  assert.ok(harness.waits.some((ms) => ms > 39_000));
});

test('listing and downloads together stay below the request rate of the workspace', async () => {
  await reopen({ perSecond: 3 });
  const root = workspace();
  for (let page = 0; page < 40; page++) harness.fake.world.addPage(`Page ${page}`, [paragraph('text')], root);
  const start = harness.time();
  await harness.run(root);
  const count = [...harness.fake.counts].filter(([route]) => route.includes('/v1/')).reduce((sum, [, n]) => sum + n, 0);
  assert.ok(count > 45);
  assert.equal(harness.waits.filter((ms) => ms >= 1000).length, 0, 'no request was refused');
  assert.ok(harness.time() - start >= ((count - 3) / 3) * 1000 - 5);
});

test('a page that always fails does not hide other pages', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Root');
  const broken = world.addPage('Broken', [], root);
  world.addPage('After', [paragraph('text')], root);
  harness.fake.faults(({ path }) => (path.includes(broken) ? { status: 500 } : undefined));
  const run = await harness.run(root);
  assert.equal(run.outcome.get(broken), 'failed');
  assert.equal(harness.textOf('After.md'), '# After\n\ntext\n');
  // The page was never read, so nothing below it is stored, and sources may count as gone.
  const end = run.changes.at(-1);
  assert.ok(end?.kind === 'end' && end.full);
});

test('a stored page that is refused for good keeps its files and the pages below, and others may count as gone', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Root');
  const broken = world.addPage('Broken', [block('file', world.hostedFile('Notes.txt', 'minutes'))], root);
  const toggle = block('toggle', { rich_text: [] }, [paragraph('inside')]);
  world.addPage('Below', [paragraph('text')], broken);
  const leaving = world.addPage('Leaving', [paragraph('text')], root);
  harness.advance(5 * MINUTE_MS);
  await harness.run(root);
  assert.equal(harness.stored.size, 5);
  world.edit(broken, ({ blocks }) => blocks.push(toggle));
  world.trash(leaving);
  harness.advance(5 * MINUTE_MS);
  harness.fake.faults(({ path }) => (path.includes(toggle.id) ? { status: 418, code: 'teapot' } : undefined));
  const run = await harness.run(root);
  assert.equal(run.outcome.get(broken), 'failed');
  assert.deepEqual([...harness.stored.values()].map(({ item }) => item.name).sort(), [
    'Below.md',
    'Broken.md',
    'Notes.txt',
    'Root.md',
  ]);
});

test('a page keeps its text when the cursor of a list inside it expires', async () => {
  const { world } = harness.fake;
  const lines = Array.from({ length: 150 }, (_, i) => paragraph(`line ${i}`));
  const toggle = block('toggle', { rich_text: [] }, lines);
  const root = world.addPage('Root', [toggle]);
  harness.advance(5 * MINUTE_MS);
  await harness.run(root);
  assert.match(harness.textOf('Root.md') ?? '', /line 149/);
  world.edit(root);
  let lists = 0;
  harness.fake.faults(({ path }) =>
    path.includes(toggle.id) && ++lists > 1 ? { status: 400, code: 'validation_error' } : undefined,
  );
  assert.equal((await harness.run(root)).outcome.get(root), 'failed');
  assert.match(harness.textOf('Root.md') ?? '', /line 149/);
});

test('a page that failed when it was read for a new child is read again, and the search starts after that run', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Root');
  const leave = world.addPage('Leave', [paragraph('text')], root);
  harness.advance(5 * MINUTE_MS);
  await harness.run(root);
  world.touchesParents = false;
  harness.advance(60 * MINUTE_MS);
  world.addPage('Sick leave', [paragraph('Call in.')], leave);
  harness.advance(5 * MINUTE_MS);
  harness.fake.faults(({ path }) => (path.includes(`blocks/${leave}`) ? { status: 500 } : undefined));
  assert.equal((await harness.run(root)).outcome.get(leave), 'failed');
  harness.fake.faults(undefined);
  harness.advance(60 * MINUTE_MS);
  await harness.run(root);
  assert.equal(harness.textOf('Sick leave.md'), '# Sick leave\n\nCall in.\n');
});

test('a cursor names few failed items; with more, the next run starts where this one started', () => {
  const { connector } = harness;
  const ids = Array.from({ length: 1_000 }, (_, i) => `page ${i}`);
  const cursor = { startedAt: '2026-06-01T12:00:00.000Z' };
  assert.deepEqual(connector.withFailed!(cursor, ids.slice(0, 200)), { ...cursor, failed: ids.slice(0, 200) });
  assert.equal(connector.withFailed!(cursor, ids), null, 'a run names no more of its failed items');
});

test('several consecutive faults end the run', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Root');
  for (let page = 0; page < 30; page++) world.addPage(`Page ${page}`, [], root);
  harness.fake.faults(({ path }) => (path.includes('/children') && !path.includes(root) ? { status: 503 } : undefined));
  const { error } = await outcomeOf(root);
  assert.match(error?.problem.title ?? '', /failed/);
  assert.ok((harness.fake.counts.get('GET /v1/blocks/:id/children') ?? 0) < 20);
});

test('faults of the whole origin end the run with an explanation', async () => {
  const root = workspace();
  const { world } = harness.fake;
  const titleOf = async (pageId: string) => (await outcomeOf(pageId)).error?.problem.title;
  assert.equal(await titleOf('248104cd477e80fdb757e945d38000bd'), 'The page was not found');
  await assert
    .rejects(harness.run(root, { credential: 'wrong' }), {
      problem: {
        title: 'The page workspace refused the token',
        message: /Store a valid token/,
        retryable: false,
      } as object,
    } as object)
    .catch(() => {});
  await assert.rejects(harness.run(root, { credential: 'wrong' }), /The page workspace refused the token/);
  await harness.run(root);
  world.trash(root);
  assert.equal(await titleOf(root), 'The page is in the trash');
  assert.equal(harness.stored.size, 5);
});

test('a listing of pages stops when its signal aborts', async () => {
  const root = workspace();
  const stop = new AbortController();
  const list = harness.connector.list({ kind: 'page', pageId: root }, harness.fake.token, {
    cursor: null,
    resume: null,
    findStored: async () => undefined,
    signal: stop.signal,
  });
  harness.fake.faults(({ route }) => {
    if (route.includes('children')) stop.abort(new Error('stopped by its owner'));
    return undefined;
  });
  await assert.rejects(Array.fromAsync(list), /stopped by its owner/);
});

test('a run that goes on after it was cut off deletes nothing if a part failed before', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Root');
  const database = world.addDatabase('Projects', root);
  world.addRow(database, 'Apollo', {});
  const pages = Array.from({ length: 60 }, (_, page) => world.addPage(`Page ${page}`, [paragraph('words')], root));
  await harness.run(root);
  harness.fake.faults(({ path }) => {
    if (path === `/v1/databases/${database}`) return { status: 500 };
    return path === `/v1/blocks/${pages[55]}/children` ? { status: 401 } : undefined;
  });
  await assert.rejects(harness.run(root));
  harness.fake.faults(undefined);
  const run = await harness.run(root, { goesOn: true });
  assert.deepEqual(run.changes.at(-1), { ...run.changes.at(-1), kind: 'end', full: false });
});
