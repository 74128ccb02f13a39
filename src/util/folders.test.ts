import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeFolder } from './folders.ts';

const root = mkdtempSync(join(tmpdir(), 'pinakes-folders-'));
after(() => rmSync(root, { recursive: true }));

test('missing folders are made for the owner only, and existing folders stay', () => {
  makeFolder(join(root, 'a', 'b', 'c'));
  makeFolder(join(root, 'a', 'b', 'c'));
  for (const made of ['a', 'a/b', 'a/b/c']) assert.equal(statSync(join(root, made)).mode & 0o777, 0o700);
});

test('a folder that cannot be made is an error, not an endless loop', () => {
  writeFileSync(join(root, 'file'), '');
  assert.throws(() => makeFolder(join(root, 'file')), { code: 'EEXIST' });
  assert.throws(() => makeFolder(join(root, 'file', 'x')), { code: 'ENOTDIR' });
  if (process.platform === 'linux') {
    assert.throws(() => makeFolder('/proc/x'), { code: 'ENOENT' });
    assert.throws(() => makeFolder('/proc/x/y'), { code: 'ENOENT' });
  }
});
