/** Reads numbers in cells: signs, groups of thousands, decimal marks, currencies, percents. Pure. */
import { CURRENCIES, UNITS } from './words.ts';

/** The mark before the decimals. */
export type DecimalMark = 'point' | 'comma';

/** A cell that may be a number. */
export interface Numeral {
  /** Digits and marks, without sign and unit. */
  body: string;
  negative: boolean;
  /** `%`, a currency, a sign of a measure, or "". */
  unit: string;
  /** Whether the body is a number with a decimal point, and whether it is one with a decimal comma. */
  point: boolean;
  comma: boolean;
}

const GROUP_SPACE = "[ \\u00a0\\u202f'’]";
const PLAIN = /^\d+$/;
const POINT_NUMBER = new RegExp(
  `^(?:(?:\\d+|[1-9]\\d{0,2}(?:,\\d{2,3})*,\\d{3}|\\d{1,3}(?:${GROUP_SPACE}\\d{3})+)(?:\\.\\d+)?|\\.\\d+)(?:e[+-]?\\d{1,3})?$`,
  'i',
);
const COMMA_NUMBER = new RegExp(
  `^(?:(?:\\d+|[1-9]\\d{0,2}(?:\\.\\d{3})+|\\d{1,3}(?:${GROUP_SPACE}\\d{3})+)(?:,\\d+)?|,\\d+)(?:e[+-]?\\d{1,3})?$`,
  'i',
);
/** Matches a number with a blank and a sign of a measure behind. Without a blank, `12h` may be the number of a house. */
const MEASURE = /^(.*\d)\s([^\d\s]{1,8})$/;
const NUMBER_UNITS_MAX = 60;
/** Digits after `+` from which the cell is a telephone number. */
const PHONE_DIGITS_MIN = 7;

/** Returns the numeral of a trimmed cell, or undefined if the cell is no number. */
export function readNumeral(cell: string): Numeral | undefined {
  if (PLAIN.test(cell)) return { body: cell, negative: false, unit: '', point: true, comma: true };
  if (cell.length > NUMBER_UNITS_MAX || !/\d/.test(cell)) return undefined;
  let body = cell;
  let negative = false;
  if (body.startsWith('(') && body.endsWith(')')) {
    // Bookkeepers write a negative amount in parentheses.
    body = body.slice(1, -1).trim();
    negative = true;
  }
  const signed = /^([+\-−–])\s?(?=\S)/.exec(body);
  if (signed && !negative) {
    if (signed[1] === '+' && body.replace(/\D/g, '').length >= PHONE_DIGITS_MIN) return undefined;
    negative = signed[1] !== '+';
    body = body.slice(signed[0].length);
  }
  let unit = '';
  if (body.endsWith('%')) {
    unit = '%';
    body = body.slice(0, -1).trimEnd();
  } else {
    const first = body.charCodeAt(0);
    const last = body.charCodeAt(body.length - 1);
    if (!isDigit(first) || !isDigit(last)) {
      unit = CURRENCIES.find((sign) => body.startsWith(sign) || body.endsWith(sign)) ?? '';
      if (unit !== '') body = (body.startsWith(unit) ? body.slice(unit.length) : body.slice(0, -unit.length)).trim();
      const measured = unit === '' ? readMeasure(body) : undefined;
      if (measured) [body, unit] = measured;
      const inner = unit === '' ? null : /^[-−–]\s?(?=[\d.,])/.exec(body);
      if (inner && !negative) {
        negative = true;
        body = body.slice(inner[0].length);
      }
    }
  }
  const point = POINT_NUMBER.test(body);
  const comma = COMMA_NUMBER.test(body);
  return point || comma ? { body, negative, unit, point, comma } : undefined;
}

/** Returns a number and the sign of a measure behind it, or undefined. */
export function readMeasure(cell: string): [amount: string, unit: string] | undefined {
  const [, amount = '', unit = ''] = MEASURE.exec(cell) ?? [];
  return UNITS.has(unit) ? [amount, unit] : undefined;
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

export interface NumberParts {
  /** Digits before and after the mark. */
  whole: string;
  fraction: string;
  exponent: number | undefined;
}

/** Returns the digits of a numeral that is a number with this decimal mark. */
export function numberParts({ body }: Numeral, mark: DecimalMark): NumberParts {
  if (PLAIN.test(body)) return { whole: body, fraction: '', exponent: undefined };
  const [mantissa = '', exponent] = body.split(/e/i);
  const at = mantissa.lastIndexOf(mark === 'point' ? '.' : ',');
  const whole = (at === -1 ? mantissa : mantissa.slice(0, at)).replace(/\D/g, '');
  return {
    whole,
    fraction: at === -1 ? '' : mantissa.slice(at + 1),
    exponent: exponent === undefined ? undefined : Number(exponent),
  };
}

/** Returns the number, which may be rounded. */
export function toDouble(numeral: Numeral, mark: DecimalMark): number {
  const { whole, fraction, exponent } = numberParts(numeral, mark);
  const value = Number(`${whole || '0'}.${fraction || '0'}e${exponent ?? 0}`);
  return numeral.negative ? -value : value;
}

/** Returns the number times 10^scale. The number must not have more decimals, nor an exponent. */
export function toScaled(numeral: Numeral, mark: DecimalMark, scale: number): bigint {
  const { whole, fraction } = numberParts(numeral, mark);
  const value = BigInt(whole + fraction.padEnd(scale, '0'));
  return numeral.negative ? -value : value;
}
