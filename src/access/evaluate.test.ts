import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evaluate, type Facts } from './evaluate.ts';
import type { Attributes, PolicyCondition } from './policy.ts';

function isAllowed(condition: Pick<PolicyCondition, 'operator' | 'value'>, stored: string, attributes: Attributes) {
  const facts: Facts = {
    group: { id: 'g', name: 'g', metadata: {} },
    tags: [],
    source: { metadata: { clearance: stored }, originMetadata: {} },
    chunk: null,
  };
  const policy = {
    operator: 'and' as const,
    filters: [{ target: 'source_metadata' as const, key: 'clearance', ...condition }],
  };
  return evaluate(policy, attributes, facts).allowed;
}

const SUBJECT = { subject: 'level' };

describe('a condition on a value of the wrong type stays closed', () => {
  for (const level of ['none', 'zzz', '', ' ', false, true, '2025-01-01', [2]])
    test(`clearance 1 is not at most ${JSON.stringify(level)}`, () => {
      assert.equal(isAllowed({ operator: 'lte', value: SUBJECT }, '1', { level }), false);
    });
  for (const stored of ['', 'none', '-', 'true', '2025-01-01'])
    test(`clearance ${JSON.stringify(stored)} is not at most 5`, () => {
      assert.equal(isAllowed({ operator: 'lte', value: SUBJECT }, stored, { level: 5 }), false);
    });
  for (const operator of ['starts_with', 'contains', 'eq', 'ne'] as const)
    test(`${operator} with a blank attribute is false`, () => {
      for (const level of ['', ' ', '\u00a0\t'])
        assert.equal(isAllowed({ operator, value: SUBJECT }, 'secret', { level }), false);
    });
  test('in and nin with blank members only are false', () => {
    for (const operator of ['in', 'nin'] as const)
      assert.equal(isAllowed({ operator, value: SUBJECT }, 'secret', { level: ['', ' '] }), false);
  });
});

test('numbers and times are ordered, and padding does not count', () => {
  assert.equal(isAllowed({ operator: 'lte', value: SUBJECT }, ' 2 ', { level: '10' }), true);
  assert.equal(isAllowed({ operator: 'lt', value: SUBJECT }, '2025-01-01', { level: '2025-01-01T00:00:01Z' }), true);
  assert.equal(isAllowed({ operator: 'eq', value: SUBJECT }, 'e\u0301 ', { level: '\u00a0é' }), true);
  assert.equal(isAllowed({ operator: 'nin', value: SUBJECT }, 'open', { level: ['', 'secret'] }), true);
});
