import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barsOf, plainShape } from './plain-shapes.ts';

const rectangle = (left: number, bottom: number, width: number, height: number) => [
  [left, bottom] as const,
  [left + width, bottom] as const,
  [left + width, bottom + height] as const,
  [left, bottom + height] as const,
];
const isPlain = (corners: readonly (readonly [number, number])[], isCurved = false) =>
  plainShape({ corners, isCurved }) !== undefined;

test('long lines and large rectangles belong to a layout', () => {
  assert.ok(
    isPlain(
      [
        [10, 20],
        [90, 20],
      ].map(([x, y]) => [x!, y!] as const),
    ),
  );
  assert.ok(isPlain(rectangle(10, 20, 300, 14)));
  assert.ok(isPlain([...rectangle(10, 20, 300, 14), [10, 20], [10, 20]]));
});

test('what may be a letter does not: short, slanted and curved lines, and shapes with more corners', () => {
  assert.ok(!isPlain(rectangle(10, 20, 6, 12)));
  assert.ok(
    !isPlain(
      [
        [10, 20],
        [90, 60],
      ].map(([x, y]) => [x!, y!] as const),
    ),
  );
  assert.ok(!isPlain(rectangle(10, 20, 300, 14), true));
  assert.ok(
    !isPlain(
      [
        [0, 0],
        [0, 90],
        [60, 90],
      ].map(([x, y]) => [x!, y!] as const),
    ),
  );
  assert.ok(
    !isPlain(
      [
        [0, 0],
        [90, 0],
        [90, 50],
        [40, 50],
        [40, 90],
        [0, 90],
      ].map(([x, y]) => [x!, y!] as const),
    ),
  );
  assert.ok(
    !isPlain(
      [
        [0, Number.NaN],
        [90, Number.NaN],
      ].map(([x, y]) => [x!, y!] as const),
    ),
  );
});

test('a row of bars may be a code, the lines of a table are none', () => {
  const bar = (left: number, width: number) => ({ left, right: left + width, bottom: 100, top: 160 });
  const bars = Array.from({ length: 12 }, (_, at) => bar(50 + at * 3, at % 2 === 0 ? 1 : 2));
  const columns = Array.from({ length: 12 }, (_, at) => bar(50 + at * 30, 1));
  const page = { left: 0, right: 400, bottom: 0, top: 500 };
  assert.equal(barsOf([...bars, page]).size, 12);
  assert.equal(barsOf(columns).size, 0);
  const parts = Array.from({ length: 12 }, (_, at) => ({
    left: 50 + at * 50,
    right: 99 + at * 50,
    bottom: 200,
    top: 201,
  }));
  assert.equal(barsOf(parts).size, 0, 'parts of one line');
  const turned = bars.map(({ left, right, bottom, top }) => ({ left: bottom, right: top, bottom: left, top: right }));
  assert.equal(barsOf(turned).size, 12);
});
