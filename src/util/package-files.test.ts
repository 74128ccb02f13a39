import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageFolder, readWordList, readWordLists } from './package-files.ts';

test('the error for a missing folder of the package names the folder', () => {
  assert.match(packageFolder('migrations'), /migrations$/);
  assert.throws(() => packageFolder('no-such-folder'), /no folder no-such-folder/);
});

test('the word lists of a folder are read by language, without comments', () => {
  const lists = readWordLists('stop-words');
  assert.ok(lists.get('de')?.includes('der') && lists.get('en')?.includes('the'));
  assert.deepEqual(lists.get('de'), readWordList('stop-words/de.txt'));
  assert.ok([...lists.values()].flat().every((word) => !word.startsWith('#')));
});

test('every word list states its licence and has no entry twice', () => {
  const files = globSync('**/*.txt', { cwd: packageFolder('data') });
  assert.ok(files.length > 0);
  for (const file of files) {
    const [header = ''] = readFileSync(join(packageFolder('data'), file), 'utf8').split(/^[^#]/m);
    assert.match(header, /Apache-2\.0|CC0|CC BY/, file);
    const words = readWordList(file);
    assert.equal(new Set(words).size, words.length, file);
  }
});
