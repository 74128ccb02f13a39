import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConversationMessage } from '../../../src/client/api.ts';
import { turnsOf } from './turns.ts';

function message(id: string, parent: string | null, role: 'user' | 'assistant', content: string): ConversationMessage {
  return {
    id,
    parent_id: parent,
    role,
    content,
    citations: [],
    finish_reason: role === 'user' ? null : 'stop',
    creation_time: 0,
  };
}

test('the turns are those of the active branch, oldest first', () => {
  const messages = [
    message('q1', null, 'user', 'one?'),
    message('a1', 'q1', 'assistant', 'one.'),
    message('q2', 'a1', 'user', 'two?'),
    message('a2', 'q2', 'assistant', 'two.'),
    message('q3', 'a1', 'user', 'other?'),
    message('a3', 'q3', 'assistant', 'other.'),
  ];
  const turns = turnsOf({ messages, active_message_id: 'a3' });
  assert.deepEqual(
    turns.map(({ question, answer }) => [question, answer.text, answer.finish]),
    [
      ['one?', 'one.', 'stop'],
      ['other?', 'other.', 'stop'],
    ],
  );
  assert.deepEqual(turnsOf({ messages, active_message_id: null }), []);
});
