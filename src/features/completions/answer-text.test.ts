import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileRedactor, type RedactionStream } from '../../redaction/redact.ts';
import { ANSWER_UNITS_MAX, openAnswerText } from './answer-text.ts';

const isChunkNumber = (number: number): boolean => number >= 1 && number <= 5;

/** Returns a redactor's stream that masks, drops and blocks these words. */
function wordFilter(words: { mask?: string; drop?: string; block?: string }): RedactionStream {
  const rules = Object.entries(words).map(([action, term]) => ({
    name: action,
    kind: 'dictionary' as const,
    terms: [term],
    ignore_case: false,
    whole_words: true,
    action: action as 'mask' | 'drop' | 'block',
    apply_at: ['output' as const],
  }));
  return compileRedactor({ version: 1, enabled: true, rules }, new Uint8Array(32)).stream('output');
}

async function run(deltas: readonly string[], filter: RedactionStream | null) {
  const answer = openAnswerText(isChunkNumber, filter);
  let streamed = '';
  for (const delta of deltas) streamed += await answer.take({ type: 'text', delta });
  streamed += await answer.take({ type: 'finish', reason: 'stop' });
  assert.equal(streamed, answer.text);
  return { text: answer.text, finishReason: answer.finishReason, markers: answer.markers() };
}

test('a filter replaces words of the answer, and citations keep their sentences, however the text is cut into deltas', async () => {
  const whole = 'Write to ann@example.org soon [1]. Or ask 😀 bob@example.org today.[2] Nobody else answers [3].';
  const words = { mask: 'ann@example.org', drop: 'bob@example.org' };
  const expected = {
    text: 'Write to [MASK] soon. Or ask 😀  today. Nobody else answers.',
    finishReason: 'stop',
    markers: [
      { numbers: [1], at: 20 },
      { numbers: [2], at: 38 },
      { numbers: [3], at: 58 },
    ],
  };
  for (let size = 1; size <= whole.length; size++) {
    const deltas = whole.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g'))!;
    assert.deepEqual(await run(deltas, wordFilter(words)), expected, `deltas of ${size}`);
  }
});

test('a citation after a removed word stands at the end of the shortened text', async () => {
  const { text, markers } = await run(['Ask ann@example.org [1]'], wordFilter({ drop: 'ann@example.org' }));
  assert.deepEqual([text, markers], ['Ask ', [{ numbers: [1], at: 4 }]]);
});

test('a marker inside a word does not hide the word from the filter', async () => {
  const { text } = await run(['ann@exa', '[1]mple.org', ' x'], wordFilter({ mask: 'ann@example.org' }));
  assert.equal(text, '[MASK] x');
});

test('a blocked answer ends with the text before the block', async () => {
  const answer = openAnswerText(isChunkNumber, wordFilter({ block: 'secret' }));
  const out: string[] = [];
  for (const delta of ['All is well [1]. The ', 'secret is 42 [2]. And'])
    out.push(await answer.take({ type: 'text', delta }));
  assert.deepEqual(out, ['All is well. The', '']);
  assert.equal(await answer.take({ type: 'finish', reason: 'stop' }), '');
  assert.equal(answer.finishReason, 'content_filter');
  assert.deepEqual(answer.markers(), [{ numbers: [1], at: 11 }]);
});

test('quotations pass through the filter, and their citations keep their start', async () => {
  const answer = openAnswerText(isChunkNumber, wordFilter({ mask: 'ann' }));
  await answer.take({ type: 'quote', text: 'Ask ann now.', number: 2 });
  await answer.take({ type: 'text', delta: '\n' });
  await answer.take({ type: 'quote', text: 'Or ann later.', number: 3 });
  await answer.take({ type: 'finish', reason: 'stop' });
  assert.equal(answer.text, 'Ask [MASK] now.\nOr [MASK] later.');
  assert.deepEqual(answer.markers(), [
    { numbers: [2], at: 15, start: 0 },
    { numbers: [3], at: 32, start: 16 },
  ]);
});

test('an endless answer is truncated, even of a single delta, of blanks or of backticks', async () => {
  for (const piece of ['word ', '😀', ' ', '`', '[1', '[1]', '\n']) {
    for (const size of [7, 5_000, 200_000]) {
      const answer = openAnswerText(isChunkNumber);
      for (let i = 0; i < 20_000 && answer.finishReason === null; i++)
        await answer.take({ type: 'text', delta: piece.repeat(size / piece.length + 1) });
      assert.equal(answer.finishReason, 'length', piece);
      assert.ok(answer.text.length <= ANSWER_UNITS_MAX && answer.text.isWellFormed());
    }
  }
});
