/** Crawls of sites that forbid, fail, slow down or never end, and settings that can never work. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { HOST_FAILURES_MAX, HOST_RESETS_MAX } from '../../../src/connectors/web/client.ts';
import { QUERIES_PER_PATH_MAX } from '../../../src/connectors/web/frontier.ts';
import { PAGE_BYTES_MAX } from '../../../src/connectors/web/problems.ts';
import { ServiceError } from '../../../src/errors.ts';
import { type HttpClient, openHttpClient } from '../../../src/net/http-client.ts';
import { htmlPage } from '../../support/fakes/site.ts';
import { withLongerLimits } from '../../support/time-limits.ts';
import { eventually } from '../../support/upload.ts';
import { type Memory, problemOf, readOrigin } from '../../support/worlds/read-origin.ts';
import { useSite, type WebOrigin } from './harness.ts';

const web = useSite();
const robots = (body: string) => web.site.set({ '/robots.txt': { type: 'text/plain', body } });

describe('robots.txt', () => {
  beforeEach(() => {
    web.site.set({
      '/': htmlPage('Home', ['/a', '/private/b', '/private/open', '/to-private']),
      '/a': htmlPage('A', []),
      '/private/b': htmlPage('B', []),
      '/private/open': htmlPage('Open', []),
      '/to-private': { to: '/private/b' },
    });
  });

  test('a crawl obeys robots.txt, also for redirects, and reports forbidden pages', async () => {
    robots('User-agent: *\nDisallow: /private/\nAllow: /private/open\n');
    const { stored, skipped, full } = await web.crawl();
    assert.deepEqual(web.pathsOf(Object.keys(stored)), ['/', '/a', '/private/open']);
    assert.deepEqual(web.pathsOf(Object.keys(skipped)), ['/private/b']);
    assert.equal(full, true);
    assert.ok(!web.site.paths().includes('/private/b'));
    assert.equal(web.site.requests[0]!.path, '/robots.txt');
  });

  test('a robots.txt that forbids the whole site ends the crawl with an error', async () => {
    robots('User-agent: Pinakes\nDisallow: /\n');
    assert.match((await problemOf(web.crawl())).message, /robots\.txt forbids the page/);
    assert.deepEqual(web.site.paths(), []);
  });

  for (const status of [401, 403, 404, 410]) {
    test(`a robots.txt with status ${status} allows everything`, async () => {
      web.site.set({ '/robots.txt': { status } });
      assert.equal(Object.keys((await web.crawl()).stored).length, 4);
    });
  }

  for (const [what, page] of [
    ['500', { status: 500 }],
    ['429', { status: 429, headers: { 'retry-after': '0' } }],
  ] as const) {
    test(`a robots.txt that fails with ${what} forbids everything for this crawl`, async () => {
      web.site.set({ '/robots.txt': page });
      assert.match((await problemOf(web.crawl())).message, /robots\.txt could not be read/);
      assert.deepEqual(web.site.paths(), []);
    });
  }

  test('sources of a site whose robots.txt cannot be reached stay unchanged', async () => {
    web.site.faults.add(/robots/, { status: 503, headers: { 'retry-after': '0' } }, 2);
    const other = web.base.replace('site.', 'second.');
    const { stored, failed, full } = await web.crawl({ urls: [`${other}/a`, `${web.base}/`] });
    assert.deepEqual([Object.keys(failed), full], [[`${other}/robots.txt`], false]);
    assert.equal(Object.keys(stored).length, 4);
  });
});

describe('pauses', () => {
  test('a crawl pauses between requests to a host as long as robots.txt asks', async () => {
    web.site.set({ '/': htmlPage('Home', ['/a']), '/a': htmlPage('A', []) });
    robots('User-agent: *\nCrawl-delay: 0.2\n');
    await web.crawl();
    const [home, page] = web.site.requests.filter(({ path }) => path !== '/robots.txt');
    assert.ok(page!.at - home!.at >= 190);
  });

  test('two crawls of the same host share its pauses', async () => {
    web.site.set({ '/': htmlPage('Home', ['/a']), '/a': htmlPage('A', []) });
    const connector = web.connector({ delayMs: 100 });
    await Promise.all([readOrigin(connector, web.origin()), readOrigin(connector, web.origin())]);
    const times = web.site.requests.filter(({ path }) => path !== '/robots.txt').map(({ at }) => at);
    assert.equal(times.length, 4);
    assert.ok(times.at(-1)! - times[0]! >= 200, String(times));
  });

  test('a crawl pauses as long as Retry-After asks', async () => {
    web.site.set({ '/': htmlPage('Home', []) });
    web.site.faults.add(/GET \/$/, { status: 429, headers: { 'retry-after': '1' } });
    assert.equal(Object.keys((await web.crawl()).stored).length, 1);
    const [first, second] = web.site.requests.filter(({ path }) => path === '/');
    assert.ok(second!.at - first!.at >= 990);
  });

  test('a site that asks for too long a pause is skipped', async () => {
    web.site.set({ '/': htmlPage('Home', ['/a', '/b']), '/b': htmlPage('B', []) });
    web.site.set({ '/a': { status: 429, headers: { 'retry-after': '86400' } } });
    const { failed, full } = await web.crawl();
    assert.deepEqual([web.pathsOf(Object.keys(failed)), full], [['/a', '/b'], false]);
    assert.match(failed[`${web.base}/b`]!, /skipped for now/);
    assert.deepEqual(web.site.paths(), ['/', '/a']);
  });
});

describe('a page that fails', () => {
  const memory: Memory = new Map();
  beforeEach(async () => {
    web.site.set({
      '/': htmlPage('Home', ['/a', '/c']),
      '/a': htmlPage('A', ['/a/b']),
      '/a/b': htmlPage('B', []),
      '/c': htmlPage('C', []),
    });
    memory.clear();
    await web.crawl({}, { memory });
    web.site.requests.length = 0;
  });

  for (const [what, fault] of [
    ['500', { status: 500 }],
    ['a closed connection', 'drop'],
    ['403', { status: 403 }],
  ] as const) {
    test(`a stored page with ${what} stays, and its stored links are followed`, async () => {
      web.site.faults.add(/GET \/a$/, fault, 9);
      const { failed, unchanged, full } = await web.crawl({}, { memory });
      assert.deepEqual(web.pathsOf(Object.keys(failed)), ['/a']);
      assert.deepEqual(web.pathsOf(unchanged), ['/', '/c', '/a/b']);
      assert.equal(full, true);
    });
  }

  test('a stored page with a temporary redirect to another site stays, and one with a permanent redirect is removed', async () => {
    web.site.set({ '/a': { to: 'https://login.example/', status: 302 } });
    const { failed, unchanged } = await web.crawl({}, { memory });
    assert.match(failed[`${web.base}/a`]!, /leads to another site/);
    assert.deepEqual(web.pathsOf(unchanged), ['/', '/c', '/a/b']);
    web.site.set({ '/a': { to: 'https://elsewhere.example/', status: 301 } });
    assert.deepEqual(web.pathsOf(Object.keys((await web.crawl({}, { memory })).skipped)), ['/a']);
  });

  test('a page that is truncated is not stored', async () => {
    web.site.set({ '/a': htmlPage('Another A', []) });
    web.site.faults.add(/GET \/a$/, { truncateAfter: 30 }, 9);
    const { failed, stored } = await web.crawl({}, { memory });
    assert.match(failed[`${web.base}/a`]!, /not received completely/);
    assert.deepEqual(stored, {});
  });

  test('a page whose announced length is too large is not received', async () => {
    web.site.set({ '/a': 'x'.repeat(PAGE_BYTES_MAX + 1) });
    web.site.faults.add(/GET \/a$/, { truncateAfter: 30 }, 9);
    assert.match((await web.crawl({}, { memory })).failed[`${web.base}/a`]!, /too large/);
  });

  test('a failed page with unknown links prevents that pages count as gone', async () => {
    memory.delete(`${web.base}/a`);
    web.site.faults.add(/GET \/a$/, { status: 500 }, 9);
    assert.equal((await web.crawl({}, { memory })).full, false);
  });

  test('a page that fails once is requested again', async () => {
    web.site.faults.add(/GET \/a$/, { status: 502 });
    assert.deepEqual((await web.crawl({}, { memory })).failed, {});
  });

  test('a stored page that becomes empty stays', async () => {
    web.site.set({ '/a': '' });
    assert.match((await web.crawl({}, { memory })).failed[`${web.base}/a`]!, /empty/);
  });

  test('a page without a response fails at the timeout', async () => {
    web.site.faults.add(/GET \/c$/, 'stall', 99);
    await withLongerLimits(200, async (timeoutMs) => {
      const reading = await readOrigin(web.connector({ timeoutMs }), web.origin(), { memory });
      assert.deepEqual(web.pathsOf(Object.keys(reading.failed)), ['/c']);
    });
  });

  for (const [what, fault] of [
    ['500', { status: 500 }],
    ['a closed connection', 'drop'],
    ['404', { status: 404 }],
    ['401', { status: 401 }],
    ['a redirect to another site', { status: 302, headers: { location: 'https://login.example/' } }],
    ['a redirect to itself', { status: 302, headers: { location: '/' } }],
  ] as const) {
    test(`a crawl whose only first address fails with ${what} ends with an error`, async () => {
      web.site.faults.add(/GET \/$/, fault, 9);
      const problem = await problemOf(web.crawl({}, { memory }));
      assert.equal(problem.title, 'The site could not be read');
      assert.doesNotMatch(problem.message, /127\.0\.0\.1/);
    });
  }

  test('a site is skipped after many consecutive failures', async () => {
    web.site.set({
      '/': htmlPage(
        'Home',
        Array.from({ length: 40 }, (_, i) => `/x/${i}`),
      ),
    });
    web.site.invent = (path) => {
      if (!path.startsWith('/x/')) return undefined;
      web.site.set({ '/': { status: 500 } });
      return { status: 500 };
    };
    const { failed, full } = await web.crawl({}, { memory });
    assert.deepEqual([Object.keys(failed).length, full], [40, false]);
    assert.equal(web.site.paths().filter((path) => path.startsWith('/x/')).length, HOST_FAILURES_MAX);
  });

  test('a site is skipped after many consecutive bodies that break off', async () => {
    const broken = Array.from({ length: 40 }, (_, i) => `/x/${i}`);
    web.site.set({ '/': htmlPage('Home', broken) });
    web.site.invent = (path) => (path.startsWith('/x/') ? htmlPage('Page', []) : undefined);
    web.site.faults.add(/GET \/x\//, { truncateAfter: 9 }, 40);
    const { failed, full } = await web.crawl({}, { memory });
    assert.deepEqual([Object.keys(failed).length, full], [40, false]);
    assert.equal(web.site.paths().filter((path) => path.startsWith('/x/')).length, HOST_FAILURES_MAX);
  });

  test('a part of a site that is broken for good does not keep the rest from being read', async () => {
    const broken = Array.from({ length: 15 }, (_, i) => `/x/${i}`);
    web.site.set({ '/': htmlPage('Home', [...broken, '/last']), '/last': htmlPage('Last', []) });
    web.site.invent = (path) => (path.startsWith('/x/') ? { status: 500 } : undefined);
    const { failed, stored } = await web.crawl({}, { memory });
    assert.equal(Object.keys(failed).length, broken.length);
    assert.deepEqual(web.pathsOf(Object.keys(stored)), ['/', '/last']);
    assert.equal(web.site.paths().filter((path) => path === '/').length, 1 + 3, 'one more request for ten failures');
  });

  for (const [status, requests] of [
    [500, HOST_FAILURES_MAX * (HOST_RESETS_MAX + 1) + HOST_RESETS_MAX],
    [503, HOST_FAILURES_MAX],
    [429, HOST_FAILURES_MAX],
    [408, HOST_FAILURES_MAX],
  ] as const)
    test(`a crawl of a site whose other pages all fail with ${status} ends soon`, async () => {
      const broken = Array.from({ length: 200 }, (_, i) => `/x/${i}`);
      web.site.set({ '/': htmlPage('Home', broken) });
      web.site.invent = (path) => (path.startsWith('/x/') ? { status, headers: { 'retry-after': '0' } } : undefined);
      const { failed, full } = await web.crawl();
      assert.deepEqual([Object.keys(failed).length, full], [200, false]);
      assert.equal(web.site.paths().length, 1 + requests);
    });

  test('a page that fails with 503 among others is not forgiven', async () => {
    const broken = Array.from({ length: 200 }, (_, i) => `/x/${i}`);
    web.site.set({ '/': htmlPage('Home', broken), '/x/0': { status: 503, headers: { 'retry-after': '0' } } });
    web.site.invent = (path) => (path.startsWith('/x/') ? { status: 500 } : undefined);
    await web.crawl();
    assert.equal(web.site.paths().length, 1 + HOST_FAILURES_MAX);
  });

  test('after a failure with unknown links, stored pages that were not reached are asked whether they are there', async () => {
    web.site.set({ '/': htmlPage('Home', ['/new']), '/new': { status: 500 }, '/c': null });
    const { gone, unchanged, failed, full } = await web.crawl({}, { memory });
    assert.deepEqual([web.pathsOf(Object.keys(failed)), full], [['/new'], false]);
    assert.deepEqual([web.pathsOf(gone), web.pathsOf(unchanged)], [['/c'], ['/a', '/a/b']]);
    web.site.set({ '/new': htmlPage('New', []) });
    web.site.requests.length = 0;
    assert.equal((await web.crawl({}, { memory })).full, true);
    assert.deepEqual(web.site.paths(), ['/', '/new'], 'a complete crawl asks for no other page');
  });
});

describe('endless sites', () => {
  async function asked(links: (path: string) => string[], maxPages = 5000): Promise<string[]> {
    web.site.invent = (path) => (path === '/robots.txt' ? undefined : htmlPage(path, links(path)));
    await web.crawl({ maxDepth: 20, maxPages });
    return web.site.paths();
  }

  test('a crawl of an endless calendar ends', async () => {
    const next = (path: string) => {
      const [, year = '2026', month = '6'] = /(\d{4})\/(\d+)$/.exec(path) ?? [];
      const at = (by: number) => {
        const months = Number(year) * 12 + Number(month) - 1 + by;
        return `/calendar/${Math.floor(months / 12)}/${(months % 12) + 1}`;
      };
      return [at(6), at(-6)];
    };
    const years = (await asked(next)).map((path) => Number(/\d{4}/.exec(path)?.[0] ?? 2026));
    assert.deepEqual([Math.min(...years), Math.max(...years)], [2016, 2027]);
  });

  test('a crawl ignores session ids in addresses', async () => {
    let session = 0;
    const paths = await asked(() => [`/a?sid=${++session}`, `/b;jsessionid=${++session}`, `/c?PHPSESSID=${++session}`]);
    assert.deepEqual(paths, ['/', '/a', '/b', '/c']);
  });

  test('a crawl reads a limited number of filters of one list', async () => {
    const paths = await asked((path) =>
      Array.from({ length: 20 }, (_, i) => `/list?${path.length}&f=${i}&from=${path.length % 97}`),
    );
    assert.equal(paths.length, 1 + QUERIES_PER_PATH_MAX);
  });

  test('a crawl of folders that repeat themselves ends', async () => {
    const paths = await asked((path) => [`${path.replace(/\/$/, '')}/x/y`, `${path}/`]);
    assert.ok(paths.length < 20, String(paths.length));
  });

  test('a crawl of an endless site ends at the limit of pages', async () => {
    let page = 0;
    const paths = await asked(() => Array.from({ length: 9 }, () => `/p${++page}`), 30);
    assert.equal(paths.length, 30);
  });

  test('a crawl of dead links ends at the limit of requests', async () => {
    web.site.set({
      '/': htmlPage(
        'Home',
        Array.from({ length: 900 }, (_, i) => `/dead${i}`),
      ),
    });
    await web.crawl({ maxPages: 2 });
    assert.ok(web.site.paths().length <= 110, String(web.site.paths().length));
  });
});

test('a crawl sends no request to private addresses', async () => {
  const http = openHttpClient({ allow: [] });
  try {
    const inside = web.connector({ http });
    for (const url of [`http://127.0.0.1:${web.site.port}/`, `http://localhost:${web.site.port}/`])
      await problemOf(readOrigin(inside, web.origin({ urls: [url] })));
    assert.deepEqual(web.site.requests, []);
  } finally {
    await http.close();
  }
});

test('every request of a crawl counts as chosen by a tenant', async () => {
  const http = openHttpClient({ allow: ['site.example'], lookup: async () => [{ address: '127.0.0.1' }] });
  const trusts: string[] = [];
  const noting: HttpClient = {
    ...http,
    request(url, options) {
      trusts.push(options.trust);
      return http.request(url, options);
    },
  };
  web.site.set({ '/': htmlPage('Home', ['/a']), '/a': htmlPage('A', []), '/sitemap.xml': { status: 404 } });
  try {
    await readOrigin(web.connector({ http: noting }), web.origin({ useSitemap: true }));
    assert.deepEqual(trusts, ['tenant', 'tenant', 'tenant', 'tenant']);
  } finally {
    await http.close();
  }
});

test('a crawl stops when its signal aborts', async () => {
  web.site.set({ '/': htmlPage('Home', []) });
  web.site.faults.add(/GET \/$/, 'stall');
  const stop = new AbortController();
  const reading = web.crawl({}, { signal: stop.signal });
  const stopped = assert.rejects(reading, /stopped/);
  await eventually(async () => web.site.requests.some(({ path }) => path === '/'));
  stop.abort(new Error('stopped'));
  await stopped;
});

test('settings of a crawl that can never work are refused', () => {
  const connector = web.connector();
  connector.check(web.origin({ urls: ['https://example.com/a?b=c'], includePaths: ['/docs/**'] }), null);
  const bad: Partial<WebOrigin>[] = [
    { urls: [] },
    { urls: Array.from({ length: 101 }, (_, i) => `https://example.com/${i}`) },
    { urls: ['ftp://example.com/'] },
    { urls: ['https://user:pass@example.com/'] },
    { urls: ['example.com'] },
    { urls: ['javascript:alert(1)'] },
    { urls: [`https://example.com/${'a'.repeat(2000)}`] },
    { maxDepth: -1 },
    { maxDepth: 1.5 },
    { maxPages: 0 },
    { maxPages: 1_000_000 },
    { includePaths: ['a'.repeat(501)] },
    { excludePaths: Array.from({ length: 101 }, () => 'a') },
  ];
  for (const options of bad)
    assert.throws(
      () => connector.check(web.origin(options), null),
      (error) => error instanceof ServiceError && error.code === 'invalid_request',
      JSON.stringify(options).slice(0, 100),
    );
});
