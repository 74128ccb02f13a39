import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { issueWords } from './issue-words.ts';

const CASES: [z.ZodType, unknown, string][] = [
  [z.string(), 1, 'must be a string, not a number.'],
  [z.string(), null, 'must be a string, not null.'],
  [z.int(), 'x', 'must be a number, not a string.'],
  [z.int(), 1.5, 'must be a whole number, not one with a fraction.'],
  [z.int(), Infinity, 'must be a number that a double can hold.'],
  [z.number(), -Infinity, 'must be a number that a double can hold.'],
  [z.int(), 1e300, 'must be at most 9007199254740991.'],
  [z.int().min(1), 0, 'must be at least 1.'],
  [z.number().max(1), 2, 'must be at most 1.'],
  [z.number().gt(0), 0, 'must be more than 0.'],
  [z.number().lt(9), 9, 'must be less than 9.'],
  [z.number().multipleOf(5), 3, 'must be a multiple of 5.'],
  [z.string().min(2), 'x', 'must have at least 2 characters.'],
  [z.string().max(1), 'xx', 'must have at most 1 character.'],
  [z.string().length(3), 'x', 'must have exactly 3 characters.'],
  [z.array(z.string()).min(1), [], 'must have at least 1 element.'],
  [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 elements.'],
  [z.boolean(), 'true', 'must be true or false, not a string.'],
  [z.object({}), [], 'must be an object, not an array.'],
  [z.enum(['x', 'y']), 'z', 'must be one of x, y.'],
  [z.enum(['two words', '']), 'z', 'must be one of "two words", "".'],
  [z.literal('k'), 'x', 'must be k.'],
  [z.uuid(), 'x', 'must be a UUID.'],
  [z.url(), 'x', 'must be an address such as https://example.com/.'],
  [z.iso.datetime(), 'x', 'must be a date and time such as 2026-01-31T12:00:00Z.'],
  [z.string().regex(/^a$/), 'b', 'must match the pattern /^a$/.'],
  [z.string().regex(new RegExp(`^${'a'.repeat(200)}$`)), 'b', 'has a form that is not allowed.'],
  [z.union([z.string(), z.array(z.int())]), 1, 'must be a string or an array, not a number.'],
  [z.union([z.string().min(2), z.string().regex(/\d/)]), 'x', 'has none of the allowed forms.'],
  [
    z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.literal('b') })]),
    { t: 'c' },
    'must be one of a, b.',
  ],
  [z.record(z.string().max(1), z.string()), { ab: 'x' }, 'is not an allowed name: it must have at most 1 character.'],
  [z.string().refine(() => false), 'x', 'is not allowed here.'],
  [z.string().refine(() => false, 'is taken already'), 'x', 'is taken already.'],
  [z.string().regex(/a/, 'names no model'), 'x', 'names no model.'],
];

describe('problems that the schema library finds are worded plainly', () => {
  for (const [schema, value, words] of CASES)
    test(words, () => assert.equal(issueWords(schema.safeParse(value).error!.issues[0]!), words));
  test('is required.', () => {
    const { issues } = z.object({ a: z.string() }).safeParse({}).error!;
    assert.equal(issueWords(issues[0]!), 'is required.');
  });
});
