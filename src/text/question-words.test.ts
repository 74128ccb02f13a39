import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWordLists } from '../util/package-files.ts';
import { fold } from './fold.ts';
import { withoutQuestionWords } from './question-words.ts';

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
    assert.equal(withoutQuestionWords(question).topic.trim(), words);
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
    ['what does the command who do?', 'who do?', 'en'],
    ['राइटर का क्या मतलब है?', 'राइटर ?', 'hi'],
  ];
  for (const [question, topic, language] of asked) {
    const found = withoutQuestionWords(question);
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
    'What is the definition of ready in our team?',
    'Wo finde ich',
    'I asked where do I find it now',
    'Tell me why',
    '"Please wait" message',
    'error « please wait',
    'Überschrift "bitte"',
    'dime novel',
    'SVP Parteiprogramm',
    `wo finde${' '.repeat(80)}ich das`,
  ])
    assert.deepEqual(withoutQuestionWords(question), { topic: question });
});

test('question words are dropped in languages where they are no words between blanks, or phrases of frequent words', () => {
  const asked: Record<string, string> = {
    '彼は何を持っていますか？': '彼は を持ってい ？',
    'エラーが出る。どうすればいいですか。': 'エラーが出る。 。',
    '"not found" と表示されます': '"not found"',
    保存場所はどこですか: '保存場所は',
    いつ更新された: '更新された',
    発売はいつごろですか: '発売は',
    何行まで表示できますか: '行まで表示でき',
    何文字まで入力できますか: '文字まで入力でき',
    会议室有几人: '会议室有 人',
    '値はどの画面でどう変えますか？': '値は 画面で 変え ？',
    '他说的是什么话？': '他说的 话？',
    怎么显示隐藏文件: '显示隐藏文件',
    為什麼不能連線: '不能連線',
    '설정을 바꾸려면 어떻게 해야 하나요?': '설정을 바꾸려면 ?',
    '기본 포트는 몇 번인가요?': '기본 포트는 번 ?',
    ปิดกราฟต้องทำอย่างไรครับ: 'ปิดกราฟ',
    'làm thế nào để hiện tập tin ẩn': 'hiện tập tin ẩn',
    'cong mac dinh la bao nhieu?': 'cong mac dinh la ?',
  };
  for (const [question, words] of Object.entries(asked))
    assert.equal(withoutQuestionWords(question).topic.replace(/\s+/g, ' ').trim(), words);
});

test('words that hold the letters of question words stay, and question words without other words', () => {
  for (const text of [
    ...[
      '几何学',
      ...['几内亚', '茶几', '茶几条形', '几丁质', '何炅', '何以为家', '去哪儿网', '吗啉', '毛呢大衣', '花呢'],
      ...['どうぶつの森', 'どこでもドア', '何でも屋', '雨だれ前奏曲', 'どれみ', '樹 いつき', 'なぜなぜ分析', 'どうが'],
      ...['죠죠', 'ใคร่ครวญ', 'กี่เพ้า', 'la GI bill'],
      '吗啡',
      '任何人',
      'ぶどう酒',
      'いつもの道',
      'さけといくら',
      '静か',
      '왜곡 보정',
      '누가복음',
      'เกี่ยวกับทะเล',
      'sao lưu',
    ],
    ...['何ですか', '怎么', '어떻게', 'อย่างไร', 'thế nào'],
  ])
    assert.equal(withoutQuestionWords(text).topic, text);
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
      withoutQuestionWords(`${start}${part.repeat(100_000)}x`);
  assert.ok(process.cpuUsage(used).user < 3e6);
});
