/**
 * Writes raised letters and digits: exponents as `10^23`, marks of notes as `word[^1]`. Without the mark they would become part of the
 * number or word before them. Ordinals such as `1st` stay one word. Pure.
 */

/** Longer raised texts are left as they are. */
export const RAISED_UNITS_MAX = 24;
/** Units before a raised text that tell what it is. */
export const CARRIER_UNITS = 12;

const NOTE = /^\(?(\*?\d{1,3}(?:[,–-]\s?\d{1,3}){0,6})\)?$/;
/** Numbers behind a long word or the end of a sentence are marks of notes. Units and functions are shorter. */
const NOTE_CARRIER = /(?:\p{L}{4}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]|[.,;:!?…"”’»。，、])$/u;
/** One letter behind a number: `20e`, `XXe`, `nº`. */
const ORDINAL_CARRIER = /(?:\d|(?<!\p{L})[IVXLC]{1,8}|(?<!\p{L})[nN])$/u;
const ORDINAL = /^(?:\p{Ll}{2,4}|[eoaºª])\.?$/u;
const SIMPLE = /^(?:[-−–+]?\d{1,8}|\p{L})$/u;
const LETTER = /[\p{L}\p{N}]/u;

/**
 * Returns raised text with its mark; undefined if it needs none. `before` ends with the character that carries the text. Brackets
 * separate words already, so text in square brackets needs no mark.
 */
export function raisedText(before: string, raised: string, after: string): string | undefined {
  if (!LETTER.test(raised) || raised.length > RAISED_UNITS_MAX || raised.startsWith('[')) return undefined;
  if (!/[^\s([{]$/u.test(before)) return undefined;
  if (ORDINAL.test(raised) && (/\p{Ll}{2}/u.test(raised) || ORDINAL_CARRIER.test(before))) return undefined;
  const note = NOTE_CARRIER.test(before) ? NOTE.exec(raised)?.[1] : undefined;
  if (note !== undefined) return `[^${note}]`;
  return SIMPLE.test(raised) && !LETTER.test(after) ? `^${raised}` : `^{${raised}}`;
}
