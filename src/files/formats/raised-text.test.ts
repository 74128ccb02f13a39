import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raisedText } from './raised-text.ts';

const read = (before: string, raised: string, after = ' ') => `${before}${raisedText(before, raised, after) ?? raised}`;

for (const [before, raised, after, written] of [
  ['10', '23', '', '10^23'],
  ['10', '−6', ' ', '10^−6'],
  ['cm', '2', '.', 'cm^2'],
  ['kg m', '−2', 's', 'kg m^{−2}'],
  ['2', 'n', ' ', '2^n'],
  ['e', 'i(φ+1)', ')', 'e^{i(φ+1)}'],
  ['A', 'T', ' ', 'A^T'],
  ['1s', '2', '2', '1s^{2}'],
  ['view', '1', '.', 'view[^1]'],
  ['(2023).', '12', ' ', '(2023).[^12]'],
  ['実験', '*3)', '。', '実験[^*3]'],
  ['Smith', '1,2', ',', 'Smith[^1,2]'],
  ['Smith', 'a', ',', 'Smith^a'],
] as const) {
  test(`raised ${raised} behind ${before} is written as ${written}`, () =>
    assert.equal(read(before, raised, after), written));
}

test('ordinals stay one word, and signs, long texts and numbers in brackets have no mark', () => {
  for (const [before, raised] of [
    ['1', 'st'],
    ['M', 'lle'],
    ['XX', 'e'],
    ['n', 'o'],
    ['word', '*'],
    ['word', '[3]'],
    ['(', '2'],
    ['word', 'a small note above the line'],
  ] as const)
    assert.equal(read(before, raised), `${before}${raised}`);
});
