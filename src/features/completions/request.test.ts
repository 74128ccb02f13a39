import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsEvents } from '../../http/sse.ts';
import { completionBody } from './request.ts';

const RUN = { threadId: 't', runId: 'r', state: {}, tools: [], context: [], protocolVersion: '1.0', newMember: 1 };
const user = { id: 'x', role: 'user', content: 'Why?' };

test('an ag-ui RunAgentInput becomes completion parameters', () => {
  const body = completionBody.parse({
    ...RUN,
    messages: [
      { id: 'a', role: 'developer', content: 'Be brief.' },
      { id: 'b', role: 'assistant', toolCalls: [] },
      { id: 'c', role: 'tool', toolCallId: 'x', content: 'done' },
      { id: 'd', role: 'reasoning', content: 'hm' },
      {
        id: 'e',
        role: 'user',
        content: [
          { type: 'text', text: 'Why' },
          { type: 'image', source: {} },
          { type: 'text', text: 'so?' },
        ],
      },
    ],
    forwardedProps: { limit: 3, citation: false },
  });
  assert.deepEqual(body.messages, [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Why\nso?' },
  ]);
  assert.deepEqual([body.limit, body.citation, body.threadId, body.runId], [3, false, 't', 'r']);
});

test('forwarded properties are checked like a body, and cannot replace the run id or the messages', () => {
  assert.equal(completionBody.safeParse({ ...RUN, messages: [user], forwardedProps: { limitt: 3 } }).success, false);
  assert.equal(completionBody.safeParse({ ...RUN, messages: [user], forwardedProps: { limit: 0 } }).success, false);
  assert.equal(
    completionBody.parse({ ...RUN, messages: [user], forwardedProps: { runId: 'other', messages: [] } }).runId,
    'r',
  );
  assert.equal(completionBody.parse({ ...RUN, messages: [user], forwardedProps: null }).messages.length, 1);
});

test('a body without both thread id and run id is a plain body, whose unknown members are refused', () => {
  const { runId: _, ...rest } = RUN;
  assert.equal(completionBody.safeParse({ ...rest, messages: [user] }).success, false);
  assert.equal(completionBody.safeParse({ messages: [user] }).success, false, 'id of the message');
  assert.equal(completionBody.safeParse({ messages: [{ role: 'user', content: 'Why?' }] }).success, true);
  assert.equal(completionBody.safeParse([]).success, false);
});

test('events are sent only when the Accept header names text/event-stream with a quality above 0', () => {
  for (const accept of [
    'text/event-stream',
    'application/json, Text/Event-Stream;q=0.5',
    'text/event-stream; charset=utf-8',
  ])
    assert.equal(acceptsEvents(accept), true, accept);
  for (const accept of [undefined, '', '*/*', 'application/json', 'text/event-stream;q=0', 'text/event-stream; q=0.0'])
    assert.equal(acceptsEvents(accept), false, String(accept));
});
