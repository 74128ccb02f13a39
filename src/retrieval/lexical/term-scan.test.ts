import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTermScan, roundedLength } from './term-scan.ts';

/** Returns the texts with at least one of the terms. */
const look = (wanted: readonly string[], ...texts: readonly string[]) => {
  const scan = openTermScan(texts);
  const found = scan(wanted).map(({ texts, counts }) => ({ texts: [...texts], counts: [...counts] }));
  return texts.flatMap((_, text) => {
    const counts = found.map((term) => term.counts[term.texts.indexOf(text)] ?? 0);
    return counts.some((count) => count > 0) ? [{ text, counts, length: scan.lengths[text] }] : [];
  });
};

test('a term is counted only as a whole word', () => {
  assert.deepEqual(look(['a', 'ab', 'x'], 'a ab a abc ba'), [{ text: 0, counts: [2, 1, 0], length: 5 }]);
  assert.deepEqual(look(['a'], 'b', '', 'b a'), [{ text: 2, counts: [1], length: 2 }]);
  assert.deepEqual(look([], 'a b'), []);
  assert.deepEqual(look(['a']), []);
  assert.deepEqual(look(['ä', 'Ã¤'], 'ä a'), [{ text: 0, counts: [1, 0], length: 2 }]);
  assert.deepEqual(look(['a'], ' a  b '), [{ text: 0, counts: [1], length: 2 }]);
});

test('one search in a scan does not influence the next', () => {
  const scan = openTermScan(['a a', 'a', 'b']);
  const found = (term: string) => scan([term]).map(({ texts, counts }) => [[...texts], [...counts]]);
  for (let look = 0; look < 2; look++)
    assert.deepEqual(found('a'), [
      [
        [0, 1],
        [2, 1],
      ],
    ]);
  assert.deepEqual(found('b'), [[[2], [1]]]);
});

test('counts of many terms in many texts are exact', () => {
  const term = (n: number): string => (n * 7919).toString(36);
  const wanted = Array.from({ length: 3_000 }, (_, n) => term(n * 2));
  const text = Array.from({ length: 6_000 }, (_, n) => term(5_999 - n)).join(' ');
  for (const { counts, length } of look(wanted, text, text)) {
    assert.ok(counts.every((count) => count === 1));
    assert.equal(length, roundedLength(6_000));
  }
});

test('a term counts at most 255 times, in its count and in the length of the text', () => {
  const text = `${'a '.repeat(300)}b`;
  assert.deepEqual(look(['a', 'b'], text), [{ text: 0, counts: [255, 1], length: roundedLength(256) }]);
  assert.deepEqual(look(['a'], `${'a '.repeat(255)}b`), [{ text: 0, counts: [255], length: roundedLength(256) }]);
});

test('a word too long for PostgreSQL does not count', () => {
  const long = 'a'.repeat(2_047);
  assert.deepEqual(look([long, 'b'], `${long} b`), [{ text: 0, counts: [0, 1], length: 1 }]);
  assert.deepEqual(look([long.slice(1)], long.slice(1)), [{ text: 0, counts: [1], length: 1 }]);
});

test('lengths are rounded down to four binary digits above 24', () => {
  const pairs = [
    [0, 0],
    [23, 23],
    [39, 39],
    [40, 40],
    [41, 40],
    [42, 42],
    [55, 54],
    [56, 56],
    [59, 56],
    [60, 60],
    [1_048, 1_048],
    [1_175, 1_048],
    [1_176, 1_176],
  ];
  for (const [length, expected] of pairs) assert.equal(roundedLength(length!), expected, `${length}`);
});
