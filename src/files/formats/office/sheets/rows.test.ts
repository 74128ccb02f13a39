import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CellRange, regionsOf, type SheetRow, withMerged } from './rows.ts';

function row(index: number, columns: number[]): SheetRow {
  return { index, columns, texts: columns.map((column) => `${index}:${column}`) };
}

test('corners within corners are divided some times only, and keep their cells', () => {
  const size = 500;
  const rows = Array.from({ length: size }, (_, index) => {
    const filled = Array.from({ length: Math.floor(index / 2) }, (_none, i) => 2 * i);
    return row(index, index % 2 === 0 ? [...filled, index + 1] : filled);
  });
  const regions = regionsOf(rows);
  const cells = (lines: readonly (readonly string[])[]) => lines.flat().filter((text) => text !== '').length;
  assert.ok(regions.length > 10 && regions.length < 50, String(regions.length));
  assert.equal(cells(regions.flatMap((region) => region.rows)), cells(rows.map(({ texts }) => texts)));
});

test('merged cells are filled, and many of a wide row take no longer than others', () => {
  const wide = row(0, [...Array(16_384).keys()]);
  const last: CellRange = { top: 0, left: 16_383, bottom: 0, right: 16_383 };
  const started = process.cpuUsage();
  const [first, second] = withMerged(
    [wide, row(1, [2])],
    [{ top: 0, left: 0, bottom: 1, right: 1 }, ...Array<CellRange>(400_000).fill(last)],
  );
  assert.ok(process.cpuUsage(started).user < 3_000_000);
  assert.deepEqual(first!.texts.slice(0, 3), ['0:0', '0:0', '0:2']);
  assert.deepEqual(second, { index: 1, columns: [0, 1, 2], texts: ['0:0', '0:0', '1:2'] });
});

test('a range that ends before it begins does not raise the number of cells that merged ranges fill', () => {
  const columns = [...Array(25).keys()];
  const range = (left: number, right: number): CellRange => ({ top: 0, left, bottom: 9999, right });
  const rows = withMerged(
    [row(0, columns), row(9999, [0])],
    [range(9, 0), ...columns.map((column) => range(column, column))],
  );
  assert.equal(rows[1]!.columns.length, 20);
});
