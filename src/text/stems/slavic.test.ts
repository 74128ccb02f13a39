import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold } from '../fold.ts';
import { stemCzech } from './czech.ts';
import { stemPolish } from './polish.ts';

const POLISH = [
  'plik pliku pliki plików plikach plikiem plikami',
  'kolejka kolejki kolejce kolejek kolejkę',
  'kopiować kopiowanie kopiuje kopiowany kopiujący',
  'polecenie polecenia poleceń poleceniem',
  'serwer serwera serwerze serwerów',
  'format formatu formacie formaty',
  'nowy nowa nowego nowych nowej nowymi',
  'możliwość możliwości możliwością',
  'strona strony stron',
  'tablica tablice tablicy tablic tablicami',
  'wartość wartości wartością',
];
const CZECH = [
  'soubor souboru soubory souborů souborech souborem',
  'tabulka tabulky tabulce tabulku tabulkou',
  'kopírovat kopírování kopíruje kopírovaný',
  'nový nová nového nových novými',
  'buňka buňky buňce buňkami buněk',
  'aplikace aplikaci aplikací aplikacích aplikacemi',
  'počítač počítače počítači počítačů',
  'kniha knihy knize knih',
];
/** Different words with a common beginning. */
const APART = ['plik plecak', 'kolej kolejka', 'forma format', 'serwis serwer'];

for (const [stem, groups] of [
  [stemPolish, POLISH],
  [stemCzech, CZECH],
] as const) {
  for (const group of groups) {
    test(`the forms ${group} have one stem`, () => {
      const stems = new Set(group.split(' ').map((word) => fold(stem(word))));
      assert.equal(stems.size, 1, [...stems].join(' '));
    });
  }
}

test('different words have different stems', () => {
  for (const pair of APART) assert.equal(new Set(pair.split(' ').map(stemPolish)).size, 2, pair);
});
