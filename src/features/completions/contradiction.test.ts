import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contradicts } from './contradiction.ts';
import { tokensOf } from './wording.ts';

const isContradicted = (claim: string, quote: string, language = 'en'): boolean =>
  contradicts(tokensOf(claim, language), tokensOf(quote, language));

const QUOTE =
  'The ferry of 1984 carried 120 cars. Keene praised Alderton after the second inspection, which took 3 to 5 days, and paid staff 40% more.';

test('another order and what is left out alter nothing', () => {
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

test('what stands in place of something else contradicts it', () => {
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

test('neighbours of a list may change places', () => {
  assert.equal(isContradicted('It sells tea and coal.', 'It sells coal and tea.'), false);
});

test('in scripts without capitals any word may be a name', () => {
  assert.equal(isContradicted('桥由李建国设计。', '桥由王建国设计。', 'zh'), true);
  assert.equal(isContradicted('다리는 광주에서 열렸다.', '다리는 부산에서 열렸다.', 'ko'), true);
  assert.equal(isContradicted('다리가 부산에서 열렸다.', '다리는 부산에서 열렸다.', 'ko'), false);
});

test('a claim far longer than any quote is refused', () => {
  assert.equal(isContradicted('word '.repeat(2000), QUOTE), true);
});
