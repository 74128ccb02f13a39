import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileProblem, refusalText, shellWord } from './words.ts';

const textOf = (message: string): string => refusalText({ message });

test('an error about a value of the request has the name of the value, and no JSON pointer', () => {
  assert.equal(textOf('/query: must have 1 to 4000 characters.'), 'Query: must have 1 to 4000 characters.');
  assert.equal(textOf('/limit: cannot be 0.'), 'Limit: cannot be 0.');
  assert.equal(textOf('/scopes/0: must be one of a, b.'), 'Scopes: must be one of a, b.');
  assert.equal(textOf('/mode: semantic search needs a model.'), 'Mode: semantic search needs a model.');
  assert.equal(textOf('Query parameter "from_time": is required.'), 'From time: is required.');
  assert.equal(textOf('Query parameter "q": is too long.'), 'Search text: is too long.');
});

test('a place within a JSON file keeps its pointer, and other errors stay as they are', () => {
  for (const message of ['/rules/0/kind: must be one of a, b.', 'The file is too large.', 'Name: one of a, b.'])
    assert.equal(textOf(message), message);
});

test('a shell reads a quoted word as it was', () => {
  for (const text of ['/home/ann/docs', '/srv/Ann\'s "notes"', '/srv/$HOME/`id`', '/data/übung', '/a b', '']) {
    const { stdout } = spawnSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' });
    assert.equal(stdout, text);
  }
  assert.equal(shellWord('/data/übung-1'), '/data/übung-1');
});

test('the reason of a file that cannot be read is in words, and a rare one is its code', () => {
  const of = (code: string): string => fileProblem(Object.assign(new Error('x'), { code }));
  assert.deepEqual(['ENOENT', 'ENOTDIR', 'EIO'].map(of), ['it does not exist', 'it is not a folder', 'EIO']);
});
