/** Normal forms of words: what differs only in accents, vowel points or letter variants becomes one term. */

/** Combining accents, Arabic vowel signs and tatweel, Hebrew points: writers often leave them out. */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0640\u064b-\u065f\u0670\u0591-\u05c7]+/g;

const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ŋ: 'n',
  ς: 'σ',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ى: 'ي',
  ة: 'ه',
  ک: 'ك',
  ی: 'ي',
};
const LETTER_PATTERN = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

/** A word without the marks and letter variants above. Scripts that need their marks (Indic, Thai, kana) keep them. */
export function fold(word: string): string {
  return word
    .normalize('NFD')
    .replace(OPTIONAL_MARKS, '')
    .replace(LETTER_PATTERN, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC');
}

const MARK_RUN_MAX = 8;
const MARK_RUNS = new RegExp(`(\\p{M}{${MARK_RUN_MAX}})\\p{M}+`, 'gu');

/** NFKC. Runs of combining marks are cut first: normalisation sorts them, which takes quadratic time. */
export function normalize(text: string): string {
  if (isAscii(text)) return text;
  return text.replace(MARK_RUNS, '$1').normalize('NFKC');
}

export function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}
