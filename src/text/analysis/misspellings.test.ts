import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorsBetween, isCorrectable, spellingsNear } from './misspellings.ts';

test('a swap of neighbours counts as one typing error', () => {
  for (const [a, b, errors] of [
    ['population', 'population', 0],
    ['populaton', 'population', 1],
    ['poplulation', 'population', 1],
    ['popluation', 'population', 1],
    ['papulation', 'population', 1],
    ['popluaton', 'population', 2],
    ['kitten', 'sitting', 3],
    ['', 'ab', 2],
  ] as const) {
    assert.equal(errorsBetween(a, b, 5), errors, `${a} ${b}`);
    assert.equal(errorsBetween(b, a, 5), errors, `${b} ${a}`);
    assert.equal(errorsBetween(a, b, 1), Math.min(errors, 2), `${a} ${b}, at most 1`);
  }
});

test('the spellings near a word differ by one error and have letters of its script', () => {
  for (const [word, meant] of [
    ['populaton', 'population'],
    ['poplulation', 'population'],
    ['popluation', 'population'],
    ['papulation', 'population'],
    ['насиление', 'население'],
    ['πληθισμος', 'πληθυσμος'],
    ['حكوومة', 'حكومة'],
    ['मैक्सिको', 'मेक्सिको'],
  ] as const) {
    const near = spellingsNear(word);
    assert.ok(near.has(meant), word);
    for (const other of near) assert.equal(errorsBetween(word, other, 2), 1, `${word} ${other}`);
  }
  assert.ok(spellingsNear('a'.repeat(24)).size < 1_400);
});

test('short words, long words, numbers and codes are not corrected', () => {
  for (const word of ['cat', 'cost', 'a'.repeat(25), 'err4012', '2024', 'c++']) assert.ok(!isCorrectable(word), word);
  assert.ok(isCorrectable('house'));
});
