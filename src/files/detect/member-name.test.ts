import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberName } from './member-name.ts';

test('the name of a file inside another file becomes relative, visible and never empty', () => {
  assert.equal(memberName('docs/2024/report.pdf'), 'docs/2024/report.pdf');
  assert.equal(memberName('C:\\Users\\me\\報告.docx'), 'Users/me/報告.docx');
  assert.equal(memberName('/etc/../ .. /.\0./passwd'), 'etc/passwd');
  assert.equal(memberName('a\0b\r\n\u0001.txt'), 'ab.txt');
  assert.equal(memberName('exe\u202efdp.txt'), 'exefdp.txt');
  assert.equal(memberName('\ud83d.txt'), '\ufffd.txt');
  assert.equal(memberName('Cafe\u0301.txt'), 'Café.txt');
  for (const empty of ['', '..', '\0', ' / ', 'c:\\']) assert.equal(memberName(empty), 'unnamed');
});

test('a long name of a file inside another file keeps its end', () => {
  const long = memberName(`${'🦆'.repeat(400)}.txt`);
  assert.deepEqual([[...long].length, long.slice(-6)], [255, '🦆.txt']);
  const path = memberName(`${'a'.repeat(300)}/${'b'.repeat(254)}`);
  assert.equal(path, 'b'.repeat(254));
  assert.equal(memberName(path), path);
});
