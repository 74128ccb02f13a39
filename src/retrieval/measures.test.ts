import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meanMeasures, measureQuery, percentile } from './measures.ts';

test('a perfect ranking scores 1 in every measure', () => {
  const measures = measureQuery(
    ['a', 'b', 'x'],
    new Map([
      ['a', 2],
      ['b', 1],
      ['y', 0],
    ]),
  );
  assert.deepEqual(measures, { ndcg10: 1, recall100: 1, mrr10: 1 });
});

test('the measures of a ranking with two of three relevant entries at ranks 2 and 3 match a calculation by hand', () => {
  const { ndcg10, recall100, mrr10 } = measureQuery(
    ['x', 'a', 'b'],
    new Map([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]),
  );
  const gained = 1 / Math.log2(3) + 1 / Math.log2(4);
  const ideal = 1 + 1 / Math.log2(3) + 1 / Math.log2(4);
  assert.equal(ndcg10, gained / ideal);
  assert.equal(recall100, 2 / 3);
  assert.equal(mrr10, 1 / 2);
});

test('rank 11 counts for recall only, and rank 101 does not count at all', () => {
  const ranked = Array.from({ length: 120 }, (_, i) => `x${i}`);
  ranked[10] = 'a';
  ranked[100] = 'b';
  const measures = measureQuery(
    ranked,
    new Map([
      ['a', 1],
      ['b', 1],
    ]),
  );
  assert.deepEqual(measures, { ndcg10: 0, recall100: 0.5, mrr10: 0 });
});

test('a repeated id counts once, at its best rank', () => {
  assert.deepEqual(
    measureQuery(
      ['a', 'a', 'a'],
      new Map([
        ['a', 1],
        ['b', 1],
      ]),
    ).recall100,
    0.5,
  );
});

test('entries with negative grades are not relevant', () => {
  assert.equal(
    measureQuery(
      ['a', 'b'],
      new Map([
        ['a', -1],
        ['b', 1],
      ]),
    ).mrr10,
    0.5,
  );
});

test('the mean of the measures is taken over the queries', () => {
  const mean = meanMeasures([
    { ndcg10: 1, recall100: 1, mrr10: 0 },
    { ndcg10: 0, recall100: 0.5, mrr10: 0 },
  ]);
  assert.deepEqual(mean, { ndcg10: 0.5, recall100: 0.75, mrr10: 0 });
});

test('percentiles are nearest-rank', () => {
  assert.equal(percentile([4, 1, 3, 2], 0.5), 2);
  assert.equal(percentile([4, 1, 3, 2], 0.99), 4);
  assert.ok(Number.isNaN(percentile([], 0.5)));
});
