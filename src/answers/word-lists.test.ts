import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageFolder, readWordLists } from '../util/package-files.ts';
import { pairsByLanguage, patternOf } from './word-lists.ts';

test('the lines of a word list differ, and none is a comment', () => {
  for (const list of readdirSync(join(packageFolder('data'), 'answers')))
    for (const [language, lines] of readWordLists(`answers/${list}`)) {
      assert.match(language, /^[a-z]{2}$/);
      assert.ok(lines.length > 0, `${list}/${language}`);
      assert.deepEqual(lines, [...new Set(lines)], `${list}/${language}`);
      assert.equal(lines.filter((line) => line.startsWith('#')).length, 0);
    }
});

test('the values of number words and ordinals are numbers', () => {
  for (const list of ['number-words', 'ordinals'])
    for (const [word, value] of [...pairsByLanguage(list).values()].flat())
      assert.match(value, /^\d+$/, `${list}: ${word}`);
});

test('a line without a value is refused', () => {
  assert.throws(() => pairsByLanguage('negations'), /has no colon/);
});

test('the words of a list are found as whole words, with all endings after a star, and anywhere in scripts without blanks', () => {
  const isDefault = (text: string): boolean => text.search(patternOf('default-words')) >= 0;
  for (const text of [
    'The Default is 5.',
    'Der Vorgabewert ist 5.',
    'Wartość domyślna to 5.',
    '初期値は5です',
    'По умолчанию 5',
  ])
    assert.ok(isDefault(text), text);
  for (const text of ['default_mode', 'Die Standardausgabe', 'redefault', 'установлено'])
    assert.ok(!isDefault(text), text);
});
