import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayName, FILE_NAME_LENGTH_MAX } from './file-name.ts';

test('the display name of a path is its last segment', () => {
  assert.equal(displayName('docs/2024/report.pdf'), 'report.pdf');
  assert.equal(displayName('C:\\Users\\me\\報告.docx'), '報告.docx');
  assert.equal(displayName('../../etc/passwd'), 'passwd');
  assert.equal(displayName('folder/'), 'folder');
});

test('control characters and direction marks are removed from a file name', () => {
  assert.equal(displayName('a\0b\r\n.txt'), 'ab.txt');
  assert.equal(displayName('exe\u202efdp.txt'), 'exefdp.txt');
  assert.ok(displayName('bad\ud800.txt').isWellFormed());
});

test('a file name without visible characters becomes "unnamed"', () => {
  for (const sent of ['', ' ', '.', '..', '/', '\0', './..']) assert.equal(displayName(sent), 'unnamed');
});

test('a long file name is cut and keeps its extension', () => {
  const name = displayName(`${'𠮷'.repeat(400)}.html`);
  assert.equal([...name].length, FILE_NAME_LENGTH_MAX);
  assert.ok(name.endsWith('𠮷.html'));
});
