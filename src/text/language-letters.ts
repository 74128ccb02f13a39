/** Excludes languages of a Cyrillic text by its letters: Ukrainian has no ы, Russian has no ї, Serbian has no я. */
import { lazy } from '../util/lazy.ts';
import { readWordLists } from '../util/package-files.ts';

const WORD = /[\u0400-\u04ff]+/g;

const alphabets = lazy(
  () => new Map([...readWordLists('alphabets')].map(([language, lines]) => [language, new Set(lines.join(''))])),
);

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
  const words = [...new Set(all)];
  const letters = all.join('').length;
  const foreignMin = Math.max(FOREIGN_MIN, letters * FOREIGN_SHARE_MIN);
  const lacksLettersOf = (alphabet: ReadonlySet<string>): boolean => {
    let foreign = 0;
    for (const [i, word] of words.entries()) {
      if ([...word.toLowerCase()].every((letter) => alphabet.has(letter))) continue;
      foreign += looksLikeName(word, i) ? NAME_COUNTS : 1;
    }
    return foreign >= foreignMin;
  };
  const languages = [...alphabets().keys()];
  const excluded = new Set(languages.filter((language) => lacksLettersOf(alphabets().get(language)!)));
  const isKazakh = (word: string, i: number): boolean => KAZAKH.test(word) && !looksLikeName(word, i);
  if (letters >= KAZAKH_LETTERS_MIN && !words.some(isKazakh)) excluded.add('kk');
  return excluded.size === languages.length ? new Set() : excluded;
}

function looksLikeName(word: string, at: number): boolean {
  return at > 0 && word[0] !== word[0]!.toLowerCase();
}
