/** Which languages a Cyrillic text cannot be in, by its letters: Ukrainian has no ы, Russian no ї, Serbian no я. */

const LETTERS: Record<string, string> = {
  ru: 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
  uk: 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя',
  be: 'абвгдеёжзійклмнопрстуўфхцчшыьэюя',
  bg: 'абвгдежзийклмнопрстуфхцчшщъьюяѝ',
  sr: 'абвгдђежзијклљмнњопрстћуфхцчџш',
  mk: 'абвгдѓежзѕијклљмнњопрстќуфхцчџшѐѝ',
  kk: 'абвгдеёжзийклмнопрстуфхцчшщъыьэюяәғқңөұүһі',
};
const LANGUAGES = Object.keys(LETTERS);

const WORD = /[\u0400-\u04ff]+/g;
const FIRST_LETTER = 0x400;
const ALPHABET_UNITS = 0x100;
/** By the code of a lower-case letter behind the first: a bit for each language that has it not. */
const FOREIGN_TO = Array.from({ length: ALPHABET_UNITS }, (_, code) => {
  const letter = String.fromCharCode(FIRST_LETTER + code);
  return LANGUAGES.reduce((bits, language, at) => (LETTERS[language]!.includes(letter) ? bits : bits | (1 << at)), 0);
});

/** Names and quotations bring letters of other languages: so many words have them for each letter of a longer text. */
const FOREIGN_SHARE_MIN = 0.01;
/** In a short text it takes one word, or two that look like names. */
const FOREIGN_MIN = 1;
const NAME_COUNTS = 0.5;
/** A Kazakh text of so many letters has one that its neighbours have not. */
const KAZAKH_LETTERS_MIN = 20;
const KAZAKH = /[әғқңөұүһ]/i;

/** Those of the languages above whose letters do not fit; none when no language fits. */
export function excludedByLetters(sample: string): ReadonlySet<string> {
  const text = sample.normalize('NFC');
  const all = (/\p{Ll}/u.test(text) ? text : text.toLowerCase()).match(WORD) ?? [];
  const words = [...new Set(all)];
  const foreign = LANGUAGES.map(() => 0);
  for (const [i, word] of words.entries()) {
    const counts = looksLikeName(word, i) ? NAME_COUNTS : 1;
    const lower = word.toLowerCase();
    let bits = 0;
    for (let at = 0; at < lower.length; at += 1) bits |= FOREIGN_TO[lower.charCodeAt(at) - FIRST_LETTER]!;
    for (let at = 0; bits > 0; at += 1, bits >>= 1) if (bits & 1) foreign[at]! += counts;
  }
  const letters = all.join('').length;
  const foreignMin = Math.max(FOREIGN_MIN, letters * FOREIGN_SHARE_MIN);
  const excluded = new Set(LANGUAGES.filter((_, at) => foreign[at]! >= foreignMin));
  const isKazakh = (word: string, i: number): boolean => KAZAKH.test(word) && !looksLikeName(word, i);
  if (letters >= KAZAKH_LETTERS_MIN && !words.some(isKazakh)) excluded.add('kk');
  return excluded.size === LANGUAGES.length ? new Set() : excluded;
}

function looksLikeName(word: string, at: number): boolean {
  return at > 0 && word[0] !== word[0]!.toLowerCase();
}
