import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashedFile } from './hash-files.ts';
import { planSync, type RemoteFile } from './plan.ts';

function local(path: string, hash: string): HashedFile {
  return { path, hash, place: path, size: 1, modifiedMs: 0, stamp: '', changedMs: 0 };
}

function remote(path: string, hash: string): RemoteFile {
  return { path, hash, sourceId: path, status: 'ready', error: null, isOutdated: false };
}

function steps(files: HashedFile[], stored: RemoteFile[], unreadable: string[] = []) {
  const { added, updated, ...plan } = planSync(files, stored, unreadable);
  return { ...plan, added: added.map(({ path }) => path), updated: updated.map(({ path }) => path) };
}

test('a sync plan adds, updates, moves and deletes files, and leaves unchanged files alone', () => {
  const stored = [remote('same', '1'), remote('edited', '2'), remote('old/moved', '3'), remote('gone', '4')];
  const files = [local('same', '1'), local('edited', '5'), local('new/moved', '3'), local('more', '6')];
  assert.deepEqual(steps(files, stored), {
    added: ['more'],
    updated: ['edited'],
    moved: [{ from: 'old/moved', to: 'new/moved' }],
    deleted: ['gone'],
    unchanged: 1,
  });
});

test('when several moved files have the same bytes, files with the same name are matched first', () => {
  const stored = [remote('a/one', '1'), remote('a/two', '1'), remote('a/three', '1')];
  assert.deepEqual(steps([local('b/two', '1'), local('b/four', '1')], stored), {
    added: [],
    updated: [],
    moved: [
      { from: 'a/two', to: 'b/two' },
      { from: 'a/one', to: 'b/four' },
    ],
    deleted: ['a/three'],
    unchanged: 0,
  });
});

test('a copied file is added and not moved', () => {
  assert.deepEqual(steps([local('a', '1'), local('b', '1')], [remote('a', '1')]).added, ['b']);
});

test('stored files of an unreadable file or folder are not deleted', () => {
  const stored = [remote('closed/a', '1'), remote('closed.txt', '2'), remote('closed2/a', '3')];
  assert.deepEqual(steps([], stored, ['closed/', 'closed.txt']).deleted, ['closed2/a']);
  assert.deepEqual(steps([local('b', '1')], stored, ['closed/', 'closed.txt', 'closed2/']).moved, []);
});

test('several stored files with the same path are updated, so that the service replaces them with one file', () => {
  const stored = [remote('a', '1'), remote('a', '2')];
  assert.deepEqual(steps([local('a', '1')], stored).updated, ['a']);
  assert.deepEqual(steps([local('b', '1')], stored), {
    added: ['b'],
    updated: [],
    moved: [],
    deleted: ['a'],
    unchanged: 0,
  });
});
