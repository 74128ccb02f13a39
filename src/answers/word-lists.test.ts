import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesByLanguage, pairsIn, wordsIn } from './word-lists.ts';

test('a word list is read by language, and as the words of all languages', () => {
  const lines = linesByLanguage('negations');
  assert.ok(lines.get('en')!.includes("don't"));
  assert.ok(lines.get('de')!.includes('kein'));
  assert.ok(wordsIn('negations').has('kein'));
});

test('the lines of a word list differ, and none is a comment', () => {
  for (const list of [
    ...['common-openings', 'dates-and-periods', 'function-words', 'modifiers', 'negations', 'number-words'],
    ...['opposites', 'ordinals', 'pointers'],
  ])
    for (const [language, lines] of linesByLanguage(list)) {
      assert.match(language, /^[a-z]{2}$/);
      assert.ok(lines.length > 0, `${list}/${language}`);
      assert.deepEqual(lines, [...new Set(lines)], `${list}/${language}`);
      assert.equal(lines.filter((line) => line.startsWith('#')).length, 0);
    }
});

test('the values of the word lists have their forms', () => {
  for (const list of ['number-words', 'ordinals'])
    for (const [word, value] of pairsIn(list)) assert.match(value, /^\d+$/, `${list}: ${word}`);
  for (const list of ['modifiers', 'dates-and-periods'])
    for (const [word, value] of pairsIn(list)) assert.match(value, /^[a-z]+ \S+$/, `${list}: ${word}`);
  for (const [word, value] of pairsIn('function-words'))
    assert.match(value, /^(?:(?:joins|agent|pronoun|preposition|range|filler) ?)+$/, word);
  for (const [name, value] of pairsIn('opposites')) assert.ok(value.split(' | ').length >= 2, name);
});

test('a line without a value is refused', () => {
  assert.throws(() => pairsIn('negations'), /has no colon/);
});
