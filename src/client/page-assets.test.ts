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

test('the copies of the sources of a Sphinx manual are left out, also of pages that are gone', () => {
  const manual = ['docs/index.html', 'docs/searchindex.js'];
  const copies = ['index.rst.txt', 'usage/check.md.txt', 'gone.rst.txt', 'a/_sources/b.txt'].map(
    (name) => `docs/_sources/${name}`,
  );
  const own = ['docs/notes.txt', 'docs/my_sources/a.txt', 'docs/a/_sources/b.txt', 'other/_sources/index.rst.txt'];
  assert.deepEqual(assetsOf(...manual, ...copies, ...own).sort(), [...copies, 'docs/searchindex.js'].sort());
  const top = ['index.html', 'searchindex.js', '_sources/index.rst.txt', 'notes/_sources/a.txt'];
  assert.deepEqual(assetsOf(...top).sort(), ['_sources/index.rst.txt', 'searchindex.js']);
});

test('a folder named _sources without the index of a Sphinx manual beside it is sent', () => {
  assert.deepEqual(assetsOf('notes.html', '_sources/notes.pdf.txt', 'v1.html', '_sources/v1.2.txt'), []);
});
