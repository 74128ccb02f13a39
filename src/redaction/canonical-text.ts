/**
 * The canonical form of a text, in which all rules look for matches. Every unit of it leads back to its place in the text.
 *
 * - Controls and invisible characters are removed. Digits, blanks, dashes and compatibility forms (full width, mathematical letters …)
 *   become plain.
 * - One blank is a blank, several blanks are a tab, and blanks with a line break are one line feed. Rules may treat these alike or not.
 * - A word that is hyphenated at the end of a line is joined. So are two lines in scripts that have no blanks between words.
 */
import { isUnspaced } from './word-bounds.ts';

/** A piece of the canonical form. */
export interface CanonicalText {
  text: string;
  /** For each unit of `text`, where its characters begin and end in the original text. */
  starts: Int32Array;
  ends: Int32Array;
}

export interface CanonicalReader {
  /** Returns the canonical form of the next piece of the text. With `isEnd`, the text is complete. */
  push(delta: string, isEnd: boolean): CanonicalText;
  /** Length of the text, in UTF-16 units, whose canonical form has been returned. The rest may depend on text that follows. */
  readonly read: number;
}

const OTHER = 1;
const BLANK = 2;
const BREAK = 3;
const INVISIBLE = 4;
const DASH = 5;

/** Besides default-ignorable code points: controls, other format characters, and letters that look like nothing. */
const NOTHING = /\p{Default_Ignorable_Code_Point}|\p{Cc}|\p{Cf}|[\u2800\ufff0-\ufff8]/u;
const BLANKS = /[\p{Zs}\t]/u;
const BREAKS = /[\n\v\f\r\u0085\u2028\u2029]/;
const DASHES = /[\p{Pd}\u2212\u2043\u02d7\u00b7\u30fb]/u;
const DIGIT = /\p{Nd}/u;
/** A bar of full width. A plain bar would end the cell of a table in which it stands. */
const WIDE_BAR = '\uff5c';
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const LOWER_CASE = /\p{Ll}/u;
const SOFT_HYPHEN = 0xad;
/** A longer run of blanks and breaks counts as several runs, so that a reader never holds back more. */
const RUN_LENGTH_MAX = 1_000;
/** Text without any run, control or hyphen at the end of a line is its own canonical form. */
const CHANGES = /[^\n -~]|[\n ]{2}|-\n| $|[\n-]$/;

/** Returns the canonical form of a complete text. */
export function canonicalForm(text: string): CanonicalText {
  return openCanonicalReader().push(text, true);
}

/** Returns the text with plain bars for wide bars: its full canonical form. Offsets stay. */
export function withPlainBars(text: string): string {
  return text.replaceAll(WIDE_BAR, '|');
}

/**
 * Returns a reader of a text that arrives in pieces. The result does not depend on where the text is cut.
 *
 * @param keepsWideBars wide bars stay, for a reader that splits rows of tables.
 */
export function openCanonicalReader(keepsWideBars = false): CanonicalReader {
  /** The end of the text that has arrived and is not read. */
  let held = '';
  let read = 0;
  /** The last unit of the canonical form. */
  let last = '';
  /** True if only invisible characters follow after `last`, one of them a soft hyphen. */
  let isSoft = false;

  return {
    get read() {
      return read;
    },
    push(delta, isEnd) {
      const text = held + delta;
      const units: string[] = [];
      const starts: number[] = [];
      const ends: number[] = [];
      const add = (form: string, from: number, to: number): void => {
        for (const unit of form.length === 1 ? [form] : form.split('')) {
          units.push(unit);
          starts.push(read + from);
          ends.push(read + to);
          last = unit;
        }
      };
      if (!isSoft && !CHANGES.test(text)) {
        const unchanged = unchangedText(text, read);
        read += text.length;
        held = '';
        last = text.at(-1) ?? last;
        return unchanged;
      }
      let at = 0;
      while (at < text.length) {
        const code = codePointOf(text, at);
        const next = at + (code > 0xffff ? 2 : 1);
        // The first half of a surrogate pair waits for its second half.
        if (!isEnd && next === text.length && code >= 0xd800 && code <= 0xdbff) break;
        const { kind, form } = characterOf(code);
        if (kind === INVISIBLE) {
          isSoft ||= code === SOFT_HYPHEN;
          at = next;
          continue;
        }
        const isDash = kind === DASH;
        if (isDash || kind === BLANK || kind === BREAK) {
          const run = runFrom(text, isDash ? next : at);
          if (run.isOpen && !isEnd) break;
          const after = run.end < text.length ? characterOf(codePointOf(text, run.end)).form : '';
          if (isDash) {
            const joins = run.breaks > 0 && LETTER_OR_DIGIT.test(last) && LETTER_OR_DIGIT.test(after);
            const end = joins ? run.end : next;
            // A hyphen before a capital or a digit belongs to the word.
            if (!joins || !LOWER_CASE.test(after) || DIGIT.test(last)) add('-', at, end);
            at = end;
          } else {
            const joins =
              run.breaks > 0 &&
              ((isSoft && LOWER_CASE.test(after)) || (isUnspaced(last) && isUnspaced(after.slice(0, 1))));
            if (!joins) add(run.breaks > 0 ? '\n' : run.blanks > 1 ? '\t' : ' ', at, run.end);
            at = run.end;
          }
        } else {
          add(keepsWideBars && text[at] === WIDE_BAR ? WIDE_BAR : form, at, next);
          at = next;
        }
        isSoft = false;
      }
      read += at;
      held = text.slice(at);
      return { text: units.join(''), starts: Int32Array.from(starts), ends: Int32Array.from(ends) };
    },
  };
}

function unchangedText(text: string, first: number): CanonicalText {
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  for (let i = 0; i < text.length; i++) {
    starts[i] = first + i;
    ends[i] = first + i + 1;
  }
  return { text, starts, ends };
}

/** `codePointAt`, which in optimised code reads past the end of a sliced string that ends with half a pair (V8 13.6). */
function codePointOf(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first < 0xd800 || first > 0xdbff || at + 1 >= text.length) return first;
  const second = text.charCodeAt(at + 1);
  return second < 0xdc00 || second > 0xdfff ? first : (first - 0xd800) * 0x400 + (second - 0xdc00) + 0x10000;
}

/** Returns the run of blanks, breaks and invisible characters at `from`. It is open if more text could continue it. */
function runFrom(text: string, from: number): { end: number; blanks: number; breaks: number; isOpen: boolean } {
  let [end, blanks, breaks] = [from, 0, 0];
  while (end < text.length && end - from < RUN_LENGTH_MAX) {
    const code = codePointOf(text, end);
    const { kind } = characterOf(code);
    if (kind === BLANK) blanks++;
    else if (kind === BREAK) breaks++;
    else if (kind !== INVISIBLE) return { end, blanks, breaks, isOpen: isHalf(text, end) };
    end += code > 0xffff ? 2 : 1;
  }
  return { end, blanks, breaks, isOpen: end === text.length && end - from < RUN_LENGTH_MAX };
}

/** Returns true if the text ends at `at` with the first half of a surrogate pair. */
function isHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at === text.length - 1 && code >= 0xd800 && code <= 0xdbff;
}

interface Character {
  kind: number;
  /** The canonical form of the character on its own. */
  form: string;
}

/** Cached characters, by code point. */
const characters = new Map<number, Character>();
const CACHED_MAX = 20_000;

function characterOf(code: number): Character {
  const cached = characters.get(code);
  if (cached) return cached;
  const character = classify(code);
  if (characters.size >= CACHED_MAX) characters.clear();
  characters.set(code, character);
  return character;
}

function classify(code: number): Character {
  const char = String.fromCodePoint(code);
  if (BREAKS.test(char)) return { kind: BREAK, form: '\n' };
  if (BLANKS.test(char)) return { kind: BLANK, form: ' ' };
  if (NOTHING.test(char)) return { kind: INVISIBLE, form: '' };
  if (DASHES.test(char)) return { kind: DASH, form: '-' };
  if (DIGIT.test(char)) return { kind: OTHER, form: String(digitOf(code)) };
  const form = char.normalize('NFKC');
  // A compatibility form may contain blanks and dashes, which are converted too; its digits are plain already.
  const parts = form === char ? char : [...form].map((part) => characterOf(part.codePointAt(0)!).form).join('');
  return parts === '' ? { kind: INVISIBLE, form: '' } : { kind: OTHER, form: parts };
}

/** Returns the value of a digit: Unicode has digits in blocks of ten that begin with zero. */
function digitOf(code: number): number {
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return (code - zero) % 10;
}
