import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inFoundSpelling, readQuestion } from './question.ts';
import { allTerms, topicTerms } from './words.ts';

function namesIn(text: string, language: string): string[] {
  return [...readQuestion(text, language).names];
}

/** Returns the terms of the question when passages with these texts were found. */
function termsWith(question: string, found: string, language: string): string[] {
  const passages = found.split('\n').map((passage) => new Set(allTerms(passage, language)));
  return [...inFoundSpelling(readQuestion(question, language), passages).terms];
}

const termsOf = (text: string, language: string): string[] => [...topicTerms(text, language)];

test('a German noun is no name of its own, but a word with two capitals or a digit is one', () => {
  assert.deepEqual(namesIn('Wie lange dauert die Prüfung einer Quittung?', 'de'), []);
  assert.deepEqual(namesIn('Welche Ports im UDP-Protokoll braucht IPsec?', 'de'), termsOf('UDP IPsec', 'de'));
  assert.deepEqual(namesIn('Wie schnell schreibt die Platte sda1?', 'de'), termsOf('sda1', 'de'));
  assert.deepEqual(namesIn('Who is the mayor of Bergen?', 'en'), termsOf('Bergen', 'en'));
});

test('a word with a hyphen is looked for in the spelling that the passages have', () => {
  const question = 'Welche Debug-Stufe gilt?';
  assert.deepEqual(termsWith(question, 'Die Stufe der Ausgabe, Debug gilt', 'de'), termsOf('Debug Stufe gilt', 'de'));
  assert.deepEqual(termsWith(question, 'Die Debugstufe gilt', 'de'), [...termsOf('Debugstufe gilt', 'de')]);
  // An inverted French question adds a pronoun to its verb.
  const french = termsWith('Combien de temps ping attend-il ?', 'ping attend une seconde', 'fr');
  assert.deepEqual(french, termsOf('temps ping attend', 'fr'));
});

test('a date is looked for in the way to write it that the passages have', () => {
  const inNumbers = termsWith('What moved on 9 November 2022?', '2022-11-09: the server moved', 'en');
  assert.deepEqual(inNumbers, termsOf('moved', 'en').concat(allTerms('2022-11-09', 'en')));
  const inWords = termsWith('What moved on 2022-11-09?', 'The server moved on November 9, 2022', 'en');
  assert.deepEqual(inWords, termsOf('moved', 'en').concat(allTerms('November 9, 2022', 'en')));
  const asked = termsOf('moved 9 November 2022', 'en');
  const apart = 'moved on 2022-11-10\nthe 9th of November\nin 2022';
  for (const text of ['moved on 9 November 2022', 'moved on 2022-11-10', apart])
    assert.deepEqual(termsWith('What moved on 9 November 2022?', text, 'en'), asked, text);
  const twoDays = termsWith('What moved on 3/5/2024?', 'moved on 2024-05-03', 'en');
  assert.ok(!twoDays.includes('20240503'), 'a date that may be two days');
});

test('a word that no passage has is looked for by its looser forms, unless it is a name', () => {
  const parts = termsOf('Gericht Verfahren', 'de');
  const compound = termsWith('Wie lang ist das Gerichtsverfahren?', 'Das Verfahren vor dem Gericht ist lang', 'de');
  assert.ok(parts.every((part) => compound.includes(part)));
  assert.ok(!compound.includes(termsOf('Gerichtsverfahren', 'de')[0]!));
  const found = termsWith('Ile trwa kompilowanie?', 'Kompilacja trwa', 'pl');
  assert.ok(!found.includes(termsOf('kompilowanie', 'pl')[0]!));
  assert.equal(found.length, 2);
  assert.ok(termsWith('Kto zna Bergensen?', 'Zna Bergen', 'pl').includes(termsOf('Bergensen', 'pl')[0]!));
  assert.ok(termsWith('Who confirms it?', 'The configuration', 'en').includes(termsOf('confirms', 'en')[0]!));
});

test('a question asks for a default, or for a number, in the words of its language', () => {
  for (const question of [
    'Welcher Wert gilt, wenn ich nichts angebe?',
    'Was ist die Vorgabe?',
    '¿Qué valor se usa por omisión?',
    'Jaki system plików powstaje, gdy nie podam typu?',
    'Jaká hodnota je výchozí?',
    'Какой размер, если не указать?',
    'モードを指定しないとどうなりますか?',
    '属性を書かないとどうなりますか?',
    '没有设置大小的话是多少？',
    '개수를 안 정하면 몇 개인가요?',
    'ถ้าไม่ระบุโหมดจะใช้โหมดไหน',
    'nếu không chọn cổng thì dùng cổng nào',
    'Zaman verilmezse ne olur?',
  ])
    assert.ok(readQuestion(question, null).asksDefault, question);
  for (const question of ['Ile znaków ma etykieta?', 'Kolik oddílů může být?', 'Quantos dias?', 'Какой максимум?'])
    assert.ok(readQuestion(question, null).asksNumber, question);
  assert.ok(!readQuestion('Co se stane, když chybí?', 'cs').asksNumber);
});

test('mails and messages are no topic only where the question asks what somebody sent', () => {
  const kept: Record<string, string> = {
    'Which mail server is used?': 'mail server used',
    'What message broker do we use?': 'message broker use',
    'What message does Exim log for a frozen delivery?': 'message Exim log frozen delivery',
    'Which messages are in the queue?': 'messages queue',
    'What is the definition of done?': 'definition done',
    'Which mails are from Tomasz Nowak?': 'Tomasz Nowak',
    'Which messages did Tomasz Nowak write?': 'Tomasz Nowak write',
  };
  for (const [question, topic] of Object.entries(kept))
    assert.deepEqual([...readQuestion(question, 'en').terms], termsOf(topic, 'en'), question);
});

test('the particles at the end of Korean words are no topic', () => {
  for (const [question, topic] of [
    ['파일을 서버로 보내기', '파일 서버 보내기'],
    ['MongoDB의 포트', 'MongoDB 포트'],
    ['물의 온도', '물의 온도'],
    ['이름', '이름'],
  ] as const)
    assert.deepEqual([...readQuestion(question, 'ko').terms].sort(), termsOf(topic, 'ko').sort(), question);
});

test('an identifier ends where a word of a script without spaces, or a particle, begins', () => {
  for (const question of [
    'max_retries의 기본값은 무엇인가요?',
    '設定のmax_retriesのデフォルトは?',
    '参数max_retries的默认值是多少？',
    'ค่าmax_retriesเริ่มต้นคืออะไร',
    'ຄ່າmax_retriesແມ່ນຫຍັງ',
    'តម្លៃmax_retriesជាអ្វី',
    'max_retriesတန်ဖိုးက ဘာလဲ',
    'max_retriesパラメータは?',
    'What is max_retries?',
  ])
    assert.deepEqual(readQuestion(question, null).identifiers, ['maxretries'], question);
});

test('letters of every script beside an underscore belong to an identifier', () => {
  const names: Record<string, string> = {
    '用户_id 的类型是什么？': '用户id',
    '变量_名称 是什么？': '变量名称',
    '顧客_住所 の型は?': '顧客住所',
    '`max_값`은 무엇인가요?': 'max값',
  };
  for (const [question, name] of Object.entries(names))
    assert.deepEqual(readQuestion(question, null).identifiers, [name], question);
});

test('a question with very many blanks is read in linear time', () => {
  // Looking back over all blanks from each blank would take minutes.
  const { names } = readQuestion(`${' '.repeat(500_000)}\u2028where does the old wheel of the Mill stand`, 'en');
  assert.deepEqual([...names], ['mill']);
});

test('a question asks for a number with the Thai word for "how many", and not with "about", which has its letters', () => {
  const asks = (text: string): boolean => readQuestion(text, 'th').asksNumber;
  assert.ok(asks('พนักงานได้วันหยุดกี่วัน'));
  assert.ok(!asks('ใครเขียนหนังสือเกี่ยวกับทะเล'));
});

test('among letters without capitals and blanks, each Latin word is a name', () => {
  assert.deepEqual(namesIn('kubectlでPodを再起動するには？', 'ja'), termsOf('kubectl Pod', 'ja'));
  assert.deepEqual(namesIn('Redis 的 maxmemory-policy 預設值是什麼？', 'zh'), termsOf('Redis maxmemory-policy', 'zh'));
  assert.deepEqual(namesIn('nginx 기본값은 몇인가요', 'ko'), termsOf('nginx', 'ko'));
  assert.deepEqual(
    namesIn('innodb_flush_log_at_trx_commit 默认值', 'zh'),
    termsOf('innodb_flush_log_at_trx_commit', 'zh'),
  );
  assert.deepEqual(namesIn('What is the value of "設定" in the settings', 'en'), []);
  assert.deepEqual(namesIn('где находится город Казань', 'ru'), termsOf('Казань', 'ru'));
});
