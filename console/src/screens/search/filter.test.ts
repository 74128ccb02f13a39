import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  type Condition,
  conditionsOf,
  FILE_TYPES,
  type Filter,
  filterText,
  isFilter,
  readFilter,
  secondsOf,
  typedValue,
  withCondition,
  withoutCondition,
} from './filter.ts';

const CONDITIONS: Condition[] = [
  { kind: 'file_types', values: ['pdf', 'md'] },
  { kind: 'source_group_ids', values: ['01a2'] },
  { kind: 'tags', values: ['public'] },
  { kind: 'date_from', value: 1_772_323_200 },
  { kind: 'date_to', value: 1_772_409_599 },
  { kind: 'metadata', key: 'department', operator: 'eq', value: 'conservation' },
  { kind: 'metadata', key: 'year', operator: 'gte', value: 2020 },
];

describe('the filter of a search', () => {
  test('the form offers every type of files of the service', () => {
    const file = join(import.meta.dirname, '..', '..', '..', '..', 'openapi.json');
    const search = JSON.parse(readFileSync(file, 'utf8')).paths['/api/v1/search'].post;
    const { properties } = search.requestBody.content['application/json'].schema;
    assert.deepEqual(FILE_TYPES.toSorted(), properties.file_types.items.enum.toSorted());
  });

  test('conditions become JSON, and the JSON becomes the same conditions', () => {
    const filter = CONDITIONS.reduce(withCondition, {} as Filter);
    const back = conditionsOf(readFilter(filterText(filter))!);
    assert.deepEqual(back, { conditions: CONDITIONS, more: false });
  });

  test('a day is a limit from its first second to its last, where the reader is', () => {
    assert.equal(secondsOf('date_to', '2026-03-01') - secondsOf('date_from', '2026-03-01'), 86_399);
    assert.equal(new Date(secondsOf('date_from', '2026-03-01') * 1000).getHours(), 0);
  });

  test('what the form cannot show stays in the filter', () => {
    const filter = readFilter(
      '{"domains":["a.example"],"source_metadata":{"operator":"or","filters":[{"key":"a","operator":"exists"}]}}',
    )!;
    assert.deepEqual(conditionsOf(filter), { conditions: [], more: true });
    const added = withCondition(filter, { kind: 'metadata', key: 'b', operator: 'eq', value: 1 });
    assert.deepEqual(added.source_metadata, {
      operator: 'and',
      filters: [filter.source_metadata, { key: 'b', operator: 'eq', value: 1 }],
    });
    assert.deepEqual(added.domains, ['a.example']);
  });

  test('each condition can be removed, and the last one leaves no empty group', () => {
    let filter = CONDITIONS.reduce(withCondition, {} as Filter);
    filter = withoutCondition(filter, 2);
    assert.deepEqual(conditionsOf(filter).conditions, CONDITIONS.toSpliced(2, 1));
    for (let left = CONDITIONS.length - 1; left > 0; left--) filter = withoutCondition(filter, 0);
    assert.equal(filterText(filter), undefined);
    assert.deepEqual(withoutCondition({}, 0), {});
  });

  test('values of one kind are joined without repetition', () => {
    const filter = withCondition({ file_types: ['pdf'] }, { kind: 'file_types', values: ['pdf', 'md'] });
    assert.deepEqual(filter, { file_types: ['pdf', 'md'] });
  });

  test('an operator without a value sends none', () => {
    const filter = withCondition({}, { kind: 'metadata', key: 'a', operator: 'exists', value: '' });
    assert.deepEqual(filter, { source_metadata: { filters: [{ key: 'a', operator: 'exists' }] } });
  });

  test('an address has a filter if it is a JSON object, and an empty one if it names none', () => {
    assert.deepEqual(readFilter(undefined), {});
    for (const text of ['{"file', '[]', '1', 'null', '{', '']) assert.equal(readFilter(text), null);
    assert.deepEqual([[], 1, null, {}].map(isFilter), [false, false, false, true]);
  });

  test('a value is a number only if it is written like one', () => {
    assert.deepEqual(['12', '-1.5', '007', '1e3', 'true', ' x '].map(typedValue), [12, -1.5, '007', '1e3', true, 'x']);
  });
});
