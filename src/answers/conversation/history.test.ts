import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatMessage } from '../../llm/models.ts';
import { fitHistory, historyBudget } from './history.ts';

const turn = (i: number, words = 20): ChatMessage[] => [
  { role: 'user', content: `question${i} ${'word '.repeat(words)}` },
  { role: 'assistant', content: `answer${i} ${'word '.repeat(words)}` },
];

test('a history that fits is sent whole', () => {
  const { history, complete } = fitHistory([...turn(1), ...turn(2)], 'latest?', 4096);
  assert.equal(complete, true);
  assert.equal(history.length, 4);
});

test('the oldest turns of a long history are dropped, each as a whole', () => {
  const all = Array.from({ length: 40 }, (_, i) => turn(i)).flat();
  const { history, complete } = fitHistory(all, 'latest?', 1024);
  assert.equal(complete, false);
  assert.equal(history[0]!.role, 'user');
  assert.match(history.at(-1)!.content, /^answer39/);
  assert.ok(history.length > 2 && history.length < 40, String(history.length));
});

test('no turn fits when the question alone exceeds the budget', () => {
  const question = 'word '.repeat(historyBudget(1024) * 2);
  assert.deepEqual(fitHistory(turn(1), question, 1024), { history: [], complete: false });
});

test('system messages stay when turns are dropped', () => {
  const all: ChatMessage[] = [{ role: 'system', content: 'Be brief.' }, ...turn(1, 2000), ...turn(2)];
  const { history } = fitHistory(all, 'latest?', 2048);
  assert.deepEqual(
    history.map(({ role }) => role),
    ['system', 'user', 'assistant'],
  );
});
