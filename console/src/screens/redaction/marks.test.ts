import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutAtMatches, ruleOfError } from './marks.ts';

test('a text is cut at its matches, counted in code points', () => {
  const text = '😀 jane@example.com and 😀';
  assert.deepEqual(
    cutAtMatches(text, [
      { rule: 'mail', start: 2, end: 18 },
      { rule: 'face', start: 23, end: 24 },
    ]),
    [
      { text: '😀 ', rule: null },
      { text: 'jane@example.com', rule: 'mail' },
      { text: ' and ', rule: null },
      { text: '😀', rule: 'face' },
    ],
  );
  assert.deepEqual(cutAtMatches('', []), []);
});

test('an error names its rule, and what of the rule is wrong', () => {
  const trial = { pointer: '/policy/rules/2/pattern', message: '/policy/rules/2/pattern: is refused.' };
  assert.deepEqual(ruleOfError(trial), { rule: 2, member: 'pattern', text: 'pattern: is refused.' });
  const whole = { pointer: '/rules/0', message: '/rules/0: is wrong' };
  assert.deepEqual(ruleOfError(whole), { rule: 0, member: undefined, text: 'is wrong' });
  const unknown = { pointer: '/rules/1/limt', message: 'Unknown member "limt" in the request body at /rules/1.' };
  assert.deepEqual(ruleOfError(unknown), { rule: 1, member: 'limt', text: unknown.message });
  assert.equal(ruleOfError({ pointer: '/rules', message: '/rules: is wrong' }), null);
  assert.equal(ruleOfError({ pointer: null, message: '/rules/0: is wrong' }), null);
});
