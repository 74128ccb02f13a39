import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contradicts } from './contradiction.ts';
import { tokensOf } from './wording.ts';

const isContradicted = (claim: string, quote: string, language = 'en'): boolean =>
  contradicts(tokensOf(claim, language), tokensOf(quote, language));

const QUOTE =
  'The ferry of 1984 carried 120 cars. Keene praised Alderton after the second inspection, which took 3 to 5 days, and paid staff 40% more.';

test('a claim with another order or with parts left out does not contradict the quote', () => {
  for (const claim of [
    QUOTE,
    'Keene praised Alderton.',
    'After the second inspection Keene praised Alderton.',
    'Alderton was praised by Keene.',
    'The second inspection took 3 to 5 days.',
    'The ferry carried 120 cars.',
  ])
    assert.equal(isContradicted(claim, QUOTE), false, claim);
});

test('a claim with a replaced name, number, modifier or unit contradicts the quote', () => {
  for (const claim of [
    'Alderton praised Keene after the second inspection.',
    'Keene praised Alderton before the second inspection.',
    'Keene praised Alderton after the last inspection.',
    'The second inspection took 3 days.',
    'The second inspection took 5 days.',
    'The second inspection took 3 to 5 weeks.',
    'The ferry of 120 carried 1984 cars.',
    'The ferry of 1984 never carried 120 cars.',
    'Keene praised Alderton after the second inspection, and paid staff 40 more.',
    'Keene praised Alderton after the second inspection, and unpaid staff 40% more.',
    'Keene praised Alderton after the second inspection, and paid staff 40% less.',
    'Keene praised Alderton only after the second inspection.',
  ])
    assert.equal(isContradicted(claim, QUOTE), true, claim);
});

test('the entries of a list may change places', () => {
  assert.equal(isContradicted('It sells tea and coal.', 'It sells coal and tea.'), false);
});

test('in scripts without capitals every replaced word counts as a replaced name', () => {
  assert.equal(isContradicted('桥由李建国设计。', '桥由王建国设计。', 'zh'), true);
  assert.equal(isContradicted('다리는 광주에서 열렸다.', '다리는 부산에서 열렸다.', 'ko'), true);
  assert.equal(isContradicted('다리가 부산에서 열렸다.', '다리는 부산에서 열렸다.', 'ko'), false);
});

test('a claim far longer than any quote counts as a contradiction', () => {
  assert.equal(isContradicted('word '.repeat(2000), QUOTE), true);
});

test('a date or number from another sentence of the quote contradicts', () => {
  const dates = '10月27日國會通過憲法。12月19日盧泰愚成為首位民選總統。';
  assert.equal(isContradicted('12月19日盧泰愚成為首位民選總統。', dates, 'zh'), false);
  assert.equal(isContradicted('10月19日盧泰愚成為首位民選總統。', dates, 'zh'), true);
  const count = '他否定了第十一次路線鬥爭。10月，鄧小平擔任第一副總理。';
  assert.equal(isContradicted('11月，鄧小平擔任第一副總理。', count, 'zh'), true);
  const never = 'Nobody ever paid. The ferry of 1984 carried many cars. It never stopped in Keene.';
  assert.equal(isContradicted('The ferry carried many cars.', never), false);
  assert.equal(isContradicted('The ferry never stopped in Keene.', never), false);
  assert.equal(
    isContradicted(
      'In 1990 the old ferry carried many new cars.',
      '1990 was wet. In 1984 the old ferry carried many new cars.',
    ),
    true,
  );
});

test('names and nouns that change places contradict the quote', () => {
  const quote = 'A group headed by Nicholas E. Golovin in July 1961 proposed a vehicle.';
  assert.equal(isContradicted(quote, quote), false);
  assert.equal(isContradicted('A group headed by Nicholas E. July in Golovin 1961 proposed a vehicle.', quote), true);
  const soon = "Soon after Keene's visit to Alderton, she sold the ferry.";
  assert.equal(isContradicted("Keene after Soon's visit to Alderton, she sold the ferry.", soon), true);
  const tower = 'The tower that was built by monks overlooks the river.';
  assert.equal(isContradicted('The river that was built by monks overlooks the tower.', tower), true);
});

test('units, identifiers, numerals and repeated characters are compared at their places', () => {
  assert.equal(isContradicted('They took 5 g per day.', 'They took 5 mg per day.'), true);
  const proteins = 'It raised p21(cip) and p27(kip) by much.';
  assert.equal(isContradicted(proteins, proteins), false);
  assert.equal(isContradicted('It raised p27(cip) and p21(kip) by much.', proteins), true);
  assert.equal(isContradicted('分為四卓弗州、一百縣。', '分為四十二州、一百縣。', 'zh'), true);
  assert.equal(isContradicted('南南戰爭爆發。', '南北戰爭爆發。', 'zh'), true);
  assert.equal(isContradicted('비서는 페이스남에서 논쟁을 벌였다.', '비서는 페이스북에서 논쟁을 벌였다.', 'ko'), true);
});

test('the point after an ordinal day does not end a sentence', () => {
  const quote = 'Die Brücke wurde am 14. Juni 1931 eröffnet und ist 412 Meter lang.';
  assert.equal(isContradicted('Die Brücke ist 412 Meter lang.', quote, 'de'), false);
});

test('another quantity, another period or the opposite word contradicts', () => {
  for (const [quote, claim, language = 'en'] of [
    ['Half of the users failed the test.', 'All of the users failed the test.'],
    ['Half of the users failed the test.', 'A quarter of the users failed the test.'],
    ['Half of the users failed the test.', 'Half of the users passed the test.'],
    ['Die Hälfte der Nutzer zahlt.', 'Alle der Nutzer zahlt.', 'de'],
    ['The fee is 50 USD per year.', 'The fee is 50 USD per month.'],
    ['Staff work remotely three days per week.', 'Staff work remotely three days per month.'],
    ['Die Gebühr beträgt 50 Euro pro Jahr.', 'Die Gebühr beträgt 50 Euro pro Monat.', 'de'],
    ['Le tarif est de 50 euros par an.', 'Le tarif est de 50 euros par mois.', 'fr'],
    ['La cuota es de 50 euros por semana.', 'La cuota es de 50 euros por mes.', 'es'],
    ['Staff may work remotely on Fridays.', 'Staff must work remotely on Fridays.'],
    ['The cache is enabled for guests.', 'The cache is disabled for guests.'],
    ['Der Zutritt ist erlaubt.', 'Der Zutritt ist verboten.', 'de'],
    ['이전보다 많은 사람이 왔다.', '이후보다 많은 사람이 왔다.', 'ko'],
  ] as const)
    assert.equal(isContradicted(claim, quote, language), true, claim);
});

test('a quantity, a period or a modal verb in other words does not contradict', () => {
  for (const [quote, claim] of [
    ['Half of the users failed the test in May.', 'In May half of the users failed the test.'],
    ['The fee of 50 USD is due each year.', 'The fee of 50 USD is due annually.'],
    ['Staff may not smoke here.', 'Staff must not smoke here.'],
    ['Staff may work remotely on Fridays.', 'Staff can work remotely on Fridays.'],
    ['Staff may work three days per week.', 'Three days per week staff may work.'],
  ] as const)
    assert.equal(isContradicted(claim, quote), false, claim);
});

test('a number of the next sentence contradicts, even when both sentences are short', () => {
  const plans = 'Plan A costs 10 dollars. Plan B costs 20 dollars.';
  assert.equal(isContradicted('Plan A costs 20 dollars.', plans), true);
  assert.equal(isContradicted('Plan B costs 20 dollars.', plans), false);
  assert.equal(isContradicted('Plan A costs 10 dollars and plan B costs 20 dollars.', plans), false);
  const ports = 'The server listens on port 8443. Port 8080 is closed.';
  assert.equal(isContradicted('The server listens on port 8080.', ports), true);
  assert.equal(isContradicted('The server listens on port 8443, and port 8080 is closed.', ports), false);
});

test('a number under the label of another line contradicts', () => {
  const lines = 'Basic plan: 10 dollars\nPremium plan: 20 dollars';
  assert.equal(isContradicted('The basic plan costs 20 dollars.', lines), true);
  assert.equal(isContradicted('The basic plan costs 10 dollars.', lines), false);
  assert.equal(isContradicted('The premium plan costs 20 dollars.', lines), false);
  assert.equal(isContradicted('The basic plan costs 10 and the premium plan 20 dollars.', lines), false);
});
