/** Normal forms: what differs only in accents, vowel points, invisible characters or letter variants becomes one term. */

const ASCII = /^[\x00-\x7f]*$/;

/** Combining accents, Arabic vowel signs and tatweel, Hebrew points, Devanagari nukta: writers often leave them out. */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0640\u064b-\u065f\u0670\u0591-\u05c7\u093c]+/g;

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
  ى: 'ي',
  ة: 'ه',
  ک: 'ك',
  ی: 'ي',
  '\u0901': '\u0902',
};
const LETTER_PATTERN = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

/** A lower-case word without the marks and letter variants above. Scripts that need their marks (Thai, kana) keep them. */
export function fold(word: string): string {
  if (ASCII.test(word)) return word;
  return word
    .normalize('NFD')
    .replace(OPTIONAL_MARKS, '')
    .replace(LETTER_PATTERN, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC');
}

/** Normalisation sorts a run of combining marks in quadratic time, so runs are cut to this length first. */
const MARK_RUN_MAX = 8;
const MARK_RUNS = new RegExp(`(\\p{M}{${MARK_RUN_MAX}})\\p{M}+`, 'gu');

/** Soft hyphen, joiners, direction marks, byte order mark: they never separate words (the non-joiner does in Arabic script). */
const INVISIBLE =
  /\u00ad|\u200d|[\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|(?<![\u0600-\u06ff])\u200c/g;

/** NFKC without invisible characters. */
export function normalize(text: string): string {
  if (ASCII.test(text)) return text;
  return text.replace(MARK_RUNS, '$1').replace(INVISIBLE, '').normalize('NFKC');
}
