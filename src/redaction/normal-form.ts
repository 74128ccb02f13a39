/**
 * The form of a text in which finders look for matches. Invisible characters are removed. Digits, blanks, dashes and compatibility
 * forms (full width, mathematical letters …) become plain. Each code point is converted on its own. The normal form of a piece is
 * therefore a piece of the normal form, and every offset leads back to the text.
 */

export interface NormalForm {
  text: string;
  /** For each unit of `text`, where its code point begins and ends in the original text. Null if nothing was changed. */
  starts: Int32Array | null;
  ends: Int32Array | null;
}

const PLAIN = /^[\x00-\x08\x0a-\x7f]*$/;
/** Format characters, soft hyphen, joiners, direction marks, variation selectors, fillers, tags. */
const INVISIBLE =
  /\p{Cf}|\u034f|[\u115f\u1160\u3164\uffa0]|[\u17b4\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u;
const BLANK = /[\p{Zs}\t]/u;
const LINE_BREAK = /[\u0085\u2028\u2029]/;
const DASH = /[\p{Pd}\u2212\u2043\u02d7\u00b7\u30fb]/u;
const DIGIT = /\p{Nd}/u;

/** Cached forms, by code point. */
const forms = new Map<number, string>();
const FORMS_MAX = 20_000;

export function normalForm(text: string): NormalForm {
  if (PLAIN.test(text)) return { text, starts: null, ends: null };
  const parts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i)!;
    const end = i + (code > 0xffff ? 2 : 1);
    const form = formOf(code);
    parts.push(form);
    for (let unit = 0; unit < form.length; unit++) {
      starts.push(i);
      ends.push(end);
    }
    i = end;
  }
  return { text: parts.join(''), starts: Int32Array.from(starts), ends: Int32Array.from(ends) };
}

function formOf(code: number): string {
  const cached = forms.get(code);
  if (cached !== undefined) return cached;
  const form = convert(code);
  if (forms.size >= FORMS_MAX) forms.clear();
  forms.set(code, form);
  return form;
}

function convert(code: number): string {
  const char = String.fromCodePoint(code);
  if (code === 0x0a || code === 0x0d) return char;
  if (INVISIBLE.test(char)) return '';
  if (BLANK.test(char)) return ' ';
  if (LINE_BREAK.test(char)) return '\n';
  if (DASH.test(char)) return '-';
  if (DIGIT.test(char)) return String(digitOf(code));
  const form = char.normalize('NFKC');
  // A compatibility form may contain blanks and dashes, which are converted too; its digits are plain already.
  return form === char
    ? char
    : [...form].map((part) => (part === char ? part : convert(part.codePointAt(0)!))).join('');
}

/** Returns the value of a digit: Unicode has digits in blocks of ten that begin with zero. */
function digitOf(code: number): number {
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return (code - zero) % 10;
}
