/** Numbers, sizes and times as the language of the reader writes them. */
import { localeTag } from './words.ts';

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export function number(value: number, digits = 0): string {
  return value.toLocaleString(localeTag(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Returns a size with the unit that keeps it short: bytes, kB or MB, each of 1,000 of the one before. */
export function bytes(value: number): string {
  const [unit, scaled] =
    value < 1_000
      ? ['byte', value]
      : value < 1e6
        ? ['kilobyte', value / 1e3]
        : value < 1e9
          ? ['megabyte', value / 1e6]
          : ['gigabyte', value / 1e9];
  return new Intl.NumberFormat(localeTag(), {
    style: 'unit',
    unit: unit as string,
    unitDisplay: 'short',
    maximumFractionDigits: Number(scaled) < 10 && unit !== 'byte' ? 1 : 0,
  }).format(scaled as number);
}

export function milliseconds(value: number): string {
  return new Intl.NumberFormat(localeTag(), {
    style: 'unit',
    unit: 'millisecond',
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value);
}

/** Returns how long ago a time was, given in Unix seconds: `5 min ago`. */
export function ago(seconds: number, now = Date.now() / 1000): string {
  const relative = new Intl.RelativeTimeFormat(localeTag(), { style: 'narrow', numeric: 'auto' });
  const passed = now - seconds;
  const [unit, length] = STEPS.find(([, step]) => passed >= step) ?? ['second', 1];
  return unit === 'second' ? relative.format(0, 'second') : relative.format(-Math.floor(passed / length), unit);
}

/** Returns date and time of Unix seconds. */
export function moment(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString(localeTag(), { dateStyle: 'medium', timeStyle: 'short' });
}
