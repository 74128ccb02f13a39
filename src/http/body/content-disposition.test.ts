import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachment } from './content-disposition.ts';

/** Returns the full name, as a client reads it. */
function nameOf(header: string): string {
  const match = /^attachment; filename="([\x20-\x7e]*)"; filename\*=UTF-8''([A-Za-z0-9%._~$&+^`|#-]+)$/.exec(header);
  assert.ok(match, header);
  assert.doesNotMatch(match[1]!, /["\\%]/);
  return decodeURIComponent(match[2]!);
}

test('a plain file name is sent unchanged', () => {
  assert.equal(attachment('report 1.pdf'), `attachment; filename="report 1.pdf"; filename*=UTF-8''report%201.pdf`);
});

test('file names in every script are sent in full', () => {
  assert.equal(nameOf(attachment('Übersicht 日本.pdf')), 'Übersicht 日本.pdf');
  assert.match(attachment('日本.pdf'), /filename="__\.pdf"/);
  assert.equal(nameOf(attachment("100% (a)'s!*.txt")), "100% (a)'s!_.txt");
});

test('characters of a file name that end the header, name a folder or change the direction of text are replaced', () => {
  assert.equal(nameOf(attachment('a"; filename="b.exe')), 'a_; filename=_b.exe');
  assert.equal(nameOf(attachment('a\r\nset-cookie: x\0.txt')), 'a__set-cookie_ x_.txt');
  assert.equal(nameOf(attachment('../../etc/passwd')), '_.._etc_passwd');
  assert.equal(nameOf(attachment('..\\x')), '_x');
  assert.equal(nameOf(attachment('invoice\u202Efdp.exe')), 'invoice_fdp.exe');
  assert.equal(nameOf(attachment('lone \ud800.txt')), 'lone \ufffd.txt');
});

test('an empty file name gets a substitute, and a long file name is cut', () => {
  for (const name of ['', '...', ' . ']) assert.equal(nameOf(attachment(name)), 'file', name);
  const long = nameOf(attachment(`${'😀'.repeat(300)}.pdf`));
  assert.equal([...long].length, 120);
  assert.ok(long.endsWith('😀.pdf'));
});
