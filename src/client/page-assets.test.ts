import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPageAssets } from './page-assets.ts';

const assetsOf = (...paths: string[]): string[] => [...findPageAssets(paths)];

test('pictures, fonts, styles and scripts of a manual are assets of its pages', () => {
  const pages = ['index.html', 'a.html', 'b.html', 'notes.txt'];
  const assets = ['logo.png', '_static/app.js', '_static/fonts/mono.woff2', '_static/style.css'];
  assert.deepEqual(assetsOf(...pages, ...assets).sort(), [...assets].sort());
});

test('pictures below web pages are assets, pictures below notes or in a folder without pages are files of their own', () => {
  const scans = ['scans/1.png', 'scans/2.jpg', 'notes/today.md', 'notes/receipt.jpg'];
  assert.deepEqual(assetsOf('docs/guide.html', 'docs/img/shot.png', ...scans), ['docs/img/shot.png']);
});

test('the scripts of a program are not assets, even if there is a page beside them and a manual below', () => {
  const manual = Array.from({ length: 50 }, (_, i) => `docs/${i}.html`);
  assert.deepEqual(assetsOf('index.html', 'src/a.js', 'src/b.js', ...manual, 'docs/search.js'), ['docs/search.js']);
  assert.deepEqual(assetsOf('README.md', 'index.js', 'style.css'), []);
});

test('the copy of the source of a page is left out beside the page', () => {
  const pages = ['docs/index.html', 'docs/usage/check.html', 'docs/faq/index.html', 'docs/v1.2.html'];
  const copies = ['index.rst.txt', 'usage/check.md.txt', 'faq.rst.txt', 'v1.2.rst.txt'].map(
    (name) => `docs/_sources/${name}`,
  );
  const own = ['docs/_sources/draft.rst.txt', 'docs/notes.txt', 'other/_sources/index.rst.txt'];
  assert.deepEqual(assetsOf(...pages, ...copies, ...own).sort(), [...copies].sort());
  assert.deepEqual(assetsOf('index.html', '_sources/index.txt'), ['_sources/index.txt']);
});
