import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRAWL_DELAY_MS_MAX, parseRobots } from './robots.ts';

const allows = (text: string, path: string) => parseRobots(text).allows(`https://example.com${path}`);

/** Rule, path, whether the rule applies: the table of the standard, and cases that sites rely on. */
const PATTERNS: readonly (readonly [rule: string, path: string, applies: boolean])[] = [
  ['/', '/anything', true],
  ['/fish', '/fish.html', true],
  ['/fish', '/Fish', false],
  ['/fish/', '/fish', false],
  ['/fish/', '/fish/?id=1', true],
  ['/*.php', '/folder/any.php.file', true],
  ['/*.php$', '/folder/a.php', true],
  ['/*.php$', '/folder/a.php?x=1', false],
  ['/fish*.php', '/fishheads/catfish.php?p=1', true],
  ['/fish*.php', '/fish.PHP', false],
  ['/a$', '/a', true],
  ['/a$', '/a/', false],
  ['/a*b*c$', '/a-b-c', true],
  ['/a*b*c$', '/a-c-b', false],
  ['/*$', '/x', true],
  ['*', '/x', true],
  ['/?id=', '/?id=1', true],
  // Different spellings of one character.
  ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https://foo.bar', true],
  ['/foo/bar/ツ', '/foo/bar/%E3%83%84', true],
  ['/foo/bar/%e3%83%84', '/foo/bar/ツ', true],
  ['/foo/bar/%62%61%7A', '/foo/bar/baz', true],
  ['/a%3cd', '/a%3Cd', true],
];

for (const [rule, path, applies] of PATTERNS) {
  test(`the rule ${rule} ${applies ? 'matches' : 'does not match'} ${path}`, () =>
    assert.equal(allows(`User-agent: *\nDisallow: ${rule}`, path), !applies));
}

test('the longest rule decides, and "allow" wins between rules of equal length', () => {
  const text = 'User-Agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c # not this\nAllow: /same\nDisallow: /same';
  assert.deepEqual(
    ['/a', '/a/b', '/a/b/c', '/same', '/z'].map((path) => allows(text, path)),
    [false, true, false, true, true],
  );
});

test('groups that name this crawler replace the groups for all crawlers and count together', () => {
  const text = [
    'user-agent: *',
    'disallow: /',
    'user-agent: otherbot',
    'USER-AGENT: PINAKES/2.0',
    'disallow: /one',
    'unknown: line',
    'user-agent: pinakes',
    'disallow: /two',
  ].join('\r\n');
  assert.deepEqual(
    ['/', '/one', '/two'].map((path) => allows(text, path)),
    [true, false, false],
  );
  assert.equal(allows('User-agent: pinakesbot\nDisallow: /', '/a'), true, 'another name');
});

test('an empty rule, rules without a group, and rules for robots.txt itself forbid nothing', () => {
  assert.equal(allows('', '/a'), true);
  assert.equal(allows('User-agent: *\nDisallow:\n', '/a'), true);
  assert.equal(allows('Disallow: /\nUser-agent: *\nAllow: /b', '/a'), true);
  assert.equal(allows('User-agent: *\nDisallow: /', '/robots.txt'), true);
  assert.equal(allows('<html>not found</html>', '/a'), true);
});

test('the crawl delay of robots.txt is bounded, and its sitemaps apply to every crawler', () => {
  const robots = parseRobots('\ufeffUser-agent: *\nCrawl-delay: 1.5\n\nSitemap: https://example.com/s.xml\n');
  assert.deepEqual([robots.crawlDelayMs, robots.sitemaps], [1500, ['https://example.com/s.xml']]);
  assert.equal(parseRobots('User-agent: *\nCrawl-delay: 99999').crawlDelayMs, CRAWL_DELAY_MS_MAX);
  assert.equal(parseRobots('User-agent: *\nCrawl-delay: soon').crawlDelayMs, 0);
});

test('hostile rules of robots.txt are matched in little time', () => {
  const rules = Array.from({ length: 2000 }, () => `Disallow: /${'*a'.repeat(100)}b`).join('\n');
  assert.equal(allows(`User-agent: *\n${rules}`, `/${'a'.repeat(1900)}`), true);
});
