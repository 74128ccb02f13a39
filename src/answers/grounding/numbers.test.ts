import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neededKeys, numberKeys } from './number-keys.ts';
import { cjkValue, claimedNumbersIn, numbersIn } from './numbers.ts';

/** Returns true when `right` has the numbers of `left`, with any unit. */
const same = (left: string, right: string): boolean => {
  const present = new Set(readings(right).flat());
  return readings(left).every((ways) => ways.some((reading) => present.has(reading)));
};
const readings = (text: string) => numbersIn(text, 'en').map((number) => number.readings);
/** Returns true when `text` has the numbers of `claim` with their units. */
const states = (text: string, claim: string, language = 'en'): boolean => {
  const keys = new Set(numberKeys(numbersIn(text, language)));
  return claimedNumbersIn(claim, language).every((number) => neededKeys(number).some((key) => keys.has(key)));
};

test('a number matches the same number in another notation', () => {
  for (const [left, right] of [
    ['25 days', 'twenty-five days'],
    ['1,000 people', '1000 people'],
    ['number 001,234', 'number 1234'],
    ['012.345 kWh', '12345 kWh'],
    ['1.000 Leute', '1000 Leute'],
    ['3,5 Prozent', '3.5 percent'],
    ['1,234.56', '1.234,56'],
    ['$4.50', '$4.5'],
    ['$AU355 billion', '355 billion'],
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
    ['10²³ particles', '10^23 particles'],
    ['10⁻⁶ m', '10^−6 m'],
    ['10^{23} particles', '10^23 particles'],
    ['in 2019', 'in 2019^3'],
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
    ['$AU355 million', '$AU355 billion'],
    ['25 thousand', '25'],
    ['1,000', '1'],
    ['3.5', '35'],
    ['1.2.4', '1.2.3'],
    ['三十日', '二十五日'],
    ['三日', '五日'],
    ['๓๐ วัน', '๒๕ วัน'],
    ['२६ दिन', '२५ दिन'],
    ['5万円', '3万円'],
    ['1023 particles', '10^23 particles'],
    ['10²³ particles', '1023 particles'],
    ['10^32 particles', '10²³ particles'],
    ['10 particles', '10^23 particles'],
    ['23 particles', '10^23 particles'],
    ['10^6 m', '10^-6 m'],
    ['10^6 million', '10^6 billion'],
    ['0.063', '63'],
    ['doses,32 patients', 'doses,31 patients'],
    ['at 5 mg/l,26 mg/l', 'at 5 mg/l,25 mg/l'],
    ['the nerve growth1,27', 'the nerve growth1,2'],
  ] as const) {
    assert.ok(!same(left, right), `${left} ≠ ${right}`);
  }
});

test('a number before the mark of a note is stated, and an exponent is not another number', () => {
  const stated = (text: string, claims: string[]) => claims.filter((claim) => states(text, claim));
  assert.deepEqual(stated('25^1 people', ['25 people', '25^1 people', '1 people', '251 people', '25^2 people']), [
    '25 people',
    '25^1 people',
  ]);
  assert.deepEqual(stated('5 people', ['5^2 people', '5² people']), []);
  assert.deepEqual(stated('3 × 5^2 people', ['3 × 5² people', '5 people', '2 people']), ['3 × 5² people']);
  const avogadro = ['6.02 × 10²³', '6.02·10^23', '6.02·10^{23}', '6.02*10^23'];
  for (const text of avogadro) {
    assert.deepEqual(stated(text, avogadro), avogadro, text);
    assert.deepEqual(stated(text, ['6.02', '1023', '10^22', '6.02.10', '10', '23']), ['6.02'], text);
  }
  assert.deepEqual(stated('3·5 people', ['3.5 people']), ['3.5 people']);
});

test('identifiers, pronouns and parts of words are not numbers', () => {
  assert.deepEqual(readings('ERR_4012, A4, one of them, 一般的な 三井'), []);
  assert.deepEqual(readings('See https://a.example/x2 and constructor toString'), []);
});

test('a minus sign belongs to a number only when no digit stands before it', () => {
  assert.deepEqual(readings('from 3-5 at -7'), [['3'], ['5'], ['-7']]);
});

test('a version number keeps its trailing zeros', () => {
  assert.equal(same('version 2.10', 'Version 2.1'), false);
  assert.equal(same('version 2.10', 'version 2.100'), false);
  assert.equal(same('version 2.10', '2.1'), false);
  assert.equal(same('version 2.10', '2.10'), true);
  assert.equal(same('2.50', '2.5'), true);
});

test('tens and ones with a hyphen are one number with the unit behind them', () => {
  assert.deepEqual(readings('Twenty-five of twenty-one'), [['25'], ['21']]);
  assert.equal(states('Eighty-eight percent of them', '88%'), true);
  assert.equal(states('Eighty-eight percent of them', '88 of them'), false);
});

test('a number needs its unit: the sign beside it, or the next word', () => {
  const text = 'It is 412 metres long, costs $20, takes 5 g of 15% acid, and 3 to 5 days since 1931.';
  for (const claim of ['412 metres', '412 metres high', '$20', '5 g', '15 % of it', 'in 1931 they came', '3 to 5 days'])
    assert.equal(states(text, claim), true, claim);
  for (const claim of ['412 feet', '€20', '20 of them', '5 mg', '15 of it', '5 weeks', '15 dollars'])
    assert.equal(states(text, claim), false, claim);
  assert.equal(states('第十一次會議', '11次'), true);
  assert.equal(states('第十一次會議', '11月', 'zh'), false);
  assert.equal(states('30만 명', '30억 명', 'ko'), false);
  assert.equal(states('ยาว 412 เมตร', 'ยาว 412 ไมล์', 'th'), false);
});

test('in a row of prices each number has its own sign', () => {
  for (const row of ['48 $12,500.00 $11,250.00', '48 12,500.00 $ 11,250.00 $', '48 12,500.00$ 11,250.00$']) {
    for (const claim of ['$12,500.00', '11,250.00 $', 'about 48'])
      assert.equal(states(row, claim), true, `${row}: ${claim}`);
    for (const claim of ['$48', '€12,500.00']) assert.equal(states(row, claim), false, `${row}: ${claim}`);
  }
});

test('the unit of a number may be the word before it, where no word follows', () => {
  const trial = 'The risk was greater from days 0 to 42, and on day 43.';
  for (const claim of ['days 0 to 42', 'Day 43.', 'It was 43.', 'on the 43.'])
    assert.equal(states(trial, claim), true, claim);
  for (const claim of ['hours 0 to 42', 'hour 43.', 'hour\u00a043.']) assert.equal(states(trial, claim), false, claim);
  for (const claim of ['The port 80.', 'port number 80.', 'It listens at 80.'])
    assert.equal(states('The port 80 is used.', claim), true, claim);
  assert.equal(states('See Article 5.', 'See Section 5.'), false);
});

test('a word may stand between a number and its unit on one side', () => {
  assert.equal(states('It costs 20 US dollars.', '20 dollars'), true);
  assert.equal(states('It costs 20 dollars.', '20 US dollars'), true);
  assert.equal(states('It is 412 metres long.', '412 feet long'), false);
});

test('an ordinal of another language states no number', () => {
  assert.equal(states('the Premier League', 'the first league'), false);
  assert.equal(states('la première fois', 'the first fois', 'fr'), true);
  assert.equal(states('the first time', 'the first time', 'fr'), true);
  assert.deepEqual(numbersIn('la première fois', null)[0]!.readings, ['1th']);
});

test('an ordinal states its number in each of its forms', () => {
  for (const form of ['dritte', 'dritten', 'dritter', 'drittes', 'drittem'])
    assert.deepEqual(
      numbersIn(`in ${form} Haus`, 'de').map(({ readings }) => readings),
      [['3th']],
      form,
    );
  assert.equal(states('ihr zweites Haus', 'ihr drittes Haus', 'de'), false);
});

test('a claimed ordinal of another language needs its number or the same word, with its unit', () => {
  assert.equal(states('the second update', 'das zweite update'), true);
  assert.equal(states('the second update', 'das dritte update'), false);
  assert.equal(states('the second update', 'Dritte update'), false);
  assert.equal(states('the second module and the third update', 'das zweite update'), false);
  assert.equal(states('Der Film: das dritte update', 'das dritte update'), true);
  assert.equal(states('das dritte module', 'das dritte update'), false);
});

test('a capital inside a sentence makes an ordinal of another language a name', () => {
  assert.deepEqual(claimedNumbersIn('in the Premier League', 'en'), []);
  assert.equal(claimedNumbersIn('in the premier league', 'en').length, 1);
  assert.equal(claimedNumbersIn('Premier League clubs', 'en').length, 1);
});

test('an exponent of a unit is part of the unit in every notation', () => {
  for (const text of ['It covers 5 cm^2.', 'It covers 5 cm².', 'It covers 5 cm2.'])
    for (const claim of ['5 cm^2', '5 cm²', '5 cm2 wide']) assert.equal(states(text, claim), true, `${text}: ${claim}`);
  for (const claim of ['5 cm', '5 cm³', '5 mm²', '6 cm²', '2 of them'])
    assert.equal(states('It covers 5 cm^2.', claim), false, claim);
});

test('Chinese numerals count ten thousands and hundred millions apart', () => {
  assert.deepEqual(['三千二百万', '一億二千万', '二万三'].map(cjkValue), [32_000_000, 120_000_000, 20_003]);
});
