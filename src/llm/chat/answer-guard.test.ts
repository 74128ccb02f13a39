import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatEvent } from '../models.ts';
import { guarded } from './answer-guard.ts';

async function run(deltas: readonly string[], secrets: readonly string[] = ['n0nce-n0nce', 'sk-secret']) {
  async function* events(): AsyncGenerator<ChatEvent> {
    for (const delta of deltas) yield { type: 'text', delta };
    yield { type: 'finish', reason: 'stop' };
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
  assert.deepEqual(await run([' ', '\n']), ['', 'no_answer']);
  assert.deepEqual(await run(['NO']), ['NO', 'stop']);
});
