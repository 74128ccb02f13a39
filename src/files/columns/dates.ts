/** Reads dates and times in cells. Pure. */
import { MONTHS } from './words.ts';

/** The order of day and month in dates of three numbers. */
export type DayOrder = 'day-first' | 'month-first';

/** A cell that may be a date, a time or both. */
export interface Moment {
  kind: 'date' | 'datetime' | 'time';
  /** Milliseconds since 1970 at midnight, by the order of day and month. Undefined if the cell is no date in this order. */
  days: Record<DayOrder, number | undefined>;
  /** Microseconds since midnight, less the offset of the time zone. */
  micros: number;
  /** Of a time: true if the hour has two digits or a half of the day. 3:45 may be a length. */
  clock: boolean;
}

const CELL_UNITS_MAX = 48;
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?=$|[T ])/;
const THREE_NUMBERS = /^(\d{1,2})([-/.])\s?(\d{1,2})\2\s?(\d{4}|\d{2})(?=$|[T ,])/;
const WEEKDAY = /^\p{L}{2,12}\.?,\s+(?=\d|\p{L})/u;
const DAY_MONTH_WORD =
  /^(\d{1,2})(?:st|nd|rd|th|er|º|\.)?[\s-]+(?:de\s+)?(\p{L}+)\.?[\s,-]+(?:de\s+)?(\d{4})(?=$|[ T,])/u;
const MONTH_WORD_DAY = /^(\p{L}+)\.?[\s-]+(\d{1,2})(?:st|nd|rd|th)?,?[\s-]+(\d{4})(?=$|[ T,])/u;
const EAST_ASIAN = /^(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]$/;
const TIME =
  /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6}))?)?(?:\s?([ap])\.?m\.?)?(?:\s?(Z|UTC|GMT|[+-]\d{2}:?\d{2}))?$/i;
/** Years of two digits from here on belong to the 20th century. */
const CENTURY_PIVOT = 70;
/** `Date.UTC` takes years below 100 for years of the 20th century; years below 1000 are numbers rather than years. */
const YEAR_MIN = 1000;
const MICROS_PER_SECOND = 1_000_000;

/** Returns the date or time of a trimmed cell, or undefined. */
export function readMoment(cell: string): Moment | undefined {
  if (cell.length < 4 || cell.length > CELL_UNITS_MAX || !/\d/.test(cell)) return undefined;
  const text = cell.replace(WEEKDAY, '');
  const day = readDay(text);
  if (!day) {
    const time = cell.includes(':') ? readTime(cell) : undefined;
    if (!time || time.zoned) return undefined;
    const { micros, clock } = time;
    return { kind: 'time', days: { 'day-first': 0, 'month-first': 0 }, micros, clock };
  }
  const rest = text.slice(day.length).replace(/^(?:T|,?\s+(?:at\s+)?)/, '');
  if (rest === '') return { kind: 'date', days: day.days, micros: 0, clock: true };
  const time = readTime(rest);
  return time && { kind: 'datetime', days: day.days, micros: time.micros, clock: true };
}

interface Day {
  days: Moment['days'];
  /** Length of the text of the date. */
  length: number;
}

function readDay(text: string): Day | undefined {
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst) return certain(yearFirst[1]!, Number(yearFirst[3]), yearFirst[4]!, yearFirst[0]);
  const eastAsian = EAST_ASIAN.exec(text);
  if (eastAsian) return certain(eastAsian[1]!, Number(eastAsian[2]), eastAsian[3]!, eastAsian[0]);
  const numbers = THREE_NUMBERS.exec(text);
  if (numbers) {
    const [whole, first, sign, second, yearText] = numbers;
    const year = fullYear(yearText!);
    const dayFirst = midnight(year, Number(second), Number(first));
    // Where people write points, the day comes first.
    const monthFirst = sign === '.' ? undefined : midnight(year, Number(first), Number(second));
    if (dayFirst === undefined && monthFirst === undefined) return undefined;
    const days = { 'day-first': dayFirst, 'month-first': sign === '.' ? dayFirst : monthFirst };
    return { days, length: whole.length };
  }
  const named = DAY_MONTH_WORD.exec(text);
  if (named) return inWords(named[3]!, named[2]!, named[1]!, named[0]);
  const american = MONTH_WORD_DAY.exec(text);
  return american ? inWords(american[3]!, american[1]!, american[2]!, american[0]) : undefined;
}

function inWords(year: string, month: string, day: string, whole: string): Day | undefined {
  const number = MONTHS.get(month.toLowerCase());
  return number === undefined ? undefined : certain(year, number, day, whole);
}

function certain(year: string, month: number, day: string, whole: string): Day | undefined {
  const millis = midnight(Number(year), month, Number(day));
  if (millis === undefined) return undefined;
  return { days: { 'day-first': millis, 'month-first': millis }, length: whole.length };
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year >= CENTURY_PIVOT ? 1900 + year : 2000 + year;
}

/** Returns milliseconds since 1970, or undefined if there is no such day. */
function midnight(year: number, month: number, day: number): number | undefined {
  if (year < YEAR_MIN || month < 1 || month > 12 || day < 1) return undefined;
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  return Date.UTC(year, month - 1, day);
}

function readTime(text: string): (Pick<Moment, 'micros' | 'clock'> & { zoned: boolean }) | undefined {
  const parts = TIME.exec(text);
  if (!parts) return undefined;
  const [, hourText = '', minute, second = '0', fraction = '', half, zone] = parts;
  let hour = Number(hourText);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  }
  if (hour > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const seconds = hour * 3600 + Number(minute) * 60 + Number(second) - zoneSeconds(zone);
  return {
    micros: seconds * MICROS_PER_SECOND + Number(fraction.padEnd(6, '0')),
    clock: half !== undefined || hourText.length === 2,
    zoned: zone !== undefined,
  };
}

function zoneSeconds(zone: string | undefined): number {
  const parts = zone === undefined ? null : /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (!parts) return 0;
  return (parts[1] === '-' ? -1 : 1) * (Number(parts[2]) * 3600 + Number(parts[3]) * 60);
}
