/** Finds payment card numbers: a number range of an issuer, its length, a usual grouping and the Luhn digit. */
import { patternFinder } from './pattern-finder.ts';

/** First digits (from, to) and lengths. Visa no longer issues numbers with 13 digits, and article numbers have 13 digits too. */
const ISSUERS: readonly { from: number; to: number; lengths: readonly number[] }[] = [
  { from: 4, to: 4, lengths: [16, 19] }, // Visa
  { from: 51, to: 55, lengths: [16] }, // Mastercard
  { from: 2221, to: 2720, lengths: [16] },
  { from: 34, to: 34, lengths: [15] }, // American Express
  { from: 37, to: 37, lengths: [15] },
  { from: 6011, to: 6011, lengths: [16, 19] }, // Discover
  { from: 644, to: 649, lengths: [16, 19] },
  { from: 65, to: 65, lengths: [16, 19] },
  { from: 300, to: 305, lengths: [14] }, // Diners Club
  { from: 36, to: 36, lengths: [14] },
  { from: 38, to: 39, lengths: [14, 16] },
  { from: 3528, to: 3589, lengths: [16, 19] }, // JCB
  { from: 62, to: 62, lengths: [16, 17, 18, 19] }, // UnionPay
  { from: 81, to: 81, lengths: [16] },
  { from: 2200, to: 2204, lengths: [16, 19] }, // Mir
  { from: 508, to: 508, lengths: [16] }, // RuPay
  { from: 60, to: 60, lengths: [16] },
  { from: 5018, to: 5018, lengths: [12, 13, 14, 15, 16, 18, 19] }, // Maestro
  { from: 5020, to: 5020, lengths: [12, 13, 14, 15, 16, 18, 19] },
  { from: 5038, to: 5038, lengths: [12, 13, 14, 15, 16, 18, 19] },
  { from: 5893, to: 5893, lengths: [16, 18, 19] },
  { from: 6304, to: 6304, lengths: [16, 18, 19] },
  { from: 6759, to: 6759, lengths: [16, 18, 19] },
  { from: 6761, to: 6763, lengths: [16, 18, 19] },
  { from: 9792, to: 9792, lengths: [16] }, // Troy
];
/** Lengths of the groups of digits on cards. */
const GROUPINGS =
  /^(?:\d{12,19}|\d{4}(?:\D\d{4}){3}(?:\D\d{1,3})?|\d{4}\D\d{6}\D\d{4,5}|\d{6}\D\d{10,13}|\d{8}\D\d{8})$/;

export const creditCard = patternFinder({
  pattern: /(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_]|\d[.,]|[a-z]-)[2-9](?:[ \t\n.-]?\d){11,18}/gu,
  accept(match, text, start) {
    for (let end = match.length; end >= 12; end--) {
      if (/[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_]/u.test(text[start + end] ?? ' ') || !/\d/.test(match[end - 1]!))
        continue;
      const number = match.slice(0, end);
      const digits = number.replaceAll(/\D/g, '');
      if (digits.length < 12) break;
      if (isIssued(digits) && isGrouped(number) && isLuhn(digits)) return { start, end: start + end };
    }
    return false;
  },
  members: /[\d \t\n.-]/,
  first: /[2-9]/,
  longest: 40,
});

function isIssued(digits: string): boolean {
  return ISSUERS.some(({ from, to, lengths }) => {
    const start = Number(digits.slice(0, String(from).length));
    return start >= from && start <= to && lengths.includes(digits.length);
  });
}

function isGrouped(number: string): boolean {
  const separators = number.replaceAll(/\d/g, '');
  const plain = separators.replace(/[\t\n]/, ' ');
  return (
    GROUPINGS.test(number) && [separators, plain].some((signs) => new Set(signs).size <= 1 && !signs.includes('\n'))
  );
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}
