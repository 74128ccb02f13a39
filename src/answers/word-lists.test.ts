import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageFolder } from '../util/package-files.ts';
import { linesByLanguage, pairsIn, wordsIn } from './word-lists.ts';

test('a word list is read by language, and as the words of all languages', () => {
  const lines = linesByLanguage('negations');
  assert.ok(lines.get('en')!.includes("don't"));
  assert.ok(lines.get('de')!.includes('kein'));
  assert.ok(wordsIn('negations').has('kein'));
});

test('the lines of a word list differ, and none is a comment', () => {
  for (const list of readdirSync(join(packageFolder('data'), 'answers')))
    for (const [language, lines] of linesByLanguage(list)) {
      assert.match(language, /^[a-z]{2}$/);
      assert.ok(lines.length > 0, `${list}/${language}`);
      assert.deepEqual(lines, [...new Set(lines)], `${list}/${language}`);
      assert.equal(lines.filter((line) => line.startsWith('#')).length, 0);
    }
});

test('the values of number words and ordinals are numbers', () => {
  for (const list of ['number-words', 'ordinals'])
    for (const [word, value] of pairsIn(list)) assert.match(value, /^\d+$/, `${list}: ${word}`);
});

test('a line without a value is refused', () => {
  assert.throws(() => pairsIn('negations'), /has no colon/);
});
