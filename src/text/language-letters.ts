/** Excludes languages of a Cyrillic text by its letters: Ukrainian has no ы, Russian has no ї, Serbian has no я. */
import { lazy } from '../util/lazy.ts';
import { readWordLists } from '../util/package-files.ts';

const WORD = /[\u0400-\u04ff]+/g;
const FIRST_LETTER = 0x400;
const ALPHABET_UNITS = 0x100;

/** The languages with an alphabet, and the letters that each lacks. */
interface Alphabets {
  languages: readonly string[];
  /** By the code of a lower-case letter minus FIRST_LETTER: one bit for each language that lacks the letter. */
  lackingBits: readonly number[];
}

const alphabets = lazy((): Alphabets => {
  const lists = [...readWordLists('alphabets')].map(([language, lines]) => [language, lines.join('')] as const);
  const lackingBits = Array.from({ length: ALPHABET_UNITS }, (_, code) => {
    const letter = String.fromCharCode(FIRST_LETTER + code);
    return lists.reduce((bits, [, letters], at) => (letters.includes(letter) ? bits : bits | (1 << at)), 0);
  });
  return { languages: lists.map(([language]) => language), lackingBits };
});

/** Foreign words per letter of a longer text from which a language is excluded. Names and quotations bring some foreign letters. */
const FOREIGN_SHARE_MIN = 0.01;
/** Foreign words from which a language is excluded in a short text. A word that looks like a name counts half. */
const FOREIGN_MIN = 1;
const NAME_COUNTS = 0.5;
/** A Kazakh text of this many letters has a letter that no other listed alphabet has. */
const KAZAKH_LETTERS_MIN = 20;
const KAZAKH = /[әғқңөұүһ]/i;

/** Returns the languages whose alphabets lack letters of the sample; the empty set if the sample fits no language. */
export function excludedByLetters(sample: string): ReadonlySet<string> {
  const text = sample.normalize('NFC');
  const all = (/\p{Ll}/u.test(text) ? text : text.toLowerCase()).match(WORD) ?? [];
  if (all.length === 0) return new Set();
  const { languages, lackingBits } = alphabets();
  const words = [...new Set(all)];
  const foreign = languages.map(() => 0);
  for (const [i, word] of words.entries()) {
    const counts = looksLikeName(word, i) ? NAME_COUNTS : 1;
    const lower = word.toLowerCase();
    let bits = 0;
    for (let at = 0; at < lower.length; at += 1) bits |= lackingBits[lower.charCodeAt(at) - FIRST_LETTER]!;
    for (let at = 0; bits > 0; at += 1, bits >>= 1) if (bits & 1) foreign[at]! += counts;
  }
  const letters = all.join('').length;
  const foreignMin = Math.max(FOREIGN_MIN, letters * FOREIGN_SHARE_MIN);
  const excluded = new Set(languages.filter((_, at) => foreign[at]! >= foreignMin));
  const isKazakh = (word: string, i: number): boolean => KAZAKH.test(word) && !looksLikeName(word, i);
  if (letters >= KAZAKH_LETTERS_MIN && !words.some(isKazakh)) excluded.add('kk');
  return excluded.size === languages.length ? new Set() : excluded;
}

function looksLikeName(word: string, at: number): boolean {
  return at > 0 && word[0] !== word[0]!.toLowerCase();
}
