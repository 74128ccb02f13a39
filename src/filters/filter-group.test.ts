import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONTAINS_LENGTH_MAX, CONTAINS_LENGTH_TOTAL_MAX, metadataFilterGroupSchema } from './filter-group.ts';

function contains(length: number, count = 1): unknown {
  const condition = { key: 'k', operator: 'contains', value: '𝄞'.repeat(length) };
  return { operator: 'or', filters: Array.from({ length: count }, () => condition) };
}

function problem(group: unknown): string | undefined {
  const parsed = metadataFilterGroupSchema.safeParse(group);
  return parsed.error && `${parsed.error.issues[0]!.path.join('/')} ${parsed.error.issues[0]!.message}`;
}

test('the text that contains looks for has at most 1,000 characters', () => {
  assert.equal(problem(contains(CONTAINS_LENGTH_MAX)), undefined);
  assert.equal(
    problem(contains(CONTAINS_LENGTH_MAX + 1)),
    'filters/0/value must have at most 1000 characters for contains',
  );
});

test('all texts that contains looks for in a filter have at most 10,000 characters, also in groups of groups', () => {
  const full = contains(CONTAINS_LENGTH_MAX, CONTAINS_LENGTH_TOTAL_MAX / CONTAINS_LENGTH_MAX);
  assert.equal(problem(full), undefined);
  assert.equal(
    problem({ filters: [full, contains(1)] }),
    'filters/1/filters/0/value is beyond the 10000 characters that all contains of a filter may have',
  );
});

test('other operators take longer texts', () => {
  const equal = { key: 'k', operator: 'eq', value: 'x'.repeat(CONTAINS_LENGTH_MAX + 1) };
  assert.equal(problem({ filters: Array.from({ length: 20 }, () => equal) }), undefined);
});

test('the errors of frequent mistakes say what to write instead', () => {
  const condition = { key: 'k', operator: 'eq', value: 'x' };
  const cases: [unknown, string][] = [
    [condition, ' key is not a member of a filter group: conditions stand in the array "filters"'],
    [
      { operator: 'not', filters: [condition] },
      'operator must be "and" or "or": the opposites of conditions are ne, nin and not_exists',
    ],
    [
      { filters: [{ ...condition, value: null }] },
      'filters/0/value must be text, a number, true or false: not_exists finds a missing key',
    ],
    [
      { filters: [{ ...condition, value: ['x'] }] },
      'filters/0/value must be text, a number, true or false: in and nin take an array',
    ],
  ];
  for (const [group, message] of cases) assert.equal(problem(group), message.trim());
});
