import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutRunningLines } from './running.ts';

const pages = (...texts: string[][]) => texts.map((lines) => lines.map((text) => ({ text, size: 10 })));
const kept = (...texts: string[][]) =>
  withoutRunningLines(pages(...texts)).map((lines) => lines.map(({ text }) => text));

test('page numbers that increase with the pages are removed, also Roman ones', () => {
  assert.deepEqual(kept(['i', 'a'], ['b', 'ii'], ['c', '1'], ['Page 2', 'd'], ['e', '- 3 -'], ['2019', 'f']), [
    ['a'],
    ['b'],
    ['c'],
    ['d'],
    ['e'],
    ['2019', 'f'],
  ]);
});

test('headers of chapters are removed on the pages of their chapter, also next to a page number', () => {
  assert.deepEqual(
    kept(
      ['1 Sea', 'a', '1'],
      ['2 Chapter 1: Sea', 'b'],
      ['Chapter 1: Sea 3', 'c'],
      ['2 Lake', 'd', '4'],
      ['Lakes', 'e', '5'],
      ['Lakes', 'f', '6'],
      ['Lakes', 'g', '7'],
      ['Behind', 'h', '8'],
    ),
    [['1 Sea', 'a'], ['b'], ['c'], ['2 Lake', 'd'], ['e'], ['f'], ['g'], ['Behind', 'h']],
  );
});

test('numbers and words at the edges of pages stay if they do not repeat', () => {
  const lines = [
    ['12', 'a', 'Total 40'],
    ['b', 'Sum 12'],
    ['31', 'c', 'Sum 9'],
    ['d', 'All 8'],
    ['e', '2019 was wet'],
  ];
  assert.deepEqual(kept(...lines), lines);
});

test('running lines of a file of many pages are found in linear time', () => {
  const many = Array.from({ length: 20_000 }, (_, page) => [
    'The same words',
    `line ${page}`,
    'x',
    `Chapter ${page % 3} ${page}`,
  ]);
  assert.equal(kept(...many).length, 20_000);
});

test('headings on each page that end with a number or alternate stay', () => {
  for (const headings of [
    ['Sales 2019', 'Profit 2020', 'Staff 2021', 'Outlook 2022'],
    ['Notes', 'Exercise 2', 'Plan', 'Song 4', 'Test 5', 'End'],
    ['Question', 'Answer', 'Question', 'Answer'],
    ['Invoice', 'Terms of trade', 'Invoice', 'Terms of trade'],
  ]) {
    const lines = headings.map((heading, page) => [heading, `body ${'abcdef'[page]}`, `end ${'ghijkl'[page]}`]);
    assert.deepEqual(kept(...lines), lines);
  }
});
