/**
 * Writes raised letters and digits: exponents as `10^23`, marks of notes as `word[^1]`. Without the mark they would become part of the
 * number or word before them. Ordinals (`1st`), abbreviations (`Dr`) and prices (`19,99`) stay one word. Pure.
 */

/** Longer raised texts are left as they are. */
export const RAISED_UNITS_MAX = 24;
/** Units before a raised text, and behind it, that tell what it is. */
export const CARRIER_UNITS = 12;

const NOTE = /^\(?(\*?\d{1,3}(?:[,–-]\s?\d{1,3}){0,6})\)?$/;
/** Numbers behind a long word or the end of a sentence are marks of notes. Units and functions are shorter. */
const NOTE_CARRIER = /(?:\p{L}{4}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]|[.,;:!?…"”’»。，、])$/u;
/** One letter behind a number: `20e`, `XXe`, `nº`. */
const ORDINAL_CARRIER = /(?:\d|(?<!\p{L})[IVXLC]{1,8}|(?<!\p{L})[nN])$/u;
const ORDINAL = /^(?:\p{Ll}{2,4}|[eoaºª])\.?$/u;
/** Long words whose exponent is 2 or 3: units and functions. */
const UNIT = new RegExp(
  [
    '(?<!\\p{L})(?:(?:kilo|hecto|de[ck]a|de[cz]i|[cz]enti|milli|mi[ck]ro|nano)?(?:m[eè]t(?:er|re|ro)|lit(?:er|re|ro))[ns]?',
    '|inch(?:es)?|foot|feet|yards?|miles?|meilen?|zoll|mmol|per (?:second|hour)|pro sekunde|(?:sin|cos|tan|cot)h)$',
    '|(?:/(?:second|hour|sekunde)|メートル|厘米|毫米|千米|公里|\\d ?米|เมตร)$',
  ].join(''),
  'iu',
);
/** Abbreviations of one capital and one raised letter. Others are powers: `R^n`. */
const ABBREVIATION = /(?<![\p{L}\p{N}])(?:[DMNJ]r|No|St|Me)$/u;
/** Raised cents of a price, also with the currency: `19,99`. */
const CENTS = /^\d{2}[^\d,–-]*$/;
/** A whole amount before its cents. Behind `5,400,` there are none. */
const AMOUNT = /(?<!\d\.\d{3}\.|\d,\d{3},)(?<=\d[.,])$/;
const CURRENCY = String.raw`(?:\p{Sc}|(?<!\p{L})(?:EUR|USD|GBP|CHF|JPY|CNY|CAD|AUD|INR|BRL|RUB|PLN|CZK|HUF|SEK|NOK|DKK|kr|zł|Kč)(?!\p{L}))`;
const CURRENCY_BEFORE = new RegExp(String.raw`${CURRENCY}\s?\d+(?:[.,'’\s]\d{3})*[.,]$`, 'u');
/** The sign may belong to the next number instead: `40, $5`. */
const CURRENCY_BEHIND = new RegExp(String.raw`^\s?${CURRENCY}(?!\s?\d)`, 'u');
const SIMPLE = /^(?:[-−–+]?\d{1,8}|\p{L})$/u;
const LETTER = /[\p{L}\p{N}]/u;

/**
 * Returns raised text with its mark; undefined if it needs none. `before` ends with the character that carries the text. Brackets
 * separate words already, so text in square brackets needs no mark.
 *
 * @param after the text behind the raised text, up to where its height changes; at least one character if there is one.
 * @param lowered the small or lowered text behind `after`.
 */
export function raisedText(before: string, raised: string, after: string, lowered = ''): string | undefined {
  if (!LETTER.test(raised) || raised.length > RAISED_UNITS_MAX || raised.startsWith('[')) return undefined;
  if (!/[^\s([{]$/u.test(before)) return undefined;
  if (ORDINAL.test(raised) && (/\p{Ll}{2}/u.test(raised) || ORDINAL_CARRIER.test(before))) return undefined;
  if (raised.length === 1 && ABBREVIATION.test(before + raised)) return undefined;
  if (isCents(before, raised, after)) return undefined;
  if (isUpperPart(before, raised, after, lowered)) return ` ${raised}`;
  const isExponent = /^[23]$/.test(raised) && UNIT.test(before);
  const note = !isExponent && NOTE_CARRIER.test(before) ? NOTE.exec(raised)?.[1] : undefined;
  if (note !== undefined) return `[^${note}]`;
  return SIMPLE.test(raised) && !LETTER.test(after[0] ?? '') ? `^${raised}` : `^{${raised}}`;
}

/** Returns whether raised digits are cents. Without a currency they are the mark of a note behind a number: `in 2019.[^12]`. */
function isCents(before: string, raised: string, after: string): boolean {
  if (!AMOUNT.test(before) || !CENTS.test(raised)) return false;
  return CURRENCY_BEFORE.test(before) || CURRENCY_BEHIND.test(raised.slice(2)) || CURRENCY_BEHIND.test(after);
}

/** Returns whether a raised number behind a number is the upper part of a fraction: `2 1/2`. */
function isUpperPart(before: string, raised: string, after: string, lowered: string): boolean {
  return /\d$/.test(before) && /^\d{1,3}$/.test(raised) && /^[/⁄∕]$/.test(after) && /^\d/.test(lowered);
}
