import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgentEvent, NO_VIEW, noteOf, viewAfter } from './agent-view.ts';

const viewOf = (...events: AgentEvent[]) => events.reduce(viewAfter, NO_VIEW);
const STEP: AgentEvent[] = [
  { type: 'RUN_STARTED', metadata: { run_id: 'r1' } },
  { type: 'STEP_STARTED', stepName: 'step 1' },
  { type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'search' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'a', delta: '{"query":"lamp"}' },
  { type: 'TOOL_CALL_END', toolCallId: 'a' },
];

test('a call has its arguments at once, and its result when that has arrived', () => {
  const before = viewOf(...STEP);
  assert.deepEqual(before.steps, [
    { name: 'step 1', calls: [{ id: 'a', tool: 'search', args: { query: 'lamp' }, result: undefined }] },
  ]);
  const after = viewAfter(before, { type: 'TOOL_CALL_RESULT', toolCallId: 'a', content: '{"results":[]}' });
  assert.deepEqual([after.runId, after.steps[0]!.calls[0]!.result], ['r1', { results: [] }]);
});

test('text that is no JSON object becomes an empty object', () => {
  const view = viewOf(...STEP, { type: 'TOOL_CALL_RESULT', toolCallId: 'a', content: 'oops' });
  assert.deepEqual(view.steps[0]!.calls[0]!.result, {});
});

test('a run ends with an answer, also after a limit; without one; with an error; canceled', () => {
  const finished = (reason: string, more: Partial<AgentEvent> = {}) =>
    viewOf(
      { type: 'TEXT_MESSAGE_CONTENT', delta: 'Two ' },
      { type: 'TEXT_MESSAGE_CONTENT', delta: 'parts.' },
      { type: 'RUN_FINISHED', result: { finish_reason: reason, warnings: [] }, ...more },
    ).answer;
  assert.deepEqual([finished('max_steps').finish, finished('max_steps').text], ['stop', 'Two parts.']);
  assert.equal(finished('no_answer').finish, 'no_answer');
  assert.equal(finished('canceled', { outcome: { type: 'cancelled' } }).finish, 'stopped');
  const failed = viewOf({ type: 'RUN_ERROR', message: 'The key was revoked.' }).answer;
  assert.deepEqual([failed.finish, failed.problem], ['error', 'The key was revoked.']);
});

test('a record with an error of its own is a result', () => {
  assert.equal(noteOf({ error: 'The table is gone.' }), 'The table is gone.');
  assert.equal(noteOf({ notice: 'This was already asked.' }), 'This was already asked.');
  assert.equal(noteOf({ id: 't1', error: null }), undefined);
  assert.equal(noteOf({ results: [] }), undefined);
});
