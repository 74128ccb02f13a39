import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ChatMessage } from '../../llm/models.ts';
import { carryOver, dependsOnHistory } from './follow-up.ts';

/**
 * Language; earlier questions and answers in turn; the question; the words that a correct form of the question has, or null when the
 * question stands alone.
 */
type Case = [string, string[], string, string[] | null];
const CASES: Case[] = JSON.parse(readFileSync(new URL('../../../test/llm/follow-ups.json', import.meta.url), 'utf8'));

const said = (turns: readonly string[]): ChatMessage[] =>
  turns.map((content, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content }));

function isRight([, turns, question, wanted]: Case): boolean {
  const form = carryOver(question, said(turns));
  if (wanted === null) return form === null;
  return wanted.every((word) => form?.toLowerCase().includes(word.toLowerCase()) ?? false);
}

test('the rules understand at least 85 % of the questions that depend on a conversation, and leave all others alone', () => {
  const wrong = CASES.filter((one) => !isRight(one)).map(([, , question]) => question);
  for (const language of ['en', 'de', 'zh', 'ja']) {
    const of = CASES.filter(([tag]) => tag === language);
    const share = (cases: Case[]): number => cases.filter(isRight).length / cases.length;
    const dependent = share(of.filter(([, , , wanted]) => wanted !== null));
    const alone = share(of.filter(([, , , wanted]) => wanted === null));
    assert.ok(dependent >= 0.85, `${language}: ${dependent} of the dependent questions, wrong: ${wrong.join(' | ')}`);
    assert.equal(alone, 1, `${language}: questions that stand alone, wrong: ${wrong.join(' | ')}`);
  }
});

const user = (content: string): ChatMessage => ({ role: 'user', content });

test('a question that depends on others gets the question before it and the last one that stands alone', () => {
  const chain = [
    'Who founded Acme Tools?',
    'How many days of leave do staff get at Acme Tools?',
    'And interns?',
    'And in winter?',
  ].map(user);
  assert.equal(carryOver('Why?', chain), 'Why? And in winter? How many days of leave do staff get at Acme Tools?');
  assert.equal(carryOver('Why?', chain.slice(0, 1)), 'Why? Who founded Acme Tools?');
});

test('a short question that may stand alone is a new topic for the next one', () => {
  const asked = ['How many days of leave do staff get at Acme Tools?', 'When did the lighthouse open?'].map(user);
  assert.equal(carryOver('And in which year?', asked), 'And in which year? When did the lighthouse open?');
});

test('a question after "who" gets the name in the answer', () => {
  const asked = [
    user('Who founded it?'),
    { role: 'assistant' as const, content: 'The founder was Jane Doe, in 1962.' },
  ];
  assert.equal(carryOver('When was she born?', asked), 'When was she born? Who founded it? Jane Doe');
});

test('a long question is carried over in part', () => {
  assert.ok(carryOver('Why?', [user('What do words mean? '.repeat(1_000))])!.length < 400);
});

test('a question stays as it is when no earlier question has words', () => {
  assert.equal(carryOver('And interns?', []), null);
  assert.equal(carryOver('And interns?', [user('?!')]), null);
  assert.equal(carryOver('And interns?', [{ role: 'assistant', content: 'Staff get 25 days.' }]), null);
});

test('a question with its own topic, or with the noun of its pronoun, stands alone', () => {
  for (const question of [
    'What happens to a booking when it is cancelled?',
    'How many days of leave do interns get in their first year?',
    'Dinosaurs in Patagonia?',
    'Was passiert mit einer Buchung, wenn sie storniert wird?',
    '임종석을 검거한 장소는 경희대 내 어디인가?',
    'จอช นอร์แมน อินเตอร์เซปลูกบอลได้กี่ลูก',
    'what does rsync -H do',
  ])
    assert.notEqual(dependsOnHistory(question), 'yes', question);
});

test('a long message is read within two seconds', () => {
  const started = process.cpuUsage();
  for (const part of ['it ', 'der, ', 'と其', 'is it possible ', "d'", '这', '(((('])
    carryOver(part.repeat(50_000), [user(part.repeat(50_000))]);
  assert.ok(process.cpuUsage(started).user < 2_000_000);
});
