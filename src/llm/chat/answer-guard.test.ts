import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatEvent } from '../models.ts';
import { guarded } from './answer-guard.ts';

async function run(
  deltas: readonly string[],
  secrets: readonly string[] = ['n0nce-n0nce', 'sk-secret'],
  end: 'stop' | 'length' | 'content_filter' = 'stop',
) {
  async function* events(): AsyncGenerator<ChatEvent> {
    for (const delta of deltas) yield { type: 'text', delta };
    yield { type: 'finish', reason: end };
  }
  let text = '';
  let reason: string | undefined;
  for await (const event of guarded(events(), secrets)) {
    if (event.type === 'text') text += event.delta;
    else if (event.type === 'finish') reason = event.reason;
  }
  return [text, reason];
}

test('secrets are removed from an answer, however the text is cut into deltas', async () => {
  const whole = ' A<sources-n0nce-n0nce> sk-secret n0nce-n0 sk-sk-secretsecret n0nce-n0nce';
  for (let size = 1; size <= whole.length; size++) {
    const deltas = whole.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g'))!;
    assert.deepEqual(await run(deltas), ['A<sources-…> … n0nce-n0 sk-…secret …', 'stop'], `deltas of ${size}`);
  }
});

test('the sentinel alone means no answer; text that only begins like the sentinel is kept', async () => {
  assert.deepEqual(await run([' NO_', 'ANSWER_IN_SOU', 'RCES.']), ['', 'no_answer']);
  assert.deepEqual(await run(['NO_ANSWER', ' is known']), ['NO_ANSWER is known', 'stop']);
  assert.deepEqual(await run(['NO']), ['NO', 'stop']);
});

test('the sentinel in quotes, in bold, in small letters or after thoughts means no answer, and is never shown', async () => {
  for (const whole of [
    '**NO_ANSWER_IN_SOURCES**',
    '"no_answer_in_sources"',
    '<think>Is it [1]? NO_ANSWER_IN_SOURCES, I think.</think>\n\nNO_ANSWER_IN_SOURCES',
  ])
    for (const size of [1, 3, 200]) {
      const deltas = whole.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g'))!;
      assert.deepEqual(await run(deltas), ['', 'no_answer'], whole);
    }
  assert.deepEqual(await run(['I found nothing. NO_ANSWER_IN', '_SOURCES']), ['I found nothing. …', 'stop']);
  assert.deepEqual(await run(['**No** is the answer.']), ['**No** is the answer.', 'stop']);
});

test('thoughts at the beginning of an answer are left out', async () => {
  assert.deepEqual(await run(['<th', 'ink>The secret', '.</thi', 'nk>\nThe answer', ' [1].']), [
    'The answer [1].',
    'stop',
  ]);
  assert.deepEqual(await run(['<thinner>', ' paint']), ['<thinner> paint', 'stop']);
});

test('a model that ends without a word has failed, which says nothing about the sources', async () => {
  for (const deltas of [[], [' ', '\n'], ['<think>Hm'], ['<think>Hm</think>\n']]) {
    await assert.rejects(run(deltas), { code: 'upstream_failed', message: 'The chat model answered nothing.' });
    await assert.rejects(run(deltas, [], 'length'), { message: /used up its output limit/ });
    assert.deepEqual(await run(deltas, [], 'content_filter'), ['', 'content_filter']);
  }
});
