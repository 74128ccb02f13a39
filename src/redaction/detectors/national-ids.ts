/** Finds national identity numbers by their check digits. A kind that any number could match also needs a telling word before it. */
import { digitsOf, patternFinder, saysBefore } from './pattern-finder.ts';

const numbers = { members: /[\d .-]/, first: /\d/, longest: 30 };
const codes = { members: /[A-Za-z\d .-]/, first: /[A-Za-z\d]/, longest: 40 };

const SAYS_SSN = /(?<![a-z\d])(?:ssn|ss#|soc(?:ial)?\.?[ _-]?sec(?:urity)?)(?![a-z\d])[^\d\n]{0,24}$/i;

export const usSsn = patternFinder({
  ...numbers,
  pattern: new RegExp(
    [
      String.raw`(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_]|\d[.,-])(?!000|666|`,
      String.raw`9)\d{3}([ -]?)(?!00)\d{2}\1(?!0000)\d{4}(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_]|[.-]\d)`,
    ].join(''),
    'gu',
  ),
  accept: (match, text, start) =>
    !/^(?:078-?05-?1120|219-?09-?9999)$/.test(match) && (match.includes('-') || saysBefore(SAYS_SSN, text, start)),
});

export const ukNino = patternFinder({
  ...codes,
  begins: /(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])(?:[A-Z]$|[A-Z]{2} ?(?:\d|$))/iuy,
  pattern: new RegExp(
    [
      String.raw`(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])(?!BG|GB|NK|KN|TN|NT|`,
      String.raw`ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?\d\d){3} ?[A-D](?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])`,
    ].join(''),
    'giu',
  ),
});

export const deTaxId = patternFinder({
  ...numbers,
  pattern:
    /(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_]|\d[.,-])[1-9]\d(?:[ ]?\d{3}){3}(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_]|[.,-]\d)/gu,
  accept: (match) => isTaxId(digitsOf(match)),
});

/** Exactly one of the first ten digits occurs twice or three times; the last digit is the check digit of ISO 7064 mod 11,10. */
function isTaxId(digits: string): boolean {
  const counts = [...'0123456789'].map((digit) => digits.slice(0, 10).split(digit).length - 1);
  if (counts.filter((count) => count > 1).length !== 1 || Math.max(...counts) > 3) return false;
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}

export const frNir = patternFinder({
  ...codes,
  first: /\d/,
  pattern: new RegExp(
    [
      String.raw`(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_]|\d[.,-])[1-478][ -]?\d\d[ -]?(?:0[1-9]|1[0-2]|`,
      String.raw`[2-9]\d)[ -]?(?:\d\d|2[AB])[ -]?\d{3}[ -]?\d{3}[ -]?\d\d(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_]|`,
      String.raw`[.,]\d)`,
    ].join(''),
    'giu',
  ),
  accept: (match) => isNir(match.replaceAll(/[ .-]/g, '').toUpperCase()),
});

function isNir(number: string): boolean {
  const plain = number.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return 97n - (BigInt(plain) % 97n) === BigInt(number.slice(13));
}

const SAYS_MY_NUMBER = /(?:マイナンバー|個人番号|my ?number|individual number)[^\d\n]{0,20}$/i;

export const jpMyNumber = patternFinder({
  ...numbers,
  pattern: /(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_]|\d[ .,-])\d{4}([ -]?)\d{4}\1\d{4}(?![\d_]|[ .-]\d)/gu,
  accept: (match, text, start) =>
    isMyNumber(digitsOf(match)) && (/\D/.test(match) || saysBefore(SAYS_MY_NUMBER, text, start)),
});

function isMyNumber(digits: string): boolean {
  let sum = 0;
  for (let n = 1; n <= 11; n++) sum += Number(digits[11 - n]) * (n <= 6 ? n + 1 : n - 5);
  const rest = sum % 11;
  return Number(digits[11]) === (rest <= 1 ? 0 : 11 - rest);
}

const SAYS_RRN = /(?:주민|외국인)(?:등록)? ?번호[^\d\n]{0,20}$/;

export const krRrn = patternFinder({
  ...numbers,
  pattern:
    /(?<![\d_A-Za-z]|\d[.,-])\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[ ]?-?[ ]?\d{7}(?![\d_A-Za-z]|[.,-]\d)/gu,
  accept(match, text, start) {
    const digits = digitsOf(match);
    const says = saysBefore(SAYS_RRN, text, start);
    if (!match.includes('-') && !says) return false;
    if (!isDate(centuryOf(digits) + digits.slice(0, 2), digits.slice(2, 4), digits.slice(4, 6))) return false;
    // Numbers issued since October 2020 have no check digit.
    return (
      hasRrnCheck(digits) ||
      says ||
      (/[3478]/.test(digits[6]!) && Number(digits.slice(0, 4)) >= 2010 && Number(digits.slice(0, 2)) < 50)
    );
  },
});

function centuryOf(digits: string): string {
  return '1256'.includes(digits[6]!) ? '19' : '3478'.includes(digits[6]!) ? '20' : '18';
}

function hasRrnCheck(digits: string): boolean {
  const weights = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];
  const sum = weights.reduce((total, weight, i) => total + weight * Number(digits[i]), 0);
  const foreigner = '5678'.includes(digits[6]!);
  return ((foreigner ? 13 : 11) - (sum % 11)) % 10 === Number(digits[12]);
}

function isDate(year: string, month: string, day: string): boolean {
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}

const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';

export const esDni = patternFinder({
  ...codes,
  begins: /\d|(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])[XYZ][ -]?(?:\d|$)/iuy,
  pattern: new RegExp(
    [
      String.raw`(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])(?:\d{8}|\d{2}\.\d{3}\.\d{3}|[XYZ][ -]?(?:\d{7}|`,
      String.raw`\d\.\d{3}\.\d{3}))[ -]?[A-HJ-NP-TV-Z](?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])`,
    ].join(''),
    'giu',
  ),
  accept(match) {
    const code = match
      .toUpperCase()
      .replaceAll(/[ .-]/g, '')
      .replace(/^[XYZ]/, (first) => String('XYZ'.indexOf(first)));
    const letter = match.at(-1)!.toUpperCase();
    return DNI_LETTERS[Number.parseInt(code, 10) % 23] === letter;
  },
});

/** The value of a character at an odd position. At an even position the value is that of the digit or letter itself. */
const CODICE_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

export const itCodiceFiscale = patternFinder({
  ...codes,
  members: /[A-Za-z\d]/,
  pattern: new RegExp(
    [
      String.raw`(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])[A-Z]{6}[\dLMNP-V]{2}[A-EHLMPRST][\dLMNP-V]{2}[A-Z][\dLMNP-V]{`,
      String.raw`3}[A-Z](?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])`,
    ].join(''),
    'giu',
  ),
  accept: (match) => isCodiceFiscale(match.toUpperCase()),
});

function isCodiceFiscale(code: string): boolean {
  let sum = 0;
  for (let i = 0; i < 15; i++) {
    const char = code[i]!;
    const value = /\d/.test(char) ? Number(char) : char.charCodeAt(0) - 65;
    sum += i % 2 === 0 ? CODICE_ODD[value]! : value;
  }
  return String.fromCharCode(65 + (sum % 26)) === code[15];
}

const SAYS_BSN = /(?<![a-z\d])(?:bsn|burgerservicenummer|sofi-?nummer|burger service nummer)(?![a-z\d])[^\d\n]{0,20}$/i;

export const nlBsn = patternFinder({
  ...numbers,
  pattern: new RegExp(
    [
      String.raw`(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_]|\d[.,-])\d{2,4}[ .-]?\d{2,3}[ .-]?\d{2,3}(?![\p{sc=Latn}\p{sc=`,
      String.raw`Cyrl}\p{sc=Grek}\d_]|[.,-]\d)`,
    ].join(''),
    'gu',
  ),
  accept(match, text, start) {
    const digits = digitsOf(match).padStart(9, '0');
    return digits.length === 9 && saysBefore(SAYS_BSN, text, start) && isBsn(digits);
  },
});

function isBsn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < 9; i++) sum += Number(digits[i]) * (i === 8 ? -1 : 9 - i);
  return Number(digits) > 0 && sum % 11 === 0;
}
