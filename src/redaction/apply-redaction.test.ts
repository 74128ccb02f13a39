import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from '../util/collect.ts';
import { redactFact } from './apply-redaction.ts';
import { compileRedactor } from './redact.ts';
import type { RedactionRule } from './redaction-policy.ts';

test('redaction of many texts stops when the request that needs them is aborted', async () => {
  const rule: RedactionRule = {
    name: 'word',
    kind: 'dictionary',
    terms: ['secret'],
    ignore_case: true,
    whole_words: true,
    action: 'mask',
    apply_at: ['retrieval'],
  };
  const redactor = compileRedactor({ version: 1, enabled: true, rules: [rule] }, new Uint8Array(32));
  const request = new AbortController();
  const shown: (string | undefined)[] = [];
  const work = collect(
    Array.from({ length: 1000 }, (_, i) => `secret ${i}`),
    async (value) => {
      if (shown.length === 2) request.abort(new Error('gone'));
      shown.push(await redactFact(redactor, value, request.signal));
      return value;
    },
  );
  await assert.rejects(work, /gone/);
  assert.deepEqual(shown, ['[WORD] 0', '[WORD] 1']);
});
