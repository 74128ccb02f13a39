/** Numbers, sizes, times and the order of names in the language of the reader. */
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

/** Returns the rows by name, 9 before 10. A collator for each comparison would take most of the time. */
export function sortedByName<T>(rows: readonly T[], nameOf: (row: T) => string): T[] {
  const { compare } = new Intl.Collator(localeTag(), { numeric: true });
  return rows.toSorted((a, b) => compare(nameOf(a), nameOf(b)));
}

const SIZES = ['B', 'kB', 'MB', 'GB'] as const;

/** Returns a size with the unit that keeps it short, each unit 1,000 of the one before. The units are the same in every language. */
export function bytes(value: number): string {
  let at = 0;
  let scaled = value;
  for (; scaled >= 1_000 && at < SIZES.length - 1; at++) scaled /= 1_000;
  const digits = scaled < 10 && at > 0 ? 1 : 0;
  return `${scaled.toLocaleString(localeTag(), { maximumFractionDigits: digits })}\u00a0${SIZES[at]}`;
}

/** Returns a time in milliseconds, or from one second on in seconds. */
export function milliseconds(value: number): string {
  if (value >= 1_000)
    return (value / 1_000).toLocaleString(localeTag(), {
      style: 'unit',
      unit: 'second',
      unitDisplay: 'short',
      maximumFractionDigits: value < 100_000 ? 1 : 0,
    });
  return new Intl.NumberFormat(localeTag(), {
    style: 'unit',
    unit: 'millisecond',
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value);
}

/** Returns the names with “or” before the last one. */
export function oneOf(names: readonly string[]): string {
  return new Intl.ListFormat(localeTag(), { type: 'disjunction' }).format(names);
}

/** Returns how long ago a time was, given in Unix seconds: `5 min. ago`. The narrow style would be `vor 5 m` in German. */
export function ago(seconds: number, now = Date.now() / 1000): string {
  const relative = new Intl.RelativeTimeFormat(localeTag(), { style: 'short', numeric: 'auto' });
  const passed = now - seconds;
  const [unit, length] = STEPS.find(([, step]) => passed >= step) ?? ['second', 1];
  return unit === 'second' ? relative.format(0, 'second') : relative.format(-Math.floor(passed / length), unit);
}

/** Returns in how long a time is, given in Unix seconds: `in 3 days`. */
export function ahead(seconds: number, now = Date.now() / 1000): string {
  const relative = new Intl.RelativeTimeFormat(localeTag(), { style: 'short', numeric: 'auto' });
  const left = seconds - now;
  const [unit, length] = STEPS.find(([, step]) => left >= step) ?? ['minute', 60];
  return relative.format(Math.ceil(left / length), unit);
}

/** Returns the date of Unix seconds. */
export function day(seconds: number): string {
  return new Date(seconds * 1000).toLocaleDateString(localeTag(), { dateStyle: 'medium' });
}

/** Returns date and time of Unix seconds. */
export function moment(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString(localeTag(), { dateStyle: 'medium', timeStyle: 'short' });
}

/** Returns a length of time in its two largest units: `2 min 5 s`. */
export function span(seconds: number): string {
  const whole = Math.round(seconds);
  const parts: [number, 'hour' | 'minute' | 'second'][] =
    whole >= 3_600
      ? [
          [Math.floor(whole / 3_600), 'hour'],
          [Math.floor((whole % 3_600) / 60), 'minute'],
        ]
      : whole >= 60
        ? [
            [Math.floor(whole / 60), 'minute'],
            [whole % 60, 'second'],
          ]
        : [[whole, 'second']];
  return parts
    .map(([value, unit]) =>
      value.toLocaleString(localeTag(), { style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits: 0 }),
    )
    .join(' ');
}
