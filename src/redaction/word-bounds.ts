/** The bounds of words, in scripts with and without blanks between words. */

const NONE = 1;
const WORD = 2;
/** A script without blanks between words: a word may begin and end anywhere. */
const UNSPACED = 3;
/** Korean has blanks before words, but particles directly after them. */
const HANGUL = 4;

const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/u;
const HANGUL_SCRIPT = /\p{Script=Hangul}/u;
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}_]/u;
/** High surrogates of the supplementary planes of ideographs. */
const IDEOGRAPHS_FIRST = 0xd840;
const IDEOGRAPHS_LAST = 0xd8bf;

const kinds = new Uint8Array(0x10000);

function kindOf(code: number): number {
  if (kinds[code] === 0) kinds[code] = classify(code);
  return kinds[code]!;
}

function classify(code: number): number {
  const char = String.fromCharCode(code);
  if (code >= IDEOGRAPHS_FIRST && code <= IDEOGRAPHS_LAST) return UNSPACED;
  if (UNSPACED_SCRIPT.test(char)) return UNSPACED;
  if (HANGUL_SCRIPT.test(char)) return HANGUL;
  return WORD_CHARACTER.test(char) ? WORD : NONE;
}

/** Returns true if a word can begin at `at`. */
export function wordBegins(text: string, at: number): boolean {
  if (at === 0 || at >= text.length) return true;
  const [before, first] = [kindOf(text.charCodeAt(at - 1)), kindOf(text.charCodeAt(at))];
  return before !== first || before === NONE || before === UNSPACED;
}

/** Returns true if a word can end at `at`. */
export function wordEnds(text: string, at: number): boolean {
  if (at === 0 || at >= text.length) return true;
  const [last, after] = [kindOf(text.charCodeAt(at - 1)), kindOf(text.charCodeAt(at))];
  return last !== WORD || after !== WORD;
}

/** Returns true for a unit of a script without blanks between words. */
export function isUnspaced(unit: string): boolean {
  return unit !== '' && kindOf(unit.charCodeAt(0)) === UNSPACED;
}
