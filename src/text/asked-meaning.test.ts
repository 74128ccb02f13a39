import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWordLists } from '../util/package-files.ts';
import { withoutAskedMeaning } from './asked-meaning.ts';
import { fold } from './fold.ts';

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
  for (const [question, words] of Object.entries(asked))
    assert.equal(withoutAskedMeaning(question).topic.trim(), words);
});

test('phrases that open or end a question are dropped, with or without accents, and tell its language', () => {
  const asked: [question: string, topic: string, language: string][] = [
    ['Wo finde ich die Zeichenzahl?', 'die Zeichenzahl?', 'de'],
    ['was macht der Befehl shred', 'shred', 'de'],
    ['Dateien löschen, wie mache ich das?', 'Dateien löschen, ?', 'de'],
    ['Où puis-je trouver le nombre de pages ?', 'le nombre de pages ?', 'fr'],
    ["ou se trouve l'option", "l'option", 'fr'],
    ['Dis-moi, où se trouve le fichier ?', 'le fichier ?', 'fr'],
    ['¿Para qué sirve el comando nice?', 'nice?', 'es'],
    ['como faco para inserir uma linha', 'inserir uma linha', 'pt'],
    ['come faccio a stampare', 'stampare', 'it'],
    ['Gdzie sprawdzę liczbę znaków?', 'liczbę znaków?', 'pl'],
    ['подскажите, пожалуйста, размер файла', ', размер файла', 'ru'],
    ['shred komutu ne işe yarar?', 'shred ?', 'tr'],
    ['που βρισκω τα αρχεια', 'τα αρχεια', 'el'],
    ['ماذا يفعل uscan؟', 'uscan؟', 'ar'],
    ['राइटर का क्या मतलब है?', 'राइटर ?', 'hi'],
  ];
  for (const [question, topic, language] of asked) {
    const found = withoutAskedMeaning(question);
    assert.deepEqual({ ...found, topic: found.topic.trim() }, { topic, language });
  }
});

test('an asking phrase is in the list of one language, which it tells', () => {
  const phrases = [...readWordLists('asking-phrases').values()].flat().map((phrase) => fold(phrase.toLowerCase()));
  assert.deepEqual(
    phrases.filter((phrase, i) => phrases.indexOf(phrase) !== i),
    [],
  );
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
    'Wo finde ich',
    'I asked where do I find it now',
    `wo finde${' '.repeat(80)}ich das`,
  ])
    assert.deepEqual(withoutAskedMeaning(question), { topic: question });
});

test('questions with very many blanks or marks are read in linear time', () => {
  const used = process.cpuUsage();
  for (const part of [' ', '?', ' ?', '\n', ' x', '\u0301'])
    for (const start of [
      '',
      'what does x',
      'what does x mean',
      'what is the definition of',
      '¿',
      'wo finde',
      'x ne işe',
    ])
      withoutAskedMeaning(`${start}${part.repeat(100_000)}x`);
  assert.ok(process.cpuUsage(used).user < 3e6);
});
