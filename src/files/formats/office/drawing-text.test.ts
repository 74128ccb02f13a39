import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findElements, readXml } from '../xml/tree.ts';
import { drawingText } from './drawing-text.ts';

test('a list level outside of the valid range is read as the nearest valid level', () => {
  const level = (lvl: string) =>
    `<a:p><a:pPr lvl="${lvl}"><a:buChar char="x"/></a:pPr><a:r><a:t>${lvl}</a:t></a:r></a:p>`;
  const body = readXml(`<b>${['-2', '1.5', '-0.5', '1e99', 'x'].map(level).join('')}</b>`);
  assert.deepEqual(
    drawingText(findElements(body, 'b')[0], true).map(({ text }) => text),
    [`- -2\n  - 1.5\n- -0.5\n${'  '.repeat(8)}- 1e99\n- x`],
  );
});
