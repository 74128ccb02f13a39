import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costOf } from './filter-cost.ts';
import type { MetadataFilter } from './types.ts';

const costOfAll = (...filters: MetadataFilter[]) => costOf({ operator: 'and', filters: [{ operator: 'or', filters }] });

test('only contains costs by the bytes of the metadata, and a longer text costs more', () => {
  const short = costOfAll({ key: 'a', operator: 'contains', value: 'abc' });
  const long = costOfAll({ key: 'a', operator: 'contains', value: 'abc'.repeat(100) });
  assert.ok(short.byteNs > 0 && long.byteNs > 10 * short.byteNs);
  assert.equal(costOfAll({ key: 'a', operator: 'starts_with', value: 'abc' }).byteNs, 0);
});

test('a longer list of values and a longer operand cost more, and conditions add up', () => {
  const one = costOfAll({ key: 'a', operator: 'in', value: ['x'] });
  const many = costOfAll({ key: 'a', operator: 'in', value: Array.from({ length: 1000 }, String) });
  assert.ok(many.fixedNs === 1000 * one.fixedNs && many.rowNs > one.rowNs);
  const equal: MetadataFilter = { key: 'a', operator: 'eq', value: 'x' };
  assert.equal(costOfAll(equal, equal).rowNs, 2 * costOfAll(equal).rowNs);
  assert.ok(costOfAll({ ...equal, value: 'x'.repeat(4000) }).rowNs > 1000);
  assert.deepEqual(costOf(undefined, undefined), { fixedNs: 0, rowNs: 0, byteNs: 0 });
});
