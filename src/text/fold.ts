/** Normal forms: words that differ only in accents, vowel points, invisible characters or letter variants become one term. */

const ASCII = /^[\x00-\x7f]*$/;

/** Marks that writers often omit: combining accents, Arabic vowel signs and tatweel, Hebrew points, Devanagari nukta. */
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
/** Nasals before a consonant of their class. Hindi also writes a dot instead: हिन्दी, हिंदी. */
const NASALS = /ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])/g;
const LETTER_PATTERN = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

/** Returns a lower-case word without the marks and letter variants above. Scripts that need their marks (Thai, kana) keep them. */
export function fold(word: string): string {
  if (ASCII.test(word)) return word;
  return word
    .normalize('NFD')
    .replace(OPTIONAL_MARKS, '')
    .replace(LETTER_PATTERN, (letter) => LETTERS[letter] ?? letter)
    .replace(NASALS, '\u0902')
    .normalize('NFC');
}

/** Runs of combining marks are cut to this length, because normalisation sorts a run in quadratic time. */
const MARK_RUN_MAX = 8;
const MARK_RUNS = new RegExp(`(\\p{M}{${MARK_RUN_MAX}})\\p{M}+`, 'gu');

/**
 * Characters that never separate words: soft hyphen, joiners, direction marks, variation selectors, tags. In Arabic script the
 * non-joiner does, and in scripts without blanks the zero-width blank.
 */
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}--[\u200b\u200c]]|(?<![\u0600-\u06ff])\u200c|(?<![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\u200b/gv;

/** Numbers whose digits are grouped by thin blanks or apostrophes: 12 345, 1’234’567. */
const GROUPED = /(?<!\d)\d{1,3}([\u00a0\u2007\u2009\u202f'’٬])\d{3}(?:\1\d{3})*(?!\d)/g;
/** Digits that an ordinary blank may group or separate: they become terms both ways. Longer rows are columns of a table. */
const PERHAPS_GROUPED = /(?<![\d.,])(?<!\d )\d{1,3}(?: \d{3}){1,3}(?! ?\d)/g;
const ARABIC_DECIMAL_MARK = /(?<=\d)٫(?=\d)/g;
const GROUP_MARKS = /[^\d]/g;
/** An apostrophe of any kind between Cyrillic letters, where it is part of the word: п'ять, об’єкт, обʼєкт. */
const CYRILLIC_APOSTROPHE = /(?<=[\u0400-\u04ff])['’ʼ](?=[\u0400-\u04ff])/g;
/** Digits of Indic, Arabic, Thai and other scripts that count in tens, without ASCII digits. */
const NATIVE_DIGIT = /[\p{Nd}--[0-9]]/gv;

/** Returns the text without characters that have no look and separate no words. */
export function withoutInvisible(text: string): string {
  return ASCII.test(text) ? text : text.replace(INVISIBLE, '');
}

/** Returns the text with short runs of combining marks. Its normalisation takes linear time. */
export function withoutMarkRuns(text: string): string {
  return text.replace(MARK_RUNS, '$1');
}

/** Returns a text in NFKC, without invisible characters, with numbers in ASCII digits and without grouping. */
export function normalize(text: string): string {
  if (ASCII.test(text)) {
    return (text.includes("'") ? text.replace(GROUPED, ungrouped) : text).replace(PERHAPS_GROUPED, bothWays);
  }
  return asciiDigits(withoutMarkRuns(text).replace(INVISIBLE, ''))
    .replace(GROUPED, ungrouped)
    .replace(ARABIC_DECIMAL_MARK, '.')
    .replace(CYRILLIC_APOSTROPHE, '')
    .normalize('NFKC')
    .replace(PERHAPS_GROUPED, bothWays);
}

/** Returns the text with the digits 0-9 in place of the digits of all scripts. Its length in UTF-16 units may change. */
export function asciiDigits(text: string): string {
  return text.replace(NATIVE_DIGIT, plainDigit);
}

function bothWays(numbers: string): string {
  return `${numbers} ${ungrouped(numbers)}`;
}

function ungrouped(number: string): string {
  return number.replace(GROUP_MARKS, '');
}

/**
 * Returns the ASCII digit of a digit. NFKC reads mathematical digits. The ten digits of another script have consecutive codes. A second
 * set that follows at once (Myanmar, U+116DA) is read as nines.
 */
function plainDigit(digit: string): string {
  const plain = digit.normalize('NFKC');
  if (plain >= '0' && plain <= '9') return plain;
  let value = 0;
  const code = digit.codePointAt(0)!;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}
