/** Sites that answer other pages than the wanted ones, with status 200. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { printOf } from '../../../src/connectors/web/substitutes.ts';
import { type FakePage, htmlPage } from '../../support/fakes/site.ts';
import { type Memory, problemOf } from '../../support/worlds/read-origin.ts';
import { useSite } from './harness.ts';

const web = useSite();
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `/${name}`);
const words = (path: string) =>
  [...path].map((unit) => String.fromCodePoint(97 + (unit.codePointAt(0)! % 26))).join('');
const page = (path: string, what = 'what it says') => htmlPage(`Page ${words(path)} and ${what}`, ['/']);
const notFound = htmlPage('Nothing was found here', []);
/** Answers addresses without a page with this one, and status 200. */
const answerAll = (other: FakePage | string) => (path: string) =>
  web.site.pages.get(path) ?? (path === '/robots.txt' ? { status: 404 } : other);
const signIn = (path: string) => htmlPage('Sign in to this site', [`/login?next=${path}`], '<!-- request 1 -->');

describe('a site whose pages are stored', () => {
  const memory: Memory = new Map();
  const crawl = () => web.crawl({}, { memory });
  beforeEach(async () => {
    web.site.set({
      '/': htmlPage('Home of the eight pages', names),
      ...Object.fromEntries(names.map((path) => [path, page(path)])),
    });
    memory.clear();
    await crawl();
    assert.equal(memory.size, 9);
  });

  let count = 0;
  for (const [what, mask] of [
    ['a notice of maintenance', () => htmlPage('Back soon', [])],
    ['a sign-in that names the wanted page and the time', (path: string) => signIn(`${path} at 12:0${count++ % 9}`)],
    ['a text instead of each page', () => ({ type: 'text/plain', body: 'OK' })],
  ] as const)
    test(`keeps them all while it answers every address with ${what}`, async () => {
      web.site.mask = (path) => (path === '/robots.txt' ? { status: 404 } : mask(path));
      const problem = await problemOf(crawl());
      assert.match(problem.message, /The site answers many addresses with one page/);
      web.site.mask = undefined;
      assert.equal((await crawl()).unchanged.length, 9);
    });

  test('keeps those that a sign-in hides, although its first page can be read', async () => {
    web.site.mask = (path) =>
      ['/', '/robots.txt'].includes(path) ? { body: htmlPage('Home of the eight pages', names) } : signIn(path);
    const { failed, gone, full, stored } = await crawl();
    assert.deepEqual([Object.keys(failed).length, gone, full], [8, [], false]);
    assert.deepEqual(web.pathsOf(Object.keys(stored)), []);
  });

  test('is read as it is if it says with status 200 that some pages are not there', async () => {
    const removed = names.slice(0, 4);
    web.site.set({
      ...Object.fromEntries(removed.map((path) => [path, null])),
      '/h': page('/h', 'a new link to /new'),
    });
    web.site.mask = answerAll(notFound);
    for (const stored of [[...removed, '/h'], []]) {
      const found = await crawl();
      assert.deepEqual([found.failed, found.gone, found.full], [{}, [], true]);
      assert.deepEqual(web.pathsOf(Object.keys(found.stored)).sort(), stored);
    }
  });

  test('is read anew also if it shows its first page at addresses that do not exist', async () => {
    const home = htmlPage('Home, with news of this day', names);
    web.site.set({ '/': home });
    web.site.mask = answerAll(home);
    const { stored, unchanged } = await crawl();
    assert.deepEqual([web.pathsOf(Object.keys(stored)), unchanged.length], [['/'], 8]);
  });

  test('keeps pages that can be read, although the page that linked them has no links now', async () => {
    web.site.set({ '/': htmlPage('Home of the eight pages', []), '/a': null });
    for (const _ of [1, 2]) await crawl();
    assert.deepEqual(web.pathsOf(memory.keys()).sort(), ['/', ...names.slice(1)]);
  });
});

test('a new site with one page for all addresses is read as it is, also anew', async () => {
  for (const [first, later] of [
    ['Home of all that there is', 'Home of all that there is'],
    ['A shell that needs scripts', 'Another shell that needs scripts'],
  ] as const) {
    const memory: Memory = new Map();
    for (const title of [first, later, later]) {
      web.site.mask = (path) => (path === '/robots.txt' ? { status: 404 } : htmlPage(title, ['/a', '/missing']));
      const { failed, gone, skipped } = await web.crawl({}, { memory });
      assert.deepEqual([failed, gone, skipped], [{}, [], {}]);
      assert.deepEqual(web.pathsOf(memory.keys()).sort(), ['/', '/a', '/missing']);
    }
  }
});

test('pages in a language without spaces stay, although they differ by one sentence with numbers', async () => {
  const chinese = (title: string, text: string) =>
    `<title>${title}</title><nav>首页 关于 联系 <a href=/a>甲</a><a href=/b>乙</a></nav><p>${text}</p>`;
  const memory: Memory = new Map();
  const pages = { '/': '图书馆', '/a': '图书馆每天开门。', '/b': '咖啡馆每天关门。' };
  web.site.set(Object.fromEntries(Object.entries(pages).map(([path, text]) => [path, chinese('开放时间', text)])));
  web.site.mask = answerAll(chinese('404错误', '没有这个页面（404）。'));
  await web.crawl({}, { memory });
  web.site.set({ '/a': chinese('2024年开放时间', '图书馆在2024年5月每天早上9点开门。') });
  const { failed, gone } = await web.crawl({}, { memory });
  assert.deepEqual([failed, gone, web.pathsOf(memory.keys()).sort()], [{}, [], ['/', '/a', '/b']]);
});

describe('a large site', () => {
  const many = Array.from({ length: 80 }, (_, i) => `/${String.fromCodePoint(97 + (i % 26), 97 + Math.floor(i / 26))}`);
  const memory: Memory = new Map();
  const crawl = () => web.crawl({ maxPages: 200 }, { memory });
  const fill = (what?: string) => web.site.set(Object.fromEntries(many.map((path) => [path, page(path, what)])));
  beforeEach(async () => {
    web.site.set({ '/': htmlPage('Home of the eight pages', many) });
    fill();
    memory.clear();
    await crawl();
    web.site.requests.length = 0;
  });

  test('keeps all pages but one that maintenance hides in the middle of a crawl in which all changed', async () => {
    fill('what is new');
    web.site.mask = (path) =>
      path !== '/robots.txt' && web.site.requests.length > 70 ? htmlPage('Back soon', []) : answerAll(notFound)(path);
    const { stored, failed, gone, full } = await crawl();
    const replaced = Object.values(stored).filter((text) => text.includes('Back soon'));
    assert.deepEqual([replaced.length, gone, full], [1, [], false]);
    assert.ok(Object.keys(failed).length >= 10);
  });

  test('costs few requests while most of its pages are answered with "not found"', async () => {
    web.site.set(Object.fromEntries(many.slice(10).map((path) => [path, null])));
    web.site.mask = answerAll(notFound);
    const { gone, failed } = await crawl();
    assert.deepEqual([gone, failed], [[], {}]);
    assert.ok(web.site.requests.length <= 81 + 10, String(web.site.requests.length));
  });
});

test('pages without their own words are the same in spite of times, addresses, scripts and attributes', () => {
  const print = (text: string, title = 'Sign in to our site') => printOf({ title, text });
  assert.equal(print('<p class="x1">Sign in to see /b at 12:00</p>'), print('Sign in to see /path/c at 9:30'));
  assert.notEqual(print('Sign in'), print('Sign in', 'Home of all of us here'));
  assert.notEqual(print('图书馆在2024年5月每天早上9点开门。'), print('咖啡馆在2024年5月每天早上9点开门/关门。'));
  assert.equal(print('100', 'Part'), undefined);
});
