/** Crawls of a small site: which pages become sources, and the requests of a second crawl. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { htmlPage } from '../../support/fakes/site.ts';
import { type Memory, problemOf } from '../../support/worlds/read-origin.ts';
import { useSite } from './harness.ts';

const web = useSite();
const sitemap = (...paths: string[]) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
    .map((path) => `<url><loc>${web.base}${path}</loc><lastmod>2025-01-02</lastmod></url>`)
    .join('')}</urlset>`;

/** Returns the sorted paths of the pages that a crawl stored. */
async function stored(...options: Parameters<typeof web.crawl>): Promise<string[]> {
  return web.pathsOf(Object.keys((await web.crawl(...options)).stored)).sort();
}

describe('a first crawl', () => {
  beforeEach(() => {
    web.site.set({
      '/': htmlPage('Home', ['/a', 'b/', 'https://elsewhere.example/', 'mailto:a@b.c', '#top', '/logo.png']),
      '/a': htmlPage('A &amp; Ω', ['/a/deep']),
      '/b/': htmlPage('B', ['../a', 'c.pdf']),
      '/b/c.pdf': { type: 'application/pdf', body: '%PDF-1.4', modified: new Date('2024-05-06T07:08:09Z') },
      '/a/deep': htmlPage('Deep', ['/a/deeper']),
      '/a/deeper': htmlPage('Deeper', []),
    });
  });

  test('a crawl follows links up to its depth', async () => {
    assert.deepEqual(await stored({ maxDepth: 0 }), ['/']);
    assert.deepEqual(await stored({ maxDepth: 1 }), ['/', '/a', '/b/']);
    assert.deepEqual(await stored({ maxDepth: 2 }), ['/', '/a', '/a/deep', '/b/', '/b/c.pdf']);
    assert.equal((await stored({ maxDepth: 3 })).length, 6);
    assert.ok(!web.site.paths().includes('/logo.png'));
  });

  test('a crawl returns address, title and bytes of each page', async () => {
    const { items, stored: texts, full } = await web.crawl();
    assert.equal(full, true);
    const page = items.get(`${web.base}/a`)!;
    assert.deepEqual([page.name, page.url, page.revision], ['A & Ω', `${web.base}/a`, null]);
    assert.equal(page.metadata['path']?.val, '/a');
    assert.equal(texts[`${web.base}/a`], htmlPage('A &amp; Ω', ['/a/deep']));
    const file = items.get(`${web.base}/b/c.pdf`)!;
    assert.deepEqual([file.name, file.modifiedAt?.toISOString()], ['c.pdf', '2024-05-06T07:08:09.000Z']);
  });

  test('a crawl reads at most its limit of pages, nearest first', async () => {
    assert.deepEqual(await stored({ maxPages: 3 }), ['/', '/a', '/b/']);
    assert.equal(web.site.paths().length, 3);
    const noticeAt = async (maxPages: number) => {
      const request = {
        cursor: null,
        resume: null,
        findStored: async () => undefined,
        signal: new AbortController().signal,
      };
      const changes = await Array.fromAsync(web.connector().list(web.origin({ maxPages }), null, request));
      const end = changes.at(-1)!;
      return end.kind === 'end' ? end.notice : end;
    };
    const { title, message } = (await noticeAt(3)) as { title: string; message: string };
    assert.deepEqual([title, message.slice(0, 24)], ['The crawl stopped after 3 pages', '2 known addresses were n']);
    assert.equal(await noticeAt(100), undefined);
  });

  test('a crawl indexes only included paths, and reads its first addresses for their links', async () => {
    assert.deepEqual(await stored({ includePaths: ['/a/'] }), []);
    assert.deepEqual(await stored({ includePaths: ['/a'] }), ['/a', '/a/deep', '/a/deeper']);
    assert.deepEqual(await stored({ excludePaths: ['/a/', '*.pdf'] }), ['/', '/a', '/b/']);
    assert.deepEqual(await stored({ includePaths: ['/'], excludePaths: ['/a'] }), ['/', '/b/', '/b/c.pdf']);
  });

  test('a crawl reports how many known addresses it has not requested yet', async () => {
    const outlooks = async (maxPages: number): Promise<number[]> => {
      const request = {
        cursor: null,
        resume: null,
        findStored: async () => undefined,
        signal: AbortSignal.timeout(60_000),
      };
      const changes = await Array.fromAsync(web.connector().list(web.origin({ maxPages }), null, request));
      return changes.flatMap((change) => (change.kind === 'outlook' ? [change.waiting] : []));
    };
    assert.deepEqual(await outlooks(100), [2, 2, 2, 2, 1, 0]);
    assert.deepEqual(await outlooks(3), [2, 1, 0]);
  });

  test('a crawl requests each page once, one after the other, with its name in User-Agent', async () => {
    await web.crawl();
    const paths = web.site.requests.map(({ path }) => path);
    assert.equal(new Set(paths).size, paths.length);
    assert.equal(web.site.atOnceMax, 1);
    assert.ok(web.site.requests.every(({ headers }) => /^Pinakes\//.test(headers['user-agent'] ?? '')));
  });
});

describe('hosts', () => {
  test('links and redirects to another host are followed only if the crawl allows it', async () => {
    const other = `http://other.example:${web.site.port}`;
    web.site.set({ '/': htmlPage('Home', [`${other}/far`, '/away']), '/away': { to: `${other}/moved` } });
    web.site.set({ '/far': htmlPage('Far', []), '/moved': htmlPage('Moved', []) });
    const memory: Memory = new Map();
    const kept = await web.crawl({}, { memory });
    assert.deepEqual(memory.get(`${web.base}/`)!.state!['links'], [`${web.base}/away`]);
    assert.deepEqual(Object.keys(kept.stored), [`${web.base}/`]);
    assert.match(kept.skipped[`${web.base}/away`]!, /another site: other\.example/);
    assert.ok(web.site.requests.every(({ host }) => host.startsWith('site.example')));
    const free = await web.crawl({ sameHost: false });
    assert.deepEqual(Object.keys(free.stored).sort(), [`${other}/far`, `${other}/moved`, `${web.base}/`].sort());
  });

  test('a host with www. counts as the same host', async () => {
    const www = web.base.replace('site.', 'www.site.');
    web.site.invent = (path) => (path === '/' ? htmlPage('Home', [`${www}/a`]) : undefined);
    web.site.set({ '/a': htmlPage('A', []) });
    assert.deepEqual(Object.keys((await web.crawl()).stored), [`${web.base}/`, `${www}/a`]);
  });
});

describe('one source for a page', () => {
  test('addresses that differ only in tracking parameters give one source', async () => {
    const links = ['/a?utm_source=x', '/a#part', '/a?PHPSESSID=1', '/a;jsessionid=77', '/a?', '/a?q=1&sid=9', '/a?q=1'];
    web.site.set({ '/': htmlPage('Home', links), '/a': htmlPage('A', []), '/a?q=1': htmlPage('A1', []) });
    assert.deepEqual(await stored(), ['/', '/a', '/a?q=1']);
  });

  test('a page with a canonical address gives one source at that address, which is requested', async () => {
    const canonical = (path: string) => `<link rel="canonical" href="${path}">`;
    web.site.set({
      '/': htmlPage('Home', ['/print/a', '/a?view=2', '/lost', '/self', '/head']),
      '/print/a': htmlPage('Print', ['/from-print'], canonical('/a')),
      '/a?view=2': htmlPage('View', [], canonical('/a')),
      '/a': htmlPage('A', [], canonical('/print/a')),
      '/from-print': htmlPage('Linked', []),
      '/lost': htmlPage('Lost', [], canonical('/nowhere')),
      '/self': htmlPage('Self', [], canonical('/self-too')),
      '/self-too': { to: '/self' },
      '/head': { body: htmlPage('Head', []), headers: { link: '</a>; rel="canonical"' } },
    });
    assert.deepEqual(await stored(), ['/', '/a', '/from-print', '/lost', '/self']);
  });

  test('redirects to the same page give one source', async () => {
    web.site.set({
      '/': htmlPage('Home', ['/old', '/older', '/a', '/round']),
      '/old': { to: '/a', status: 302 },
      '/older': { to: '/old', status: 308 },
      '/a': htmlPage('A', []),
      '/round': { to: '/round2' },
      '/round2': { to: '/round' },
    });
    const { stored: texts, failed } = await web.crawl();
    assert.deepEqual(web.pathsOf(Object.keys(texts)).sort(), ['/', '/a']);
    assert.match(failed[`${web.base}/round2`]!, /circle/);
    const asked = web.site.paths();
    assert.equal(new Set(asked).size, asked.length, 'no address is requested twice');
  });
});

describe('directives and metadata of a page', () => {
  test('noindex excludes a page, and nofollow excludes its links', async () => {
    const meta = (words: string, name = 'robots') => `<meta name="${name}" content="${words}">`;
    web.site.set({
      '/': htmlPage('Home', ['/hidden', '/leaf', '/none', '/header', '/ours', '/theirs']),
      '/hidden': htmlPage('Hidden', ['/behind'], meta('noindex, follow')),
      '/leaf': htmlPage('Leaf', ['/not-followed'], meta('nofollow')),
      '/none': htmlPage('None', ['/not-followed'], meta('NONE')),
      '/header': { body: htmlPage('Header', []), headers: { 'x-robots-tag': 'noindex' } },
      '/ours': htmlPage('Ours', [], meta('noindex', 'pinakes')),
      '/theirs': { body: htmlPage('Theirs', []), headers: { 'x-robots-tag': 'otherbot: noindex' } },
      '/behind': htmlPage('Behind', []),
      '/not-followed': htmlPage('Not', []),
    });
    const { stored: texts, skipped } = await web.crawl();
    assert.deepEqual(web.pathsOf(Object.keys(texts)).sort(), ['/', '/behind', '/leaf', '/theirs']);
    assert.deepEqual(web.pathsOf(Object.keys(skipped)).sort(), ['/header', '/hidden', '/none', '/ours']);
  });

  test('frames, areas and refreshes count as links relative to the base, and links with nofollow do not', async () => {
    const body = `<html><head><base href="/docs/"><meta http-equiv="refresh" content="5; url='next'"></head><body>
      <map><area href=area></map><iframe src="frame"></iframe><a rel="nofollow" href="paid">x</a>
      <!-- <a href="comment">x</a> --><script>var x = '<a href="script">';</script><a href='quoted'>y</a></body></html>`;
    web.site.set({ '/': body });
    for (const name of ['next', 'area', 'frame', 'paid', 'comment', 'script', 'quoted'])
      web.site.set({ [`/docs/${name}`]: htmlPage(name, []) });
    assert.deepEqual(await stored(), ['/', '/docs/area', '/docs/frame', '/docs/next', '/docs/quoted']);
  });

  test('a page that only refreshes to another one is skipped with its target, which is read', async () => {
    const refresh = '<meta http-equiv="refresh" content="0; url=/manual/">';
    web.site.set({ '/': htmlPage('Home', ['/old']), '/old': `<html><head>${refresh}</head><body></body></html>` });
    web.site.set({ '/manual/': htmlPage('Manual', []) });
    const { stored: texts, skipped } = await web.crawl();
    assert.deepEqual(web.pathsOf(Object.keys(texts)).sort(), ['/', '/manual/']);
    assert.deepEqual(skipped, { [`${web.base}/old`]: `the page leads to ${web.base}/manual/` });
  });

  test('a short page with text of its own is read although it refreshes to another one', async () => {
    const refresh = '<meta http-equiv="refresh" content="0; url=/manual/">';
    const notice = `This page has moved. If you are not redirected, follow <a href="/manual/">${'the link '.repeat(30)}</a>.`;
    const own = `${notice} ${'The bittern booms in the reeds at night. '.repeat(4)}`;
    web.site.set({ '/': htmlPage('Home', ['/old', '/both']), '/manual/': htmlPage('Manual', []) });
    web.site.set({
      '/old': `<head>${refresh}</head><p>${notice}</p>`,
      '/both': `<head>${refresh}</head><p>${own}</p>`,
    });
    const { stored: texts, skipped } = await web.crawl();
    assert.deepEqual(web.pathsOf(Object.keys(texts)).sort(), ['/', '/both', '/manual/']);
    assert.deepEqual(web.pathsOf(Object.keys(skipped)), ['/old']);
  });

  test('the charset of a page comes from its header if the page names none', async () => {
    const body = Buffer.from(
      '<html><title>\xcf\xf0\xe8\xe2\xe5\xf2</title><body>\xcf\xf0\xe8\xe2\xe5\xf2</body></html>',
      'latin1',
    );
    web.site.set({ '/': { body, type: 'text/html; charset=windows-1251' } });
    assert.equal((await web.crawl()).items.get(`${web.base}/`)!.name, 'Привет');
  });
});

test('a Last-Modified time equal to the time of the response is ignored', async () => {
  web.site.set({ '/': { body: htmlPage('Home', []), modified: new Date('2026-06-01T11:59:50Z') } });
  assert.equal((await web.crawl()).items.get(`${web.base}/`)!.modifiedAt, null);
});

test('files of readable types are indexed, and other files are skipped', async () => {
  const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  const files: Record<string, [type: string, name: string | undefined]> = {
    '/a.txt': ['text/plain', 'a.txt'],
    '/b': ['text/markdown', 'b.md'],
    '/notes.md': ['text/plain; charset=utf-8', 'notes.md'],
    '/c?x=1': ['text/csv', 'c.csv'],
    '/d.json': ['application/json', 'd.json'],
    '/e': [docx, 'e.docx'],
    '/f.pdf': ['application/octet-stream', 'f.pdf'],
    '/g': ['application/octet-stream', undefined],
    '/h': ['image/png', undefined],
    '/i': ['text/css', undefined],
    '/j.pdf': ['', 'j.pdf'],
  };
  web.site.set({ '/': htmlPage('Home', Object.keys(files)) });
  for (const [path, [type]] of Object.entries(files)) web.site.set({ [path]: { type, body: `bytes of ${path}` } });
  const { items, skipped, stored: texts } = await web.crawl();
  for (const [path, [type, name]] of Object.entries(files)) {
    const id = `${web.base}${path}`;
    assert.equal(items.get(id)?.name, name, path);
    assert.equal(texts[id], name === undefined ? undefined : `bytes of ${path}`);
    if (name === undefined) assert.match(skipped[id]!, /nothing to read in/, type);
  }
});

describe('sitemaps', () => {
  test('sitemaps at the usual address, indexes, compressed sitemaps and lists give pages', async () => {
    web.site.set({ '/': htmlPage('Home', []) });
    for (const name of ['a', 'b', 'c', 'd']) web.site.set({ [`/${name}`]: { body: htmlPage(name, []) } });
    web.site.set({ '/sitemap.xml': { type: 'text/xml', body: sitemap('/a', '/logo.png') } });
    assert.deepEqual(await stored({ useSitemap: true }), ['/', '/a']);
    assert.deepEqual(await stored({ useSitemap: false }), ['/']);
    const loc = (path: string) => `<sitemap><loc><![CDATA[${web.base}${path}]]></loc></sitemap>`;
    web.site.set({
      '/robots.txt': {
        type: 'text/plain',
        body: `Sitemap: ${web.base}/index.xml\nSitemap: /list.txt\nUser-agent: *\nDisallow: /d\n`,
      },
      '/index.xml': {
        type: 'text/xml',
        body: `<sitemapindex>${loc('/one.xml.gz')}${loc('/index.xml')}${loc('/gone.xml')}</sitemapindex>`,
      },
      '/one.xml.gz': { type: 'application/gzip', body: gzipSync(sitemap('/b', '/d')) },
      '/list.txt': { type: 'text/plain', body: `${web.base}/c\nhttps://elsewhere.example/x\n` },
    });
    const { stored: texts, full, items } = await web.crawl({ useSitemap: true, maxDepth: 1 });
    assert.deepEqual(web.pathsOf(Object.keys(texts)).sort(), ['/', '/b', '/c']);
    assert.equal(items.get(`${web.base}/b`)!.modifiedAt?.toISOString(), '2025-01-02T00:00:00.000Z');
    assert.equal(full, true);
  });

  test('an unreadable sitemap prevents that pages count as gone', async () => {
    web.site.set({ '/': htmlPage('Home', []), '/a': htmlPage('A', []) });
    web.site.set({ '/sitemap.xml': { type: 'text/xml', body: sitemap('/a').slice(0, -30) } });
    const cut = await web.crawl({ useSitemap: true });
    assert.deepEqual([Object.keys(cut.failed), cut.full], [[`${web.base}/sitemap.xml`], false]);
    web.site.set({ '/sitemap.xml': { status: 503 } });
    assert.equal((await web.crawl({ useSitemap: true })).full, false);
    web.site.set({ '/sitemap.xml': htmlPage('Not found', []) });
    assert.equal((await web.crawl({ useSitemap: true })).full, true);
  });
});

describe('a second crawl', () => {
  test('a second crawl sends validators and downloads no unchanged page', async () => {
    web.site.set({
      '/': htmlPage('Home', ['/a', '/b']),
      '/a': { body: htmlPage('A', ['/a/c']), modified: new Date('2024-01-01T00:00:00Z') },
      '/b': htmlPage('B', []),
      '/a/c': htmlPage('C', []),
    });
    const memory: Memory = new Map();
    await web.crawl({}, { memory });
    web.site.requests.length = 0;
    const second = await web.crawl({}, { memory });
    assert.deepEqual(
      [second.stored, web.pathsOf(second.unchanged), second.full],
      [{}, ['/', '/a', '/b', '/a/c'], true],
    );
    assert.ok(web.site.requests.filter(({ path }) => path !== '/robots.txt').every(({ status }) => status === 304));
    assert.equal(
      web.site.requests.find(({ path }) => path === '/a')!.headers['if-modified-since'],
      'Mon, 01 Jan 2024 00:00:00 GMT',
    );
    // Changed, gone, and new below a page that did not change.
    web.site.set({ '/b': htmlPage('B2', ['/new']), '/new': htmlPage('New', []), '/a/c': { status: 410 } });
    const third = await web.crawl({}, { memory });
    assert.deepEqual(web.pathsOf(Object.keys(third.stored)), ['/b', '/new']);
    assert.deepEqual(web.pathsOf(third.unchanged), ['/', '/a']);
    assert.deepEqual([web.pathsOf(third.gone), third.full], [['/a/c'], true]);
  });

  test('a page with more links than are stored is requested without conditions', async () => {
    const many = Array.from({ length: 600 }, (_, i) => `/${'x'.repeat(80)}/${i}`);
    web.site.set({ '/': htmlPage('Home', many) });
    const memory: Memory = new Map();
    await web.crawl({ maxDepth: 0 }, { memory });
    assert.ok(JSON.stringify(memory.get(`${web.base}/`)!.state).length < 64 * 1024);
    assert.equal(Object.keys((await web.crawl({ maxDepth: 0 }, { memory })).stored).length, 1);
  });
});

test('one page of a site can be fetched without a crawl', async () => {
  web.site.set({ '/': htmlPage('Home', ['/a']), '/a': { type: 'text/plain', body: 'text' } });
  const { items } = await web.crawl();
  const connector = web.connector();
  const { signal } = new AbortController();
  const item = items.get(`${web.base}/a`)!;
  const fetched = await connector.fetch(web.origin(), null, item, undefined, signal);
  assert.ok(fetched.kind === 'content');
  assert.equal(Buffer.concat(await Array.fromAsync(fetched.content.body)).toString(), 'text');
  const known = { revision: null, state: fetched.content.state ?? null };
  assert.equal((await connector.fetch(web.origin(), null, item, known, signal)).kind, 'unchanged');
  web.site.set({ '/a': null });
  assert.equal((await connector.fetch(web.origin(), null, item, known, signal)).kind, 'gone');
});

for (const [what, page] of [
  ['a temporary redirect', { to: '/login', status: 302 }],
  ['a permanent redirect', { to: '/login', status: 301 }],
  ['a redirect to a missing page', { to: '/none', status: 302 }],
  ['a redirect to a page that is not to be read', { to: '/hidden', status: 302 }],
  ['a refresh', htmlPage('Away', [], '<meta http-equiv="refresh" content="0; url=/login">')],
] as const)
  test(`the fetch of a stored page fails if its address leads to another one by ${what}`, async () => {
    web.site.set({ '/': htmlPage('Home', ['/a']), '/a': htmlPage('A', []), '/login': htmlPage('Sign in', []) });
    web.site.set({ '/hidden': htmlPage('Hidden', [], '<meta name="robots" content="noindex">') });
    const memory: Memory = new Map();
    const { items } = await web.crawl({}, { memory });
    web.site.set({ '/a': page });
    const id = `${web.base}/a`;
    const fetching = web
      .connector()
      .fetch(web.origin(), null, items.get(id)!, memory.get(id), new AbortController().signal);
    assert.match((await problemOf(fetching)).title, /leads to another page/);
  });
