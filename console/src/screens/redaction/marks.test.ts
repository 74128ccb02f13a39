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

test('an error names its rule', () => {
  assert.deepEqual(ruleOfError('/policy/rules/2/pattern: is refused.'), { rule: 2, text: 'pattern: is refused.' });
  assert.deepEqual(ruleOfError('/rules/0: is wrong'), { rule: 0, text: 'is wrong' });
  assert.equal(ruleOfError('/rules: is wrong'), null);
});
