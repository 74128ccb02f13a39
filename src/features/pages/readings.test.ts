import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingsOf, toPage } from './readings.ts';

/** Returns what matches of the words cover on the page, in all readings that have the words. */
function covered(words: string, page: string, before = '', after = ''): string[] {
  const ranges = readingsOf(before, page, after).flatMap((reading) => {
    const at = reading.text.indexOf(words);
    if (at < 0) return [];
    const start = [...reading.text.slice(0, at)].length;
    const range = toPage(reading, { start, end: start + [...words].length });
    return range ? [page.slice(range.start, range.end)] : [];
  });
  return [...new Set(ranges)];
}

test('words that a line end, a hyphen or a page end breaks are found', () => {
  assert.deepEqual(covered('Anna Smith', 'With Anna Smith today.'), ['Anna Smith']);
  assert.deepEqual(covered('Anna Smith', 'With Anna\r\nSmith today.'), ['Anna\r\nSmith']);
  assert.deepEqual(covered('Anna Smith', 'With Anna \r\n Smith today.'), ['Anna \r\n Smith']);
  assert.deepEqual(covered('Smithson', 'With Smith-\r\nson.'), ['Smith-\r\nson']);
  assert.deepEqual(covered('Smithson', 'With Smith\u0002\r\nson.'), ['Smith\u0002\r\nson']);
  assert.deepEqual(covered('機密計画', '機密\n計画を開始'), ['機密\n計画']);
  assert.deepEqual(covered('Anna Smith', 'Smith came.', 'The page ends with Anna'), ['Smith']);
  assert.deepEqual(covered('Anna Smith', '😀 Anna', '', 'Smith came.'), ['Anna']);
});

test('letters that stand twice are covered together', () => {
  assert.deepEqual(covered('Anna Smith', 'With AAnnnnaa  SSmmiitthh today.'.replace('  ', ' ')), [
    'AAnnnnaa SSmmiitthh',
  ]);
});

test('groups of digits in Arabic text are covered in both orders', () => {
  assert.deepEqual(covered('7314-0926-55', 'رقم 55-0926-7314 في'), ['55-0926-7314']);
  assert.deepEqual(covered('7314-0926-55', 'No. 55-0926-7314 in'), []);
});

test('a page of many digits is read in little time', () => {
  const digits = '7'.repeat(1_000_000);
  assert.deepEqual(covered('12-34', `رقم ${digits}. 34-12`), ['34-12']);
});

test('a match on another page covers nothing here', () => {
  assert.deepEqual(covered('Anna', 'Nobody.', 'Anna', 'Anna'), []);
});
