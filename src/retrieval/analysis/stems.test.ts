import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stemmer } from '@orama/stemmers/english';
import { fold } from './fold.ts';
import { stem } from './stems.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const SUFFIXES =
  `ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti
  biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize sion tion
  sses ies eed ed ing y e ll`.split(/\s+/);

test('an English word whose ending the stemmer does not look for is its own stem', () => {
  const endings = LETTERS.flatMap((a) => LETTERS.flatMap((b) => LETTERS.map((c) => a + b + c)));
  for (const ending of [...endings, ...SUFFIXES]) {
    for (const begin of ['', 'b', 'ya', 'troubl', 'relat']) {
      assert.equal(stem(begin + ending, 'latin', 'en'), stemmer(begin + ending), begin + ending);
    }
  }
});

test('Romanian words meet whose vowels, last consonants or plurals change with the ending', () => {
  for (const group of [
    'soldat soldați soldaților',
    'român românesc românești românească',
    'primește primit primi',
    'moarte morții mort',
    'școală școli',
    'seară seri',
    'pleacă plecat',
    'rege regelui',
    'coloană coloanei',
    'suceava sucevei',
    'zid ziduri zidurilor',
    'lucrare lucrări lucrărilor',
    'clădire clădiri',
    'stradă străzilor',
    'naște născut naștere',
    'cuvânt cuvinte',
    'conduce condus',
    'ajung ajuns',
    'înțelege înțeles',
    'deschide deschis',
    'om oamenilor',
    'copil copii',
    'tânăr tinerii',
    'număr numerelor',
    'metru metri',
  ]) {
    const stems = group.split(' ').map((word) => fold(stem(word, 'latin', 'ro')));
    assert.equal(new Set(stems).size, 1, `${group}: ${stems}`);
  }
  for (const pair of ['mas măsuri', 'port poveste', 'nume numit', 'bărbat băiat', 'stea stat']) {
    const stems = pair.split(' ').map((word) => fold(stem(word, 'latin', 'ro')));
    assert.equal(new Set(stems).size, 2, pair);
  }
});
