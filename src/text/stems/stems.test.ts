import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stemmer } from '@orama/stemmers/english';
import { fold } from '../fold.ts';
import { scriptOf, stem } from './stems.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const SUFFIXES =
  `ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti
  biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize sion tion
  sses ies eed ed ing y e ll`.split(/\s+/);

test('the shortcut for English words without a known ending returns the same stem as the stemmer', () => {
  const endings = LETTERS.flatMap((a) => LETTERS.flatMap((b) => LETTERS.map((c) => a + b + c)));
  for (const ending of [...endings, ...SUFFIXES]) {
    for (const begin of ['', 'b', 'ya', 'troubl', 'relat']) {
      assert.equal(stem(begin + ending, 'latin', 'en'), stemmer(begin + ending), begin + ending);
    }
  }
});

for (const [language, groups] of Object.entries({
  es: [
    'población poblaciones poblacion',
    'canción canciones cancion',
    'niño niños niña',
    'año años',
    'isla islas',
    'extremo extremos',
  ],
  ro: [
    'națiune naţiunile națiunii',
    'populația populaţia populației',
    'carte cărți',
    'țară ţară țări',
    'orașe oraşele orașului',
  ],
  el: ['αρχείο αρχεία αρχείου', 'εκτύπωση εκτυπώσεις', 'έγγραφο έγγραφα εγγράφων'],
  tr: ['belge belgeler belgelerde', 'güncelleme güncellemeleri', 'müşteri müşterilerin'],
  ru: ['город города городах городами', 'книга книги книгами', 'самолёт самолеты самолётами', 'зелёная зеленая'],
})) {
  for (const forms of groups) {
    test(`forms of a word have one stem, with and without accents: ${language} ${forms}`, () => {
      const stems = forms.split(' ').map((form) => fold(stem(form, scriptOf(form)!, language)));
      assert.deepEqual([...new Set(stems)], [stems[0]]);
    });
  }
}

for (const [language, pairs] of Object.entries({
  es: ['venta viento', 'senador seno', 'tienda tender', 'rueda rodas'],
  ro: ['port poveste', 'bărbat băiat', 'gaz gad', 'real relație'],
  el: ['αρχείο αρχαίος', 'εκτύπωση εκτέλεση', 'διαχείριση διαχείμαση'],
  tr: ['belge belirti', 'güncelleme günlük', 'bilgisayar bilgisiz'],
  cs: ['předseda předsevzetí', 'komunista komunikace'],
  pl: ['kowalczuk kowalczyk', 'przedszkole przedsiębiorca', 'elektronika elektrownia', 'niepełnoletni niepełnosprawny'],
  ru: ['сон сын', 'дети дело', 'прийти пройти', 'посол после'],
})) {
  for (const pair of pairs) {
    test(`words with different meanings have different stems: ${language} ${pair}`, () => {
      const [one = '', other = ''] = pair.split(' ').map((word) => fold(stem(word, scriptOf(word)!, language)));
      assert.notEqual(one, other);
    });
  }
}
