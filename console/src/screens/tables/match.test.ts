import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches } from './match.ts';

test('a table is found by its names and those of its columns, whatever the case', () => {
  const column = { name: 'Region', sql_name: 'region' };
  const table = { name: 'Sales 2024', sql_name: 'sales_2024', columns: [column] } as never;
  for (const text of ['', 'sales', 'SALES_2024', 'reg', '2024 region']) assert.ok(matches(table, text), text);
  for (const text of ['costs', 'sales amount']) assert.ok(!matches(table, text), text);
});
