/** Finds numbers with their units in text of any script. Equal numbers become equal strings. */
import { stopWordsOf } from '../../text/analysis/stop-words.ts';
import { pairsByLanguage } from '../word-lists.ts';
import { normalizeDigits } from './digits.ts';
import { isOpening } from './openings.ts';
import { previousWord, termOf } from './unit-words.ts';

/**
 * The ways to read one number. In some countries `1,000` is a thousand, in others one point zero. Two numbers match when they share
 * a reading.
 */
export type Readings = readonly string[];

const NUMBER = new RegExp(
  [
    // The letters of a currency may stand between its sign and the number: `$AU355 billion`.
    String.raw`(?:(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])|(?<=[$€£¥]\p{sc=Latn}{1,3}))(?<![\d\p{sc=Latn}]\.)`,
    String.raw`(?:\d{1,3}(?: \d{3})+(?![\d.,])|\d+(?:[.,'’]\d+)*)(?:\^-?\d{1,4}(?!\d))?`,
  ].join(''),
  'gu',
);
/** Numbers with an exponent that are powers. Others may have the mark of a note (`25^1 people`), so a passage states their base too. */
const POWER_BASE = /^(?:2|10)$/;
const FACTOR = /\d\s?[×·*]\s?$/u;
const CJK_NUMERAL = /[〇零一二三四五六七八九十百千万萬億亿兆两兩]+/gu;
const WORD = /\p{L}+/gu;
/** Thai text has no spaces, so numerals stand inside longer text. The lookaheads exclude words that begin like a numeral. */
const THAI_NUMERAL = /(หนึ่ง)|(สอง)|(สาม)(?!ารถ|ี|ัญ)|(สี่)|(ห้า)(?!ม|ง)|(หก)(?!ล้ม)|(เจ็ด)|(แปด)|(เก้า)(?!อี้)|(สิบ)/g;
/** Counted units. A numeral of one character counts as a number only before a unit. */
const CJK_UNIT = /^[日月年人個个回度本枚時时分秒円元週周歳岁天次名位件階层層倍割点點場场]/u;
const WORD_VALUES: ReadonlyMap<string, number> = new Map(
  [...numbersByLanguage('number-words').values()].flatMap((one) => [...one]),
);
/** Ends the reading of an ordinal: `2nd` and "second" are not "two". */
const ORDINAL = 'th';
const ORDINAL_END = /^(?:st|nd|rd|th|er|e[rmns]?\b|[ºª.])/u;
const ORDINALS = numbersByLanguage('ordinals');
/** Begins the reading of a word that is an ordinal in another language than the passage's: it only equals the same word. */
const AS_WRITTEN = '=';
/** The text before the number of a version. */
const VERSION = /(?<!\p{L})(?:version(?:en)?|versión|release|revision|rev\.?|版本|バージョン|버전)\s*$/u;
const MAGNITUDES: readonly [words: string, factor: number][] = [
  ['thousand|tausend|mil', 1e3],
  ['万|萬|만', 1e4],
  ['million(?:en|s)?|mio|millones', 1e6],
  ['億|亿|억', 1e8],
  ['billions?|milliarden?|milliards?|mrd', 1e9],
  ['trillions?|兆', 1e12],
];
const MAGNITUDE = new RegExp(`^\\s*(?:${MAGNITUDES.map(([words]) => `(${words})`).join('|')})(?!\\p{sc=Latn})`, 'u');

/** A number of a text, with what stands beside it. number-keys.ts compares numbers of claims and passages. */
export interface FoundNumber {
  /** UTF-16 offset in `normalizeDigits(text)`. */
  at: number;
  /** The number as written, and with its unit. */
  written: string;
  withUnit: string;
  readings: Readings;
  /** The sign before or after the number, such as `%`. */
  sign: string;
  /** The sign, else the term of the next word, else empty. */
  unit: string;
  /** The terms of the next two words, empty where a stop word, a mark or nothing follows. */
  words: readonly string[];
  /** The term of the word before, empty for a stop word, a mark or nothing. */
  wordBefore: string;
  /** True when no other number follows. The Vietnamese "năm 1931" is a year, not five. */
  isAlone: boolean;
}

/**
 * Signs of currencies and comparisons before a number, and signs of units after it. In rows of prices the neighbour's sign does not
 * count: "48 $12,500 $11,250", "48 € 50 €".
 */
const SIGN_BEFORE = /(?:((?<!\d\s?)[$€£¥₹₽₺₫](?=\s)|[$€£¥₹₽₺₫](?!\s))|([<>≤≥±~≈]))\s?$/u;
const SIGN_AFTER = /^(?:\s?[%‰°]|[$€£¥₹₽₺₫]|\s[$€£¥₹₽₺₫](?!\d))/u;
/** UTF-16 units before a number in which its sign is looked for. */
const SIGN_UNITS = 4;
/** The rest of a range. Its sign is also the sign of the first number: "5-7%". */
const RANGE_END = /^\s?[-–~〜]\s?\d+(?:[.,]\d+)?/u;
const PERCENT = /^\s?(?:percent|per\s?cent|prozent|pour cent|por ciento|процент\p{L}{0,3}|퍼센트|パーセント|เปอร์เซ็นต์)/u;
/** The next word: letters after blanks, or after the point of an ordinal ("14. Juni"). The exponent of a unit is part of it: `cm2`. */
const NEXT_WORD = /^(?:st|nd|rd|th)?\.?[\s\u00a0_*-]{0,3}((?:\p{L}\p{M}*)+(?:(?:[23]|-[1-4])(?![\p{L}\p{N}]))?)/u;
/** Units of one letter, which are also stop words. */
const UNIT_LETTER = /^[cdfghjklmnstvwµ]$/u;
/** Scripts without blanks between words, and Korean, whose units have particles: the unit is the first letters. */
const FIRST_LETTERS =
  /^(?:[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]|[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]{2})/u;

/**
 * Returns the numbers of a passage with their units: digits of any script, with separators, sign and magnitude word; number words; CJK
 * numerals; ordinals of its language and of English. An ordinal of another language states no number, because it may be a name: the
 * Premier League.
 *
 * @param language ISO 639-1 code, or null.
 */
export function numbersIn(text: string, language: string | null): FoundNumber[] {
  return foundNumbers(text, language, false);
}

/**
 * Returns the numbers of a sentence that is compared with a passage. The sentence may have another language than the passage, so ordinals
 * of all languages count: the passage must have the number or the same word.
 *
 * @param language ISO 639-1 code of the passage, or null.
 */
export function claimedNumbersIn(text: string, language: string | null): FoundNumber[] {
  return foundNumbers(text, language, true).map((number) => {
    const powers = number.readings.filter((reading) => reading.includes('^'));
    return powers.length > 0 ? { ...number, readings: powers } : number;
  });
}

function foundNumbers(text: string, language: string | null, isClaim: boolean): FoundNumber[] {
  const cased = normalizeDigits(text);
  const normal = cased.toLowerCase();
  return placedNumbers(normal, cased, language, isClaim).map(({ start, end, readings }) => {
    const before = SIGN_BEFORE.exec(normal.slice(Math.max(0, start - SIGN_UNITS), start));
    const rest = normal.slice(end, end + NEXT_UNITS_MAX);
    const after = PERCENT.test(rest) ? '%' : (SIGN_AFTER.exec(rest.replace(RANGE_END, ''))?.[0].trim() ?? '');
    const words = wordsAfter(rest, language);
    const wordBefore = previousWord(normal, start, language);
    const [currency = '', comparison = ''] = before === null ? [] : before.slice(1);
    const sign = currency + after;
    const written = `${comparison}${currency}${normal.slice(start, end)}${after}`;
    return {
      at: start,
      written,
      withUnit: sign === '' && words[0] !== undefined ? `${written} ${words[0].word}` : written,
      readings: readings.map((reading) => comparison + reading),
      sign,
      unit: sign === '' ? (words[0]?.term ?? '') : sign,
      words: words.map(({ term }) => term),
      wordBefore: wordBefore && termOf(wordBefore, language),
      isAlone: !/^\s?\d/.test(rest),
    };
  });
}

/** Maximum UTF-16 units after a number in which its unit is looked for. */
const NEXT_UNITS_MAX = 60;

/** Returns the next two words after a number, up to a stop word or a mark. */
function wordsAfter(text: string, language: string | null): { word: string; term: string }[] {
  const words: { word: string; term: string }[] = [];
  let rest = text;
  while (words.length < 2) {
    const match = NEXT_WORD.exec(rest);
    if (match === null) break;
    const [whole, word] = match as unknown as [string, string];
    const first = FIRST_LETTERS.exec(word)?.[0];
    if (first !== undefined) return [...words, { word: first, term: first }];
    if (stopWordsOf(language ?? 'en').has(word) && !UNIT_LETTER.test(word)) break;
    words.push({ word, term: termOf(word, language) });
    rest = rest.slice(whole.length);
  }
  return words;
}

interface PlacedNumber {
  start: number;
  end: number;
  readings: Readings;
}

/**
 * Returns the numbers of a text, by half-open UTF-16 offsets.
 *
 * @param normal in lower case.
 * @param cased the text from normalizeDigits().
 */
function placedNumbers(normal: string, cased: string, language: string | null, isClaim: boolean): PlacedNumber[] {
  const found: PlacedNumber[] = [];
  const scaledUntil = new Set<number>();
  const add = (start: number, length: number, readings: Readings): void => {
    found.push({ start, end: start + length, readings });
  };
  for (const match of normal.matchAll(NUMBER)) {
    const end = match.index + match[0].length;
    const magnitude = MAGNITUDE.exec(normal.slice(end, end + 16));
    const scale = magnitude?.[0].length ?? 0;
    if (magnitude !== null) scaledUntil.add(end + scale);
    const sign = isNegative(normal, match.index) ? '-' : '';
    const written = match[0].replaceAll(' ', '');
    const isVersion = magnitude === null && VERSION.test(normal.slice(Math.max(0, match.index - 12), match.index));
    const [base, power] = written.split('^') as [string, string?];
    const bases = isVersion ? versionOf(base) : readingsOf(base);
    const powers = power === undefined ? [] : bases.map((reading) => `${reading}^${power}`);
    const isPower =
      power !== undefined &&
      (POWER_BASE.test(base) || FACTOR.test(normal.slice(Math.max(0, match.index - 4), match.index)));
    const read = isPower ? powers : [...bases, ...powers];
    const factor = magnitude === null ? 1 : MAGNITUDES[groupOf(magnitude)]![1];
    const readings = read.map((reading) => sign + (factor === 1 ? reading : scaled(reading, factor)));
    const isOrdinal = magnitude === null && ORDINAL_END.test(normal.slice(end, end + 2));
    const ordinals = isOrdinal ? readings.map((reading) => reading + ORDINAL) : [];
    add(match.index, match[0].length + scale, [...readings, ...ordinals]);
  }
  let joinedUntil = 0;
  for (const match of normal.matchAll(WORD)) {
    const [word] = match;
    if (match.index < joinedUntil || scaledUntil.has(match.index + word.length)) continue;
    const ordinal = ordinalReadings(word, language, cased, match.index, isClaim);
    // An ordinal with a capital before a comma only numbers the statements of a text: "First, …".
    const isEnumeration = normal[match.index + word.length] === ',' && /\p{Lu}/u.test(cased[match.index]!);
    if (ordinal.length > 0 && !isEnumeration) add(match.index, word.length, ordinal);
    const { value, length } = wordNumber(normal, match.index, word);
    joinedUntil = match.index + length;
    if (value !== undefined) add(match.index, length, [String(value)]);
  }
  for (const match of normal.matchAll(CJK_NUMERAL))
    if (isCjkNumber(normal, match.index, match[0])) add(match.index, match[0].length, [String(cjkValue(match[0]))]);
  for (const match of normal.matchAll(THAI_NUMERAL)) add(match.index, match[0].length, [String(groupOf(match) + 1)]);
  return found;
}

function isNegative(text: string, at: number): boolean {
  return text[at - 1] === '-' && (at === 1 || /[\s(=:,]/.test(text[at - 2]!));
}

function readingsOf(token: string): string[] {
  const parts = token.split(/[.,'’]/);
  if (parts.length === 1) return [withoutLeadingZeros(token)];
  const separators = token.match(/[.,'’]/g)!;
  const last = parts[parts.length - 1]!;
  const isMixed = separators.length > 1 && separators[separators.length - 1] !== separators[0];
  if (isMixed) return [decimal(parts.slice(0, -1).join(''), last)];
  const readings: string[] = [];
  if (/^(?!0+$)\d{1,3}$/.test(parts[0]!) && parts.slice(1).every((part) => part.length === 3))
    readings.push(withoutLeadingZeros(parts.join('')));
  if (parts.length === 2) {
    readings.push(decimal(parts[0]!, last));
    // The reading as a version, for a number that only the other text calls a version.
    if (/0$/.test(last) && last.length !== 3) readings.push(`${withoutLeadingZeros(parts[0]!)}.${last}`);
  }
  return readings.length > 0 ? readings : [parts.map(withoutLeadingZeros).join('.')]; // a version or a date
}

/** Reads a version: version 2.10 is not 2.1. */
function versionOf(token: string): string[] {
  return token.includes(',') ? readingsOf(token) : [token.split('.').map(withoutLeadingZeros).join('.')];
}

/** A fraction of three digits keeps its zeros: `1.000` must not read as 1. */
function decimal(whole: string, fraction: string): string {
  const digits = fraction.length === 3 ? fraction : fraction.replace(/0+$/, '');
  return digits === '' ? withoutLeadingZeros(whole) : `${withoutLeadingZeros(whole)}.${digits}`;
}

function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

/** Returns the index of the only group that matched. */
function groupOf(match: RegExpExecArray): number {
  return match.slice(1).findIndex((group) => group !== undefined);
}

function scaled(reading: string, factor: number): string {
  if (reading.includes('^')) return `${reading}*${factor}`;
  return String(Number((Number(reading) * factor).toPrecision(15)));
}

/** Returns the value of a number word, and its length with the ones behind a hyphen: "twenty-five". */
function wordNumber(text: string, at: number, word: string): { value?: number; length: number } {
  const { length } = word;
  const value = WORD_VALUES.get(word) ?? joinedValue(word);
  if (value === undefined) return { length };
  const after = text.slice(at + length, at + length + 12);
  // "one" is a pronoun in "one of" and "one can".
  if (value === 1 && /^\s+(?:of|can|may|must|should|another|or)\b/.test(after)) return { length };
  const ones = /^-(\p{L}+)/u.exec(after)?.[1] ?? '';
  const onesValue = WORD_VALUES.get(ones) ?? 10;
  if (value < 20 || onesValue >= 10) return { value, length };
  return { value: value + onesValue, length: length + 1 + ones.length };
}

/** Returns the value of tens and ones in one word: "fünfundzwanzig", "veinticinco". */
function joinedValue(word: string): number | undefined {
  const german = /^(.{3,6}?)(?:und|en|ën)(.{5,8}ig|twintig)$/u.exec(word);
  const spanish = /^(?:veinti|venti)(.{2,6})$/u.exec(word);
  const [ones, tens] = german !== null ? [german[1]!, german[2]!] : [spanish?.[1] ?? '', 'twenty'];
  const onesValue = ones === 'ein' || ones === 'een' ? 1 : (WORD_VALUES.get(ones) ?? 10);
  const tensValue = WORD_VALUES.get(tens);
  return onesValue < 10 && tensValue !== undefined ? tensValue + onesValue : undefined;
}

/** Returns whether a CJK numeral is a number. A single character is also part of many words, so it counts only before a unit. */
function isCjkNumber(text: string, at: number, numeral: string): boolean {
  if (/\d/.test(text.slice(Math.max(0, at - 1), at))) return false; // in 3万 it is the magnitude of digits
  if (numeral.length > 1) return true;
  return CJK_UNIT.test(text.slice(at + 1, at + 2));
}

const CJK_VALUES: Readonly<Record<string, number>> = {
  ...{ 〇: 0, 零: 0, 一: 1, 二: 2, 两: 2, 兩: 2, 三: 3, 四: 4, 五: 5, 六: 6, 七: 7, 八: 8, 九: 9 },
  ...{ 十: 10, 百: 100, 千: 1000, 万: 1e4, 萬: 1e4, 億: 1e8, 亿: 1e8, 兆: 1e12 },
};

export function cjkValue(numeral: string): number {
  const values = [...numeral].map((character) => CJK_VALUES[character]!);
  if (values.every((value) => value < 10)) return Number(values.join(''));
  let [total, section, digit] = [0, 0, 0];
  for (const value of values) {
    if (value < 10) digit = value;
    else {
      if (value < 1e4) section += (digit || 1) * value;
      else [total, section] = [total + (section + digit || 1) * value, 0];
      digit = 0;
    }
  }
  return total + section + digit;
}

/** Returns the readings of the word at `at` as an ordinal, none if it is not one. */
function ordinalReadings(word: string, language: string | null, cased: string, at: number, isClaim: boolean): Readings {
  const { value, isForeign } = ordinalOf(word, language);
  if (value === undefined) return [];
  if (!isForeign) return [`${value}${ORDINAL}`];
  if (!isClaim) return [AS_WRITTEN + word];
  // A capital inside a sentence shows a name. The passage must have names too.
  const isName = /\p{Lu}/u.test(cased[at]!) && !isOpening(cased, at);
  return isName ? [] : [`${value}${ORDINAL}`, AS_WRITTEN + word];
}

/** Returns the value of an ordinal. It is foreign when neither English nor the language has it; a language without a list has all. */
function ordinalOf(word: string, language: string | null): { value: number | undefined; isForeign: boolean } {
  const own = ORDINALS.get(language ?? '');
  const value = own?.get(word) ?? ORDINALS.get('en')!.get(word);
  if (value !== undefined) return { value, isForeign: false };
  const other = [...ORDINALS.values()].find((list) => list.has(word));
  return { value: other?.get(word), isForeign: own !== undefined };
}

/** Reads a list whose lines are `word: number`. */
function numbersByLanguage(list: string): Map<string, Map<string, number>> {
  const numbersOf = (pairs: [string, string][]) => new Map(pairs.map(([word, number]) => [word, Number(number)]));
  return new Map([...pairsByLanguage(list)].map(([language, pairs]) => [language, numbersOf(pairs)]));
}
