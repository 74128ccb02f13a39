/**
 * Other ways to write what a query names: a date, a number with groups of digits, a power, a word in kana, a name with an umlaut. A text
 * may have any of them, and only the query is written again, so that the index needs no terms for them. Pure.
 */

import { type OtherForm, queryWords, UNDETERMINED } from '../text/analyzer.ts';
import { readMoment } from './columns/dates.ts';
import { dayInWords } from './day-words.ts';

const NUMBER_START = '(?<![\\p{L}\\p{N}.,/+\\-])';
const NUMBER_END = '(?![\\p{L}\\p{N}]|[.,/\\-]\\d)';
const WORD_DAY = String.raw`\d{1,2}(?:st|nd|rd|th|er|º|\.)?[ \-](?:de )?\p{L}{3,}\.?,?[ \-](?:de )?\d{4}`;
const DAY_AFTER_WORD = String.raw`\p{L}{3,}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}`;
const NUMERIC_DAY = String.raw`\d{4}([\-/.])\d{1,2}\1\d{1,2}(?=$|T\d|[^\p{L}])|\d{1,2}([\-/.]) ?\d{1,2}\2 ?\d{4}`;
const DATE = new RegExp(
  `${NUMBER_START}(?:${NUMERIC_DAY}|${WORD_DAY})(?![.,]?\\d)|(?<!\\p{L})${DAY_AFTER_WORD}(?!\\d)`,
  'gu',
);
const EAST_ASIAN_DATE = /(?<!\d)\d{4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일]/g;
/** Maximum number of dates of a query that are written in other ways. */
const DATES_MAX = 3;

const RAISED_POWER = /(?<![\d.,])(\d+)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)/g;

/** Groups of digits that are one number: of a telephone, an account, a card. A number of ISO 13616 begins with two letters. */
const ISO_13616 = String.raw`\p{Lu}{2}\d{2}(?: [\p{Lu}\d]{4}){2,7}(?: [\p{Lu}\d]{1,4})?`;
const DIGIT_GROUPS = String.raw`\+?\(?\d{1,5}\)?(?:[ \-/.]\(?\d{2,8}\)?){1,5}`;
const GROUPS = new RegExp(`(?<![\\p{L}\\p{N}.,])(?:${ISO_13616}|${DIGIT_GROUPS})${NUMBER_END}`, 'gu');
/** The zero of +49 (0)30, which is dialled within the country. */
const AREA_ZERO = /(?<=\+\d{1,3}) ?\(0\) ?/g;
/** An account number of ISO 13616 without blanks. */
const ACCOUNT = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}[A-Z\d]{11,30}(?![\p{L}\p{N}])/giu;
/** A telephone number with the code of its country, without blanks. A text may separate the codes of the country and of the area. */
const TELEPHONE = /(?<![\p{L}\p{N}.,])\+\d{8,14}(?![\p{L}\p{N}]|[.,]\d)/gu;
/** Digits that make one number. Fewer are a date, a version or numbers of their own. */
const GROUPED_DIGITS_MIN = 8;
const OWN_DIGITS_MIN = 6;

/** A query of one word in hiragana or in katakana. Longer texts have endings and particles in hiragana. */
const HIRAGANA = /^[\u3041-\u3096ー]{2,}$/;
const KATAKANA = /^[\u30a1-\u30f6ー]{2,}$/;
/** Between the codes of a hiragana and of its katakana. */
const KANA_DISTANCE = 0x60;

const UMLAUT = /[äöü]/i;
const UMLAUTS = /[äöü]/g;
const ASCII: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/**
 * Returns other forms of the dates, numbers, kana and umlauts of a query. Terms that the query has itself may be among theirs.
 *
 * @param languages the languages of the corpus, in which days are written in words.
 */
export function otherForms(query: string, languages: readonly string[]): OtherForm[] {
  const text = query.normalize('NFKC');
  const others = [
    ...[...query.matchAll(RAISED_POWER)].map(([, base, power]) => `${base} ${power!.normalize('NFKC')}`),
    ...formsOfNumbers(text),
    ...otherKana(text.trim()),
    ...inAscii(text, languages),
  ];
  return [...datesIn(text, languages).flatMap(({ forms }) => forms), ...others.map(ofNoLanguage)];
}

const ofNoLanguage = (text: string): OtherForm => ({ text, language: UNDETERMINED });

/** A date in a text, and the ways to write it. */
interface WrittenDate {
  written: string;
  forms: OtherForm[];
  /** False if it may be two days, such as 3/5/2024. Then the forms are those of both. */
  isCertain: boolean;
}

/** Returns the first dates of a text, with the ways to write them; days are in words in these languages. */
export function datesIn(text: string, languages: readonly string[]): WrittenDate[] {
  const found = [...text.matchAll(DATE), ...text.matchAll(EAST_ASIAN_DATE)].slice(0, DATES_MAX);
  return found.map(([written]) => {
    const read = readMoment(written)?.days;
    const days = [...new Set([read?.['day-first'], read?.['month-first']])].filter((day) => day !== undefined);
    return {
      written,
      forms: days.flatMap((day) => formsOfDay(new Date(day), languages)),
      isCertain: days.length === 1,
    };
  });
}

function formsOfDay(day: Date, languages: readonly string[]): OtherForm[] {
  const iso = day.toISOString().slice(0, 10);
  const [year, month, date] = iso.split('-');
  const inNumbers = [iso, `${date}.${month}.${year}`, `${Number(date)}.${Number(month)}.${year}`];
  const named = new Set(languages.map((language) => (language === UNDETERMINED ? 'en' : language)));
  const inWords = [...named].flatMap((language) =>
    (['long', 'medium'] as const).map((style) => ({ text: dayInWords(day, language, style), language })),
  );
  return [...inNumbers.map(ofNoLanguage), ...inWords];
}

function formsOfNumbers(text: string): string[] {
  const joined = [...text.replaceAll(AREA_ZERO, ' ').matchAll(GROUPS)].flatMap(([number]) => {
    const digits = number.replace(/[^\p{L}\d]/gu, '');
    if (digits.length < GROUPED_DIGITS_MIN || readMoment(number)) return [];
    // Behind the code of a country stands the number as it is called within the country.
    const national = /^\+\d{1,3}[ \-/.]/.test(number) ? [`0${number.replace(/^\+\d+|\D/g, '')}`] : [];
    return [digits, ...national];
  });
  const accounts = [...text.matchAll(ACCOUNT)].filter(([number]) => isAccount(number));
  const grouped = accounts.map(([number]) => number.match(/.{1,4}/g)!.join(' '));
  const own = [...text.matchAll(TELEPHONE)].flatMap(([number]) => groupedTelephone(number.replace('+', '')));
  return [...joined, ...grouped, ...own];
}

/** Tests the check digits of ISO 13616. */
function isAccount(number: string): boolean {
  const digits = [...(number.slice(4) + number.slice(0, 4))].map((sign) => Number.parseInt(sign, 36)).join('');
  return BigInt(digits) % 97n === 1n;
}

/** Returns the ways to group the digits of a telephone number, and its last digits without one to six digits of codes. */
function groupedTelephone(digits: string): string[] {
  const own = [2, 3, 4, 5, 6].map((length) => digits.slice(length)).filter(({ length }) => length >= OWN_DIGITS_MIN);
  const [before, last] = [digits.slice(0, -4), digits.slice(-4)];
  const groups = [3, 4].map((length) => `${before.slice(-length)} ${last}`);
  return [...own, ...groups, ...(digits.length === 10 ? [digits.match(/../g)!.join(' ')] : [])];
}

function otherKana(word: string): string[] {
  const distance = HIRAGANA.test(word) ? KANA_DISTANCE : KATAKANA.test(word) ? -KANA_DISTANCE : 0;
  if (distance === 0) return [];
  return [word.replace(/[^ー]/gu, (kana) => String.fromCodePoint(kana.codePointAt(0)! + distance))];
}

function inAscii(text: string, languages: readonly string[]): string[] {
  if (!UMLAUT.test(text)) return [];
  const words = queryWords(text, languages).map(({ word }) => word);
  return words.filter((word) => UMLAUT.test(word)).map((word) => word.replace(UMLAUTS, (letter) => ASCII[letter]!));
}
