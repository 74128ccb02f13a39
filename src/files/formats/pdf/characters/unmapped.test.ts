import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readUnmapped, UnmappedPages } from './unmapped.ts';

const ENGLISH = 'This page is about the ships of the harbour, and it is not the only one that we have of them.';
const read = (text: string) => readUnmapped(text, (unit) => text[unit] !== ' ').characters.join('');
const glyphs = (text: string) => Array.from(text, (letter) => String.fromCharCode(letter.charCodeAt(0) - 29)).join('');

test('numbers of glyphs become letters, and the blank among them separates words', () => {
  assert.equal(read(glyphs(ENGLISH)), ENGLISH);
  // A font without the no-break space.
  assert.equal(read(`${glyphs(`${ENGLISH} l`)}\u00b6${glyphs('a')}`), `${ENGLISH} l’a`);
  // 0x80 to 0xff of the Macintosh's encoding follow the tilde.
  assert.equal(read(`${glyphs(`${ENGLISH} caf`)}\u0070`), `${ENGLISH} café`);
});

test('Cyrillic letters of TeX are read, and Latin text with accents stays', () => {
  const russian =
    'Это первая страница, и на ней не так много слов, как на следующей: ёлка для всех, что растёт из леса.';
  const codes = Array.from(russian, (letter) => {
    if (letter === 'ё') return '¼';
    return /[А-я]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) - 0x410 + 0xc0) : letter;
  }).join('');
  assert.equal(read(codes), russian);
  // Ukrainian: є and ї have codes of signs, and і is the Latin letter.
  assert.equal(read(`${codes} òà Óêðà¨íè ïîëiâ çíà¹`), `${russian} та України полів знає`);
  const list = 'Îñíîâû Àâòîð äèçàéíåð Äèçàéí ìàêåòà Ïðåèìóùåñòâà Ïðîáåëû';
  assert.equal(read(list), 'Основы Автор дизайнер Дизайн макета Преимущества Пробелы');
  const commands = 'Note that the command is for the end of a page, and it is not the one that we have. '.repeat(4);
  assert.equal(read(`${codes} ${commands}`), `${russian} ${commands}`, 'words of another language are beside it');
  assert.equal(read(`${codes} ñîîòâåò\u007fñòâèè`), `${russian} соответ-ствии`);
  const french = 'Ça a été créé à la fin de l’été, et la forêt n’a pas changé; les élèves y étaient déjà.';
  assert.equal(read(french), french);
});

test('the codes of other scripts do not become Cyrillic letters, and the page is unreadable', () => {
  const greek = 'Ç óåëßäá áõôÞ ìéëÜåé ãéá ôá ðëïßá ôïõ ëéìáíéïý êáé ãéá ôïõò áíèñþðïõò ðïõ äïõëåýïõí êïíôÜ óôç èÜëáóóá';
  const sanskrit =
    'ëÐÅ ëÐÁ ñÍ* ëÐÅ îÅ *: ëÐÅ ì*:É ëÐÅ ëÁ îåÅ çÉ îå ã*åîÁ ã* úÁ îåÅ íéÅ É ê êÁ îåÅ úã*Á úê*Á ú úÅ îå æ íåÅ ';
  // A font whose glyphs are numbered: a third of them are control codes.
  const numbered =
    'äå\u0001à\u0002èîâ\u0003èíà\u0004îðå\u0005òî\u0006ìíàâîëå\u0007ðàòèìîñà\u0001\u0002\u0004\u0005\u0006\u0007'.repeat(
      3,
    );
  for (const codes of [greek, sanskrit, numbered]) {
    const { characters, unmapped } = readUnmapped(codes, (unit) => codes[unit] !== ' ');
    assert.deepEqual([characters.filter((letter) => /\p{sc=Cyrl}/u.test(letter)), unmapped?.isReadable], [[], false]);
  }
});

test('ligatures of TeX become letters inside words only', () => {
  assert.equal(
    read(`${ENGLISH} a signi\u001ccant di\u001berence, o\u001fine or de\u000cned \u001c \u001d2`),
    `${ENGLISH} a significant difference, offline or defined \u001c \u001d2`,
  );
});

test('quotation marks and dashes that pdfium leaves out are read from fonts with and without a map', () => {
  const text = '\u0093Yes\u0094 \u0096 he said\u0003';
  assert.equal(readUnmapped(text, () => false).characters.join(''), '“Yes” – he said');
});

test('a page is unreadable if its codes are no words, unless most pages of the file are readable', () => {
  const shuffled = Array.from(ENGLISH, (letter) =>
    letter === ' ' ? ' ' : String.fromCharCode(96 + ((letter.charCodeAt(0) * 7) % 26)),
  ).join('');
  const { unmapped } = readUnmapped(shuffled, (unit) => shuffled[unit] !== ' ');
  assert.equal(unmapped?.isReadable, false);
  const pages = new UnmappedPages();
  pages.add(3, unmapped);
  assert.deepEqual(pages.unreadable(), [3]);
  for (const index of [0, 1]) pages.add(index, { words: ENGLISH, isReadable: true });
  assert.deepEqual(pages.unreadable(), []);
});

test('a page of program code in a font without a map is readable', () => {
  const code =
    'const middle = (boxes.left[unit] + boxes.right[unit]) / 2; return middle < distance; function reader(module) { '.repeat(
      3,
    );
  const { unmapped } = readUnmapped(code, (unit) => code[unit] !== ' ');
  const pages = new UnmappedPages();
  pages.add(0, unmapped ?? { words: '', isReadable: true });
  assert.deepEqual([unmapped?.isReadable, pages.unreadable()], [false, []]);
});

test('few codes on a page of mapped fonts are no reason to call it unreadable', () => {
  const signs = 'qxzv '.repeat(12);
  assert.equal(readUnmapped(`${ENGLISH.repeat(4)}${signs}`, (unit) => unit >= ENGLISH.length * 4).unmapped, undefined);
});

test('a page in the codes of an Indian script is unreadable, although they can be pronounced', () => {
  const codes =
    'ajAeA bnful esidn aAifes mAen epeYiC bAiR efrbAr vAblAm iken ineY yA ArI aenk idn ezek bleC edAkAn '.repeat(3);
  const { unmapped } = readUnmapped(codes, (unit) => codes[unit] !== ' ');
  const pages = new UnmappedPages();
  pages.add(0, unmapped!);
  assert.deepEqual(pages.unreadable(), [0]);
});
