/** Recognises texts with nearly the same words: other versions of a page, or copies with another layout. Pure. */

/** Minimum share of common word sequences for two texts to count as copies. */
export const NEAR_DUPLICATE_SHARE_MIN = 0.9;
/** Number of words in a sequence. */
const SEQUENCE_WORDS = 3;
/** Words after this number are not compared. */
const COMPARED_WORDS_MAX = 2_000;
/** Texts with fewer words are copies only if they are equal. */
const COMPARED_WORDS_MIN = 8;

/** Tolerance for rounding: a number that equals the limit must pass. */
const ROUNDING = 1e-9;

/** The facts by which two texts are compared. */
export interface Fingerprint {
  /** Hashes of the word sequences, ascending, each once. */
  sequences: Uint32Array;
  /** Every word with a digit, in order: texts that differ in a number, a date or a code are never copies. */
  numbers: string;
}

/** A word. In scripts without blanks between words, each character counts as a word. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\p{M}*|[\p{L}\p{M}\p{N}]+/gu;
const NUMBER = /\p{N}/u;

/** The compared words of a text. */
interface Words {
  hashes: number[];
  /** The words with a digit. */
  numbers: string[];
}

/** Returns the fingerprint of a text. */
export function fingerprint(text: string): Fingerprint {
  const { hashes, numbers } = plainWords(text) ?? anyWords(text);
  const count = hashes.length < COMPARED_WORDS_MIN ? 0 : hashes.length - SEQUENCE_WORDS + 1;
  const sequences = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) {
    let hash = 0;
    for (let k = 0; k < SEQUENCE_WORDS; k += 1) hash = Math.imul(hash, HASH_FACTOR) ^ hashes[i + k]!;
    sequences[i] = hash;
  }
  sequences.sort();
  let distinct = 0;
  for (let i = 0; i < count; i += 1) {
    if (i === 0 || sequences[i] !== sequences[i - 1]) sequences[distinct++] = sequences[i]!;
  }
  return { sequences: sequences.subarray(0, distinct), numbers: numbers.join(' ') };
}

function anyWords(text: string): Words {
  const words = (normal(text).match(WORD) ?? []).slice(0, COMPARED_WORDS_MAX);
  return { hashes: words.map(hashOf), numbers: words.filter((word) => NUMBER.test(word)) };
}

function normal(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

const SEPARATES = 0;
/** Marks a character whose form depends on its neighbours, or that stands for several letters. */
const IS_NOT_PLAIN = 0xffff;
/** For the characters of most languages in Latin script, the letter that stands for each in comparisons. */
const PLAIN = new Uint16Array(0x2028).fill(IS_NOT_PLAIN);
for (const [from, to] of [
  [0x00, 0x180],
  [0x2010, 0x2028],
] as const) {
  for (let code = from; code < to; code += 1) {
    const compared = normal(String.fromCharCode(code));
    if (!/[\p{L}\p{M}\p{N}]/u.test(compared)) PLAIN[code] = SEPARATES;
    else if (compared.length === 1) PLAIN[code] = compared.charCodeAt(0);
  }
}
const [ZERO, NINE] = [0x30, 0x39];

/** Returns the same words as `anyWords` in a tenth of the time; undefined for texts with other letters. */
function plainWords(text: string): Words | undefined {
  const words: Words = { hashes: [], numbers: [] };
  let [start, hash, hasDigit] = [-1, HASH_START, false];
  for (let at = 0; at <= text.length && words.hashes.length < COMPARED_WORDS_MAX; at += 1) {
    const letter = at < text.length ? (PLAIN[text.charCodeAt(at)] ?? IS_NOT_PLAIN) : SEPARATES;
    if (letter === IS_NOT_PLAIN) return undefined;
    if (letter !== SEPARATES) {
      if (start < 0) start = at;
      hash = Math.imul(hash ^ letter, HASH_FACTOR);
      hasDigit ||= letter >= ZERO && letter <= NINE;
    } else if (start >= 0) {
      words.hashes.push(hash);
      if (hasDigit) words.numbers.push(normal(text.slice(start, at)));
      [start, hash, hasDigit] = [-1, HASH_START, false];
    }
  }
  return words;
}

/** Returns true if the texts share at least NEAR_DUPLICATE_SHARE_MIN of their sequences (Jaccard) and have the same numbers. */
export function areNearDuplicates(a: Fingerprint, b: Fingerprint): boolean {
  if (a.numbers !== b.numbers || a.sequences.length === 0 || b.sequences.length === 0) return false;
  // At most so many sequences may be in only one of the texts. The loop ends early for texts that differ.
  const [left, right] = [a.sequences, b.sequences];
  const all = left.length + right.length;
  const singlesMax = (all * (1 - NEAR_DUPLICATE_SHARE_MIN)) / (1 + NEAR_DUPLICATE_SHARE_MIN) + ROUNDING;
  let [i, j, singles] = [0, 0, 0];
  while (i < left.length && j < right.length && singles <= singlesMax) {
    const [l, r] = [left[i]!, right[j]!];
    if (l === r) {
      i += 1;
      j += 1;
    } else {
      singles += 1;
      if (l < r) i += 1;
      else j += 1;
    }
  }
  return singles + (left.length - i) + (right.length - j) <= singlesMax;
}

/** FNV-1a. */
const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

function hashOf(word: string): number {
  let hash = HASH_START;
  for (let i = 0; i < word.length; i += 1) hash = Math.imul(hash ^ word.charCodeAt(i), HASH_FACTOR);
  return hash;
}
