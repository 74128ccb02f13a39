/** Counts the paragraphs of lists in Office files, and writes their labels. */
import { isItem } from '../../../text/sentences.ts';

export interface NumberLevel {
  /** The first number, 1 if it is absent. */
  start: number | undefined;
  /** A format of Word. */
  format: string;
  /** The label with `%1%` for the number of the first level. */
  pattern: string;
  /** Whether numbers of all levels are written with digits. */
  isLegal?: boolean;
  /** The last level whose paragraphs make the numbers begin anew. Absent: all levels above. */
  restart?: number | undefined;
}

const ROMAN: readonly (readonly [value: number, text: string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];
/** Numbers from here on are written with digits only. */
const SPELLED_MAX = 1000;
const HAN = [...'〇一二三四五六七八九'];

/**
 * Counts a paragraph of the level `at` and returns its label. `numbers` are the present numbers by level, and `start` is the number of
 * a paragraph with which the level begins anew.
 */
export function nextLabel(
  numbers: (number | undefined)[],
  levels: ReadonlyMap<number, NumberLevel>,
  at: number,
  start?: number,
): string {
  const own = levels.get(at);
  const before = numbers[at];
  numbers[at] = start ?? (before === undefined ? (own?.start ?? 1) : before + 1);
  for (const [other, level] of levels) {
    if (other < at) numbers[other] ??= level.start ?? 1;
    else if (other > at && at <= (level.restart ?? at)) numbers[other] = undefined;
  }
  const shown = (other: number) => {
    const { start: first = 1, format = 'decimal' } = levels.get(other) ?? {};
    return numberLabel(numbers[other] ?? first, own?.isLegal ? 'decimal' : format);
  };
  return (own?.pattern ?? '').replace(/%(\d{1,2})%/g, (_sign, other: string) => shown(Number(other))).trim();
}

/** Returns a label as the mark of a list item. A label such as `10` or `1.1` does not tell that its line is an item. */
export function itemMark(label: string): string {
  const mark = label.replace(/^\d{1,3}$/, '$&.');
  return isItem(`${mark} x`) ? mark : `* ${mark}`;
}

/** Returns a number in a format of Word. A format that is not known gives digits. */
export function numberLabel(value: number, format: string): string {
  if (format === 'none') return '';
  if (format === 'decimalZero') return String(value).padStart(2, '0');
  if (value < 1 || value >= SPELLED_MAX) return String(value);
  if (format === 'lowerLetter') return letters(value);
  if (format === 'upperLetter') return letters(value).toUpperCase();
  if (format === 'lowerRoman') return roman(value);
  if (format === 'upperRoman') return roman(value).toUpperCase();
  if (/^decimalEnclosedCircle/.test(format) && value <= 20) return String.fromCodePoint(0x245f + value);
  return /^(?:chinese|taiwanese|japanese)Counting/.test(format) ? han(value) : String(value);
}

/** Returns `a` to `z`, then `aa` to `zz`, as Word counts. */
function letters(value: number): string {
  return String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.ceil(value / 26));
}

function roman(value: number): string {
  let rest = value;
  let text = '';
  for (const [step, letter] of ROMAN) {
    for (; rest >= step; rest -= step) text += letter;
  }
  return text;
}

/** Returns `三`, `十三`, `二十`, `一百零三`. */
function han(value: number): string {
  const [hundreds, tens, ones] = [Math.floor(value / 100), Math.floor(value / 10) % 10, value % 10];
  const hundred = hundreds === 0 ? '' : `${HAN[hundreds]}百`;
  const ten = tens > 0 ? `${tens === 1 && hundreds === 0 ? '' : HAN[tens]}十` : hundreds > 0 && ones > 0 ? '零' : '';
  return `${hundred}${ten}${ones === 0 ? '' : HAN[ones]}`;
}
