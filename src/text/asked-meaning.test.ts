import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutAskedMeaning } from './asked-meaning.ts';

test('the words that ask for a meaning are dropped', () => {
  const asked: Record<string, string> = {
    'What does CRUD stand for?': 'What does CRUD?',
    'what did the term mean': 'what did the term',
    'What is the definition of "lawyer"?': '"lawyer"?',
    'Was bedeutet Pfingsten?': 'Pfingsten?',
    'Que signifie le mot Debian ?': 'le mot Debian ?',
    '¿Qué significa SAI?': 'SAI?',
    'Co oznacza skrót VAT?': 'skrót VAT?',
  };
  for (const [question, words] of Object.entries(asked)) assert.equal(withoutAskedMeaning(question).trim(), words);
});

test('other questions stay', () => {
  for (const question of [
    'What does the law mean by "delegate"?',
    'stand for election',
    'How mean is it?',
    'Was bedeutet',
    'What is the definition of done?',
    'What is the definition of ready in our team?',
  ])
    assert.equal(withoutAskedMeaning(question), question);
});

test('questions with very many blanks or marks are read in linear time', () => {
  const used = process.cpuUsage();
  for (const part of [' ', '?', ' ?', '\n'])
    for (const start of ['', 'what does x', 'what does x mean', 'what is the definition of', '¿'])
      withoutAskedMeaning(`${start}${part.repeat(100_000)}x`);
  assert.ok(process.cpuUsage(used).user < 3e6);
});
