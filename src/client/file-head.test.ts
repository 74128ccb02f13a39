import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOfHead } from './file-head.ts';

const bytesOf = (latin: string): Uint8Array => Uint8Array.from(latin, (letter) => letter.charCodeAt(0));
const kindOf = (latin: string, extension = '', tail?: string) =>
  kindOfHead(bytesOf(latin), { extension, isTextName: true, tail });

test('a file is known by the bytes at its beginning, whatever its name', () => {
  for (const [latin, kind] of [
    ['%PDF-1.7', 'pdf'],
    ['PK\x03\x04rest', 'zip'],
    ['{\\rtf1 x}', 'rtf'],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0', 'compound'],
    ['\x1f\x8b\x08\0', 'gzip'],
    ['SQLite format 3\0', 'sqlite'],
    ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'picture'],
    ['\xff\xd8\xff\xe0\0\x10JFIF', 'picture'],
    [`${'a'.repeat(257)}ustar`, 'tar'],
    ['\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0', 'binary'],
    ['plain words', 'text'],
    ['\xff\xfeh\0i\0', 'text'],
    ['gr\xc3\xbcn', 'text'],
  ] as const)
    assert.equal(kindOf(latin, 'txt'), kind, JSON.stringify(latin.slice(0, 12)));
});

test('Parquet has its mark at both ends, as far as the end is known', () => {
  assert.equal(kindOf('PAR1\x15\x04\x15\0\0\0\0\0', 'parquet'), 'parquet');
  assert.equal(kindOf('PAR1\x15\x04\x15\0\0\0\0\0', 'parquet', 'PAR1'), 'parquet');
  assert.equal(kindOf('PAR1\x15\x04\x15\0\0\0\0\0', 'parquet', 'else'), 'binary');
});

test('fonts and programs are no text, although half of their bytes are NUL', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => String.fromCharCode(0, i % 23)).join('');
  assert.equal(kindOf(`\0\x01\0\0\0\x13${numbers(400)}`, 'ttf'), 'binary');
  assert.equal(kindOf(`\x7fELF\x02\x01\x01${'\0'.repeat(4_000)}`, 'so'), 'binary');
});

test('text in wide letters is text', () => {
  const text = 'The lamp was lit in 1874.\r\n';
  const wide = (pad: number, isBigEndian: boolean) =>
    [...text].map((letter) => (isBigEndian ? '\0'.repeat(pad) + letter : letter + '\0'.repeat(pad))).join('');
  for (const pad of [1, 3])
    for (const isBigEndian of [true, false]) assert.equal(kindOf(wide(pad, isBigEndian)), 'text');
});

test('pictures and encrypted files among whose bytes are words are no text', () => {
  for (const latin of [
    'bplist00\xd3words of a saved page',
    '\0\0\0\x0cjP  \r\n\x87\nwords of a picture',
    `\x01\0\0\0l\0\0\0${'w'.repeat(32)} EMF words`,
    '0\x82\x05\xfc\x06\x09*\x86H\x86\xf7\r\x01\x07\x03words that are encrypted',
  ])
    assert.equal(kindOf(latin), 'binary', JSON.stringify(latin.slice(0, 12)));
});

test('a signed file has the ending p7m or none; other endings are of signatures and certificates alone', () => {
  const signed = '0\x82\x05\xfc\x06\x09*\x86H\x86\xf7\r\x01\x07\x02\xa0\x82';
  const lines = `MII${'A'.repeat(80)}`;
  for (const extension of ['p7m', '']) assert.equal(kindOf(signed, extension), 'signed', extension);
  for (const extension of ['p7b', 'p7c', 'p7s', 'spc']) assert.equal(kindOf(signed, extension), 'binary', extension);
  assert.deepEqual([kindOf(lines, 'p7m'), kindOf(lines, 'p7c'), kindOf(lines)], ['signed', 'text', 'text']);
});

test('control characters count more where the bytes are not UTF-8, unless the file is named as text', () => {
  const kindOfUnnamed = (latin: string) =>
    kindOfHead(bytesOf(latin), { extension: '', isTextName: false, tail: undefined });
  const words = 'gr\xc3\xbcn'.repeat(50);
  assert.equal(kindOfUnnamed(`${words}\x1e\x1f\x1e\x1f`), 'text');
  assert.equal(kindOfUnnamed(`${words}\xfc\x1e\x1f\x1e\x1f`), 'binary');
  assert.equal(kindOf(`${words}\xfc\x1e\x1f\x1e\x1f`, 'txt'), 'text');
  assert.equal(kindOf(`f\xfcr${'words '.repeat(80)}${'\x1a'.repeat(20)}`, 'txt'), 'text');
  // The signs of paragraphs in texts of DOS.
  assert.equal(kindOfUnnamed('Nach \x15 3 Abs. 1 gilt das f\x81r die Beh\x94rde. '.repeat(12)), 'text');
});
