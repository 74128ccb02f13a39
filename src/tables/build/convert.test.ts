/** The types of columns: what the cells of a column make of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ColumnStats } from '../../files/columns/column-stats.ts';
import { convertCell, valueText } from './convert.ts';

function columnOf(cells: readonly string[], language: string | null = null, mark?: 'point' | 'comma') {
  const stats = new ColumnStats();
  for (const cell of cells) stats.add(cell);
  const { plan, warning } = stats.decide(mark, language);
  const values = cells.map((cell) => {
    const value = convertCell(cell, plan);
    return value === undefined ? 'failed' : valueText(value, plan.type, plan.scale);
  });
  return { type: plan.type, unit: plan.unit, values, warning: warning?.code };
}

test('numbers get their type, decimal mark and unit from the whole column', () => {
  const cases: [string[], string, (string | null)[], (string | null)?][] = [
    [['1', '-2', '3,000', ''], 'integer', ['1', '-2', '3000', null]],
    [['1.5', '2', '-0.25'], 'decimal', ['1.50', '2.00', '-0.25']],
    [['1.234,50', '2,5', '1.000'], 'decimal', ['1234.50', '2.50', '1000.00']],
    [['1,234.50', '2.5', '1,000'], 'decimal', ['1234.50', '2.50', '1000.00']],
    [['$5', '(3)', '-$1'], 'integer', ['5', '-3', '-1'], '$'],
    [['5 €', '3,50 €'], 'decimal', ['5.00', '3.50'], '€'],
    [['12.34 kg', '-7.0 kg'], 'decimal', ['12.34', '-7.00'], 'kg'],
    [['12%', '3.5%'], 'decimal', ['12.0', '3.5'], '%'],
    [['1e5', '2'], 'double', ['100000', '2']],
    [['12 345', '1 000'], 'integer', ['12345', '1000']],
    [['−5', '+3'], 'integer', ['-5', '3']],
    [['1', '–', 'n/a', 'TBA', '?'], 'integer', ['1', null, null, null, null]],
    [['1', '−', '—'], 'integer', ['1', null, null]],
  ];
  for (const [cells, type, values, unit = null] of cases)
    assert.deepEqual(columnOf(cells), { type, unit, values, warning: undefined }, cells.join(' · '));
});

test('identifiers, telephone numbers and mixed units stay text', () => {
  for (const cells of [
    ['007', '12'],
    ['1234567890123456', '1'],
    ['+49 30 123456', '+49 30 987654'],
    ['1', '2', 'three'],
    ['3:45', '12:10'],
  ])
    assert.equal(columnOf(cells).type, 'text', cells.join(' · '));
  assert.deepEqual(columnOf(['$5', '€4']).warning, 'mixed_units');
  assert.deepEqual(columnOf(['50%', '0.5']).warning, 'mixed_units');
  assert.deepEqual(columnOf(['5 kg', '4 g']).warning, 'mixed_units');
  assert.deepEqual(columnOf(['12h', '14h', '5 Main']).type, 'text');
});

test('numbers that read in two ways are decided by other columns or by the language, or stay text', () => {
  assert.deepEqual(columnOf(['1.234', '5.678'], null, 'comma').values, ['1234', '5678']);
  assert.deepEqual(columnOf(['1,234', '5,678'], 'en').values, ['1234', '5678']);
  assert.deepEqual([columnOf(['1,234'], 'de').type, columnOf(['1,234'], 'de').warning], ['text', 'ambiguous_format']);
  assert.deepEqual(columnOf(['1,234', '1.234']).warning, 'ambiguous_format');
  assert.deepEqual(columnOf(['1.234', '5.678']).warning, 'ambiguous_format');
  assert.deepEqual(columnOf(['1.234', '5.678'], 'en').values, ['1.234', '5.678']);
  assert.deepEqual(columnOf(['1.234', '0.125']).values, ['1.234', '0.125'], 'a group of thousands has no leading zero');
  assert.deepEqual(columnOf(['1.234', '1500']).values, ['1.234', '1500.000'], 'thousands are not grouped');
});

test('dates are read in every usual form, and their order comes from the whole column', () => {
  const cases: [string[], string, string[]][] = [
    [['2024-01-31', '1999-12-01'], 'date', ['2024-01-31', '1999-12-01']],
    [['31/12/2023', '1/2/2024'], 'date', ['2023-12-31', '2024-02-01']],
    [['12/31/2023', '1/2/2024'], 'date', ['2023-12-31', '2024-01-02']],
    [['1.2.2024', '3.4.24'], 'date', ['2024-02-01', '2024-04-03']],
    [['12 March 2004', 'March 1, 2005', '3. März 2006'], 'date', ['2004-03-12', '2005-03-01', '2006-03-03']],
    [['2024-01-31 10:20', '2024-01-31T10:20:30Z'], 'datetime', ['2024-01-31 10:20:00', '2024-01-31 10:20:30']],
    [['2024-01-31T10:00:00+02:00'], 'datetime', ['2024-01-31 08:00:00']],
    [['09:30', '14:05:07'], 'time', ['09:30:00', '14:05:07']],
    [['9:30 am', '2:05 PM'], 'time', ['09:30:00', '14:05:00']],
  ];
  for (const [cells, type, values] of cases)
    assert.deepEqual(columnOf(cells), { type, unit: null, values, warning: undefined }, cells.join(' · '));
  assert.deepEqual(columnOf(['1/2/2024', '3/4/2024']).warning, 'ambiguous_format');
  assert.equal(columnOf(['5/5/2024', '3/3/2024']).type, 'date');
  assert.equal(columnOf(['31/02/2024', '30/02/2024']).type, 'text');
});

test('a column has a type if 98 of 100 cells convert', () => {
  const cells = Array.from({ length: 98 }, (_, i) => String(i + 1));
  assert.equal(columnOf([...cells, 'x', 'y']).type, 'integer');
  assert.equal(columnOf([...cells, 'x', 'y']).values.at(-1), 'failed');
  assert.equal(columnOf([...cells, 'x', 'y', 'z']).type, 'text');
});

test('truth values are read in several languages', () => {
  assert.deepEqual(columnOf(['yes', 'No', '']).values, ['true', 'false', null]);
  assert.equal(columnOf(['ja', 'nein', 'vielleicht']).type, 'text');
  assert.deepEqual([columnOf(['Y', 'N']).type, columnOf(['Y', 'Y']).type], ['boolean', 'text']);
});
