import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatMessage } from '../../llm/models.ts';
import { fitHistory, historyBudget } from './history.ts';

const turn = (i: number, words = 20): ChatMessage[] => [
  { role: 'user', content: `question${i} ${'word '.repeat(words)}` },
  { role: 'assistant', content: `answer${i} ${'word '.repeat(words)}` },
];

test('a history that fits is sent whole', () => {
  const { messages, complete } = fitHistory([...turn(1), ...turn(2)], 'latest?', 4096);
  assert.equal(complete, true);
  assert.equal(messages.length, 5);
  assert.deepEqual(messages.at(-1), { role: 'user', content: 'latest?' });
});

test('the oldest turns of a long history are dropped, each as a whole', () => {
  const history = Array.from({ length: 40 }, (_, i) => turn(i)).flat();
  const { messages, complete } = fitHistory(history, 'latest?', 1024);
  assert.equal(complete, false);
  assert.equal(messages[0]!.role, 'user');
  assert.match(messages.at(-2)!.content, /^answer39/);
  assert.ok(messages.length > 3 && messages.length < 40, String(messages.length));
});

test('the question is sent even when it alone exceeds the budget', () => {
  const question = 'word '.repeat(historyBudget(1024) * 2);
  assert.deepEqual(fitHistory(turn(1), question, 1024), {
    messages: [{ role: 'user', content: question }],
    complete: false,
  });
});

test('system messages stay when turns are dropped', () => {
  const history: ChatMessage[] = [{ role: 'system', content: 'Be brief.' }, ...turn(1, 2000), ...turn(2)];
  const { messages } = fitHistory(history, 'latest?', 2048);
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'user'],
  );
});
