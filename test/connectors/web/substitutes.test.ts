/** Sites that answer other pages than the wanted ones, with status 200. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { printOf } from '../../../src/connectors/web/substitutes.ts';
import { htmlPage } from '../../support/fakes/site.ts';
import { type Memory, problemOf } from '../../support/worlds/read-origin.ts';
import { useSite } from './harness.ts';

const web = useSite();
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `/${name}`);
const page = (path: string) => htmlPage(`Page ${path}`, ['/']);
const signIn = (path: string) => htmlPage('Sign in', [`/login?next=${path}`], '<!-- request 1 -->');

describe('a site whose pages are stored', () => {
  const memory: Memory = new Map();
  const crawl = () => web.crawl({}, { memory });
  beforeEach(async () => {
    web.site.set({ '/': htmlPage('Home', names), ...Object.fromEntries(names.map((path) => [path, page(path)])) });
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
    web.site.mask = (path) => (['/', '/robots.txt'].includes(path) ? { body: htmlPage('Home', names) } : signIn(path));
    const { failed, gone, full, stored } = await crawl();
    assert.deepEqual([Object.keys(failed).length, gone, full], [8, [], false]);
    assert.deepEqual(web.pathsOf(Object.keys(stored)), []);
  });

  test('loses a page for which it says with status 200 that there is none, and gets no new ones of this kind', async () => {
    web.site.set({ '/a': null, '/b': htmlPage('Page /b', ['/new', '/newer']) });
    web.site.mask = (path) =>
      (web.site.pages.get(path) as string) ?? (path === '/robots.txt' ? { status: 404 } : htmlPage('Not found', []));
    const { gone, failed, full } = await crawl();
    assert.deepEqual([web.pathsOf(gone).includes('/a'), failed, full], [true, {}, true]);
    assert.deepEqual(web.pathsOf(memory.keys()).sort(), ['/', ...names.slice(1)]);
  });

  test('is read anew also if it shows its first page at addresses that do not exist', async () => {
    const home = htmlPage('Home, with news', names);
    web.site.set({ '/': home });
    web.site.mask = (path) => (web.site.pages.get(path) as string) ?? (path === '/robots.txt' ? { status: 404 } : home);
    const { stored, unchanged } = await crawl();
    assert.deepEqual([web.pathsOf(Object.keys(stored)), unchanged.length], [['/'], 8]);
  });

  test('keeps pages that can be read, although the page that linked them has no links now', async () => {
    web.site.set({ '/': htmlPage('Home', []), '/a': null });
    for (const _ of [1, 2]) await crawl();
    assert.deepEqual(web.pathsOf(memory.keys()).sort(), ['/', ...names.slice(1)]);
  });
});

test('pages without their own words are the same in spite of times, addresses, scripts and attributes', () => {
  const print = (text: string, title = 'Sign in') => printOf({ title, text });
  assert.equal(print('<p class="x1">Sign in to see /b at 12:00</p>'), print('Sign in to see at'));
  assert.notEqual(print('Sign in'), print('Sign in', 'Home'));
});
