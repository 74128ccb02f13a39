import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changedLines } from './line-diff.ts';

const MARKS = { same: ' ', added: '+', removed: '-' } as const;
const shown = (before: string, now: string): string[] =>
  changedLines(before, now).map((line) => (line === null ? '…' : `${MARKS[line.kind]}${line.text}`));

describe('what changed between two texts', () => {
  test('a changed line stands between two lines before and after it', () => {
    assert.deepEqual(shown('1\n2\n3\n4\n5\n6\n7', '1\n2\n3\nfour\n5\n6\n7'), [
      '…',
      ' 2',
      ' 3',
      '-4',
      '+four',
      ' 5',
      ' 6',
      '…',
    ]);
  });

  test('lines that moved apart stay the same', () => {
    assert.deepEqual(shown('a\nb\nc', 'a\nx\nb\ny\nc'), [' a', '+x', ' b', '+y', ' c']);
    assert.deepEqual(shown('a\nx\nb\ny\nc', 'a\nb\nc'), [' a', '-x', ' b', '-y', ' c']);
  });

  test('equal texts have no changed line', () => assert.deepEqual(shown('a\nb', 'a\nb'), ['…']));

  test('a repeated line is neither lost nor doubled', () => {
    assert.deepEqual(shown('a\na', 'a'), [' a', '-a']);
    assert.deepEqual(shown('', 'a'), ['-', '+a']);
  });

  test('very long texts are shown as removed and added', () => {
    const long = (letter: string) => Array.from({ length: 2_100 }, (_, i) => `${letter}${i}`).join('\n');
    assert.equal(changedLines(long('a'), long('b')).length, 4_200);
  });
});
