/** Web crawls: pages that name another address as their canonical one. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { CanonicalPages } from '../../../src/connectors/web/canonical.ts';
import type { WebClient } from '../../../src/connectors/web/client.ts';
import { htmlPage } from '../../support/fakes/site.ts';
import { useSite } from './harness.ts';

const web = useSite();
const canonical = (path: string) => `<link rel="canonical" href="${path}">`;
const NAMES = ['anvil', 'bellows', 'chisel', 'drill', 'easel'];
const TEXTS: Record<string, string> = {
  anvil: 'of forged steel, stands in the north room since spring',
  bellows: 'are made from leather and were mended twice by hand',
  chisel: 'has an ash handle; masons in Lübeck cut marble with it',
  drill: 'was driven by a treadle before electric motors came',
  easel: 'carries paintings which our founder bought in Venice',
};
const own = (name: string) => `<main>The ${name} ${TEXTS[name]}.</main>`;
const page = (name: string, head: string) =>
  htmlPage(`The ${name}`, ['/'], head).replace('</body>', `${own(name)}</body>`);
const MENU = `<nav>${Array.from({ length: 300 }, (_, i) => `menu${i}`).join(' ')}</nav>`;

/** Sets a site whose pages all name `path`. */
function setSite(path: (own: string) => string): void {
  web.site.set({
    '/': htmlPage(
      'Tools of a museum that opens on weekdays, and a map',
      NAMES.map((name) => `/${name}`),
      canonical(path('/')),
    ),
  });
  for (const name of NAMES)
    web.site.set({ [`/${name}`]: page(name, canonical(path(`/${name}`))).replace('<body>', `<body>${MENU}`) });
}

async function stored(): Promise<string[]> {
  return web.pathsOf(Object.keys((await web.crawl()).stored)).sort();
}

describe('a site whose template names one address on all pages', () => {
  const all = ['/', ...NAMES.map((name) => `/${name}`)];

  for (const one of ['/', '/chisel'])
    test(`is read page by page, without more requests: ${one}`, async () => {
      setSite(() => one);
      assert.deepEqual(await stored(), all);
      assert.equal(web.site.paths().length, all.length);
    });

  test('is read page by page, also if its pages differ in a few words with numbers', async () => {
    const rooms = Array.from({ length: 5 }, (_, i) => `/${i}`);
    web.site.set({ '/': htmlPage('Rooms of the house by the sea and their prices', rooms, canonical('/')) });
    for (const [i, path] of rooms.entries()) {
      const text = `<p>Room ${101 + i} costs ${80 + i} euros.</p>`;
      web.site.set({
        [path]: htmlPage('Rooms of the house by the sea and their prices', rooms, canonical('/')).replace(
          '<ul>',
          `${text}<ul>`,
        ),
      });
    }
    assert.deepEqual(await stored(), ['/', ...rooms]);
  });

  test('is read page by page, also if a long page has all words of the others', async () => {
    const texts = NAMES.map(own).join(' ');
    web.site.set({
      '/': htmlPage('Tools', ['/anvil', '/drill'], canonical('/')).replace('</body>', `${texts}</body>`),
    });
    for (const name of ['anvil', 'drill']) web.site.set({ [`/${name}`]: page(name, canonical('/')) });
    assert.deepEqual(await stored(), ['/', '/anvil', '/drill']);
  });

  test('keeps its stored pages, also when that address did not change', async () => {
    setSite((path) => path);
    const memory = new Map();
    await web.crawl({}, { memory });
    const home = web.site.pages.get('/')!;
    setSite(() => '/');
    web.site.set({ '/': home });
    const again = await web.crawl({}, { memory });
    assert.deepEqual(web.pathsOf([...Object.keys(again.stored), ...again.unchanged]).sort(), all);
    assert.deepEqual([again.full, again.unchanged.length > 0], [true, true]);
  });
});

describe('a page that says little beside the page at its canonical address', () => {
  beforeEach(() =>
    web.site.set({ '/': htmlPage('Tools', ['/anvil', '/anvil?sort=age', '/shop/anvil', '/list', '/list?page=2']) }),
  );

  test('is left out, and a page of a list with other entries is read', async () => {
    web.site.set({
      '/anvil': page('anvil', ''),
      '/anvil?sort=age': page('anvil', canonical('/anvil')).replace('<body>', '<body>Sorted by age'),
      '/shop/anvil': page('anvil', canonical('/anvil')).replace('<body>', '<body>Home, shop, 12:05'),
      '/list': page('chisel', ''),
      '/list?page=2': page('drill', canonical('/list')).replace(
        '<main>',
        '<main>Beside ten other tools of iron, oak and brass:',
      ),
    });
    const read = await web.crawl();
    assert.deepEqual(web.pathsOf(Object.keys(read.stored)).sort(), ['/', '/anvil', '/list', '/list?page=2']);
    assert.deepEqual(read.skipped, {
      [`${web.base}/anvil?sort=age`]: `the page says the same as ${web.base}/anvil`,
      [`${web.base}/shop/anvil`]: `the page says the same as ${web.base}/anvil`,
    });
    assert.equal(web.site.paths().length, 6);
  });

  test('counts each sign of a script without spaces as a word', async () => {
    web.site.set({
      '/anvil': htmlPage('鉄床', [], ''),
      '/anvil?sort=age': htmlPage('道具', [], canonical('/anvil')).replace(
        '</body>',
        '鍛冶屋の道具は春まで北側に展示します</body>',
      ),
    });
    assert.deepEqual(await stored(), ['/', '/anvil', '/anvil?sort=age']);
  });
});

test('a crawl keeps the texts of few pages, and requests others again', async () => {
  const asked: string[] = [];
  const get = async (address: string) => {
    asked.push(address);
    return { kind: 'failed' };
  };
  const client = { get } as unknown as WebClient;
  const count = { requests: 0 };
  const pages = new CanonicalPages(client, count);
  const text = (i: number) => ({ title: `${i}`, text: `<p>${`word${i} `.repeat(20_000)}</p>` });
  for (let i = 0; i < 500; i++) pages.note(`/${i}`, text(i));
  assert.equal(await pages.repeats(text(499), '/499'), true);
  assert.deepEqual([asked, count.requests], [[], 0]);
  assert.equal(await pages.repeats(text(0), '/0'), false);
  assert.deepEqual([asked, count.requests], [['/0'], 1]);
});
