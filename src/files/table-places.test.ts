/** The tables of parsed files, and where their text is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsv } from './formats/data/csv.ts';
import { parseJson } from './formats/json/json.ts';
import { parseMd } from './formats/markup/md.ts';
import { tablesOf } from './table-places.ts';

const textAt = (text: string, { start, end }: { start: number; end: number }) =>
  [...text].slice(start, end).join('').trim();

test('the records of a CSV file are one table with its title', () => {
  const parsed = parseCsv('Prices 𝒳\nid,name\n1,𝒳\n2,b\n', 'csv', []);
  const [table, ...others] = tablesOf(parsed);
  assert.deepEqual(others, []);
  assert.deepEqual([table!.form, table!.automatic, table!.caption], ['grid', true, 'Prices 𝒳']);
  assert.equal(textAt(parsed.text, table!), '| id | name |\n| --- | --- |\n| 1 | 𝒳 |\n| 2 | b |');
});

test('the records of a CSV file without header are one table, from the first row on', () => {
  const parsed = parseCsv('Ann,30\nBo,40\nCy,50\n', 'csv', []);
  const tables = tablesOf(parsed);
  assert.deepEqual(
    tables.map(({ form, automatic }) => [form, automatic]),
    [['grid', true]],
  );
  assert.equal(textAt(parsed.text, tables[0]!), '| Ann | 30 |\n| Bo | 40 |\n| Cy | 50 |');
});

test('the objects of a JSON array are one table of records', () => {
  const parsed = parseJson('[{"a":1,"t":"one\\n\\nb: two"},{"a":2}]', []);
  const tables = tablesOf(parsed);
  assert.deepEqual(
    tables.map(({ form, automatic }) => [form, automatic]),
    [['records', true]],
  );
  assert.equal(textAt(parsed.text, tables[0]!), 'a: 1\nt: one\n\n  b: two\n\na: 2');
});

test('a JSON object is no table', () => assert.deepEqual(tablesOf(parseJson('{"a":1,"b":{"c":2}}', [])), []));

test('tables of a Markdown document wait for a request and know their headings', async () => {
  const parsed = await parseMd(
    '# One\n\n## Two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\n| x | y |\n|---|---|\n```\n',
    [],
  );
  const tables = tablesOf(parsed);
  assert.deepEqual(
    tables.map(({ automatic, headingPath }) => [automatic, headingPath]),
    [[false, ['One', 'Two']]],
  );
});
