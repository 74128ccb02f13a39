import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filled, table } from './help.ts';

const ROWS = [
  ['--name <text>', 'use the group with this name; it is created if it does not exist'],
  ['--json', 'print the report'],
] as const;

test('in a pipe no line of the help is wrapped', () => {
  assert.equal(
    table(ROWS),
    '  --name <text>  use the group with this name; it is created if it does not exist\n  --json         print the report\n',
  );
  assert.equal(filled('One two\nthree.'), 'One two\nthree.');
});

test('on a terminal the words of an option are wrapped below one another', () => {
  assert.deepEqual(table(ROWS, 50).split('\n'), [
    '  --name <text>  use the group with this name; it',
    '                 is created if it does not exist',
    '  --json         print the report',
    '',
  ]);
});

test('on a terminal paragraphs have its width, and commands stay as they are', () => {
  const text =
    '  pinakes sync ~/handbook --dry-run\n  pinakes ls\n\nFiles are compared\nby their bytes.\n\nHidden files are left out.';
  assert.equal(
    filled(text, 30),
    '  pinakes sync ~/handbook --dry-run\n  pinakes ls\n\nFiles are compared by their\nbytes.\n\nHidden files are left out.',
  );
});

test('on a wide terminal a line of the help has at most 100 characters', () => {
  const words = Array.from({ length: 60 }, () => 'word').join(' ');
  for (const text of [filled(words, 300), table([['--name', words]], 300)])
    assert.deepEqual(
      [Math.max(...text.split('\n').map((line) => line.length)), text.split(/\s+/).includes('word')],
      [99, true],
    );
});
