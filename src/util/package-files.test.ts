import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packageFolder } from './package-files.ts';

test('a folder of the package is found, and a missing one is named in the error', () => {
  assert.match(packageFolder('migrations'), /migrations$/);
  assert.throws(() => packageFolder('no-such-folder'), /no folder no-such-folder/);
});
