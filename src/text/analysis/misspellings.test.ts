import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spellingsNear } from './misspellings.ts';

test('the spellings near a word have a letter more, a letter less, another letter, or two neighbours swapped', () => {
  for (const [word, meant] of [
    ['populaton', 'population'],
    ['poplulation', 'population'],
    ['popluation', 'population'],
    ['papulation', 'population'],
    ['opulation', 'population'],
    ['populatio', 'population'],
    ['populationx', 'population'],
    ['Насиление', 'население'],
    ['πληθισμός', 'πληθυσμοσ'],
    ['حكوومة', 'حكومه'],
    ['मैक्सिको', 'मेक्सिको'],
  ] as const) {
    assert.ok(spellingsNear(word).has(meant), word);
  }
  const near = spellingsNear('populatoin');
  for (const other of ['populatoin', 'population', 'populatiom', 'oopulation']) {
    assert.equal(near.has(other), other === 'population', other);
  }
  assert.ok(spellingsNear('a'.repeat(24)).size < 1_400);
});

test('short words, long words, numbers and codes have no spellings near', () => {
  for (const word of ['cat', 'cost', 'a'.repeat(25), 'err4012', '2024', 'c++'])
    assert.equal(spellingsNear(word).size, 0, word);
  assert.ok(spellingsNear('house').size > 0);
});
