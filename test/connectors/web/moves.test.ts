/** Crawls of sites whose pages move, or lead to a sign-in page or a notice of maintenance for a time. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { Moves, TEMPORARY_TO_ONE_MAX } from '../../../src/connectors/web/moves.ts';
import { type FakePage, htmlPage } from '../../support/fakes/site.ts';
import type { Memory, Reading } from '../../support/worlds/read-origin.ts';
import { useSite } from './harness.ts';

const web = useSite();
const memory: Memory = new Map();
const names = Array.from({ length: 12 }, (_, i) => `/p${i}`);

beforeEach(async () => {
  const pages = names.map((path, i) => [path, htmlPage(`Page ${i}`, [])] as const);
  web.site.set({ '/': htmlPage('Home', names), ...Object.fromEntries(pages) });
  memory.clear();
  await web.crawl({}, { memory });
});

/** Crawls again, and forgets what a complete crawl did not report, as a run does. */
async function again(): Promise<Reading> {
  const reading = await web.crawl({}, { memory });
  const reported = new Set([...Object.keys(reading.stored), ...reading.unchanged, ...Object.keys(reading.failed)]);
  if (reading.full) for (const address of memory.keys()) if (!reported.has(address)) memory.delete(address);
  return reading;
}
const refresh = (to: string, extra = '') =>
  htmlPage('Moved', [to], `<meta http-equiv="refresh" content="0; url=${to}">${extra}`);
const lead = (paths: readonly string[], page: (path: string) => FakePage | string) =>
  web.site.set(Object.fromEntries(paths.map((path) => [path, page(path)])));

function summary({ stored, gone, failed, full }: Reading) {
  return {
    stored: web.pathsOf(Object.keys(stored)).sort(),
    gone: web.pathsOf(gone).sort(),
    failed: web.pathsOf(Object.keys(failed)).sort(),
    full,
  };
}

describe('a page that moves', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`is deleted if its redirect with status ${status} leads to a page that the site links`, async () => {
      web.site.set({ '/p1': { to: '/new', status }, '/new': htmlPage('New', []), '/p2': htmlPage('2', ['/new']) });
      assert.deepEqual(summary(await again()), { stored: ['/new', '/p2'], gone: ['/p1'], failed: [], full: true });
    });
  }

  test('is deleted if a refresh leads to a page that the site links, whatever else the page says', async () => {
    web.site.set({
      '/p1': refresh('/new', '<meta name="robots" content="noindex"><link rel="canonical" href="/new">'),
      '/new': htmlPage('New', []),
      '/p2': htmlPage('2', ['/new']),
    });
    assert.deepEqual(summary(await again()), { stored: ['/new', '/p2'], gone: ['/p1'], failed: [], full: true });
  });

  for (const [what, page] of [
    ['redirect', { to: '/new', status: 302 }],
    ['refresh', refresh('/new')],
  ] as const) {
    test(`stays in the first run if nothing but its temporary ${what} leads to the other page, and goes in the next`, async () => {
      web.site.set({ '/p1': page, '/new': htmlPage('New', []) });
      const first = await again();
      assert.deepEqual(summary(first), { stored: ['/new'], gone: [], failed: ['/p1'], full: true });
      assert.match(first.failed[`${web.base}/p1`]!, /another page for now/);
      assert.deepEqual(summary(await again()), { stored: [], gone: ['/p1'], failed: [], full: true });
    });
  }

  test('is deleted although a failure elsewhere keeps this run from deleting what it did not reach', async () => {
    web.site.set({ '/': htmlPage('Home', [...names, '/broken']), '/broken': { status: 500 } });
    web.site.set({ '/p1': { to: '/new', status: 301 }, '/new': htmlPage('New', []) });
    const { gone, full } = summary(await again());
    assert.deepEqual([gone, full], [['/p1'], false]);
  });

  test('is deleted if the site links the other page without the slash at its end', async () => {
    web.site.set({ '/p1': { to: '/new/', status: 302 }, '/new': { to: '/new/' }, '/new/': htmlPage('New', []) });
    web.site.set({ '/p2': htmlPage('2', ['/new']) });
    assert.deepEqual(summary(await again()), { stored: ['/new/', '/p2'], gone: ['/p1'], failed: [], full: true });
  });

  test('is found through a chain of redirects and a canonical address', async () => {
    web.site.set({
      '/p1': { to: '/old', status: 301 },
      '/old': { to: '/new?from=old', status: 308 },
      '/new?from=old': htmlPage('New', [], '<link rel="canonical" href="/new">'),
      '/new': htmlPage('New', []),
    });
    assert.deepEqual(summary(await again()), { stored: ['/new'], gone: ['/p1'], failed: [], full: true });
  });

  test('stays if the other page cannot be read', async () => {
    web.site.set({ '/p1': { to: '/new', status: 301 }, '/new': { status: 503 }, '/p2': { to: '/none', status: 302 } });
    const { gone, failed, full } = summary(await again());
    assert.deepEqual([gone, failed, full], [['/none'], ['/new', '/p2'], false]);
  });

  test('is deleted with all others that were joined with a known page for good', async () => {
    const joined = names.slice(1);
    lead(joined, () => ({ to: '/p0', status: 301 }));
    assert.deepEqual(summary(await again()), { stored: [], gone: [...joined].sort(), failed: [], full: true });
  });

  test('is deleted with all others, if each has a new address', async () => {
    lead(['/', ...names], (path) => ({ to: `/en${path}`, status: 301 }));
    lead(
      ['/', ...names].map((path) => `/en${path}`),
      (path) => htmlPage(path, path === '/en/' ? names : []),
    );
    const { gone, failed, stored } = summary(await again());
    assert.deepEqual([gone.length, failed, stored.length], [13, [], 13]);
  });
});

describe('a site that leads everything to one page', () => {
  for (const status of [301, 302]) {
    test(`keeps its pages, also those that this run cannot reach, and the page is not stored (status ${status})`, async () => {
      lead(['/', ...names], (path) => ({ to: `/login?next=${path}`, status }));
      web.site.invent = (path) => (path.startsWith('/login?') ? htmlPage('Sign in', []) : undefined);
      const first = await again();
      const { gone, failed, full } = summary(first);
      assert.deepEqual(failed, ['/', ...names].sort());
      assert.match(first.failed[`${web.base}/p1`]!, /leads where many others lead: .* \/login /);
      assert.ok(gone.every((path) => path.startsWith('/login?')) && gone.length === 13, String(gone));
      assert.equal(full, false);
      assert.deepEqual(summary(await again()).failed, failed, 'nor in later runs');
      assert.equal(memory.size, 13);
    });
  }

  test('keeps them also if other addresses lead there, which were never stored', async () => {
    web.site.set(Object.fromEntries(names.slice(1).map((path) => [path, null])));
    web.site.set({ '/': htmlPage('Home', ['/p0', ...names.map((path) => `/x${path}`)]) });
    await again();
    lead(['/', '/p0', ...names.map((path) => `/x${path}`)], (path) => ({ to: `/login?next=${path}`, status: 302 }));
    web.site.invent = (path) => (path.startsWith('/login?') ? htmlPage('Sign in', []) : undefined);
    const { failed, full } = summary(await again());
    assert.deepEqual([failed, full], [['/', '/p0'], false]);
    assert.ok(![...memory.keys()].some((address) => address.includes('login')), 'the sign-in page is not stored');
  });

  test('keeps its pages if the page is not to be read, or was known before', async () => {
    web.site.set({ '/p0': htmlPage('Sign in', []) });
    await again();
    lead(['/', ...names.slice(1)], () => ({ to: '/p0', status: 301 }));
    assert.equal(summary(await again()).failed.length, 12);
    web.site.set({ '/p0': htmlPage('Sign in', [], '<meta name="robots" content="noindex">') });
    assert.equal(summary(await again()).failed.length, 12);
  });

  test('keeps them also if it does so with a refresh', async () => {
    lead(['/', ...names], () => refresh('/maintenance'));
    web.site.set({ '/maintenance': htmlPage('Back soon', []) });
    const { gone, failed, full } = summary(await again());
    assert.deepEqual([gone, failed.length, full], [['/maintenance'], 13, false]);
  });
});

test('a site that leads everything to one page in the middle of a crawl keeps pages whose links only redirect to them', async () => {
  const withSlash = names.map((path) => `${path}/`);
  lead(withSlash, (path) => htmlPage(`Page ${path}`, []));
  lead(names, (path) => ({ to: `${path}/`, status: 301 }));
  await again();
  assert.deepEqual(web.pathsOf(memory.keys()).sort(), ['/', ...withSlash].sort());
  lead(
    [...names, ...withSlash].filter((path) => !path.startsWith('/p1')),
    () => ({ to: '/maintenance', status: 302 }),
  );
  web.site.set({ '/maintenance': htmlPage('Back soon', []) });
  const { failed, full, gone } = summary(await again());
  assert.deepEqual([failed.length, full, gone], [9, false, ['/maintenance']]);
  assert.equal(memory.size, 13);
});

describe('a part of a site that leads to a known page for now', () => {
  const members = names.slice(0, 5);
  beforeEach(async () => {
    web.site.set({ '/': htmlPage('Home', [...names, '/login']), '/login': htmlPage('Sign in', []) });
    await again();
  });

  for (const to of ['/login', '/'])
    for (const [how, page] of [
      ['redirects', { to, status: 302 }],
      ['refreshes', refresh(to)],
    ] as const)
      test(`stays if it ${how} to ${to}, also in later runs`, async () => {
        lead(members, () => page);
        for (let run = 0; run < 3; run += 1)
          assert.deepEqual(summary(await again()), { stored: [], gone: [], failed: members, full: true });
        assert.equal(memory.size, 14);
      });

  test('stays if only one page of it was stored, and the site links others', async () => {
    web.site.set({ '/': htmlPage('Home', [...names, '/login', '/account', '/orders']) });
    lead(['/p0', '/account', '/orders'], (path) => ({ to: `/login?next=${path}`, status: 302 }));
    web.site.invent = (path) => (path.startsWith('/login?') ? htmlPage('Sign in', []) : undefined);
    for (let run = 0; run < 3; run += 1) {
      const { gone, failed } = summary(await again());
      assert.deepEqual([gone, failed], [[], ['/p0']]);
    }
  });

  test('goes if it is one page, and stays without limits for what lies behind it', async () => {
    lead(['/p0'], () => ({ to: '/login', status: 302 }));
    assert.deepEqual(summary(await again()), { stored: [], gone: ['/p0'], failed: [], full: true });
    lead(names.slice(1), (path) => ({ to: `/login?next=${path}`, status: 302 }));
    web.site.invent = (path) => (path.startsWith('/login?') ? htmlPage('Sign in', []) : undefined);
    const many = summary(await again());
    assert.ok(many.failed.length > TEMPORARY_TO_ONE_MAX);
    assert.equal(many.full, false);
  });
});

test('the end of a crawl takes linear time in the number of pages that lead elsewhere', () => {
  const count = 10_000;
  const addresses = (what: string) => Array.from({ length: count }, (_, i) => `https://site.example/${what}/${i}`);
  const pairs = new Moves();
  const stored = new Set<string>();
  const read = new Map<string, string>();
  for (const [i, from] of addresses('old').entries()) {
    for (const path of [from, `${from}/index.html`]) {
      stored.add(path);
      pairs.redirect(path, `https://site.example/new/${i}`, true);
    }
    read.set(`https://site.example/new/${i}`, `New ${i}`);
  }
  const chain = new Moves();
  for (const [i, from] of addresses('chain').entries())
    chain.redirect(from, `https://site.example/chain/${i + 1}`, false);
  const crawled = { stored, read, linked: new Set<string>(), seeds: new Set<string>() };
  // Processor time does not depend on other processes. Quadratic code needs more than 30 s.
  const before = process.cpuUsage();
  assert.equal(pairs.hideOthers(crawled), true);
  assert.ok(pairs.judge(crawled).every(({ kind }) => kind === 'moved'));
  assert.deepEqual(chain.judge({ ...crawled, stored: new Set(['https://site.example/chain/0']) }), [
    {
      from: 'https://site.example/chain/0',
      to: `https://site.example/chain/${count}`,
      isPermanent: false,
      kind: 'away',
    },
  ]);
  const { user } = process.cpuUsage(before);
  assert.ok(user < 5_000_000, `${user} µs`);
});

test('redirects in a circle lead to its end, whichever comes first', () => {
  const crawled = { stored: new Set(['a']), read: new Map(), linked: new Set<string>(), seeds: new Set<string>() };
  const at = (name: string) => `https://site.example/${name}`;
  const moves = new Moves();
  moves.redirect(at('a'), at('b'), true);
  moves.redirect(at('b'), at('c'), false);
  moves.redirect(at('c'), at('b'), true);
  moves.redirect(at('d'), at('d'), true);
  const stored = new Set(['a', 'b', 'c', 'd'].map(at));
  const verdicts = moves.judge({ ...crawled, stored });
  assert.deepEqual(verdicts.map(({ from, to, kind }) => [from, to, kind].join(' ')).sort(), [
    `${at('a')} ${at('c')} away`,
    `${at('b')} ${at('c')} away`,
    `${at('c')} ${at('c')} away`,
    `${at('d')} ${at('d')} unread`,
  ]);
});
