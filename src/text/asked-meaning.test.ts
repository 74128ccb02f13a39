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
    'Architecture: any とは何を意味しますか？': 'Architecture: any ？',
    'DFSG は何の略ですか': 'DFSG',
    '公証人の定義は何ですか？': '公証人？',
    '「抵押」是什么意思？': '「抵押」？',
    公证的定义是什么: '公证',
    '공증인은 무슨 뜻인가요?': '공증인?',
    '등기의 정의는 무엇입니까?': '등기?',
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
    '彼は何を持っていますか？',
    '意味のある名前は何ですか？',
    '他说的是什么话？',
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
