/** Finds numbers in text of any script and writes them so that equal numbers are equal strings. */
import { pairsIn } from '../word-lists.ts';

/**
 * The ways to read one number. In some countries `1,000` is a thousand, in others one point zero. Two numbers match when they share
 * a reading.
 */
export type Readings = readonly string[];

const NUMBER =
  /(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])(?<![\d\p{sc=Latn}][.,])(?:\d{1,3}(?: \d{3})+(?![\d.,])|\d+(?:[.,'’]\d+)*)/gu;
const CJK_NUMERAL = /[〇零一二三四五六七八九十百千万萬億亿兆两兩]+/gu;
const WORD = /\p{L}+/gu;
/** Thai text has no spaces, so numerals stand inside longer text. The lookaheads exclude words that begin like a numeral. */
const THAI_NUMERAL = /หนึ่ง|สอง|สาม(?!ารถ|ี|ัญ)|สี่|ห้า(?!ม|ง)|หก(?!ล้ม)|เจ็ด|แปด|เก้า(?!อี้)|สิบ/g;
const THAI_NUMERALS = ['หนึ่ง', 'สอง', 'สาม', 'สี่', 'ห้า', 'หก', 'เจ็ด', 'แปด', 'เก้า', 'สิบ'];
/** Counted units. A numeral of one character counts as a number only before a unit, and 6月 is another number than 6日. */
const CJK_UNIT = /^[日月年人個个回度本枚時时分秒円元週周歳岁天次名位件階层層倍割点點場场]/u;
/** The unit at the end of a reading. */
const CJK_UNIT_AT_END = /\p{sc=Han}$/u;
/** Other spellings of a unit. */
const CJK_UNIT_FORMS: Readonly<Record<string, string>> = {
  天: '日',
  個: '个',
  時: '时',
  円: '元',
  週: '周',
  歳: '岁',
  歲: '岁',
  層: '层',
  階: '层',
  點: '点',
  場: '场',
  人: '名',
};

const WORD_VALUES: ReadonlyMap<string, number> = numbersByWord('number-words');
/** Ends the reading of an ordinal: `2nd` and "second" are not "two". */
const ORDINAL = 'th';
const ORDINAL_END = /^(?:st|nd|rd|th|er|e[rmns]?\b|[ºª.])/u;
const ORDINALS: ReadonlyMap<string, number> = numbersByWord('ordinals');
/** The text before the number of a version. */
const VERSION = /(?<!\p{L})(?:version(?:en)?|versión|release|revision|rev\.?|版本|バージョン|버전)\s*$/u;
const MAGNITUDE = new RegExp(
  [
    '^\\s*(thousand|million(?:en|s)?|billion(?:s)?|trillion(?:s)?|tausend|mio|mrd|milliarden?|milliards?|mil|millones',
    '|万|萬|億|亿|兆|만|억)(?!\\p{sc=Latn})',
  ].join(''),
  'iu',
);
const MAGNITUDES: readonly [RegExp, number][] = [
  [/^(thousand|tausend|mil)$/, 1e3],
  [/^(万|萬|만)$/, 1e4],
  [/^(million|mio|millones)/, 1e6],
  [/^(億|亿|억)$/, 1e8],
  [/^(billion|milliard|mrd)/, 1e9],
  [/^(trillion|兆)/, 1e12],
];

/** A number and its place in a text from normalizeDigits(): half-open UTF-16 offsets. */
export interface PlacedNumber {
  start: number;
  end: number;
  readings: Readings;
}

/** Returns the numbers of `text`: digits of any script with separators, sign and magnitude word; number words; CJK numerals. */
export function numbersIn(text: string): Readings[] {
  return numbersAt(normalizeDigits(text)).map(({ readings }) => readings);
}

/** Returns `text` normalized, with the digits 0-9 in place of the digits of all scripts. */
export function normalizeDigits(text: string): string {
  return asciiDigits(text.normalize('NFKC').replaceAll('−', '-').replaceAll('İ', 'I'));
}

/**
 * Returns the numbers of a text from normalizeDigits(), numbers in digits first.
 *
 * @param withEnumerations also returns ordinals that only number the statements of a text ("First, …").
 */
export function numbersAt(text: string, withEnumerations = false): PlacedNumber[] {
  const normal = text.toLowerCase();
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
    const read = isVersion ? versionOf(written) : readingsOf(written);
    const readings = read.map((reading) => sign + scaled(reading, magnitude?.[1]));
    const after = normal.slice(end, end + 2);
    const unit = magnitude !== null ? undefined : ORDINAL_END.test(after) ? ORDINAL : cjkUnit(after);
    add(
      match.index,
      match[0].length + scale,
      unit === undefined ? readings : [...readings, ...readings.map((reading) => reading + unit)],
    );
  }
  for (const match of normal.matchAll(WORD)) {
    const [word] = match;
    if (scaledUntil.has(match.index + word.length)) continue;
    const ordinal = ORDINALS.get(word);
    if (ordinal !== undefined && (withEnumerations || normal[match.index + word.length] !== ','))
      add(match.index, word.length, [`${ordinal}${ORDINAL}`]);
    const value = wordValue(normal, match.index, word);
    if (value !== undefined) add(match.index, word.length, [String(value)]);
  }
  for (const match of normal.matchAll(CJK_NUMERAL)) {
    const [numeral] = match;
    if (!isCjkNumber(normal, match.index, numeral)) continue;
    const value = String(cjkValue(numeral));
    const unit = cjkUnit(normal.slice(match.index + numeral.length)) ?? '';
    // A single character is also part of many words, so it counts only together with its unit.
    add(match.index, numeral.length, numeral.length > 1 && unit !== '' ? [value, value + unit] : [value + unit]);
  }
  for (const match of normal.matchAll(THAI_NUMERAL))
    add(match.index, match[0].length, [String(THAI_NUMERALS.indexOf(match[0]) + 1)]);
  return found;
}

/** Returns true when `available` lacks one of the `needed` numbers. */
export function missesNumber(needed: readonly Readings[], available: readonly Readings[]): boolean {
  const present = new Set(available.flat());
  return needed.some((readings) => !readings.some((reading) => present.has(reading)));
}

/** Returns true when two numbers share a reading and do not count different things: 6月 is not 6日. */
export function isSameNumber(left: Readings, right: Readings): boolean {
  const [one, other] = [left, right].map((readings) =>
    readings.map((reading) => CJK_UNIT_AT_END.exec(reading)?.[0] ?? ''),
  );
  const units = [one!.at(-1)!, other!.at(-1)!];
  if (units[0] !== '' && units[1] !== '' && units[0] !== units[1]) return false;
  return left.some((reading) => right.includes(reading));
}

/** Replaces the digits of all scripts by 0-9. The length in UTF-16 units may change. */
function asciiDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0)!;
    // In Unicode a block of digits begins at a code point whose last hexadecimal digit is 0 or 6.
    const low = code & 0xf;
    return String(/\p{Nd}/u.test(String.fromCodePoint(code - low)) ? low : low - 6);
  });
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
  if (parts[0]!.length <= 3 && parts.slice(1).every((part) => part.length === 3))
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

function scaled(reading: string, magnitude: string | undefined): string {
  if (magnitude === undefined) return reading;
  const factor = MAGNITUDES.find(([pattern]) => pattern.test(magnitude))?.[1] ?? 1;
  return String(Number((Number(reading) * factor).toPrecision(15)));
}

function wordValue(text: string, at: number, word: string): number | undefined {
  const value = WORD_VALUES.get(word) ?? joinedValue(word);
  if (value === undefined) return undefined;
  const after = text.slice(at + word.length, at + word.length + 12);
  // "one" is a pronoun in "one of" and "one can".
  if (value === 1 && /^\s+(?:of|can|may|must|should|another|or)\b/.test(after)) return undefined;
  // In "twenty-five" the value of "twenty" includes the five.
  if (value < 10 && /\p{L}-$/u.test(text.slice(Math.max(0, at - 3), at)) && (valueBeforeHyphen(text, at) ?? 0) >= 20)
    return undefined;
  const ones = /^-(\p{L}+)/u.exec(after)?.[1];
  const onesValue = WORD_VALUES.get(ones ?? '') ?? 0;
  return value >= 20 && value < 100 && onesValue < 10 ? value + onesValue : value;
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

/** Returns the value of the number word that a hyphen joins to the word at `at`. */
function valueBeforeHyphen(text: string, at: number): number | undefined {
  const word = /(\p{L}+)-$/u.exec(text.slice(Math.max(0, at - 20), at))?.[1];
  return WORD_VALUES.get(word ?? '');
}

/** Returns whether a CJK numeral is a number. A single character is also part of many words, so it counts only before a unit. */
function isCjkNumber(text: string, at: number, numeral: string): boolean {
  if (/\d/.test(text.slice(Math.max(0, at - 1), at))) return false; // in 3万 it is the magnitude of digits
  if (numeral.length > 1) return true;
  return CJK_UNIT.test(text.slice(at + 1, at + 2));
}

function cjkUnit(after: string): string | undefined {
  const unit = CJK_UNIT.exec(after)?.[0];
  return unit === undefined ? undefined : (CJK_UNIT_FORMS[unit] ?? unit);
}

function cjkValue(numeral: string): number {
  const digits: Readonly<Record<string, number>> = {
    〇: 0,
    零: 0,
    一: 1,
    二: 2,
    两: 2,
    兩: 2,
    三: 3,
    四: 4,
    五: 5,
    六: 6,
    七: 7,
    八: 8,
    九: 9,
  };
  const small: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };
  const large: Readonly<Record<string, number>> = { 万: 1e4, 萬: 1e4, 億: 1e8, 亿: 1e8, 兆: 1e12 };
  if ([...numeral].every((character) => character in digits))
    return Number([...numeral].map((character) => digits[character]).join(''));
  let total = 0;
  let section = 0;
  let digit = 0;
  for (const character of numeral) {
    if (character in digits) digit = digits[character]!;
    else if (character in small) {
      section += (digit || 1) * small[character]!;
      digit = 0;
    } else {
      total += (section + digit || 1) * large[character]!;
      section = 0;
      digit = 0;
    }
  }
  return total + section + digit;
}

/** Reads a list whose lines are `word: number`. */
function numbersByWord(list: string): Map<string, number> {
  return new Map(pairsIn(list).map(([word, number]) => [word, Number(number)]));
}
