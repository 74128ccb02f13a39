import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorLines } from './title-page.ts';

const TEXT = 'The heron nests by the river and catches fish in the shallow water.';
const page = (...lines: [size: number, text: string][]) => lines.map(([size, text]) => ({ size, text }));
const authors = (...lines: [size: number, text: string][]) =>
  [...authorLines(page(...lines), TEXT.length)].map(({ text }) => text);

test('lines of names between title and text are authors', () => {
  assert.deepEqual(
    authors(
      [20, 'On Herons'],
      [14, 'Ada Lovelace¹ and J. R. van Dyke*'],
      [10, 'University of the Sea'],
      [14, 'Abstract'],
      [10, TEXT],
    ),
    ['Ada Lovelace¹ and J. R. van Dyke*', 'University of the Sea'],
  );
  assert.deepEqual(authors([20, 'Heron Manual'], [14, 'by The Heron Project Developers'], [10, 'Edition 2']), [
    'by The Heron Project Developers',
    'Edition 2',
  ]);
});

test('headings above text, numbered headings and lines after text are no authors', () => {
  assert.deepEqual(
    authors([20, 'On Herons'], [14, 'Executive Summary'], [10, TEXT], [14, 'Grey Birds'], [14, 'More Birds']),
    [],
  );
  assert.deepEqual(authors([20, 'On Herons'], [14, '1 Related Work'], [14, '1.1 Old Work']), []);
});
