/** Writes digits of all scripts, and exponents, in one notation. Pure. */
import { asciiDigits } from '../../text/fold.ts';

/** Raised digits behind a digit, which are normal digits in NFKC. */
const RAISED_DIGITS = /(?<=\p{Nd})(?=[⁺⁻]?[⁰¹²³⁴-⁹])/gu;
/** Exponents as files are read (files/formats/raised-text.ts), and in formulas of LaTeX: `10^23`, `cm^2`, `m^{−2}s`. */
const IN_BRACES = /\^\{([-+]?\d{1,8})\}/g;
const BEHIND_LETTER = /(?<=\p{L})\^(?=[-+]?\d)/gu;

/** A decimal point in the middle, not the sign of multiplication in `6.02·10^23`. */
const MIDDLE_POINT = /(?<=\d)·(?=\d)(?!10\^)/g;

/**
 * Returns `text` normalized, with the digits 0-9 in place of the digits of all scripts. Exponents of numbers have a mark, and others are
 * part of the word before them: `10^23`, `cm2`.
 */
export function normalizeDigits(text: string): string {
  const normal = text.replace(RAISED_DIGITS, '^').normalize('NFKC').replaceAll('−', '-').replaceAll('İ', 'I');
  const digits = asciiDigits(normal).replace(MIDDLE_POINT, '.');
  return digits.includes('^') ? digits.replace(IN_BRACES, '^$1').replace(BEHIND_LETTER, '') : digits;
}
