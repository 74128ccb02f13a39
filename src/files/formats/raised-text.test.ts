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
  ['5 inch', '2', ' ', '5 inch^2'],
  ['5 Inches', '2', '.', '5 Inches^2'],
  ['square meter', '2', ' ', 'square meter^2'],
  ['Liter', '3', ' ', 'Liter^3'],
  ['centimetres', '2', ' ', 'centimetres^2'],
  [' per second', '2', ' ', ' per second^2'],
  ['m/second', '2', ' ', 'm/second^2'],
  ['5 米', '2', ' ', '5 米^2'],
  ['meter', '4', ' ', 'meter[^4]'],
  ['parameter', '2', ' ', 'parameter[^2]'],
  ['玉米', '2', ' ', '玉米[^2]'],
  ['in 2019.', '12', ' It grew', 'in 2019.[^12]'],
  ['by 40,', '13', '', 'by 40,[^13]'],
  ['by 40,', '13', ' $5 more', 'by 40,[^13]'],
  ['5,400.', '12', ' ', '5,400.[^12]'],
  ['$5,400,', '12', ' ', '$5,400,[^12]'],
  ['€5 in 2019.', '12', ' ', '€5 in 2019.[^12]'],
  ['by 40.', '12', ' EURATOM', 'by 40.[^12]'],
  ['19,', '99', ' EUR', '19,99'],
  ['19,', '99', '€.', '19,99'],
  ['EUR 5.400,', '50', ' ', 'EUR 5.400,50'],
  ['R', 'n', ' ', 'R^n'],
  ['X', 't', ' ', 'X^t'],
  ['A', 'c', ' ', 'A^c'],
] as const) {
  test(`raised ${raised} behind ${before} is written as ${written}`, () =>
    assert.equal(read(before, raised, after), written));
}

test('the upper part of a fraction behind a number is separated from it', () => {
  assert.equal(raisedText('2', '1', '/', '2'), ' 1');
  assert.equal(raisedText('10', '2', '/', ''), '^2');
  assert.equal(raisedText('m', '2', '/', '3'), '^2');
});

test('ordinals, prices and abbreviations stay one word, and signs, long texts and numbers in brackets have no mark', () => {
  for (const [before, raised] of [
    ['1', 'st'],
    ['M', 'lle'],
    ['XX', 'e'],
    ['n', 'o'],
    ['D', 'r'],
    ['M', 'e'],
    ['S', 't'],
    ['$19.', '99'],
    ['19,', '99 €'],
    ['word', '*'],
    ['word', '[3]'],
    ['(', '2'],
    ['word', 'a small note above the line'],
  ] as const)
    assert.equal(read(before, raised), `${before}${raised}`);
});
