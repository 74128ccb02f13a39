/**
 * Writes the values of cells in the formats of their workbook: `01234`, `12.50 €`, `12.5 kg`, `12.5%`, `1 1/2`. Numbers keep all their
 * digits and have no thousands separators, and days are written as ISO dates: tables compute with them.
 */
import { format as formatted, getFormatDateInfo, getFormatFromId, isDateFormat } from 'numfmt';
import { attribute } from '../../xml/tree.ts';

/** How a cell is shown: by a format code, or as a day or time. A `clock` is a time of the day, a `length` may have more than 24 hours. */
export type CellFormat = string | { kind: 'date' | 'clock' | 'length'; hasSeconds: boolean };

/** The day with the number 0 as milliseconds since 1970. */
export type Day0 = number;
/** The first day of most workbooks, and of those of old Macs. */
export const DAY0: Day0 = Date.UTC(1899, 11, 30);
export const DAY0_1904: Day0 = Date.UTC(1904, 0, 1);

const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400;
/** Days around 1970 that a date may have. */
const DATE_DAYS_MAX = 100_000_000;
/** Significant digits of a number as Excel computes. Further digits come from the binary form. */
const DIGITS = 15;
/** Maximum number of decimals that are written with a format. */
const DECIMALS_MAX = 20;
/** A number from here on, in 1901, is a day with a time, of which the format shows the time only. */
const DATE_DAYS_MIN = 366;
/** Longest length of time, in days, that is written as hours. */
const LENGTH_DAYS_MAX = 10_000;
const CODE_UNITS_MAX = 255;

/** Returns the formats of the styles of cells, by their index; undefined for plain numbers. `xml` is `xl/styles.xml`. */
export function readFormats(xml: string): (CellFormat | undefined)[] {
  const codes = new Map<string, string>();
  for (const [, head = ''] of xml.matchAll(/<(?:\w{1,40}:)?numFmt(\s[^<>]*)>/g))
    codes.set(attribute({ head }, 'numFmtId'), attribute({ head }, 'formatCode'));
  const open = /<(?:\w{1,40}:)?cellXfs[\s>]/.exec(xml);
  const end = xml.search(/<\/(?:\w{1,40}:)?cellXfs>/);
  if (!open || end === -1) return [];
  const formats = new Map<string, CellFormat | undefined>();
  return [...xml.slice(open.index, end).matchAll(/<(?:\w{1,40}:)?xf(\s[^<>]*)>/g)].map(([, head = '']) => {
    const id = attribute({ head }, 'numFmtId');
    if (!formats.has(id)) formats.set(id, formatOf(codes.get(id) ?? getFormatFromId(Number(id)) ?? ''));
    return formats.get(id);
  });
}

/** Returns the format of a format code. Undefined if the code shows the number as it is. */
export function formatOf(code: string): CellFormat | undefined {
  if (code === '' || code.length > CODE_UNITS_MAX) return undefined;
  if (!isDateFormat(code)) return PLAIN.test(code) ? undefined : code;
  const { year, month, day, hours, seconds } = getFormatDateInfo(code);
  if (year || day || (month && !seconds)) return { kind: 'date', hasSeconds: seconds };
  // Minutes and seconds without hours are a length, too.
  const isLength = /\[(?:h+|m+|s+)\]/i.test(code) || !hours;
  return { kind: isLength ? 'length' : 'clock', hasSeconds: seconds };
}

/** Matches codes whose text is the number: `General`, `0`, `0.00E+00`. `00` would show another text. */
const PLAIN = /^(?:General|@|#,##0|[0#]|#*0?E\+0+|[#0]*\.[#0?]*E\+0+)$/i;

/** Returns a text as its format shows it: most formats leave texts as they are. */
export function shownText(text: string, format: CellFormat | undefined): string {
  const isShown = typeof format === 'string' && format.includes('@') && format.trim() !== '@';
  return (isShown ? withCode(text, format) : text).trim();
}

export function shownNumber(value: number, format: CellFormat, day0: Day0): string {
  if (typeof format === 'string') return codeText(value, format);
  const { kind, hasSeconds } = format;
  const isTime = kind === 'clock' ? value >= 0 && value < DATE_DAYS_MIN : Math.abs(value) <= LENGTH_DAYS_MAX;
  if (kind === 'date' || !isTime)
    return Math.abs(value) > DATE_DAYS_MAX ? numberText(value) : dateTimeText(new Date(day0 + value * DAY_MS));
  const total = Math.round(Math.abs(value) * DAY_SECONDS);
  const seconds = kind === 'clock' ? total % DAY_SECONDS : total;
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const minutes = `${two(seconds / 3600)}:${two((seconds / 60) % 60)}`;
  return `${value < 0 && total > 0 ? '-' : ''}${minutes}${hasSeconds || seconds % 60 !== 0 ? `:${two(seconds % 60)}` : ''}`;
}

/** Returns a number without the digits that come from its binary form. */
export function numberText(value: number): string {
  return String(Number(value.toPrecision(DIGITS)));
}

/** Returns the date, with the time unless it is midnight. */
export function dateTimeText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  // A workbook has days as binary fractions, which are a little less or more than a second.
  const seconds = new Date(Math.round(date.getTime() / 1000) * 1000);
  const [day, time] = seconds.toISOString().slice(0, 19).split('T');
  return time === '00:00:00' ? day! : `${day} ${time}`;
}

/** Matches the parts of a section: what is quoted, escaped or in brackets, and the places of digits. */
const PART = /"[^"]*"|\\.|[_*].|\[[^\]]*\]|([0#?][0#?,]*(?:\.[0#?]*)?,*|\.[0#?]+,*)/gs;
const SECTION = /(?:"[^"]*"|\\.|[_*].|\[[^\]]*\]|[^;])+|(?<=;|^)(?=;|$)/gs;

/** Returns a number in the sections of its format code, with all its digits. */
function codeText(value: number, code: string): string {
  const number = Number(value.toPrecision(DIGITS));
  if (value !== 0 && /e/.test(String(number))) return numberText(value);
  const sections = code.match(SECTION) ?? [];
  const exact = sections.map((section) => exactSection(section, number));
  const text = withCode(number, exact.join(';'));
  if (number > 0 || exact.length < 2 || sections.some((section) => CONDITION.test(section))) return text;
  return withSign(text, number, withCode(Math.abs(number), exact[0]!));
}

const CONDITION = /\[[<>=]/;
const WORD = /\p{L}+/gu;
/** Matches a number in brackets, and a text with a dash in place of its number. */
const BRACKETS = /^([^()\d]*)\(([^()]*\d[^()]*)\)([^()\d]*)$/;
const DASH = /^\D*[-−–—]\D*$/;

/**
 * Returns the text of a negative number or zero as a table needs it: with a minus where brackets or the color alone say it, and with the
 * number in place of a dash. Signs and words of the format stay. `positive` is the text of the number without its sign.
 */
function withSign(text: string, number: number, positive: string): string {
  const known: readonly string[] = positive.match(WORD) ?? [];
  if (text.match(WORD)?.some((word) => !known.includes(word))) return text;
  const sign = number < 0 ? '-' : '';
  if (DASH.test(text)) return /\d/.test(positive) && marksOf(positive) === '' ? sign + positive : numberText(number);
  if (!/\d/.test(text)) return text;
  const [, before, inside, after] = BRACKETS.exec(text) ?? [];
  if (inside !== undefined) return `${/[-−]/.test(text) ? '' : sign}${before}${inside}${after}`;
  return marksOf(text) === marksOf(positive) ? sign + text : text;
}

/** Returns the signs of a text that are no part of an amount, such as `+` and `▲`. */
function marksOf(text: string): string {
  return text.replace(/[\p{L}\p{N}\p{Sc}\s.%]/gu, '');
}

/** Returns a section that shows all decimals of a number and no thousands separators. */
function exactSection(section: string, value: number): string {
  // A language changes the decimal point.
  const local = section.replace(/\[\$([^\]-]*)-[^\]]*\]/g, (_all, sign: string) => (sign === '' ? '' : `[$${sign}]`));
  const plain = local.replace(/("[^"]*"|\\.|\[[^\]]*\])|General/gi, (_all, kept?: string) => kept ?? '0');
  const places = [...plain.matchAll(PART)].filter(([, digits]) => digits !== undefined);
  const [place] = places;
  const bare = plain.replace(PART, '');
  if (!place || places.length > 1 || /[/Ee]/.test(bare)) return plain;
  const [whole = '', decimals] = place[1]!.replace(/,+$/, '').split('.', 2);
  const scale = /,*$/.exec(place[1]!)![0].length;
  const percents = bare.split('%').length - 1;
  const shown = Number((value * 100 ** percents * 1000 ** -scale).toPrecision(DIGITS));
  const needed = String(shown).split('.', 2)[1]?.length ?? 0;
  const digits = whole.replaceAll(',', '');
  // A number of a fixed length, such as a postal code, has no decimals.
  if (decimals === undefined && /00/.test(digits)) return plain;
  const least = (decimals ?? '').replace(/#+$/, '').length;
  const count = Math.min(Math.max(needed, least), DECIMALS_MAX);
  const exact = `${digits}${count > 0 ? `.${'0'.repeat(count)}` : ''}${','.repeat(scale)}`;
  return plain.slice(0, place.index) + exact + plain.slice(place.index + place[0].length);
}

/** Returns a value in a format code, or the value itself if the code is wrong. */
function withCode(value: number | string, code: string): string {
  try {
    return formatted(code, value).replace(/\s+/g, ' ').trim();
  } catch {
    return typeof value === 'number' ? numberText(value) : value;
  }
}
