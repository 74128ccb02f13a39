import assert from 'node:assert/strict';
import { test } from 'node:test';
import { camelCase, camelCaseAll } from './column-names.ts';

test('underscores between two parts of a name become a capital letter; other names stay as they are', () => {
  const names = [
    'id',
    'source_group_id',
    'sha256_hex',
    'part_2',
    'alreadyCamel',
    '_private',
    'trailing_',
    'a__b',
    '?column?',
  ];
  const expected = [
    'id',
    'sourceGroupId',
    'sha256Hex',
    'part2',
    'alreadyCamel',
    '_private',
    'trailing_',
    'a__b',
    '?column?',
  ];
  assert.deepEqual(names.map(camelCase), expected);
  assert.deepEqual(camelCaseAll(names), expected);
});

test('the answer for a list of columns is cached', () => {
  assert.equal(camelCaseAll(['source_id', 'name']), camelCaseAll(['source_id', 'name']));
  assert.notEqual(camelCaseAll(['source_id', 'name']), camelCaseAll(['name', 'source_id']));
});
