import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alignedRows } from './columns.ts';

/** Words at the columns of a table, 14 points from line to line. */
function lines(rows: readonly (readonly string[])[]) {
  const text = rows.map((row) => row.join(' ')).join('\n');
  let at = 0;
  const words = rows.flatMap((row, r) =>
    row.map((word, c) => {
      const start = text.indexOf(word, at);
      at = start + word.length;
      const [left, top] = [76 + c * 120, 690 - r * 14];
      return { start, end: at - 1, left, right: left + word.length * 5, top, bottom: top - 11 };
    }),
  );
  return { text, words };
}

const found = (rows: readonly (readonly string[])[]) => {
  const { text, words } = lines(rows);
  return alignedRows([words], text, 'words')?.words.map(({ row, column }) => [row, column]);
};

test('aligned numbers form a table, and marks of a list do not', () => {
  const rows = [
    ['Ann', '14'],
    ['Bo', '9'],
    ['Cy', '11'],
  ];
  assert.deepEqual(found(rows), [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
    [2, 0],
    [2, 1],
  ]);
  assert.equal(found(rows.map(([, number], at) => [`${'abc'[at]})`, number!])), undefined);
  assert.equal(found(rows.slice(1)), undefined);
});
