/** Finds the cells of an Excel sheet whose numbers are shown as amounts of money, percents, times or lengths of time. Linear. */
import { CURRENCIES } from '../../../columns/words.ts';
import { attribute } from '../../xml/tree.ts';

/** A currency sign before or after the number: `before $`. */
type Money = `${'before' | 'after'} ${string}`;
/** How a number is shown. A `clock` is a time of the day, a `length` may have more than 24 hours. */
export type CellFormat = 'percent' | 'clock' | 'clock-seconds' | 'length' | 'length-seconds' | Money;

/** Ids of built-in formats: `0%`, `0.00%`, `h:mm AM/PM` and the like, `[h]:mm:ss`. */
const BUILT_IN: readonly (readonly [id: string, format: CellFormat])[] = [
  ['9', 'percent'],
  ['10', 'percent'],
  ['18', 'clock'],
  ['19', 'clock-seconds'],
  ['20', 'clock'],
  ['21', 'clock-seconds'],
  ['45', 'length-seconds'],
  ['46', 'length-seconds'],
  ['47', 'length-seconds'],
];
/** Significant digits of a number. Further digits come from its binary form. */
const DIGITS = 12;
const DAY_SECONDS = 86_400;
/** A number from here on, in 1901, is a day with a time, of which the format shows the time only. */
const DATE_DAYS_MIN = 366;
/** Longest length of time, in days, that is written as hours. */
const LENGTH_DAYS_MAX = 10_000;

/** Returns the formats of the cell styles that show percents or times, by their index. `xml` is `xl/styles.xml`. */
export function formattedStyles(xml: string): Map<string, CellFormat> {
  const formats = new Map(BUILT_IN);
  for (const [, head = ''] of xml.matchAll(/<(?:\w{1,40}:)?numFmt\s([^<>]*)>/g)) {
    const format = formatOf(attribute({ head: ` ${head}` }, 'formatCode'));
    if (format) formats.set(attribute({ head: ` ${head}` }, 'numFmtId'), format);
  }
  const cells = /<(?:\w{1,40}:)?cellXfs[\s>]/.exec(xml);
  const end = xml.search(/<\/(?:\w{1,40}:)?cellXfs>/);
  const styles = new Map<string, CellFormat>();
  if (!cells || end === -1) return styles;
  const formatted = xml.slice(cells.index, end).matchAll(/<(?:\w{1,40}:)?xf\s([^<>]*)>/g);
  for (const [index, [, head = '']] of [...formatted].entries()) {
    const format = formats.get(attribute({ head: ` ${head}` }, 'numFmtId'));
    if (format) styles.set(String(index), format);
  }
  return styles;
}

/** Returns the formats of the cells of a sheet that have one of the styles, by their references. */
export function formattedCells(xml: string, styles: ReadonlyMap<string, CellFormat>): Map<string, CellFormat> {
  const refs = new Map<string, CellFormat>();
  if (styles.size === 0) return refs;
  for (const [, head = ''] of xml.matchAll(/<(?:\w{1,40}:)?c\s([^<>]*)>/g)) {
    const format = styles.get(/(?:^|\s)s="(\d+)"/.exec(head)?.[1] ?? '');
    const ref = format && /(?:^|\s)r="([A-Z]{1,3}\d{1,7})"/.exec(head)?.[1];
    if (format && ref !== undefined) refs.set(ref, format);
  }
  return refs;
}

/** Returns a number as its format shows it: `12.5%`, `$5`, `12.5 €`, `08:30`, `38:15`. Undefined if the number is a day with a time. */
export function shownText(value: number, format: CellFormat): string | undefined {
  if (format === 'percent') return `${Number((value * 100).toPrecision(DIGITS))}%`;
  const [place, sign] = format.split(' ');
  if (sign !== undefined) {
    const digits = Number(Math.abs(value).toPrecision(DIGITS));
    return `${value < 0 ? '-' : ''}${place === 'before' ? `${sign}${digits}` : `${digits} ${sign}`}`;
  }
  const isClock = format.startsWith('clock');
  if (isClock ? value < 0 || value >= DATE_DAYS_MIN : Math.abs(value) > LENGTH_DAYS_MAX) return undefined;
  const total = Math.round(Math.abs(value) * DAY_SECONDS);
  const seconds = isClock ? total % DAY_SECONDS : total;
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const minutes = `${two(seconds / 3600)}:${two((seconds / 60) % 60)}`;
  const hasSeconds = format.endsWith('seconds') || seconds % 60 !== 0;
  return `${value < 0 && total > 0 ? '-' : ''}${minutes}${hasSeconds ? `:${two(seconds % 60)}` : ''}`;
}

/** Returns what a format code shows. Quoted and escaped characters, colours and languages are no part of the number. */
function formatOf(code: string): CellFormat | undefined {
  const plain = code.replace(/"[^"]*"|[\\_*]./g, '');
  if (plain.includes('%')) return 'percent';
  const money = moneyOf(code);
  if (money) return money;
  const [first = ''] = plain
    .replace(/\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '')
    .toLowerCase()
    .split(';');
  const signs = first.replace(/am\/pm|a\/p/, '').trim();
  if (!/^[hms[\]:.,0\s]+$/.test(signs) || !/[hs]|\[m/.test(signs)) return undefined;
  // Minutes and seconds without hours are a length, too.
  const kind = signs.includes('[') || !signs.includes('h') ? 'length' : 'clock';
  return signs.includes('s') ? `${kind}-seconds` : kind;
}

/** Returns the currency of a format code: `#,##0.00 "€"`, `[$CHF-807] 0.00`. A language alone (`[$-407]`) is none. */
function moneyOf(code: string): Money | undefined {
  const [first = ''] = code.replace(/\[\$-[^\]]*\]/g, '').split(';', 1);
  const digits = first.search(/[0#?]/);
  if (digits === -1) return undefined;
  for (const { index, 1: local = '', 2: quoted = '', 0: bare } of first.matchAll(/\[\$([^\]-]+)|"([^"]*)"|[$€£¥]/g)) {
    const sign = (local || quoted || bare).trim();
    if (CURRENCIES.includes(sign)) return `${index < digits ? 'before' : 'after'} ${sign}`;
  }
  return undefined;
}
