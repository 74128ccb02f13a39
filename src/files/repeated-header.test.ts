import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowText } from './formats/data/table-text.ts';
import { repeatedHeader } from './repeated-header.ts';

const names = Array.from({ length: 60 }, (_, i) => `description of the measurement ${i}`);

test('a long header keeps the last words of each name, and a short one is as it was', () => {
  const header = repeatedHeader(rowText(['name', ...names, 'a|b', `${'x'.repeat(200)}|ssn`, 'employee ssn']), 1000);
  assert.ok(header.startsWith('| name | of the measurement 0 | of the measurement 1 |'), header);
  assert.ok(header.endsWith(`| a\\|b | ${'x'.repeat(19)}\\|ssn | employee ssn |`), header);
  assert.equal(repeatedHeader('| a | b |', 10), '| a | b |');
  assert.equal(repeatedHeader('a group without columns', 7), 'a group');
});

test('a header with very many names ends after a whole name', () => {
  const header = repeatedHeader(rowText(Array<string>(9_999).fill('number')), 1000);
  assert.ok(header.length > 3_900 && header.length <= 4_000, `${header.length}`);
  assert.match(header, /^(?:\| number )+\|$/);
});

test('half an escaped bar at the beginning of a shortened name is left out', () => {
  const cells = repeatedHeader(rowText(Array<string>(99).fill(`long|${'y'.repeat(23)}`)), 1000);
  assert.match(cells, /^(?:\| y{23} )+\|$/);
});

test('each part of a path keeps its last words', () => {
  const path = 'SSN / as of this financial year';
  const header = repeatedHeader(rowText(['id', ...Array<string>(40).fill(path)]), 1000);
  assert.match(header, /^\| id (?:\| SSN \/ of this financial year )+\|$/);
});

test('of a path with very many parts the last ones stay, so the other columns keep their names', () => {
  const path = Array.from({ length: 2000 }, (_, i) => `n${i}`).join(' / ');
  assert.equal(repeatedHeader(rowText([path, 'ssn']), 1000), '| n1995 / n1996 / n1997 / n1998 / n1999 | ssn |');
});

test('the parts of names are shorter where columns would be left out otherwise', () => {
  const path = 'number of the insured person / as of this financial year';
  const header = repeatedHeader(rowText([...Array<string>(100).fill(path), 'ssn']), 1000);
  assert.match(header, /^(?:\| person \/ year )+\| ssn \|$/);
});
