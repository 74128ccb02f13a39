import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConversationMessage } from '../../../src/client/api.ts';
import { EMPTY_ANSWER, isBranched, type LiveTurn, leafBelow, shownTurns, type Turn, turnsOf } from './turns.ts';

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

/** Two questions after the first answer; the second of them has two answers. Then another first question. */
const messages = [
  message('q1', null, 'user', 'one?'),
  message('a1', 'q1', 'assistant', 'one.'),
  message('q2', 'a1', 'user', 'two?'),
  message('a2', 'q2', 'assistant', 'two.'),
  message('q3', 'a1', 'user', 'other?'),
  message('a3', 'q3', 'assistant', 'other.'),
  message('b3', 'q3', 'assistant', 'other again.'),
  message('q4', null, 'user', 'first?'),
  message('a4', 'q4', 'assistant', 'first.'),
];
const tree = { messages, active_message_id: 'b3' };
const live = (id: string, parentId: string | null, againOf: string | null = null): LiveTurn => ({
  id,
  parentId,
  againOf,
  question: `${id}?`,
  answer: EMPTY_ANSWER,
});
const asked = (turns: readonly Turn[]): string[] => turns.map(({ question }) => question);
const places = ({ questions, answers }: Turn): string =>
  [questions, answers].map(({ ids, at }) => `${at + 1}/${Math.max(ids.length, at + 1)}`).join(' ');

test('the turns are those of the active branch, oldest first', () => {
  assert.deepEqual(
    turnsOf(tree).map(({ question, answer }) => [question, answer.text, answer.finish]),
    [
      ['one?', 'one.', 'stop'],
      ['other?', 'other again.', 'stop'],
    ],
  );
  assert.deepEqual(turnsOf({ messages, active_message_id: null }), []);
});

test('a message of the address chooses another branch, and an unknown one does not', () => {
  assert.deepEqual(asked(turnsOf(tree, 'a2')), ['one?', 'two?']);
  assert.deepEqual(asked(turnsOf(tree, 'a4')), ['first?']);
  assert.deepEqual(asked(turnsOf(tree, 'gone')), ['one?', 'other?']);
});

test('each question and each answer knows the versions beside it', () => {
  assert.deepEqual(turnsOf(tree).map(places), ['1/2 1/1', '2/2 2/2']);
  assert.deepEqual(turnsOf(tree)[1]?.answers.ids, ['a3', 'b3']);
  assert.equal(isBranched(messages), true);
  assert.equal(isBranched(messages.slice(0, 4)), false);
});

test('the way down from a version ends at the newest message below it', () => {
  assert.equal(leafBelow(messages, 'q1'), 'b3');
  assert.equal(leafBelow(messages, 'q2'), 'a2');
  assert.equal(leafBelow(messages, 'a3'), 'a3');
});

test('a question that is edited replaces what follows it, and stands as the newest version', () => {
  const turns = shownTurns(tree, 'a2', [live('new', 'a1')], true);
  assert.deepEqual(asked(turns), ['one?', 'new?']);
  assert.equal(places(turns[1]!), '3/3 1/1');
  assert.deepEqual(asked(shownTurns(tree, 'a2', [live('new', null)], true)), ['new?']);
});

test('an answer that is made again is the newest version of the answers to its question', () => {
  const turns = shownTurns(tree, undefined, [live('new', 'a1', 'q3')], true);
  assert.deepEqual(asked(turns), ['one?', 'new?']);
  assert.equal(places(turns[1]!), '2/2 3/3');
});

test('a turn that was not stored stays where it was asked, before the turn that was stored after it', () => {
  assert.deepEqual(asked(shownTurns(tree, 'a2', [live('stopped', 'a1')], false)), ['one?', 'stopped?', 'two?']);
  assert.deepEqual(asked(shownTurns(tree, 'a2', [live('stopped', 'a2'), live('next', 'a2')], true)), [
    'one?',
    'two?',
    'stopped?',
    'next?',
  ]);
});

test('turns that were not stored and belong to another branch are not shown', () => {
  for (const isOpen of [true, false])
    assert.deepEqual(asked(shownTurns(tree, 'a4', [live('stopped', 'a2')], isOpen)), ['first?']);
});

test('a stored answer keeps the sentences that no citation supports', () => {
  const span = { start: 0, end: 4 };
  const marked = messages.map((one) => (one.id === 'b3' ? { ...one, unsupported_spans: [span] } : one));
  const turns = turnsOf({ messages: marked, active_message_id: 'b3' });
  assert.deepEqual(
    turns.map(({ answer }) => answer.unsupported),
    [[], [span]],
  );
});
