import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileRedactor } from '../../redaction/redact.ts';
import type { RedactionAction, RedactionRule } from '../../redaction/redaction-policy.ts';
import { resultForReader } from './result-output.ts';

const RESULT = {
  columns: [
    { name: 'names', type: 'VARCHAR[]' },
    { name: 'person', type: 'STRUCT' },
  ],
  rows: [
    [['Ada', 'Bob'], { name: 'Ada', born: 1815 }],
    [['Bob', null], { name: 'Bob', born: 1990 }],
  ],
};

async function shownWith(action: RedactionAction) {
  const words = { terms: ['Ada'], ignore_case: false, whole_words: true };
  const rule: RedactionRule = { name: 'ada', kind: 'dictionary', ...words, action, apply_at: ['output'] };
  const redactor = compileRedactor({ version: 1, enabled: true, rules: [rule] }, new Uint8Array(32));
  return resultForReader(redactor, RESULT as never, new AbortController().signal);
}

test('a rule for output masks the members of lists and of records in a result', async () => {
  const { shown, kept } = await shownWith('mask');
  assert.deepEqual(shown.rows, [
    [['[ADA]', 'Bob'], { name: '[ADA]', born: 1815 }],
    [['Bob', null], { name: 'Bob', born: 1990 }],
  ]);
  assert.deepEqual(kept, [0, 1]);
});

test('a row is left out of a result if a rule blocks a member of a cell', async () => {
  const { shown, kept } = await shownWith('block');
  assert.deepEqual(shown.rows, [RESULT.rows[1]]);
  assert.deepEqual(kept, [1]);
});
