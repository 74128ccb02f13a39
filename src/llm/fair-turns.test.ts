import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurns } from './fair-turns.ts';
import type { ChatEvent, ChatModel, ChatRequest } from './models.ts';

const never = new AbortController().signal;
const requestOf = (question: string): ChatRequest => ({ messages: [], question, chunks: [], citation: false });

/** A model that answers when it is told to. */
function openModel(): { model: ChatModel; begun: string[]; answerNext(): void } {
  const waiting: (() => void)[] = [];
  const begun: string[] = [];
  const model: ChatModel = {
    name: 'fake',
    contextTokens: 1,
    async *stream({ question }): AsyncGenerator<ChatEvent> {
      begun.push(question);
      await new Promise<void>((resolve) => waiting.push(resolve));
      yield { type: 'finish', reason: 'stop' };
    },
    async ask({ text }) {
      begun.push(text);
      return text;
    },
  };
  return { model, begun, answerNext: () => waiting.shift()!() };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('tenants take turns at a busy model, for answers and for other tasks', async () => {
  const { model, begun, answerNext } = openModel();
  const shared = inTurns(model, 1);
  const ask = (tenant: string, question: string) =>
    Array.fromAsync(shared.of!(tenant).stream(requestOf(question), never));
  const all = [ask('busy', 'b1'), ask('busy', 'b2'), ask('busy', 'b3'), ask('other', 'o1')];
  const task = { use: 'rewrite', system: '', outputTokensMax: 1, timeoutMs: 1 } as const;
  const rewritten = shared.of!('third').ask!({ ...task, text: 't1' }, never);
  for (let i = 0; i < 4; i++) {
    await settled();
    answerNext();
    await settled();
  }
  await Promise.all(all);
  assert.equal(await rewritten, 't1');
  assert.deepEqual(begun, ['b1', 'b2', 'o1', 't1', 'b3']);
});

test('within a tenant, its keys take turns', async () => {
  const { model, begun, answerNext } = openModel();
  const shared = inTurns(model, 1);
  const ask = (key: string, question: string) =>
    Array.fromAsync(shared.of!('tenant', key).stream(requestOf(question), never));
  const all = [ask('busy', 'b1'), ask('busy', 'b2'), ask('busy', 'b3'), ask('other', 'o1'), ask('third', 't1')];
  for (let i = 0; i < all.length; i++) {
    await settled();
    answerNext();
    await settled();
  }
  await Promise.all(all);
  assert.deepEqual(begun, ['b1', 'b2', 'o1', 't1', 'b3']);
});

test('a reader that stops early frees the place', async () => {
  const { model, begun, answerNext } = openModel();
  const shared = inTurns(model, 1).of!('tenant');
  const first = shared.stream(requestOf('first'), never)[Symbol.asyncIterator]();
  const step = first.next();
  await settled();
  answerNext();
  await step;
  await first.return!();
  const second = shared.stream(requestOf('second'), never)[Symbol.asyncIterator]().next();
  await settled();
  answerNext();
  await second;
  assert.deepEqual(begun, ['first', 'second']);
});

test('a request that is aborted while it waits never reaches the model', async () => {
  const { model, begun } = openModel();
  const shared = inTurns(model, 1);
  const first = shared.of!('a').stream(requestOf('first'), never)[Symbol.asyncIterator]().next();
  const gone = new AbortController();
  const waiting = Array.fromAsync(shared.of!('b').stream(requestOf('gone'), gone.signal));
  gone.abort(new Error('left'));
  await assert.rejects(waiting, /left/);
  await settled();
  assert.deepEqual(begun, ['first']);
  void first;
});
