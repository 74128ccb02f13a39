/** Sites that answer other pages than the wanted ones, with status 200. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { printOf } from '../../../src/connectors/web/prints.ts';
import { htmlPage } from '../../support/fakes/site.ts';
import type { Memory } from '../../support/worlds/read-origin.ts';
import { useSite } from './harness.ts';

const web = useSite();
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `/${name}`);
const home = htmlPage('Home of the eight pages', names);
const page = (path: string, what = 'what it says') => htmlPage(`Page ${path} and ${what}`, ['/']);

describe('a site whose pages are stored', () => {
  const memory: Memory = new Map();
  const crawl = () => web.crawl({}, { memory });
  beforeEach(async () => {
    web.site.set({ '/': home, ...Object.fromEntries(names.map((path) => [path, page(path)])) });
    memory.clear();
    await crawl();
    assert.equal(memory.size, 9);
  });

  test('keeps all pages but one while it answers every address with a notice of maintenance', async () => {
    let count = 0;
    web.site.mask = (path) =>
      path === '/robots.txt' ? { status: 404 } : htmlPage(`Back soon, says the server at 12:0${count++ % 9}`, []);
    const { stored, failed, gone, full } = await crawl();
    assert.deepEqual([web.pathsOf(Object.keys(stored)), gone, full], [['/'], [], false]);
    assert.match(Object.values(failed)[0]!, /answers many addresses with one page/);
    web.site.mask = undefined;
    const { unchanged, failed: none } = await crawl();
    assert.deepEqual([unchanged.length, none], [8, {}]);
  });

  test('keeps all but one that a sign-in hides, although its first page can be read', async () => {
    web.site.mask = (path) =>
      ['/', '/robots.txt'].includes(path)
        ? (web.site.pages.get(path) ?? { status: 404 })
        : htmlPage('Sign in to this site', ['/login']);
    const { stored, failed, gone, full } = await crawl();
    assert.deepEqual([web.pathsOf(Object.keys(stored)), gone, full], [['/a', '/login'], [], false]);
    assert.equal(Object.keys(failed).length, 7);
  });

  test('is read as it is in the second run that finds the same words on several pages', async () => {
    const removed = names.slice(0, 4);
    web.site.set(Object.fromEntries(removed.map((path) => [path, null])));
    web.site.mask = (path) =>
      web.site.pages.get(path) ?? (path === '/robots.txt' ? { status: 404 } : htmlPage('Nothing was found here', []));
    const first = await crawl();
    assert.deepEqual([Object.keys(first.failed).length, first.gone], [3, []]);
    const second = await crawl();
    assert.deepEqual([second.failed, second.gone, second.full], [{}, [], true]);
    assert.deepEqual(web.pathsOf(Object.keys(second.stored)).sort(), removed.slice(1));
  });

  test('keeps pages that can be read, although the page that linked them has no links now', async () => {
    web.site.set({ '/': htmlPage('Home of the eight pages', []), '/a': null });
    for (const _ of [1, 2]) await crawl();
    assert.deepEqual(web.pathsOf(memory.keys()).sort(), ['/', ...names.slice(1)]);
  });
});

test('a site with one page for all addresses is read as it is, also anew', async () => {
  const memory: Memory = new Map();
  for (const title of ['A shell that needs scripts', 'Another shell that needs scripts']) {
    web.site.mask = (path) => (path === '/robots.txt' ? { status: 404 } : htmlPage(title, ['/a', '/missing']));
    const { failed, gone, skipped } = await web.crawl({}, { memory });
    assert.deepEqual([failed, gone, skipped], [{}, [], {}]);
    assert.deepEqual(web.pathsOf(memory.keys()).sort(), ['/', '/a', '/missing']);
  }
});

test('pages say the same in spite of times, order, tags and attributes, but not with other numbers', () => {
  const print = (text: string, title = 'Sign in') => printOf({ title, text });
  assert.equal(print('<p class="x1">Rooms and prices at 12:00</p>'), print('Prices and rooms at 9:30'));
  assert.notEqual(print('Room 101'), print('Room 102'));
  assert.notEqual(print('Rooms'), print('Rooms', 'Home'));
  assert.notEqual(print('图书馆'), print('咖啡馆'));
});
