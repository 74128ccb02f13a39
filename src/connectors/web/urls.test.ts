import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileScope, isTrap, isUnreadable, normalizeUrl, URL_UNITS_MAX } from './urls.ts';

const NORMALIZED: readonly (readonly [reference: string, address: string | undefined])[] = [
  ['b', 'https://example.com/a/b'],
  ['../c?x=1#part', 'https://example.com/c?x=1'],
  ['//other.example/x', 'https://other.example/x'],
  ['HTTPS://EXAMPLE.COM:443/%c3%bc', 'https://example.com/%C3%BC'],
  ['?utm_source=a&q=1&fbclid=2&UTM_Medium=x', 'https://example.com/a/?q=1'],
  ['?sid=1', 'https://example.com/a/'],
  ['?aside=1&side=2', 'https://example.com/a/?aside=1&side=2'],
  ['x;jsessionid=0AF?q', 'https://example.com/a/x?q'],
  [' b ', 'https://example.com/a/b'],
  ['mailto:a@example.com', undefined],
  ['javascript:void(0)', undefined],
  ['https://user@example.com/', undefined],
  ['http://[', undefined],
  [`/${'x'.repeat(URL_UNITS_MAX)}`, undefined],
];

for (const [reference, address] of NORMALIZED)
  test(`the reference ${reference.slice(0, 40)} is normalized to ${address}`, () =>
    assert.equal(normalizeUrl(reference, 'https://example.com/a/'), address));

test('addresses of endless series are traps', () => {
  const now = new Date('2026-06-01T00:00:00Z');
  const traps = [
    '/a/b/a/b/a/b/a',
    `/${'x/'.repeat(21)}`,
    '/a//b',
    '/2031/05',
    '/events/?month=2010-02',
    '/x?year=2030',
    '/calendar/1999-01',
  ];
  const pages = [
    '/',
    '/2026/05/news',
    '/2027-01',
    '/archive/1887/05',
    '/item/203105',
    '/v/10.1999-05',
    '/events/2024-05',
    '/a/b/a/b',
  ];
  const found = [...traps, ...pages].filter((path) => isTrap(`https://example.com${path}`, now));
  assert.deepEqual(found, traps);
});

test('files that are no pages are recognized by their endings', () => {
  const of = (path: string) => isUnreadable(`https://example.com${path}`);
  assert.deepEqual(['/a.css', '/b.PNG', '/c.tar.gz', '/d.mp4?x'].map(of), [true, true, true, true]);
  assert.deepEqual(['/a', '/b.pdf', '/c.html', '/d?file=x.png', '/e.jsp'].map(of), [false, false, false, false, false]);
});

test('the scope of a crawl consists of hosts and paths', () => {
  const scope = (includePaths: string[], excludePaths: string[] = []) =>
    compileScope({
      kind: 'web',
      urls: ['https://www.example.com/start'],
      maxDepth: 1,
      maxPages: 1,
      includePaths,
      excludePaths,
      sameHost: true,
      useSitemap: false,
    });
  const { hasHost } = scope([]);
  assert.deepEqual(
    ['https://example.com/', 'http://www.example.com/', 'https://example.com:8443/', 'https://docs.example.com/'].map(
      hasHost,
    ),
    [true, true, false, false],
  );
  const includedPaths = (includes: string[], excludes: string[] = []) =>
    ['/', '/docs', '/docs/', '/docs/a%20b', '/docs/old/c', '/x.pdf'].filter((path) =>
      scope(includes, excludes).includes(`https://example.com${path}`),
    );
  assert.deepEqual(includedPaths(['/docs/**']), ['/docs/', '/docs/a%20b', '/docs/old/c']);
  assert.deepEqual(includedPaths(['/docs']), ['/docs', '/docs/', '/docs/a%20b', '/docs/old/c']);
  assert.deepEqual(includedPaths(['/docs/a b']), ['/docs/a%20b']);
  assert.deepEqual(includedPaths([], ['/docs', '*.pdf']), ['/']);
  assert.deepEqual(includedPaths(['/'], ['/docs/old/']), ['/', '/docs', '/docs/', '/docs/a%20b', '/x.pdf']);
  assert.deepEqual(includedPaths([], ['/']), []);
});
