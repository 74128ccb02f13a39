/**
 * Reads metadata values for comparison. metadata-sql.ts applies the same patterns in SQL, so both sides of a comparison are read by
 * the same rules. A value that matches a pattern can always be cast, so no value makes a query fail.
 */

/**
 * Decimal numbers, which are compared exactly. The length is bounded separately, because bounds inside the pattern are slow in
 * PostgreSQL (20 µs per value).
 */
export const NUMBER_PATTERN = '^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9][0-9]?[0-9]?)?$';
/** Maximum length of a number. Longer values are text, so every number fits `numeric`. */
export const NUMBER_LENGTH_MAX = 100;

const LEAP_YEAR = '([0-9][0-9](0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
const DAY =
  `(?!0000)([0-9][0-9][0-9][0-9]-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)` +
  `|02-(0[1-9]|1[0-9]|2[0-8]))|${LEAP_YEAR}-02-29)`;
const TIME = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9][0-9]?[0-9]?[0-9]?[0-9]?[0-9]?)?)?';
const ZONE = '(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])';

/** ISO 8601 dates and date-times of existing days in the years 1 to 9999. */
export const TIME_PATTERN = `^${DAY}([T ]${TIME}${ZONE}?)?$`;
/** The length of `2025-01-01T00:00:00.123456+00:00`. */
export const TIME_LENGTH_MAX = 32;

const NUMBER = new RegExp(NUMBER_PATTERN);
const TIME_VALUE = new RegExp(TIME_PATTERN);

/** The value of a filter for comparison. `text` can be cast to numeric or timestamptz by its kind, or is text in NFC. */
export interface Operand {
  kind: 'number' | 'time' | 'text';
  text: string;
}

export function classify(value: string | number | boolean): Operand {
  const text = String(value);
  if (text.length <= NUMBER_LENGTH_MAX && NUMBER.test(text)) return { kind: 'number', text };
  if (TIME_VALUE.test(text)) return { kind: 'time', text: withZone(text) };
  return { kind: 'text', text: text.normalize('NFC') };
}

function withZone(text: string): string {
  if (text.length === 10) return `${text}T00:00Z`;
  return /(Z|[+-][0-9:]+)$/.test(text.slice(10)) ? text : `${text}Z`;
}
