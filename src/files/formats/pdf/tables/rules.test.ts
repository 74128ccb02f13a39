import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gridsOf, joinRules, type Rule } from './rules.ts';

const rule = (at: number, from: number, to: number): Rule => ({ at, from, to });

test('parts of a line and nearly identical lines are joined', () => {
  assert.deepEqual(joinRules([rule(100, 0, 20), rule(101, 21, 50), rule(100, 80, 90), rule(100, 60, 62)]), [
    rule(100.5, 0, 50),
    rule(100.5, 80, 90),
  ]);
});

test('cells without a line between them are merged only if they form a rectangle', () => {
  const across = [rule(0, 0, 30), rule(10, 0, 30), rule(20, 0, 30)];
  const [wide] = gridsOf(across, [rule(0, 0, 20), rule(10, 0, 10), rule(20, 0, 20), rule(30, 0, 20)]).grids;
  assert.deepEqual(
    [wide!.xs, wide!.ys],
    [
      [0, 10, 20, 30],
      [20, 10, 0],
    ],
  );
  assert.deepEqual([...wide!.first], [0, 0, 2, 3, 4, 5]);
  // Three cells around a corner.
  const bent = gridsOf(
    [rule(0, 0, 30), rule(10, 10, 30), rule(20, 0, 30)],
    [rule(0, 0, 20), rule(10, 0, 10), rule(20, 0, 20), rule(30, 0, 20)],
  );
  assert.deepEqual([...bent.grids[0]!.first], [0, 1, 2, 3, 4, 5]);
});

test('grids that do not touch stay separate, and open sides end where the lines end', () => {
  const far = [rule(200, 0, 40), rule(240, 0, 40)];
  const { grids, loose } = gridsOf(
    [rule(0, 0, 90), rule(10, 0, 90), rule(20, 0, 90), ...far, rule(300, 0, 90)],
    [rule(30, 0, 20), rule(60, 0, 20), rule(0, 200, 240), rule(20, 200, 240), rule(40, 200, 240)],
  );
  assert.deepEqual(
    grids.map(({ xs }) => xs),
    [
      [0, 20, 40],
      [0, 30, 60, 90],
    ],
  );
  assert.deepEqual(loose, [rule(300, 0, 90)]);
});

test('a page with very many lines has no grid', () => {
  const many = Array.from({ length: 600 }, (_, i) => rule(i * 5, 0, 3000));
  assert.deepEqual(gridsOf(many, [rule(0, 0, 3000), rule(100, 0, 3000)]).grids, []);
});
