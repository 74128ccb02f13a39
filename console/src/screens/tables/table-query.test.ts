import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableQuery } from '../../data/tables/tables.ts';
import {
  columnsFor,
  isComplete,
  operatorsOf,
  readTableRequest,
  resultColumns,
  summaryOf,
  withConditions,
  withSummary,
} from './table-query.ts';

const COLUMNS = [
  { sql_name: 'region', type: 'text' },
  { sql_name: 'price', type: 'decimal' },
] as const;

test('an address asks one thing', () => {
  assert.deepEqual(readTableRequest({ sql: 'select 1', question: 'How many?' }), { sql: 'select 1' });
  assert.deepEqual(readTableRequest({ question: 'How many?' }), { question: 'How many?' });
  assert.deepEqual(readTableRequest({ query: { from: 'prices' } }), { query: { from: 'prices' } });
  for (const query of ['prices', null, { sql: 'x' }]) assert.deepEqual(readTableRequest({ query }), {});
});

test('a figure for each group selects the group and the figure', () => {
  const query = withSummary({ from: 'prices' }, { fn: 'sum', column: 'price', by: 'region' }, COLUMNS);
  assert.deepEqual(query, {
    from: 'prices',
    columns: [{ column: 'region' }, { fn: 'sum', column: 'price' }],
    group_by: ['region'],
  });
  assert.deepEqual(summaryOf(query), { fn: 'sum', column: 'price', by: 'region' });
  assert.deepEqual(resultColumns(query, COLUMNS), ['region', 'sum_price']);
  assert.deepEqual(withSummary(query, null, COLUMNS), { from: 'prices' });
});

test('rows are counted without a column', () => {
  const query = withSummary({ from: 'prices' }, { fn: 'count' }, COLUMNS);
  assert.deepEqual(query, { from: 'prices', columns: [{ fn: 'count' }] });
  assert.deepEqual(resultColumns(query, COLUMNS), ['count']);
});

test('an order stays while the result has its column', () => {
  const sorted: TableQuery = { from: 'prices', order_by: [{ column: 'region', direction: 'asc' }] };
  assert.deepEqual(withSummary(sorted, { fn: 'count', by: 'region' }, COLUMNS).order_by, sorted.order_by);
  assert.equal(withSummary(sorted, { fn: 'count' }, COLUMNS).order_by, undefined);
});

test('a condition without a value is not complete, unless its comparison needs none', () => {
  const from = { from: 'prices' };
  assert.ok(isComplete(withConditions(from, [])));
  assert.ok(isComplete(withConditions(from, [{ key: 'region', operator: 'exists' }])));
  assert.ok(!isComplete(withConditions(from, [{ key: 'region', operator: 'eq', value: ' ' }])));
});

test('comparisons and functions fit the type of the column', () => {
  assert.ok(operatorsOf('text').includes('contains'));
  assert.ok(!operatorsOf('decimal').includes('contains'));
  assert.ok(!operatorsOf('boolean').includes('gt'));
  assert.deepEqual(columnsFor('sum', COLUMNS), [COLUMNS[1]]);
  assert.deepEqual(columnsFor('max', COLUMNS), [...COLUMNS]);
});
