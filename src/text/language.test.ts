import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageOf } from '../files/file-language.ts';
import type { BlockKind, ParsedFile } from '../files/parsed.ts';
import { detectLanguage } from './language.ts';

const CASES: Record<string, string> = {
  en: 'Mutations of the BRCA1 gene were found in 12 of the families that had been studied before.',
  de: 'Die Verteidigung der Panthers gab nur 308 Punkte ab und belegte den sechsten Platz in der Liga.',
  fr: 'La bibliothèque est ouverte tous les jours et les livres sont prêtés pour trois semaines.',
  es: 'La biblioteca está abierta todos los días y los libros se prestan por tres semanas.',
  pt: 'A biblioteca está aberta todos os dias e os livros são emprestados por três semanas.',
  it: 'La biblioteca è aperta tutti i giorni e i libri sono prestati per tre settimane.',
  nl: 'De bibliotheek is elke dag open en de boeken worden voor drie weken uitgeleend.',
  tr: 'Kütüphane her gün açık ve kitaplar üç hafta için ödünç veriliyor, bu çok güzel bir şey.',
  ru: 'Библиотека открыта каждый день, и книги выдаются на три недели всем читателям.',
  ja: '東大寺は奈良県奈良市にある華厳宗大本山の寺院である。',
  zh: '图书馆是收集、整理、保存书籍和资料并供人们阅读的机构。',
  ko: '도서관은 책과 자료를 모아 정리하고 보존하는 기관이다.',
  th: 'ห้องสมุดเป็นสถานที่รวบรวมหนังสือและสิ่งพิมพ์ต่าง ๆ',
  ar: 'المكتبة مكان تجمع فيه الكتب وتحفظ وتقدم للقراء الذين يريدون أن يتعلموا',
  he: 'הספרייה היא מקום שבו נאספים ספרים ונשמרים',
  el: 'Η βιβλιοθήκη συγκεντρώνει και φυλάσσει βιβλία',
  hi: 'पुस्तकालय में किताबें रखी जाती हैं और पाठकों को दी जाती हैं',
};

for (const [language, text] of Object.entries(CASES)) {
  test(`detects ${language}`, () => assert.equal(detectLanguage(text), language));
}

for (const [language, text] of [
  ['ru', 'Ярмарка, переведённая в город после пожара у стен Макарьева монастыря'],
  ['ru', 'Полководец отвоевал у вандалов Северную Африку и вернул Рим'],
  ['ru', 'Хлорирование воды начали применять в Мейдстоне, и смертность от брюшного тифа упала'],
  ['ru', 'Определение диапазона базы данных'],
  ['sr', 'Боја позадине странице'],
] as const) {
  test(`the letters of “${text}” tell the language ${language}`, () => assert.equal(detectLanguage(text), language));
}

test('a name in the letters of another language does not change the language of a text', () => {
  assert.equal(detectLanguage(`${CASES['ru']} Её посещают студенты из других городов и стран, как Харків.`), 'ru');
});

test('a Japanese text full of English names is Japanese', () => {
  assert.equal(detectLanguage('PostgreSQL の BM25 は SQLite の FTS5 よりも検索の品質が高いと言われている。'), 'ja');
});

test('text without enough letters has no language', () => {
  assert.equal(detectLanguage('12 + 30 = 42 (!)'), null);
  assert.equal(detectLanguage(''), null);
});

test('names made of function words of another language do not change the language of a text', () => {
  const teams =
    'Professional sports teams in Southern California include teams from the NFL (Los Angeles Rams, San Diego Chargers); ' +
    'NBA (Los Angeles Lakers, Los Angeles Clippers); MLB (Los Angeles Dodgers, Los Angeles Angels of Anaheim).';
  assert.equal(detectLanguage(teams), 'en');
});

test('a text that quotes many Latin names is in the language of its script', () => {
  assert.equal(detectLanguage('1. Brave Show 2. 너를 그린다 (Vocal) 3. 돌아 돌아 4. 울고싶단 말야 (With)'), 'ko');
  assert.equal(detectLanguage('ทีมกีฬามืออาชีพในแคลิฟอเนียใต้ NFL (Los Angeles Rams) NBA (Los Angeles Lakers)'), 'th');
});

test('commands and quotations in Latin letters do not change the language of a text in another script', () => {
  const quoted =
    'Options: -a, --all do not ignore entries that start with a dot; it is the same as in the manual of ls.';
  for (const language of ['ru', 'ar', 'hi', 'el']) {
    assert.equal(detectLanguage(`${CASES[language]} ${CASES[language]} ${quoted}`), language, language);
  }
  assert.equal(detectLanguage(`${quoted} ${quoted} (${CASES['ru']})`), 'en');
});

test('text in Latin letters is in a language of Latin script', () => {
  const text = 'Simple paragraph with a emphasized word.\n\n| Col 1 | Col 2 |\n| ROW 1 | ROW 1 |\n| ROW 2 | ROW 2 |';
  assert.equal(detectLanguage(text), 'en');
});

test('a short text is in a common language or in none, never in a rare one', () => {
  for (const text of [
    'Edición de objetos',
    'Ghid fonetic',
    'Kabul edilenler',
    'Accessing Bedrock',
    'Claude usage examples',
  ]) {
    assert.ok(!['la', 'rn', 'vo', 'tk', 'tl', 'eo', 'ga'].includes(detectLanguage(text) ?? ''), text);
  }
});

test('a name from a neighbouring language does not change the language of a short Cyrillic text', () => {
  const contract = 'Договор поставки с фирмой «Світанок» на сумму 500 рублей, подписанный в Москве';
  assert.equal(detectLanguage(contract), 'ru');
  assert.equal(detectLanguage('Програмний комплекс ЭВМ для обліку товарів'), 'uk');
  assert.equal(detectLanguage('Журналът „Новый мир“ излиза в Москва'), 'bg');
  assert.equal(detectLanguage('Улица Љубљанска в Белграде'), 'ru');
  assert.equal(detectLanguage('Президент Қасым-Жомарт Токаев посетил Москву и провёл переговоры'), 'ru');
});

test('lists of names, keys and words of programs in Latin script are in no language', () => {
  for (const text of [
    'Actions Undo Package Resolver Search Options Views Help\nf10: Menu ?: Help q: Quit u: Update',
    'java.lang.Object org.apache.commons.lang3.AnnotationUtils org.apache.commons.lang3.ArchUtils',
    'a o e i s z v u k o e a i s',
    'SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGFPE SIGKILL',
  ]) {
    assert.equal(detectLanguage(text), null, text);
  }
});

function file(text: string, kinds: readonly BlockKind[], fileType = 'md'): ParsedFile {
  let at = 0;
  const blocks = text.split('\n\n').map((part, i) => {
    const start = text.indexOf(part, at);
    at = start + part.length;
    return { kind: kinds[i] ?? 'paragraph', start, end: at };
  });
  return { fileType, text, blocks, metadata: {}, warnings: [] };
}

test('a source file is in no language, whatever the language of its comments', () => {
  assert.equal(languageOf(file(CASES['de']!, ['code'], 'code')), null);
});

test('code in a text does not tell the language of the text', () => {
  const code = '// la de los que el en y por con para se del al es no su como\n'.repeat(100);
  assert.equal(languageOf(file(`${code}\n\n${CASES['de']}`, ['code', 'paragraph'])), 'de');
  assert.equal(languageOf(file(code.trim(), ['code'])), null);
});

test('a long text that begins with a list of names is in the language of its sentences', () => {
  const sentence = 'Das Haus ist mit dem Garten nicht verbunden, und die Straße wird für eine Woche gesperrt. ';
  const names = 'Ana de la Cruz, Juan de los Ríos, Luis del Valle y José de la Vega\n'.repeat(40);
  assert.equal(languageOf(file(`${names}\n\n${sentence.repeat(120)}`, ['list', 'paragraph'])), 'de');
});

test('a long text is read at eight places, so that a few parts in another language do not decide', () => {
  const part = `${'See -a and -b in the list (1, 2, 3). '.repeat(28).slice(0, 1030)}${`${CASES['ru']} `.repeat(40)}`;
  assert.equal(languageOf(file(part.slice(0, 4000).repeat(4), ['paragraph'])), 'ru');
});

test('parts of addresses, hashes and tags are no function words', () => {
  const entry = (hash: string) =>
    `- [Fix] handle names [\`${hash}\`](https://github.com/a/b/commit/${hash}) by x@a.com\n`;
  const log = ['6a367e9', 'b02a65e', 'e3c5a3b', '9a1e7d4', 'c81e9a2'].map(entry).join('');
  assert.equal(detectLanguage(`The list of changes is kept in this file.\n\n${log}`), 'en');
  assert.notEqual(detectLanguage(log), 'pt');
  assert.notEqual(detectLanguage('<em>Alpha</em> beta, <em>gamma</em> delta and <em>omega</em>.'), 'pt');
  assert.equal(detectLanguage('A tabela mostra os nomes (com datas) em ordem.'), 'pt');
});

test('a short text with many Latin names is in its declared language, or in the language of its script', () => {
  const page = `type: author\nname: Natalia Ruz\nemail: nruz@inf.utfsm.cl\nname: Petr Kovář\nname: Ekaterina Gerasimova\nname: Lukáš Novotný
name: Michael Hill\nname: Frédéric Péters\ntitle: 전원 및 배터리 설정, 화면 밝기를 줄이고 배터리 상태를 봅니다`;
  assert.equal(detectLanguage(page), 'ko');
  const names = page.replace(/title.*/, '');
  assert.equal(detectLanguage(names, 'tr'), 'tr');
  assert.equal(detectLanguage(CASES['de']!, 'tr'), 'de');
});
