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

test('raised text and formulas of a slide do not become part of the word before them', () => {
  const run = (text: string, properties = '') => `<a:r><a:rPr${properties}/><a:t>${text}</a:t></a:r>`;
  const raised = (text: string) => run(text, ' baseline="30000"');
  const part = (name: string, text: string) => `<m:${name}><m:r><m:t>${text}</m:t></m:r></m:${name}>`;
  const formula = `<a14:m><m:oMath><m:sSup>${part('e', 'x')}${part('sup', '2')}</m:sSup></m:oMath></a14:m>`;
  const runs = [
    run('10'),
    raised('23'),
    run(' and the value'),
    raised('1'),
    run(', H'),
    run('2', ' baseline="-25000"'),
    run('O, 2'),
    raised('1'),
    run('/'),
    run('2', ' baseline="-25000"'),
    run(' cups, '),
  ];
  const body = readXml(`<b><a:p>${runs.join('')}${formula}</a:p></b>`);
  assert.deepEqual(
    drawingText(findElements(body, 'b')[0], false).map(({ text }) => text),
    ['10^23 and the value[^1], H2O, 2 1/2 cups, $x^{2}$'],
  );
});
