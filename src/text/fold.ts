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
/** Hindi writes the nasal of a following consonant's class or just a dot: हिन्दी, हिंदी. */
const NASALS = /ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])/g;
const LETTER_PATTERN = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

/** A lower-case word without the marks and letter variants above. Scripts that need their marks (Thai, kana) keep them. */
export function fold(word: string): string {
  if (ASCII.test(word)) return word;
  return word
    .normalize('NFD')
    .replace(OPTIONAL_MARKS, '')
    .replace(LETTER_PATTERN, (letter) => LETTERS[letter] ?? letter)
    .replace(NASALS, '\u0902')
    .normalize('NFC');
}

/** Normalisation sorts a run of combining marks in quadratic time, so runs are cut to this length first. */
const MARK_RUN_MAX = 8;
const MARK_RUNS = new RegExp(`(\\p{M}{${MARK_RUN_MAX}})\\p{M}+`, 'gu');

/** Soft hyphen, joiners, direction marks, byte order mark: they never separate words (the non-joiner does in Arabic script). */
const INVISIBLE =
  /\u00ad|\u200d|[\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|(?<![\u0600-\u06ff])\u200c/g;

/** Thin blanks and apostrophes that group the digits of a number: 12 345, 1’234’567. */
const GROUPED = /(?<!\d)\d{1,3}([\u00a0\u2007\u2009\u202f'’٬])\d{3}(?:\1\d{3})*(?!\d)/g;
/** Ordinary blanks may do so or stand between numbers: these are looked for both ways. Longer rows are columns. */
const PERHAPS_GROUPED = /(?<![\d.,])(?<!\d )\d{1,3}(?: \d{3}){1,3}(?! ?\d)/g;
const ARABIC_DECIMAL_MARK = /(?<=\d)٫(?=\d)/g;
const GROUP_MARKS = /[^\d]/g;
/** Between Cyrillic letters an apostrophe is part of the word, whichever it is: п'ять, об’єкт, обʼєкт. */
const CYRILLIC_APOSTROPHE = /(?<=[\u0400-\u04ff])['’ʼ](?=[\u0400-\u04ff])/g;
/** Of Indic, Arabic, Thai and other scripts that count in tens; those of ASCII are read as they are. */
const NATIVE_DIGIT = /(?![0-9])\p{Nd}/gu;

/** NFKC without invisible characters; numbers in plain digits, and as one. */
export function normalize(text: string): string {
  if (ASCII.test(text)) {
    return (text.includes("'") ? text.replace(GROUPED, ungrouped) : text).replace(PERHAPS_GROUPED, bothWays);
  }
  return text
    .replace(MARK_RUNS, '$1')
    .replace(INVISIBLE, '')
    .replace(NATIVE_DIGIT, plainDigit)
    .replace(GROUPED, ungrouped)
    .replace(ARABIC_DECIMAL_MARK, '.')
    .replace(CYRILLIC_APOSTROPHE, '')
    .normalize('NFKC')
    .replace(PERHAPS_GROUPED, bothWays);
}

function bothWays(numbers: string): string {
  return `${numbers} ${ungrouped(numbers)}`;
}

function ungrouped(number: string): string {
  return number.replace(GROUP_MARKS, '');
}

/** Digits of a script are ten in a row, the first at a place that ends in 0 or 6 (or, of mathematical ones, are read by NFKC). */
function plainDigit(digit: string): string {
  const plain = digit.normalize('NFKC');
  if (plain >= '0' && plain <= '9') return plain;
  let value = 0;
  const code = digit.codePointAt(0)!;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}
