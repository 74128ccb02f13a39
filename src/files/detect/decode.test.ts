import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import iconv from 'iconv-lite';
import { cleanText, decodePieces, decodeText, withSymbols } from './decode.ts';

const TEXTS = {
  ja: '東大寺は、奈良県奈良市にある華厳宗大本山の寺院である。聖武天皇が国力を尽くして建立した寺として知られている。',
  zhHans: '图书馆是收集、整理、保存书籍和资料并供人们阅读的机构。我们每天都可以在这里学习新的知识。',
  zhHant: '圖書館是收集、整理、保存書籍和資料並供人們閱讀的機構。我們每天都可以在這裡學習新的知識。',
  ko: '도서관은 책과 자료를 모아 정리하고 보존하여 사람들이 읽을 수 있게 하는 기관이다. 우리는 매일 이곳에서 배운다.',
  ru: 'Библиотека собирает и хранит книги, а также предоставляет их читателям для временного пользования.',
  el: 'Η βιβλιοθήκη συγκεντρώνει και φυλάσσει βιβλία και τα διαθέτει στους αναγνώστες της κάθε ημέρα.',
  tr: 'Kütüphane, kitapların toplandığı ve okuyucuların kullanımına sunulduğu yerdir; herkes için açıktır, üyelik gerekmez.',
  de: 'Die Bücherei sammelt Bücher für alle, die lesen möchten; größere Häuser öffnen früh und schließen spät.',
  pl: 'Biblioteka gromadzi książki i udostępnia je czytelnikom, którzy chcą się uczyć; każdy może przyjść również wieczorem.',
  es: '¿Cuándo abre la biblioteca? ¡Mañana! Los niños leen aquí.',
  en: 'The pier’s fee is £825 for two nights… not bad for a £2 bet.',
  fr: 'La forme est :\u00a0x\u00a0; la marée est haute\u00a0!',
  cs: 'Nápor poťouchlých žlutých číňan; nejbližší příliv přijde večer.',
  it: 'Dopo la pausa si può uscire.',
  da: 'Flyt markøren til linjen før ordet.',
  nl: 'De woorden met één opdracht wissen.',
  uk: 'Бібліотека збирає та зберігає книги, її відвідують щодня.',
  th: 'ห้องสมุดเป็นสถานที่รวบรวมหนังสือและสิ่งพิมพ์ต่าง ๆ เพื่อให้ผู้อ่านได้ใช้ในการศึกษาค้นคว้า',
  ar: 'المكتبة مكان تجمع فيه الكتب وتحفظ وتقدم للقراء الذين يريدون أن يتعلموا شيئا جديدا في كل يوم',
  he: 'הספרייה היא מקום שבו נאספים ספרים ונשמרים, והם מוצעים לקוראים הרוצים ללמוד דבר חדש בכל יום',
};

const LEGACY: readonly (readonly [keyof typeof TEXTS, string])[] = [
  ['ja', 'shift_jis'],
  ['ja', 'euc-jp'],
  ['zhHans', 'gb18030'],
  ['zhHant', 'big5'],
  ['ko', 'euc-kr'],
  ['ru', 'windows-1251'],
  ['ru', 'koi8-r'],
  ['ru', 'cp866'],
  ['el', 'windows-1253'],
  ['tr', 'windows-1254'],
  ['de', 'windows-1252'],
  ['pl', 'windows-1250'],
  ['pl', 'iso-8859-2'],
  ['ru', 'iso-8859-5'],
  ['es', 'windows-1252'],
  ['en', 'windows-1252'],
  ['fr', 'windows-1252'],
  ['fr', 'macintosh'],
  ['de', 'macintosh'],
  ['de', 'cp850'],
  ['es', 'cp850'],
  ['pl', 'cp852'],
  ['cs', 'cp852'],
  ['tr', 'cp857'],
  ['it', 'windows-1252'],
  ['da', 'windows-1252'],
  ['nl', 'windows-1252'],
  ['uk', 'koi8-u'],
  ['th', 'windows-874'],
  ['ar', 'windows-1256'],
  ['he', 'windows-1255'],
];

for (const [language, encoding] of LEGACY) {
  test(`a ${language} text in ${encoding} is decoded although it names no encoding`, () => {
    assert.equal(decodeText(iconv.encode(TEXTS[language], encoding)).text, TEXTS[language]);
  });
}

// One sign is all that shows the encoding. It may be the last byte, or far behind the beginning.
for (const text of [
  '4,5,©',
  'Price: 5 £',
  'a tank of 12 m³\n',
  '20 °C',
  '§ 5',
  'café',
  `${'The pump runs well.\n'.repeat(4_000)}Café Müller`,
]) {
  test(`the text "${text.slice(-12)}" with few signs beyond ASCII is decoded`, () => {
    const bytes = iconv.encode(text, 'windows-1252');
    assert.equal(decodeText(bytes).text, text);
    assert.equal([...decodePieces(bytes)].join(''), text);
  });
}

// In code pages of DOS, these signs are shades and lines of frames.
for (const text of [
  'room;area\nHall;120 m²\nKitchen;14 m²\nBath;6 m²\nStore;3 m²\n',
  'Wohnung mit 60 m² und Keller mit 12 m².',
  'Appartement de 60 m² avec cave de 12 m².',
  'Appartement de 60 m² : 3 €/m² par jour.',
  'The load is 5 kN/m² on floors, 2 kN/m² on roofs, 3 kN/m² on stairs and 4 kN/m² on balconies.',
  'If x² + y² = z², then z² - y² = x².',
  `tank;area;volume\n${'north;8 m²;12 m³\nsouth;9 m²;14 m³\n'.repeat(40)}`,
  `part;size\n${'rod;20 ±1 mm\npin;5 ±1 µm\nplate;3 × 4½ in\nstrip;2¼ in\n'.repeat(40)}`,
]) {
  test(`the signs of measures stay: ${text.slice(0, 40).replaceAll('\n', ' ')}`, () => {
    assert.equal(decodeText(iconv.encode(text, 'windows-1252')).text, text);
  });
}

test('frames of DOS stay around texts with letters of their language', () => {
  const text = '┌──────────┐\n│ Größe ▓▓ │\n│ Länge ░░ │\n└──────────┘\n';
  assert.equal(decodeText(iconv.encode(text, 'cp850')).text, text);
});

for (const [name, text] of Object.entries(TEXTS)) {
  test(`a ${name} text is decoded from UTF-8, UTF-16 and UTF-32, with and without a byte order mark`, () => {
    for (const encoding of ['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be']) {
      const bytes = iconv.encode(text.repeat(3), encoding);
      assert.equal(decodeText(iconv.encode(text, encoding, { addBOM: true })).text, text, `${encoding} with mark`);
      assert.equal(decodeText(bytes).text, text.repeat(3), `${encoding} without mark`);
    }
  });
}

test('ISO-2022-JP is detected by its escape sequences', () => {
  const bytes = Buffer.concat([
    Buffer.from('abc \x1b$B', 'latin1'),
    Buffer.from([0x46, 0x7c, 0x4b, 0x5c]),
    Buffer.from('\x1b(B def', 'latin1'),
  ]);
  assert.equal(decodeText(bytes).text, 'abc 日本 def');
});

test('a declared encoding is used if the bytes are valid in it and are not UTF-8', () => {
  assert.equal(decodeText(Buffer.from([0xe9]), 'windows-1252').text, 'é');
  assert.equal(decodeText(Buffer.from('déjà'), 'windows-1252').text, 'déjà', 'UTF-8 wins over a wrong declaration');
  assert.equal(decodeText(Buffer.from('déjà'), 'no-such-encoding').text, 'déjà');
});

test('a UTF-8 text with a few broken bytes stays UTF-8, with replacement characters', () => {
  const bytes = Buffer.concat([Buffer.from('日本語の文章です。'), Buffer.from([0xff]), Buffer.from('続きます。')]);
  const decoded = decodeText(bytes);
  assert.equal(decoded.text, '日本語の文章です。\ufffd続きます。');
  assert.equal(decoded.replaced, true);
});

test('cleaned text is well-formed, has line feeds only, and contains no NUL and no byte order mark', () => {
  assert.equal(cleanText('\ufeffa\r\nb\rc\0d\ud800e'), 'a\nb\nc\ufffdd\ufffde');
});

test('private-use bullets, squares and ticks of symbol fonts become Unicode characters', () => {
  assert.equal(withSymbols('\uf0b7 one \uf0a7 two \uf0fc \uf8ff \uf041'), '• one ▪ two ✔ \uf8ff \uf041');
  assert.equal(
    withSymbols('T\uf765\uf778\uf774 of 1\uf739\uf730, \uf784'),
    'Text of 190, \uf784',
    'small capitals and old-style figures',
  );
});

test('a long UTF-8 text with a NUL byte is not decoded as UTF-16', () => {
  // As UTF-16, these bytes would be common characters.
  const text = 'fish dart by and swim in mud with a crab and a fish again\n'.repeat(20);
  const { encoding, text: decoded } = decodeText(
    Buffer.from(`${text.length % 2 === 0 ? 'a' : ''}${text}\0\b[index\0\b]\n${text}`),
  );
  assert.equal(encoding, 'utf-8');
  assert.match(decoded, /^a?fish dart by/);
  assert.equal(decodeText(Buffer.from('白鷺在河邊築巢。 它們吃魚。\n'.repeat(40), 'utf16le')).encoding, 'utf-16le');
});

const PIECE_BYTES = 4 * 1024 * 1024;

for (const [encoding, declared] of [
  ['utf8'],
  ['utf16le'],
  ['utf-32le'],
  ['windows-1252'],
  ['shift_jis', 'shift_jis'],
] as const) {
  test(`pieces of a large file in ${encoding} are the text of the whole file`, () => {
    const words = encoding === 'shift_jis' ? TEXTS.ja : TEXTS.de;
    const text = `${words}\r\n`.repeat(400);
    // Characters and line ends lie across the end of a piece, wherever it is.
    for (const shift of [0, 1, 2, 3]) {
      const lead = iconv.encode(
        'x'.repeat(PIECE_BYTES / (encoding === 'utf16le' ? 2 : encoding === 'utf-32le' ? 4 : 1) - shift),
        encoding,
      );
      const bytes = Buffer.concat([lead, iconv.encode(`\r\n${text}`, encoding)]);
      const pieces = [...decodePieces(bytes, declared)];
      assert.ok(pieces.length > 1);
      assert.ok(pieces.join('') === decodeText(bytes, declared).text, `shift ${shift}`);
    }
  });
}

test('the encoding that a line of the beginning names is used, if the bytes are valid in it', () => {
  const page = '.\\" -*- coding: iso-8859-2 -*-\n.TH MKDIR 1\n\u015bcie\u017cka';
  assert.equal(decodeText(iconv.encode(page, 'iso-8859-2')).text, page);
  assert.equal(decodeText(Buffer.from(page)).text, page);
});

test('a broken byte far before the other wide characters of a UTF-8 text does not change its encoding', () => {
  const ascii = 'line of a log\n';
  const words = 'Müller grüßt 東京 Привет\n'.repeat(2_000);
  const log = [ascii.repeat(9_000), Buffer.from([0xe9]), ascii.repeat(7_000), words].map((part) => Buffer.from(part));
  const { text, encoding } = decodeText(Buffer.concat(log));
  assert.equal(encoding, 'utf-8');
  assert.ok(text.endsWith(words));
  const latin = iconv.encode(
    `${ascii.repeat(9_000)}é${ascii.repeat(7_000)}${'Müller grüßt\n'.repeat(2_000)}`,
    'latin1',
  );
  assert.equal(decodeText(latin).encoding, 'windows-1252');
});

test('a large file has the encoding that its format names, also if the beginning ends within a character', () => {
  const bytes = Buffer.concat([Buffer.from('a'), Buffer.alloc(80_000, Uint8Array.of(0x83, 0x5c))]);
  assert.equal([...decodePieces(bytes, 'shift_jis')].join(''), `a${'ソ'.repeat(40_000)}`);
});

test('a replacement character that a text has itself is no fault of the bytes', () => {
  assert.equal(decodeText(Buffer.from('a \ufffd b ü')).replaced, false);
});
