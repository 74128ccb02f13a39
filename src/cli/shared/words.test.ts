import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileProblem, refusalText } from './words.ts';

const textOf = (pointer: string | null, problem: string): string =>
  refusalText({ message: pointer === null ? problem : `${pointer}: ${problem}`, pointer });

test('an error about a value of the request is a sentence without a JSON pointer', () => {
  assert.equal(
    textOf('/query', 'must have 1 to 4000 characters, not 0.'),
    'The query must have 1 to 4000 characters, not 0.',
  );
  assert.equal(textOf('/scopes/0', 'must be one of a, b.'), 'The scopes must be one of a, b.');
  assert.equal(textOf('/max_steps', 'is required.'), 'The max steps is required.');
  assert.equal(textOf('/mode', 'semantic search needs a model.'), 'Semantic search needs a model.');
});

test('a place within a JSON file keeps its pointer, and other errors stay as they are', () => {
  assert.equal(textOf('/rules/0/kind', 'must be one of a, b.'), '/rules/0/kind: must be one of a, b.');
  assert.equal(textOf(null, 'The file is too large.'), 'The file is too large.');
  assert.equal(refusalText({ message: 'Name one.', pointer: '/name' }), 'Name one.');
  assert.match(textOf(null, 'Not found.'), /^There is nothing with this id/);
});

test('the reason of a file that cannot be read is in words, and a rare one is its code', () => {
  const of = (code: string): string => fileProblem(Object.assign(new Error('x'), { code }));
  assert.deepEqual(['ENOENT', 'ENOTDIR', 'EIO'].map(of), ['it does not exist', 'it is not a folder', 'EIO']);
});
