import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameNumber, missesNumber, numbersIn } from './numbers.ts';

const same = (left: string, right: string) => !missesNumber(numbersIn(left), numbersIn(right));

test('a number matches the same number in another notation', () => {
  for (const [left, right] of [
    ['25 days', 'twenty-five days'],
    ['1,000 people', '1000 people'],
    ['1.000 Leute', '1000 Leute'],
    ['3,5 Prozent', '3.5 percent'],
    ['1,234.56', '1.234,56'],
    ['$4.50', '$4.5'],
    ['25 million euros', '25,000,000 euros'],
    ['２５日', '25日'],
    ['二十五日', '25日'],
    ['二〇二五年', '2025年'],
    ['3万円', '30,000円'],
    ['๒๕ วัน', '25 วัน'],
    ['२५ दिन', '25 दिन'],
    ['٢٥ يوما', '25 يوما'],
    ['7 days', 'seven days'],
    ['fünf Tage', '5 Tage'],
  ] as const) {
    assert.ok(same(left, right), `${left} = ${right}`);
  }
});

test('a number does not match another number', () => {
  for (const [left, right] of [
    ['30 days', '25 days'],
    ['six days', 'five days'],
    ['twenty-six', 'twenty-five'],
    ['-5 °C', '5 °C'],
    ['25 million', '25 billion'],
    ['25 thousand', '25'],
    ['1,000', '1'],
    ['3.5', '35'],
    ['1.2.4', '1.2.3'],
    ['三十日', '二十五日'],
    ['三日', '五日'],
    ['๓๐ วัน', '๒๕ วัน'],
    ['२६ दिन', '२५ दिन'],
    ['5万円', '3万円'],
  ] as const) {
    assert.ok(!same(left, right), `${left} ≠ ${right}`);
  }
});

test('identifiers, pronouns and parts of words are not numbers', () => {
  assert.deepEqual(numbersIn('ERR_4012, A4, one of them, 一般的な 三井'), []);
  assert.deepEqual(numbersIn('See https://a.example/x2 and constructor toString'), []);
});

test('a minus sign belongs to a number only when no digit stands before it', () => {
  assert.deepEqual(numbersIn('from 3-5 at -7'), [['3'], ['5'], ['-7']]);
});

test('a CJK numeral of several characters keeps the unit after it', () => {
  const [times] = numbersIn('第十一次');
  assert.equal(isSameNumber(times!, numbersIn('11次')[0]!), true);
  assert.equal(isSameNumber(times!, numbersIn('11月')[0]!), false);
});

test('a version number keeps its trailing zeros', () => {
  const [version] = numbersIn('version 2.10');
  assert.equal(isSameNumber(version!, numbersIn('Version 2.1')[0]!), false);
  assert.equal(isSameNumber(version!, numbersIn('version 2.100')[0]!), false);
  assert.equal(isSameNumber(version!, numbersIn('2.1')[0]!), false);
  assert.equal(isSameNumber(version!, numbersIn('2.10')[0]!), true);
  assert.equal(isSameNumber(numbersIn('2.50')[0]!, numbersIn('2.5')[0]!), true);
});
