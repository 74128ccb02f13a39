import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MetadataType } from '../corpus/values.ts';
import { KeyPicker, originMetadata, typedValue } from './metadata-values.ts';

const CASES: readonly (readonly [raw: string, type: MetadataType, val: string | undefined])[] = [
  [' Ann ', 'string', 'Ann'],
  ['', 'string', undefined],
  ['x'.repeat(5000), 'string', undefined],
  ['42', 'integer', '42'],
  ['+007', 'integer', '7'],
  ['12.0', 'integer', '12'],
  ['12.5', 'integer', undefined],
  ['9007199254740993', 'integer', '9007199254740993'],
  ['a\0b\ud800', 'string', 'a\ufffdb\ufffd'],
  ['1e3', 'integer', undefined],
  ['1,000', 'integer', undefined],
  ['3.50', 'float', '3.5'],
  ['-1e-3', 'float', '-0.001'],
  ['1e999', 'float', undefined],
  ['NaN', 'float', undefined],
  ['12.3%', 'float', '0.123'],
  ['-7 %', 'float', '-0.07'],
  ['%', 'float', undefined],
  ['-$5', 'integer', '-5'],
  ['12.5 €', 'float', '12.5'],
  ['7.0 kg', 'integer', '7'],
  ['12 CHF', 'integer', '12'],
  ['CHF', 'float', undefined],
  ['HK$7', 'integer', '7'],
  ['REV7', 'integer', undefined],
  ['SKU100', 'integer', undefined],
  ['12 MAR', 'integer', undefined],
  ['80 KMH', 'integer', undefined],
  ['DIN476', 'float', undefined],
  ['5%%', 'float', undefined],
  ['2024-02-29', 'date', '2024-02-29'],
  ['2023-02-29', 'date', undefined],
  ['2024/3/5', 'date', '2024-03-05'],
  ['05/03/2024', 'date', undefined],
  ['2024-03-05T10:00:00Z', 'date', '2024-03-05'],
  ['2024-03-05 10:20', 'datetime', '2024-03-05T10:20:00Z'],
  ['2024-03-05T10:20:30+02:00', 'datetime', '2024-03-05T08:20:30Z'],
  ['2024-03-05', 'datetime', '2024-03-05T00:00:00Z'],
  ['2024-03-05T25:00', 'datetime', undefined],
  ['yesterday', 'datetime', undefined],
];

for (const [raw, type, val] of CASES) {
  test(`the metadata value ${JSON.stringify(raw.slice(0, 30))} read as ${type} is ${val ?? 'dropped'}`, () => {
    assert.deepEqual(typedValue(raw, type), val === undefined ? undefined : { val, type });
  });
}

test('a warning counts the values of a key that do not convert, without empty values', () => {
  const picker = new KeyPicker([{ key: 'price', type: 'float' }]);
  assert.deepEqual(
    picker.pick(() => 'cheap'),
    {},
  );
  picker.pick(() => 'free');
  picker.pick(() => '  ');
  picker.pick(() => undefined);
  assert.deepEqual(
    picker.pick(() => '2'),
    { price: { val: '2', type: 'float' } },
  );
  assert.deepEqual(picker.warnings(), ['2 values of "price" could not be read as float.']);
});

test('a metadata key named __proto__ becomes a plain member and does not change the prototype', () => {
  const metadata = new KeyPicker([{ key: '__proto__', type: 'string' }]).pick(() => 'x');
  assert.deepEqual(Object.keys(metadata), ['__proto__']);
  assert.equal(Object.getPrototypeOf(metadata), Object.prototype);
});

test('origin metadata has typed dates and no empty values', () => {
  assert.deepEqual(originMetadata({ title: 'T', author: ' ', created: '2024-01-02', keywords: undefined }), {
    title: { val: 'T', type: 'string' },
    created: { val: '2024-01-02T00:00:00Z', type: 'datetime' },
  });
});
